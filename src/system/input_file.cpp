#include "system/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/format.h"

namespace zhuyi {
namespace {

[[noreturn]] void fail_reading(const std::string& path) {
    fail_english(format("cannot read %s: %s", path.c_str(), std::strerror(errno)));
}

int open_to_read(const std::string& path, struct stat& status) {
    if (path.empty()) fail_english("cannot read a file without a name");
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) fail_reading(path);
    if (fstat(file, &status) == 0 && !S_ISDIR(status.st_mode)) return file;
    close(file);
    fail_english(format("cannot read %s: it is a folder, not a file", path.c_str()));
}

// Linux reads at most 2 GiB at once, macOS refuses more.
constexpr std::size_t kMostAtOnce = std::size_t(1) << 30;

}  // namespace

InputFile::InputFile(std::string path) : path_(std::move(path)) {
    struct stat status = {};
    file_ = open_to_read(path_, status);
    size_ = std::uint64_t(status.st_size);
    if (S_ISREG(status.st_mode)) return;
    close(file_);
    fail_english(format("cannot read %s: expected a regular file", path_.c_str()));
}

InputFile::~InputFile() {
    if (file_ >= 0) close(file_);
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)), size_(other.size_) {}

void InputFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
    while (!bytes.empty()) {
        const std::size_t wanted = std::min(bytes.size(), kMostAtOnce);
        const ssize_t count = pread(file_, bytes.data(), wanted, off_t(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail_reading(path_);
        if (count == 0)
            fail_english(format("cannot read %s: it ends at byte %llu, %zu more were expected",
                                path_.c_str(), static_cast<unsigned long long>(offset),
                                bytes.size()));
        offset += std::uint64_t(count);
        bytes = bytes.subspan(std::size_t(count));
    }
}

// Not by InputFile: a pipe or /dev/stdin has no size and no places, but a text may well come from
// one.
std::string read_file(const std::string& path, std::uint64_t most) {
    struct Closing {
        int file;
        ~Closing() { close(file); }
    };
    struct stat status = {};
    const Closing input{open_to_read(path, status)};
    std::uint64_t expected = S_ISREG(status.st_mode) ? std::uint64_t(status.st_size) : 0;

    std::string bytes;
    for (std::size_t used = 0;;) {
        if (std::max(expected, std::uint64_t(used)) > most)
            fail_english(
                format("%s is too large: expected at most %s, found %s%s", path.c_str(),
                       bytes_text(double(most)).c_str(), expected ? "" : "more than ",
                       bytes_text(double(std::max(expected, std::uint64_t(used)))).c_str()));
        // One byte more than expected, so that the end is seen without growing.
        if (used == bytes.size())
            bytes.resize(
                std::max(std::size_t(expected) + 1, used + std::max(used / 2, std::size_t(65536))));
        const std::size_t room = std::min(bytes.size() - used, kMostAtOnce);
        const ssize_t count = ::read(input.file, bytes.data() + used, room);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail_reading(path);
        used += std::size_t(count);
        if (count > 0) continue;
        bytes.resize(used);
        return bytes;
    }
}

}  // namespace zhuyi
