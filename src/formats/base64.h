// Bytes as text (RFC 4648, section 4), for a page that contains its data.
#pragma once
#include <string>
#include <string_view>

namespace zhuyi {

std::string base64(std::string_view bytes);

}  // namespace zhuyi
