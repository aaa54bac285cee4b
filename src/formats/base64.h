// Bytes as text (RFC 4648, section 4), for a page that contains its data.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace zhuyi {

std::string base64(std::string_view bytes);
// The bytes again; nothing where this is no such text.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace zhuyi
