#include "system/atomic_folder.h"

#include <cerrno>
#include <filesystem>

#include "base/check.h"
#include "system/atomic_file.h"
#include "system/system_reason.h"

namespace zhuyi {

namespace fs = std::filesystem;

namespace {

std::string folder_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path().string() : ".";
}

[[noreturn]] void fail_making(const std::string& path, int error) {
    fail({"%s: cannot make the folder: %s", "%s：无法创建目录：%s"}, path, system_reason(error));
}

// path: what was asked for, for the message; `whole` is it, or a folder above it.
void make_folders(fs::path whole, const std::string& path) {
    if (!whole.has_filename()) whole = whole.parent_path();  // "folder/"
    std::error_code error;
    if (whole.empty() || fs::is_directory(whole, error)) return;
    make_folders(whole.parent_path(), path);
    fs::create_directory(whole, error);  // or another process does at this moment: no error
    if (error) fail_making(path, error.value());
    if (!sync_folder(folder_of(whole))) fail_making(path, errno);
}

}  // namespace

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
    fs::remove_all(draft_, error);  // of a process that was killed
    if (!fs::create_directory(draft_, error)) fail_making(path_, error.value());
}

AtomicFolder::~AtomicFolder() {
    std::error_code ignored;
    if (!committed_) fs::remove_all(draft_, ignored);
}

std::string AtomicFolder::file(std::string_view name) const {
    return (fs::path(draft_) / name).string();
}

void AtomicFolder::commit() {
    std::error_code error;
    fs::rename(draft_, path_, error);
    if (error) fail_making(path_, error.value());
    committed_ = true;
    if (!sync_folder(folder_of(path_))) fail_making(path_, errno);
}

}  // namespace zhuyi
