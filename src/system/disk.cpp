#include "system/disk.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>

namespace zhuyi::disk {
namespace {

// Global as the disk itself is. Never reached unless a test says so.
struct Injection {
    std::atomic<Index> calls_left{PTRDIFF_MAX};
    Fault fault = Fault::short_write;
} injection;

// 0: all is well. 1: this call is the first that goes wrong. Above: a later one.
Index calls_behind_fault() {
    const Index left = injection.calls_left.fetch_sub(1);
    return left > 1 ? 0 : 2 - left;
}

int failing(int error) {
    errno = error;
    return -1;
}

// For calls other than write.
bool fails(Index behind, bool is_sync) {
    if (behind == 0) return false;
    if (injection.fault == Fault::kill) std::raise(SIGKILL);
    return is_sync && injection.fault == Fault::io_error;
}

}  // namespace

ssize_t write(int file, const void* bytes, std::size_t count) {
    const Index behind = calls_behind_fault();
    if (behind == 0) return ::write(file, bytes, count);
    const std::size_t half = behind == 1 ? (count + 1) / 2 : count;
    switch (injection.fault) {
        case Fault::short_write:
            return ::write(file, bytes, half);
        case Fault::no_space:
            return behind == 1 ? ::write(file, bytes, half) : failing(ENOSPC);
        case Fault::io_error:
            return failing(EIO);
        case Fault::kill:
            if (::write(file, bytes, half) >= 0) std::raise(SIGKILL);
    }
    return failing(EIO);
}

int sync(int file) {
    if (fails(calls_behind_fault(), true)) return failing(EIO);
#ifdef F_FULLFSYNC
    if (fcntl(file, F_FULLFSYNC) == 0) return 0;
#endif
    return fsync(file);
}

int truncate(int file, off_t length) {
    if (fails(calls_behind_fault(), false)) return failing(EIO);
    return ftruncate(file, length);
}

int rename(const std::string& from, const std::string& to) {
    if (fails(calls_behind_fault(), false)) return failing(EIO);
    return std::rename(from.c_str(), to.c_str());
}

void inject(Fault fault, Index call) {
    injection.fault = fault;
    injection.calls_left = call;
}

}  // namespace zhuyi::disk
