#include "system/atomic_file.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/check.h"
#include "system/disk.h"
#include "system/printable.h"

namespace zhuyi {

namespace fs = std::filesystem;

constexpr std::size_t kBufferBytes = std::size_t(1) << 18;
constexpr std::size_t kMostWritten = std::size_t(1) << 30;

static bool is_device(const std::string& path) {
    return path.starts_with("/dev/") && !path.starts_with("/dev/shm/");
}

[[noreturn]] static void refuse(const std::string& path, const std::string& reason) {
    fail({"cannot write %s: %s", "无法写入 %s：%s"}, path, reason);
}

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
    // On Windows both / and \ stand between folders.
    const char separators[] = {'/', char(fs::path::preferred_separator), '\0'};
    const std::size_t slash = path_.find_last_of(separators);
    const std::string name = slash == path_.npos ? path_ : path_.substr(slash + 1);
    folder_ = slash == path_.npos ? "." : slash == 0 ? "/" : path_.substr(0, slash);
    if (name.empty() || name == "." || name == "..")
        refuse(in_quotes(path_), say({"expected the name of a file", "这不是一个文件名"}));

    check_replaceable(path_);
    temporary_ = folder_ + "/." + name + ".partial";
    buffer_.reserve(kBufferBytes);
    open_temporary();
}

void check_replaceable(const std::string& path) {
    // The rename at the end would replace /dev/null by a file. (/dev/stdout may lead to a regular
    // file; it is refused too. /dev/shm is a folder like others.)
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    if (fs::is_directory(status)) refuse(path, say({"a folder has that name", "已有同名的目录"}));
    if ((fs::exists(status) && !fs::is_regular_file(status)) || is_device(path))
        refuse(path, say({"it is no regular file", "它不是普通文件"}));
}

// The temporary file always has the same name. So a killed process leaves at most one, and the next
// process takes it over. A lock, which ends with its process, says that nobody else is writing it.
void AtomicFile::open_temporary() {
    for (int attempt = 0; attempt < 100; ++attempt) {
        file_ = disk::open(temporary_, disk::Open::draft);
        if (file_ < 0 && errno != ELOOP) fail_writing();
        const auto found = disk::status(file_);
        const bool ours = found && found->regular && found->names <= 1;
        const bool locked = disk::lock(file_) == 0;
        const bool busy = !locked && errno == EWOULDBLOCK;
        // Between open and lock another process may have finished and renamed or removed this very
        // file.
        if (ours && !busy && disk::has_name(file_, temporary_)) {
            if (disk::truncate(file_, 0) == 0) return;
            const int error = errno;
            disk::close(std::exchange(file_, -1));
            errno = error;
            fail_writing();
        }
        disk::close(std::exchange(file_, -1));
        if (!ours)
            refuse(path_,
                   say({"%s is in the way; remove it", "%s 占着位置，请先删除它"}, temporary_));
        if (busy) refuse(path_, say({"another process is writing it", "另一个进程正在写它"}));
    }
    refuse(path_, say({"other processes keep writing it", "其他进程一直在写它"}));
}

AtomicFile::~AtomicFile() {
    if (file_ < 0) return;
    disk::remove(temporary_);
    disk::close(file_);
}

void AtomicFile::fail_writing() const {
    const int error = errno;
    fail_for(error, say({"cannot write %s: %s", "无法写入 %s：%s"}, path_, system_reason(error)));
}

void AtomicFile::write_through(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const std::ptrdiff_t count =
            disk::write(file_, bytes.data(), std::min(bytes.size(), kMostWritten));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail_writing();
        bytes = bytes.subspan(std::size_t(count));
    }
}

void AtomicFile::flush() {
    write_through(buffer_);
    buffer_.clear();
}

