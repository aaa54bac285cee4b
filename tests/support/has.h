#pragma once
#include <string>

namespace zhuyi {

// Does this part stand anywhere in the text?
inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
}

}  // namespace zhuyi
