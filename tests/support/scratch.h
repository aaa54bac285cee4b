// A folder for one test, removed when the test ends.
#pragma once
#include <stdlib.h>  // mkdtemp

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace zhuyi {
inline namespace support {

class ScratchFolder {
  public:
    // So that every path in a test has a space and Chinese characters in it.
    ScratchFolder() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "zhuyi 注意 XXXXXX").string();
        if (!mkdtemp(pattern.data()))
            throw std::runtime_error("cannot make a temporary folder " + pattern);
        folder_ = pattern;
    }
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    std::string path() const { return folder_.string(); }
    std::string path(std::string_view name) const { return (folder_ / name).string(); }

    // Writes the bytes and returns the path.
    std::string write(std::string_view name, std::string_view bytes) const {
        std::ofstream(folder_ / name, std::ios::binary) << bytes;
        return path(name);
    }
    std::string read(std::string_view name) const {
        std::ostringstream bytes;
        bytes << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
        return bytes.str();
    }

  private:
    std::filesystem::path folder_;
};

}  // namespace support
}  // namespace zhuyi
