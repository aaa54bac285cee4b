// What a disk is asked for, by the calls of POSIX.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "system/disk.h"

namespace zhuyi::disk {

int open(const std::string& path, Open how) {
    // O_NONBLOCK: if a pipe has that name, do not wait for its other end.
    constexpr int kOwn = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
    const int flags = how == Open::read     ? O_RDONLY | O_NONBLOCK
                      : how == Open::stream ? O_RDONLY
                      : how == Open::append ? kOwn | O_APPEND
                      : how == Open::draft  ? kOwn
                                            : O_WRONLY | O_CREAT | O_EXCL;
    return ::open(path.c_str(), flags | O_CLOEXEC, 0666);
}

int close(int file) { return ::close(file); }

std::optional<Status> status(int file) {
    struct stat found = {};
    if (fstat(file, &found) != 0) return {};
    return Status{S_ISREG(found.st_mode), S_ISDIR(found.st_mode), std::uint64_t(found.st_size),
                  std::uint64_t(found.st_nlink)};
}

bool has_name(int file, const std::string& path) {
    struct stat held = {}, named = {};
    return fstat(file, &held) == 0 && lstat(path.c_str(), &named) == 0 &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

int remove(const std::string& path) { return unlink(path.c_str()); }

int rename_folder(const std::string& from, const std::string& to, int&) {
    return std::rename(from.c_str(), to.c_str());
}

namespace direct {

std::ptrdiff_t write(int file, const void* bytes, std::size_t count) {
    return ::write(file, bytes, count);
}
std::ptrdiff_t read(int file, void* bytes, std::size_t count) { return ::read(file, bytes, count); }
std::ptrdiff_t read(int file, void* bytes, std::size_t count, std::uint64_t offset) {
    return ::pread(file, bytes, count, off_t(offset));
}

int sync(int file) {
#ifdef F_FULLFSYNC
    if (fcntl(file, F_FULLFSYNC) == 0) return 0;
#endif
    return fsync(file);
}

int truncate(int file, std::uint64_t length) { return ftruncate(file, off_t(length)); }
int rename(const std::string& from, const std::string& to) {
    return std::rename(from.c_str(), to.c_str());
}
int lock(int file) { return flock(file, LOCK_EX | LOCK_NB); }

int lock_folder(const std::string& path, bool follow) {
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW);
    const int folder = ::open(path.c_str(), flags);
    if (folder < 0) return -1;
    int error = 0;
    if (lock(folder) != 0)
        error = errno == EWOULDBLOCK ? EWOULDBLOCK : ENOLCK;
    else if (!follow && !has_name(folder, path))
        error = ENOENT;
    if (error == 0) return folder;
    close(folder);
    errno = error;
    return -1;
}

// A folder is a file too.
int sync_folder(const std::string& path) {
    const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return 0;
    const bool synced = sync(folder) == 0 || errno == EINVAL || errno == EBADF;
    const int error = errno;
    close(folder);
    errno = error;
    return synced ? 0 : -1;
}

void die() {
    std::raise(SIGKILL);
    std::abort();
}

}  // namespace direct
}  // namespace zhuyi::disk
