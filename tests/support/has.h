#pragma once
#include <string>

namespace zhuyi {
inline namespace support {

// Does the text contain this part?
inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
}

}  // namespace support
}  // namespace zhuyi
