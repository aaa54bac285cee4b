#pragma once
#include <string>

#include "base/language.h"

namespace zhuyi {
inline namespace support {

// Does the text contain this part?
inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
}

// What a call gives when the process speaks Chinese.
template <class Call>
auto in_chinese(const Call& call) {
    const Speaking chinese(Language::chinese);
    return call();
}

}  // namespace support
}  // namespace zhuyi
