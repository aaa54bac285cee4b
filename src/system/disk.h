// What a disk is asked for, all in one place: disk_posix.cpp and disk_windows.cpp ask the system.
// The calls that read or change what lies there go through here, so that a test can let the n-th of
// them fail, as on a full disk, a broken disk or in a power cut. What a killed process leaves
// depends only on which of these calls were made: nothing changes between two of them, so a test of
// each call covers every moment.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/check.h"
#include "base/real.h"

namespace zhuyi::disk {

// A file is a number, as in POSIX. -1 and errno when a call fails. A path is UTF-8.
enum class Open {
    read,    // a file; of a pipe that nobody writes, the opening would wait: here it does not
    stream,  // whatever can be read, a pipe or /dev/stdin too
    append,  // made where it is missing; no symbolic link (ELOOP)
    draft,   // the same, written from its beginning
    make,    // a new file (EEXIST)
};
int open(const std::string& path, Open how);
int close(int file);

struct Status {
    bool regular = false, folder = false;
    std::uint64_t size = 0, names = 1;  // bytes; how many names (hard links) the file has
};
std::optional<Status> status(int file);
// Is the open file still the one that has this name?
bool has_name(int file, const std::string& path);
int remove(const std::string& path);  // a file

std::ptrdiff_t write(int file, const void* bytes, std::size_t count);  // may write less
std::ptrdiff_t read(int file, void* bytes, std::size_t count);  // from where the last one ended
std::ptrdiff_t read(int file, void* bytes, std::size_t count, std::uint64_t offset);
int sync(int file);  // to the disk itself, also past a cache in the disk (macOS)
int truncate(int file, std::uint64_t length);
// The file `to`, if there is one, is replaced, also while somebody reads it.
int rename(const std::string& from, const std::string& to);
// Locks an open file for this process, or fails at once (EWOULDBLOCK). The lock ends with the
// process.
int lock(int file);
// The same of a folder, until the file that is returned is closed. ENOENT: it is gone, or another
// has its name by now. `follow`: through a symbolic link.
int lock_folder(const std::string& path, bool follow);
// Renames a folder that lock_folder has locked as `lock`. An empty folder `to` is replaced.
// (Windows renames no folder in which a file is open: there the lock ends here.)
int rename_folder(const std::string& from, const std::string& to, int& lock);
// After this the names in the folder survive a power cut. (Not every file system can do that; this
// is no error.)
int sync_folder(const std::string& path);

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

// The system's own calls, which disk.cpp passes on; `die` ends the process as by kill -9.
namespace direct {
std::ptrdiff_t write(int file, const void* bytes, std::size_t count);
std::ptrdiff_t read(int file, void* bytes, std::size_t count);
std::ptrdiff_t read(int file, void* bytes, std::size_t count, std::uint64_t offset);
int sync(int file);
int truncate(int file, std::uint64_t length);
int rename(const std::string& from, const std::string& to);
int lock(int file);
int lock_folder(const std::string& path, bool follow);
int sync_folder(const std::string& path);
[[noreturn]] void die();
}  // namespace direct

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
