#include "system/disk.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace zhuyi::disk {
// Global, as the disk itself is. Only tests change them.
static std::atomic<Index> calls_left{PTRDIFF_MAX};
static Fault injected = Fault::short_write;

// 0: this call works. 1: it is the first that goes wrong. 2 and more: a later one.
static Index number_of_fault() {
    const Index left = calls_left.fetch_sub(1);
    return left > 1 ? 0 : 2 - left;
}

static int failing(int error) {
    errno = error;
    return -1;
}

// Does the next call, which is not a write, fail? (Or it does not return at all.)
static bool next_fails(bool is_sync) {
    if (number_of_fault() == 0) return false;
    if (injected == Fault::kill) std::raise(SIGKILL);
    return is_sync && injected == Fault::io_error;
}

// Reads are counted for this fault alone: what a killed process leaves depends on none.
static bool unreadable() { return injected == Fault::unreadable && number_of_fault() > 0; }

ssize_t write(int file, const void* bytes, std::size_t count) {
    const Index number = number_of_fault();
    if (number == 0) return ::write(file, bytes, count);
    const std::size_t half = number == 1 ? (count + 1) / 2 : count;
    switch (injected) {
        case Fault::short_write:
            return ::write(file, bytes, half);
        case Fault::no_space:
            return number == 1 ? ::write(file, bytes, half) : failing(ENOSPC);
        case Fault::io_error:
            return failing(EIO);
        case Fault::kill:
            if (::write(file, bytes, half) >= 0) std::raise(SIGKILL);
            break;
        case Fault::unreadable:
        case Fault::no_locks:
            return ::write(file, bytes, count);
    }
    return failing(EIO);
}

ssize_t read(int file, void* bytes, std::size_t count) {
    return unreadable() ? failing(EIO) : ::read(file, bytes, count);
}
ssize_t read(int file, void* bytes, std::size_t count, off_t offset) {
    return unreadable() ? failing(EIO) : ::pread(file, bytes, count, offset);
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
    if (injected == Fault::no_locks) return failing(ENOLCK);
    return flock(file, LOCK_EX | LOCK_NB);
}

void inject(Fault fault, Index call) {
    injected = fault;
    calls_left = call;
}

}  // namespace zhuyi::disk

namespace zhuyi {

void fail_for(int error, const std::string& text) {
    if (error == ENOSPC || error == EDQUOT || error == EFBIG) throw NoRoom(text);
    if (error == EIO) throw DiskError(text);
    fail(text);
}

std::string system_reason(int error) {
    static constexpr struct {
        int error;
        const char* chinese;
    } kReasons[] = {
        {ENOENT, "没有这个文件或目录"},
        {EACCES, "没有权限"},
        {EPERM, "系统不允许"},
        {EEXIST, "同名的文件已经存在"},
        {ENOTDIR, "路径中有一段不是目录"},
        {EISDIR, "这是一个目录"},
        {ENOSPC, "磁盘已满"},
        {EDQUOT, "超出了磁盘配额"},
        {EROFS, "这个磁盘只能读"},
        {EIO, "读写出错，磁盘可能坏了"},
        {EFBIG, "文件太大"},
        {ENAMETOOLONG, "名字太长"},
        {EMFILE, "打开的文件太多"},
        {ENOMEM, "内存不足"},
    };
    if (spoken() == Language::chinese)
        for (const auto& known : kReasons)
            if (error == known.error) return known.chinese;
    return std::strerror(error);
}

}  // namespace zhuyi
