// A folder for one test, removed when the test ends.
#pragma once
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "system/machine.h"

namespace zhuyi {
inline namespace support {

class ScratchFolder {
  public:
    // So that every path in a test has a space and Chinese characters in it.
    ScratchFolder() {
        const std::string front = "zhuyi 注意 " + std::to_string(process_id()) + " ";
        for (int number = 1; folder_.empty(); ++number) {
            const auto wish =
                std::filesystem::temp_directory_path() / from_utf8(front + std::to_string(number));
            if (std::filesystem::create_directory(wish)) folder_ = wish;  // else another has it
        }
    }
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    std::string path() const { return to_utf8(folder_); }
    std::string path(std::string_view name) const { return to_utf8(folder_ / from_utf8(name)); }

    // Writes the bytes and returns the path.
    std::string write(std::string_view name, std::string_view bytes) const {
        std::ofstream(folder_ / from_utf8(name), std::ios::binary) << bytes;
        return path(name);
    }
    std::string read(std::string_view name) const {
        std::ostringstream bytes;
        bytes << std::ifstream(folder_ / from_utf8(name), std::ios::binary).rdbuf();
        return bytes.str();
    }

  private:
    // Windows reads narrow text in the code page of its language; the program under test takes
    // every path as UTF-8.
    static std::filesystem::path from_utf8(std::string_view text) {
        return std::u8string(text.begin(), text.end());
    }
    static std::string to_utf8(const std::filesystem::path& path) {
        const std::u8string text = path.u8string();
        return {text.begin(), text.end()};
    }

    std::filesystem::path folder_;
};

}  // namespace support
}  // namespace zhuyi
