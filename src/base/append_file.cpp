#include "base/append_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "base/disk.h"
#include "base/number.h"

namespace zhuyi {
namespace {

[[noreturn]] void fail_system(const char* what, const std::string& path) {
    fail(path + ": cannot " + what + ": " + std::strerror(errno));
}

}  // namespace

AppendFile::AppendFile(std::string path) : path_(std::move(path)) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file_ < 0 && errno == ELOOP)
        fail(path_ + ": is a symbolic link, and nothing is written through one; remove it");
    if (file_ < 0) fail_system("write it", path_);
}

AppendFile::~AppendFile() { ::close(file_); }

void AppendFile::append(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = disk::write(file_, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail_system("write it", path_);
        text.remove_prefix(std::size_t(written));
    }
}

std::string AppendFile::state() {
    if (disk::sync(file_) != 0 && errno != EINVAL) fail_system("bring it to the disk", path_);
    return std::to_string(::lseek(file_, 0, SEEK_END));
}

void AppendFile::cut_back(const std::string& state) {
    const auto length = parse_integer(state.empty() ? "0" : state);
    const off_t now = ::lseek(file_, 0, SEEK_END);
    if (!length || *length < 0 || *length > now)
        fail(path_ + ": has " + std::to_string(now) +
             " bytes, but the checkpoint was made when it had " + state +
             "; it was changed since. Give the run another --out, or put the file back.");
    if (disk::truncate(file_, off_t(*length)) != 0) fail_system("cut it back", path_);
}

}  // namespace zhuyi
