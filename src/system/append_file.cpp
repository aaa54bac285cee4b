#include "system/append_file.h"

#include <cerrno>
#include <filesystem>
#include <sstream>

#include "base/check.h"
#include "base/format.h"
#include "system/disk.h"
#include "system/input_file.h"

namespace zhuyi {

namespace fs = std::filesystem;

[[noreturn]] static void fail_system(const Words& what, const std::string& path) {
    const int error = errno;
    fail_for(error, say({"%s: cannot %s: %s", "%s：无法%s：%s"}, path, what, system_reason(error)));
}

constexpr Words kWriting{"write it", "写入"};

void check_no_link(const std::string& path) {
    std::error_code ignored;
    const fs::file_status target = fs::status(path, ignored);
    if (fs::is_symlink(fs::symlink_status(path, ignored)) &&
        (fs::is_regular_file(target) || !fs::exists(target)))
        fail({"%s: this is a symbolic link, and nothing is written through one; remove it, or put "
              "the file itself in its place",
              "%s：这是一个符号链接，程序不会通过链接写入；请先删除它，或把文件本身放在这里"},
             path);
}

AppendFile::AppendFile(std::string path) : path_(std::move(path)) { open(); }

void AppendFile::open() {
    file_ = disk::open(path_, disk::Open::append);
    const int error = errno;
    if (file_ < 0) check_no_link(path_);
    errno = error;
    if (file_ < 0) fail_system(kWriting, path_);
}

AppendFile::~AppendFile() { disk::close(file_); }

void AppendFile::append(std::string_view text) {
    hash_.add(text);
    while (!text.empty()) {
        const std::ptrdiff_t written = disk::write(file_, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail_system(kWriting, path_);
        text.remove_prefix(std::size_t(written));
    }
}

std::string AppendFile::state() {
    if (disk::sync(file_) != 0 && errno != EINVAL)
        fail_system({"bring it to the disk", "保存到磁盘"}, path_);
    return std::to_string(size()) + " " + hash_text(hash_.value());
}

void AppendFile::cut_back(const std::string& state) {
    hash_ = {};
    std::uint64_t length = 0;
    if (!state.empty()) {
        const std::string bytes = read_file(path_);
        const std::string_view kept = bytes_at(state, bytes, path_);
        hash_.add(kept);
        length = kept.size();
    }
    if (disk::truncate(file_, length) != 0) fail_system({"cut it back", "截短"}, path_);
}

std::uint64_t AppendFile::size() const {
    const auto found = disk::status(file_);
    if (found && !found->regular) errno = ESPIPE;  // a pipe, for one
    if (!found || !found->regular) fail_system({"find its end", "找到结尾"}, path_);
    return found->size;
}

std::string AppendFile::set_aside() {
    hash_ = {};
    if (size() == 0) return "";
    const std::string other = name_aside(path_);
    if (disk::rename(path_, other) != 0) fail_system({"keep it elsewhere", "移到一边"}, path_);
    disk::close(file_);
    open();
    return other;
}

std::string name_aside(const std::string& path) {
    for (int number = 1;; ++number) {
        const std::string name =
            path + ".damaged" + (number > 1 ? "." + std::to_string(number) : "");
        std::error_code ignored;
        if (!fs::exists(fs::symlink_status(name, ignored))) return name;
    }
}

std::string_view bytes_at(const std::string& state, std::string_view bytes,
                          const std::string& path) {
    std::istringstream words(state);
    std::string length_word, hash;
    words >> length_word >> hash;
    const auto length = parse_integer(length_word);
    if (!length || *length < 0)
        fail({"%s: what the checkpoint says about this file is damaged",
              "%s：检查点里关于这个文件的记录已损坏"},
             path);
    const Words advice{"; it was changed since", "；文件后来被改动过"};
    if (*length > std::ssize(bytes))
        fail({"%s: expected at least the %td bytes that the checkpoint knows, found %td%s",
              "%s：检查点记录的长度是 %td 字节，文件现在只有 %td 字节%s"},
             path, *length, std::ssize(bytes), advice);
    bytes = bytes.substr(0, std::size_t(*length));
    if (parse_hash(hash).value_or(hash_of(bytes)) != hash_of(bytes))
        fail({"%s: its first %td bytes are not those that the checkpoint knows%s",
              "%s：前 %td 字节与检查点记录的不同%s"},
             path, *length, advice);
    return bytes;
}

}  // namespace zhuyi
