// The system calls that read or change what lies on a disk, all in one place. So a test can let the
// n-th of them fail, as on a full disk, a broken disk or in a power cut. What a killed process
// leaves depends only on which of these calls were made: nothing changes between two of them, so a
// test of each call covers every moment.
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <string>

#include "base/check.h"
#include "base/real.h"

namespace zhuyi::disk {

// As the POSIX calls of these names: -1 and errno when they fail.
ssize_t write(int file, const void* bytes, std::size_t count);  // may write less than it was given
ssize_t read(int file, void* bytes, std::size_t count);         // from where the last one ended
ssize_t read(int file, void* bytes, std::size_t count, off_t offset);
int sync(int file);  // to the disk itself, also past a cache in the disk (macOS)
int truncate(int file, off_t length);
int rename(const std::string& from, const std::string& to);
// Locks an open file or folder for this process, or fails at once (flock).
int lock(int file);

// For tests.
enum class Fault {
    short_write,  // once, a write takes half of what it was given: no error
    no_space,     // the same, and every write after it fails (ENOSPC)
    io_error,     // every write and sync fails (EIO)
    unreadable,   // every read fails (EIO), all else works
    kill,         // the process dies as by kill -9, in the middle of a write if it is one
    no_locks,     // a network disk: every lock fails (ENOLCK), all else works
};
// Lets calls go wrong from a later one on: `call` 1 is the next call.
void inject(Fault fault, Index call);

}  // namespace zhuyi::disk

// ---- why a call of the system failed

namespace zhuyi {

// The disk failed (EIO), and not the file: what lies there may be whole, so nobody takes it for
// damaged.
class DiskError : public Error {
  public:
    using Error::Error;
};
// There is no room: on the disk, in the quota, below the limit on a file's size. What was saved
// before is whole, so making room is all that is needed.
class NoRoom : public DiskError {
  public:
    using DiskError::DiskError;
};
// Throws Error with this text, DiskError or NoRoom where that is the reason.
[[noreturn]] void fail_for(int error, const std::string& text);

// error: the value of errno. English in the system's own words ("No space left on device"), Chinese
// for what a person is likely to meet; anything else is in English in both.
std::string system_reason(int error);

}  // namespace zhuyi
