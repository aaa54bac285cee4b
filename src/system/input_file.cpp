#include "system/input_file.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "system/disk.h"
#include "system/machine.h"
#include "system/options.h"
#include "system/printable.h"

namespace zhuyi {
[[noreturn]] static void fail_reading(const std::string& path, const std::string& reason,
                                      int error = 0) {
    fail_for(error, say({"cannot read %s: %s", "无法读取 %s：%s"}, path, reason));
}
// `error`: the value of errno.
[[noreturn]] static void fail_reading(const std::string& path, int error) {
    fail_reading(path, system_reason(error), error);
}

// What stands in the place of a missing file: one whose name is nearly the same, or else those of
// its kind; "" if there is none.
static std::string instead_of(const std::string& path) {
    namespace fs = std::filesystem;
    const fs::path missing = path;
    const fs::path folder = missing.has_parent_path() ? missing.parent_path() : fs::path(".");
    std::vector<std::string> names;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
        if (names.size() < 1000 && entry.is_regular_file(ignored))
            names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    if (const std::string meant = nearest_word(missing.filename().string(), names); !meant.empty())
        return say({"; did you mean %s?", "；是不是 %s？"}, printable(meant));
    std::erase_if(names, [&](const std::string& name) {
        return missing.extension().empty() || fs::path(name).extension() != missing.extension();
    });
    return names.empty() ? ""
                         : say({"; there is %s", "；这里有 %s"}, printable(first_names(names)));
}

// `any`: a pipe or a device will do, too. Of a pipe that nobody writes, even the opening would
// wait: not where a regular file must be.
static int open_to_read(const std::string& path, bool any, disk::Status& status) {
    if (path.empty()) fail({"cannot read a file without a name", "无法读取：没有给出文件名"});
    const int file = disk::open(path, any ? disk::Open::stream : disk::Open::read);
    if (file < 0) {
        const int error = errno;
        const std::string instead = error == ENOENT ? instead_of(path) : "";
        fail_reading(path, system_reason(error) + instead, error);
    }
    const auto found = disk::status(file);
    status = found.value_or(disk::Status{});
    if (found && (status.regular || (any && !status.folder))) return file;
    disk::close(file);
    if (found && !status.folder)
        fail_reading(path, say({"expected a regular file", "它不是普通文件"}));
    fail_reading(path, say({"it is a folder, not a file", "这是目录，不是文件"}));
}

// Linux reads at most 2 GiB at once, macOS refuses more.
constexpr std::size_t kMostRead = std::size_t(1) << 30;

InputFile::InputFile(std::string path) : path_(std::move(path)) {
    disk::Status status;
    file_ = open_to_read(path_, false, status);
    size_ = status.size;
}

InputFile::~InputFile() {
    if (file_ >= 0) disk::close(file_);
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)), size_(other.size_) {}

void InputFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
    while (!bytes.empty()) {
        const std::size_t wanted = std::min(bytes.size(), kMostRead);
        const std::ptrdiff_t count = disk::read(file_, bytes.data(), wanted, offset);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail_reading(path_, errno);
        if (count == 0)
            fail_reading(path_, say({"it ends at byte %llu, %zu more were expected",
                                     "文件到第 %llu 字节就结束了，还缺 %zu 字节"},
                                    offset, bytes.size()));
        offset += std::uint64_t(count);
        bytes = bytes.subspan(std::size_t(count));
    }
}

// Not by InputFile, which needs a size and reads in any order.
static std::string read_to_the_end(const std::string& path, bool any, std::uint64_t most) {
    struct Closing {
        int file;
        ~Closing() { disk::close(file); }
    };
    disk::Status status;
    const Closing input{open_to_read(path, any, status)};
    std::uint64_t expected = status.regular ? status.size : 0;

    std::string bytes;
    for (std::size_t used = 0;;) {
        if (std::max(expected, std::uint64_t(used)) > most)
            fail(
                {"%s is too large: expected at most %s, found %s%s", "%s 太大：最多 %s，实际%s %s"},
                path, bytes_text(double(most)),
                expected ? say({"", "是"}) : say({"more than ", "超过"}),
                bytes_text(double(std::max(expected, std::uint64_t(used)))));
        // One byte more than expected: the read that finds the end needs room too.
        if (used == bytes.size())
            bytes.resize(
                std::max(std::size_t(expected) + 1, used + std::max(used / 2, std::size_t(65536))));
        const std::size_t room = std::min(bytes.size() - used, kMostRead);
        const std::ptrdiff_t count = disk::read(input.file, bytes.data() + used, room);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail_reading(path, errno);
        used += std::size_t(count);
        if (count > 0) continue;
        bytes.resize(used);
        return bytes;
    }
}

std::string read_file(const std::string& path, std::uint64_t most) {
    return read_to_the_end(path, false, most);
}

std::string read_stream(const std::string& path) {
    // What grows is copied once in a while: then the old and the new half as large again stand side
    // by side.
    constexpr double kWhileItGrows = 3, kUnknown = 1e12;
    return read_to_the_end(
        path, true,
        std::uint64_t(available_memory().value_or(kWhileItGrows * kUnknown) / kWhileItGrows));
}

}  // namespace zhuyi
