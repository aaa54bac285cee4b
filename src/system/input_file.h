// Reading. Every failure is an Error that names the path and says what the system said.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace zhuyi {

// The whole file, which must be a regular one: a pipe in its place might never end. Larger than
// `most` bytes: an Error, before it is read.
std::string read_file(const std::string& path, std::uint64_t most = std::uint64_t(1) << 40);

// The same of anything that can be read, a pipe or /dev/stdin too: for a text that somebody gives.
// What has no end is given up where it would take more memory than can be had.
std::string read_stream(const std::string& path);

// A file that is read piece by piece, in any order.
class InputFile {
  public:
    explicit InputFile(std::string path);  // must be a regular file
    ~InputFile();
    InputFile(InputFile&& other) noexcept;
    InputFile& operator=(InputFile&&) = delete;

    const std::string& path() const { return path_; }
    std::uint64_t size() const { return size_; }  // when it was opened
    // Fills `bytes` with those from `offset` on. Error: the file ends before.
    void read(std::uint64_t offset, std::span<std::byte> bytes) const;

  private:
    std::string path_;
    int file_ = -1;
    std::uint64_t size_ = 0;
};

}  // namespace zhuyi
