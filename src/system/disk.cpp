#include "system/disk.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>

namespace zhuyi::disk {
namespace {

// Global, as the disk itself is. Only tests change it.
struct Injection {
    std::atomic<Index> calls_left{PTRDIFF_MAX};
    Fault fault = Fault::short_write;
} injection;

// 0: this call works. 1: it is the first that goes wrong. 2 and more: a later one.
Index number_of_fault() {
    const Index left = injection.calls_left.fetch_sub(1);
    return left > 1 ? 0 : 2 - left;
}

int failing(int error) {
    errno = error;
    return -1;
}

// Does the next call, which is not a write, fail? (Or it does not return at all.)
bool next_fails(bool is_sync) {
    if (number_of_fault() == 0) return false;
    if (injection.fault == Fault::kill) std::raise(SIGKILL);
    return is_sync && injection.fault == Fault::io_error;
}

}  // namespace

ssize_t write(int file, const void* bytes, std::size_t count) {
    const Index number = number_of_fault();
    if (number == 0) return ::write(file, bytes, count);
    const std::size_t half = number == 1 ? (count + 1) / 2 : count;
    switch (injection.fault) {
        case Fault::short_write:
            return ::write(file, bytes, half);
        case Fault::no_space:
            return number == 1 ? ::write(file, bytes, half) : failing(ENOSPC);
        case Fault::io_error:
            return failing(EIO);
        case Fault::kill:
            if (::write(file, bytes, half) >= 0) std::raise(SIGKILL);
            break;
        case Fault::no_locks:
            return ::write(file, bytes, count);
    }
    return failing(EIO);
}

int sync(int file) {
    if (next_fails(true)) return failing(EIO);
#ifdef F_FULLFSYNC
    if (fcntl(file, F_FULLFSYNC) == 0) return 0;
#endif
    return fsync(file);
}

int truncate(int file, off_t length) {
    if (next_fails(false)) return failing(EIO);
    return ftruncate(file, length);
}

int rename(const std::string& from, const std::string& to) {
    if (next_fails(false)) return failing(EIO);
    return std::rename(from.c_str(), to.c_str());
}

int lock(int file) {
    if (injection.fault == Fault::no_locks) return failing(ENOLCK);
    return flock(file, LOCK_EX | LOCK_NB);
}

void inject(Fault fault, Index call) {
    injection.fault = fault;
    injection.calls_left = call;
}

}  // namespace zhuyi::disk