void AtomicFile::write(std::span<const std::byte> bytes) {
    if (buffer_.size() + bytes.size() > kBufferBytes) flush();
    if (bytes.size() > kBufferBytes) return write_through(bytes);
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void AtomicFile::write(std::string_view bytes) { write(std::as_bytes(std::span(bytes))); }

const std::string& AtomicFile::draft() {
    flush();
    if (disk::sync(file_) != 0) fail_writing();
    return temporary_;
}

void AtomicFile::commit(const std::string& previous) {
    draft();
    if (!previous.empty() && disk::rename(path_, previous) != 0 && errno != ENOENT) fail_writing();
    if (disk::rename(temporary_, path_) != 0) fail_writing();
    // Some file systems report a failed write only here.
    if (disk::close(std::exchange(file_, -1)) != 0) fail_writing();

    if (disk::sync_folder(folder_) != 0) fail_writing();  // the new name is an entry of the folder
}

void write_file(const std::string& path, std::string_view bytes) {
    AtomicFile file(path);
    file.write(bytes);
    file.commit();
}

static std::string folder_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path().string() : ".";
}

[[noreturn]] static void fail_making(const std::string& path, int error) {
    fail({"%s: cannot make the folder: %s", "%s：无法创建目录：%s"}, path, system_reason(error));
}

// path: what was asked for, for the message; `whole` is it, or a folder above it.
static void make_folders(fs::path whole, const std::string& path) {
    if (!whole.has_filename()) whole = whole.parent_path();  // "folder/"
    std::error_code error;
    if (whole.empty() || fs::is_directory(whole, error)) return;
    make_folders(whole.parent_path(), path);
    fs::create_directory(whole, error);  // or another process does at this moment: no error
    if (error) fail_making(path, error.value());
    if (disk::sync_folder(folder_of(whole)) != 0) fail_making(path, errno);
}

void make_folders(const std::string& path) { make_folders(path, path); }

AtomicFolder::AtomicFolder(std::string path) : path_(std::move(path)) {
    fs::path whole = path_;
    if (!whole.has_filename()) whole = whole.parent_path();  // "folder/"
    std::error_code error;
    const bool exists = fs::exists(fs::symlink_status(whole, error));
    if (exists && !(fs::is_directory(whole, error) && fs::is_empty(whole, error)))
        fail_usage({"%s exists already; give another name, or remove it first",
                    "%s 已经存在；请换一个名字，或先删除它"},
                   path_);
    path_ = whole.string();
    make_folders(whole.parent_path(), path_);
    draft_ = (whole.parent_path() / ("." + whole.filename().string() + ".partial")).string();
    open_draft();
    for (const auto& entry : fs::directory_iterator(draft_))  // of a process that was killed
        fs::remove_all(entry.path());
}

// As with a file's draft: one name for all, and a lock says that nobody else is writing it.
void AtomicFolder::open_draft() {
    for (int attempt = 0; attempt < 100; ++attempt) {
        std::error_code error;
        fs::create_directory(draft_, error);
        if (error) fail_making(path_, error.value());
        folder_ = disk::lock_folder(draft_, false);
        if (folder_ >= 0 || errno == ENOLCK) return;
        if (errno == EWOULDBLOCK)
            refuse(path_, say({"another process is writing it", "另一个进程正在写它"}));
        if (errno != ENOENT) fail_making(draft_, errno);  // else another has just finished it
    }
    refuse(path_, say({"other processes keep writing it", "其他进程一直在写它"}));
}

AtomicFolder::~AtomicFolder() {
    std::error_code ignored;
    if (!committed_) fs::remove_all(draft_, ignored);
    if (folder_ >= 0) disk::close(folder_);
}

std::string AtomicFolder::file(std::string_view name) const {
    return (fs::path(draft_) / name).string();
}

void AtomicFolder::commit() {
    if (disk::rename_folder(draft_, path_, folder_) != 0) fail_making(path_, errno);
    committed_ = true;
    if (disk::sync_folder(folder_of(path_)) != 0) fail_making(path_, errno);
}

}  // namespace zhuyi
