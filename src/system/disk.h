// The system calls that change what lies on a disk, all in one place, so that a test can let the
// n-th of them go wrong as a full disk, a dying one or a power cut would. What a killed process
// leaves behind depends only on which of these calls were made: between two of them there is no
// moment that a test could miss.
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <string>

#include "base/real.h"

namespace zhuyi::disk {

// As the POSIX calls of these names: -1 and errno when they fail.
ssize_t write(int file, const void* bytes, std::size_t count);  // may write less than it was given
int sync(int file);  // to the disk itself, also where a cache lies before it (macOS)
int truncate(int file, off_t length);
int rename(const std::string& from, const std::string& to);

// For tests.
enum class Fault {
    short_write,  // once, a write takes half of what it was given: no error
    no_space,     // the same, and every write behind it fails (ENOSPC)
    io_error,     // every write and sync fails (EIO)
    kill,         // the process dies as by kill -9, in the middle of a write if it is one
};
// The call number `call` from now, from 1, is the first that goes wrong.
void inject(Fault fault, Index call);

}  // namespace zhuyi::disk
