#include "system/append_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "base/check.h"
#include "base/format.h"
#include "base/number.h"
#include "system/disk.h"
#include "system/input_file.h"

namespace zhuyi {
namespace {

[[noreturn]] void fail_system(const char* what, const std::string& path) {
    fail_english(path + ": cannot " + what + ": " + std::strerror(errno));
}

}  // namespace

AppendFile::AppendFile(std::string path) : path_(std::move(path)) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file_ < 0 && errno == ELOOP)
        fail_english(path_ + ": is a symbolic link, and nothing is written through one; remove it");
    if (file_ < 0) fail_system("write it", path_);
}

AppendFile::~AppendFile() { ::close(file_); }

void AppendFile::append(std::string_view text) {
    hash_.add(text);
    while (!text.empty()) {
        const ssize_t written = disk::write(file_, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail_system("write it", path_);
        text.remove_prefix(std::size_t(written));
    }
}

std::string AppendFile::state() {
    if (disk::sync(file_) != 0 && errno != EINVAL) fail_system("bring it to the disk", path_);
    return std::to_string(::lseek(file_, 0, SEEK_END)) + " " + hash_text(hash_.value());
}

void AppendFile::cut_back(const std::string& state) {
    hash_ = {};
    off_t length = 0;
    if (!state.empty()) {
        const std::string bytes = read_file(path_);
        const std::string_view kept = bytes_at(state, bytes, path_);
        hash_.add(kept);
        length = off_t(kept.size());
    }
    if (disk::truncate(file_, length) != 0) fail_system("cut it back", path_);
}

std::string_view bytes_at(const std::string& state, std::string_view bytes,
                          const std::string& path) {
    std::istringstream words(state);
    std::string length_word, hash;
    words >> length_word >> hash;
    const auto length = parse_integer(length_word);
    if (!length || *length < 0)
        fail_english(path + ": the checkpoint's words about it are damaged");
    const std::string advice = "; it was changed since. Put it back, or train anew with --from";
    if (*length > std::ssize(bytes))
        fail_english(
            format("%s: expected at least the %td bytes that the checkpoint knows, found %td%s",
                   path.c_str(), *length, std::ssize(bytes), advice.c_str()));
    bytes = bytes.substr(0, std::size_t(*length));
    if (parse_hash(hash).value_or(hash_of(bytes)) != hash_of(bytes))
        fail_english(format("%s: its first %td bytes are not those that the checkpoint knows%s",
                            path.c_str(), *length, advice.c_str()));
    return bytes;
}

}  // namespace zhuyi
