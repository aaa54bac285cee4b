#include "system/disk.h"

#include <atomic>
#include <cerrno>
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
    if (injected == Fault::kill) direct::die();
    return is_sync && injected == Fault::io_error;
}

// Reads are counted for this fault alone: what a killed process leaves depends on none.
static bool unreadable() { return injected == Fault::unreadable && number_of_fault() > 0; }

std::ptrdiff_t write(int file, const void* bytes, std::size_t count) {
    const Index number = number_of_fault();
    if (number == 0) return direct::write(file, bytes, count);
    const std::size_t half = number == 1 ? (count + 1) / 2 : count;
    switch (injected) {
        case Fault::short_write:
            return direct::write(file, bytes, half);
        case Fault::no_space:
            return number == 1 ? direct::write(file, bytes, half) : failing(ENOSPC);
        case Fault::io_error:
            return failing(EIO);
        case Fault::kill:
            if (direct::write(file, bytes, half) >= 0) direct::die();
            break;
        case Fault::unreadable:
        case Fault::no_locks:
            return direct::write(file, bytes, count);
    }
    return failing(EIO);
}

std::ptrdiff_t read(int file, void* bytes, std::size_t count) {
    return unreadable() ? failing(EIO) : direct::read(file, bytes, count);
}
std::ptrdiff_t read(int file, void* bytes, std::size_t count, std::uint64_t offset) {
    return unreadable() ? failing(EIO) : direct::read(file, bytes, count, offset);
}

int sync(int file) { return next_fails(true) ? failing(EIO) : direct::sync(file); }

int sync_folder(const std::string& path) {
    return next_fails(true) ? failing(EIO) : direct::sync_folder(path);
}

int truncate(int file, std::uint64_t length) {
    return next_fails(false) ? failing(EIO) : direct::truncate(file, length);
}

int rename(const std::string& from, const std::string& to) {
    return next_fails(false) ? failing(EIO) : direct::rename(from, to);
}

int lock(int file) { return injected == Fault::no_locks ? failing(ENOLCK) : direct::lock(file); }

int lock_folder(const std::string& path, bool follow) {
    return injected == Fault::no_locks ? failing(ENOLCK) : direct::lock_folder(path, follow);
}

void inject(Fault fault, Index call) {
    injected = fault;
    calls_left = call;
}

}  // namespace zhuyi::disk

namespace zhuyi {

// Windows has no such reason: there a full quota is a full disk.
#ifdef EDQUOT
constexpr int kQuota = EDQUOT;
#else
constexpr int kQuota = ENOSPC;
#endif

void fail_for(int error, const std::string& text) {
    if (error == ENOSPC || error == kQuota || error == EFBIG) throw NoRoom(text);
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
        {kQuota, "超出了磁盘配额"},
        {EROFS, "这个磁盘只能读"},
        {EBUSY, "另一个程序正在使用它"},
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
