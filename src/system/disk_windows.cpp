// What a disk is asked for, by the calls of Windows. A file is a number of the C library, so that
// the rest reads as on POSIX. Every file is opened so that others may read, rename and remove it
// meanwhile. The manifest of the program makes UTF-8 the code page of narrow names
// (scripts/zhuyi.rc); the wide calls here do not even need that.
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

// After windows.h
#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "system/disk.h"

namespace zhuyi::disk {

namespace fs = std::filesystem;

static fs::path wide(const std::string& path) { return std::u8string(path.begin(), path.end()); }

// Sets errno from GetLastError. Returns -1.
static int failed() {
    static constexpr std::pair<DWORD, int> kErrors[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},      {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},        {ERROR_BAD_NETPATH, ENOENT},
        {ERROR_ACCESS_DENIED, EACCES},       {ERROR_SHARING_VIOLATION, EBUSY},
        {ERROR_LOCK_VIOLATION, EBUSY},       {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_ALREADY_EXISTS, EEXIST},      {ERROR_DIRECTORY, ENOTDIR},
        {ERROR_DISK_FULL, ENOSPC},           {ERROR_HANDLE_DISK_FULL, ENOSPC},
        {ERROR_DISK_QUOTA_EXCEEDED, ENOSPC}, {ERROR_WRITE_PROTECT, EROFS},
        {ERROR_FILE_TOO_LARGE, EFBIG},       {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
        {ERROR_TOO_MANY_OPEN_FILES, EMFILE}, {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
        {ERROR_NOT_SAME_DEVICE, EXDEV},      {ERROR_INVALID_FUNCTION, EINVAL},
        {ERROR_NOT_SUPPORTED, EINVAL},       {ERROR_INVALID_PARAMETER, EINVAL},
        {ERROR_BROKEN_PIPE, EPIPE},          {ERROR_NO_DATA, EPIPE}};
    const DWORD error = GetLastError();
    const auto* known = std::find_if(std::begin(kErrors), std::end(kErrors),
                                     [error](const auto& pair) { return pair.first == error; });
    errno = known != std::end(kErrors) ? known->second : EIO;
    return -1;
}

static HANDLE handle(int file) { return reinterpret_cast<HANDLE>(_get_osfhandle(file)); }

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

// A virus scanner may hold a file that was just written, for a moment.
template <class Call>
static bool with_patience(const Call& call) {
    for (DWORD wait = 1;; wait *= 2) {
        if (call()) return true;
        const DWORD error = GetLastError();
        if ((error != ERROR_ACCESS_DENIED && error != ERROR_SHARING_VIOLATION) || wait > 512)
            return false;
        Sleep(wait);
    }
}

int open(const std::string& path, Open how) {
    if (how == Open::stream && path == "/dev/stdin") return _dup(0);
    const fs::path name = wide(path);
    const bool reads = how == Open::read || how == Open::stream;
    std::error_code ignored;
    if (!reads && fs::is_symlink(fs::symlink_status(name, ignored))) {
        errno = how == Open::make ? EEXIST : ELOOP;
        return -1;
    }
    const HANDLE opened =
        CreateFileW(name.c_str(), GENERIC_READ | (reads ? 0 : GENERIC_WRITE), kShareAll, nullptr,
                    reads               ? OPEN_EXISTING
                    : how == Open::make ? CREATE_NEW
                                        : OPEN_ALWAYS,
                    // This flag opens folders, too.
                    FILE_ATTRIBUTE_NORMAL | (reads ? FILE_FLAG_BACKUP_SEMANTICS : 0), nullptr);
    if (opened != INVALID_HANDLE_VALUE)
        return _open_osfhandle(reinterpret_cast<std::intptr_t>(opened), _O_BINARY | _O_NOINHERIT);
    failed();
    if (errno == EACCES && fs::is_directory(name, ignored)) errno = EISDIR;
    return -1;
}

int close(int file) { return _close(file); }

std::optional<Status> status(int file) {
    BY_HANDLE_FILE_INFORMATION found = {};
    const DWORD type = GetFileType(handle(file));
    if (type == FILE_TYPE_PIPE || type == FILE_TYPE_CHAR) return Status{};
    if (!GetFileInformationByHandle(handle(file), &found)) return {};
    const bool folder = found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
    return Status{!folder, folder, std::uint64_t(found.nFileSizeHigh) << 32 | found.nFileSizeLow,
                  found.nNumberOfLinks};
}

bool has_name(int file, const std::string& path) {
    const int named = open(path, Open::read);
    if (named < 0) return false;
    BY_HANDLE_FILE_INFORMATION a = {}, b = {};
    const bool same = GetFileInformationByHandle(handle(file), &a) &&
                      GetFileInformationByHandle(handle(named), &b) &&
                      a.dwVolumeSerialNumber == b.dwVolumeSerialNumber &&
                      a.nFileIndexHigh == b.nFileIndexHigh && a.nFileIndexLow == b.nFileIndexLow;
    close(named);
    return same;
}

int remove(const std::string& path) { return DeleteFileW(wide(path).c_str()) ? 0 : failed(); }

int rename_folder(const std::string& from, const std::string& to, int& lock) {
    if (lock >= 0) close(std::exchange(lock, -1));
    std::error_code ignored;
    fs::remove(wide(to), ignored);  // an empty one
    return direct::rename(from, to);
}

namespace direct {

// Always at the end of the file: whatever zhuyi writes, it writes from the front to the end.
std::ptrdiff_t write(int file, const void* bytes, std::size_t count) {
    OVERLAPPED end = {};
    end.Offset = end.OffsetHigh = 0xffffffff;
    DWORD written = 0;
    if (!WriteFile(handle(file), bytes, DWORD(std::min<std::size_t>(count, 1 << 30)), &written,
                   &end))
        return failed();
    return std::ptrdiff_t(written);
}

static std::ptrdiff_t read(int file, void* bytes, std::size_t count, OVERLAPPED* where) {
    DWORD found = 0;
    if (ReadFile(handle(file), bytes, DWORD(std::min<std::size_t>(count, 1 << 30)), &found, where))
        return std::ptrdiff_t(found);
    const DWORD error = GetLastError();
    return error == ERROR_HANDLE_EOF || error == ERROR_BROKEN_PIPE ? 0 : failed();
}
std::ptrdiff_t read(int file, void* bytes, std::size_t count) {
    return read(file, bytes, count, static_cast<OVERLAPPED*>(nullptr));
}
std::ptrdiff_t read(int file, void* bytes, std::size_t count, std::uint64_t offset) {
    OVERLAPPED where = {};
    where.Offset = DWORD(offset), where.OffsetHigh = DWORD(offset >> 32);
    return read(file, bytes, count, &where);
}

int sync(int file) { return FlushFileBuffers(handle(file)) ? 0 : failed(); }

int truncate(int file, std::uint64_t length) {
    LARGE_INTEGER end = {};
    end.QuadPart = LONGLONG(length);
    return SetFilePointerEx(handle(file), end, nullptr, FILE_BEGIN) && SetEndOfFile(handle(file))
               ? 0
               : failed();
}

// The rename of POSIX, which Windows has since 2017 on NTFS: a name that somebody reads is
// replaced, and the reader goes on with the old file. Elsewhere (exFAT, shares) the other rename,
// which a reader holds up.
static bool rename_at_once(const std::wstring& from, const std::wstring& to) {
    constexpr auto kRenameEx = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);
    constexpr DWORD kReplace = 1, kPosix = 2;
    const HANDLE file =
        CreateFileW(from.c_str(), DELETE | SYNCHRONIZE, kShareAll, nullptr, OPEN_EXISTING,
                    FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr);
    if (file == INVALID_HANDLE_VALUE) return false;
    constexpr std::size_t kFront = offsetof(FILE_RENAME_INFO, FileName);
    const std::size_t bytes = to.size() * sizeof(WCHAR);
    std::vector<FILE_RENAME_INFO> wish(1 + (kFront + bytes) / sizeof(FILE_RENAME_INFO));
    wish[0].Flags = kReplace | kPosix;
    wish[0].FileNameLength = DWORD(bytes);
    std::memcpy(reinterpret_cast<char*>(wish.data()) + kFront, to.data(), bytes);
    const bool done =
        SetFileInformationByHandle(file, kRenameEx, wish.data(), DWORD(kFront + bytes));
    const DWORD error = GetLastError();
    CloseHandle(file);
    SetLastError(error);
    return done;
}

int rename(const std::string& from, const std::string& to) {
    std::error_code none;
    const std::wstring old = fs::absolute(wide(from), none).wstring(),
                       name = fs::absolute(wide(to), none).wstring();
    const bool done = with_patience([&] {
        return rename_at_once(old, name) ||
               MoveFileExW(old.c_str(), name.c_str(),
                           MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH);
    });
    return done ? 0 : failed();
}

// One byte far behind the end of every file: what is locked, nobody else could read.
int lock(int file) {
    OVERLAPPED where = {};
    where.OffsetHigh = 0x7fffffff;
    if (LockFileEx(handle(file), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
                   &where))
        return 0;
    const DWORD error = GetLastError();
    errno = error == ERROR_LOCK_VIOLATION || error == ERROR_IO_PENDING ? EWOULDBLOCK : ENOLCK;
    return -1;
}

// Windows locks no folder: a file in it that nobody else may open, and that goes with its process.
int lock_folder(const std::string& path, bool) {
    const fs::path folder = wide(path), name = folder / ".zhuyi.lock";
    std::error_code ignored;
    HANDLE opened = INVALID_HANDLE_VALUE;
    const bool done = with_patience([&] {
        opened = CreateFileW(name.c_str(), GENERIC_WRITE | DELETE, 0, nullptr, OPEN_ALWAYS,
                             FILE_ATTRIBUTE_HIDDEN | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
        return opened != INVALID_HANDLE_VALUE || GetLastError() == ERROR_SHARING_VIOLATION;
    });
    if (opened != INVALID_HANDLE_VALUE)
        return _open_osfhandle(reinterpret_cast<std::intptr_t>(opened), _O_BINARY | _O_NOINHERIT);
    if (done)
        errno = EWOULDBLOCK;
    else
        failed();
    if (!done && errno == EIO) errno = ENOLCK;
    return -1;
}

// NTFS keeps names in a journal of its own, and renames are written through.
int sync_folder(const std::string&) { return 0; }

void die() {
    TerminateProcess(GetCurrentProcess(), 137);
    std::abort();
}

}  // namespace direct
}  // namespace zhuyi::disk
