#include "base/atomic_folder.h"

#include <filesystem>

#include "base/check.h"

namespace zhuyi {

namespace fs = std::filesystem;

AtomicFolder::AtomicFolder(std::string path) : path_(std::move(path)) {
    fs::path whole = path_;
    if (!whole.has_filename()) whole = whole.parent_path();  // "folder/"
    std::error_code error;
    const bool exists = fs::exists(fs::symlink_status(whole, error));
    if (exists && !(fs::is_directory(whole, error) && fs::is_empty(whole, error)))
        fail_usage(path_ + " exists already; give another name, or remove it first");
    path_ = whole.string();
    if (whole.has_parent_path()) fs::create_directories(whole.parent_path(), error);
    draft_ = (whole.parent_path() / ("." + whole.filename().string() + ".partial")).string();
    fs::remove_all(draft_, error);  // of a process that was killed
    if (!fs::create_directory(draft_, error))
        fail("cannot make the folder " + path_ + ": " + error.message());
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
    if (error) fail("cannot make the folder " + path_ + ": " + error.message());
    committed_ = true;
}

}  // namespace zhuyi
