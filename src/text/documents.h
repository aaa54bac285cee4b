// From the bytes of a file to documents.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/language.h"
#include "text/config.h"
#include "text/encoding.h"

namespace zhuyi {

// Error: `content` is no text in UTF-8. The message names the file and says what to do.
void check_text(const std::string& content, const std::string& name, Lies lies = Lies::alone);

// In place: removes a byte order mark; every line then ends with LF.
void normalise(std::string& text);

// Takes the next document off the front of `rest`, which is the rest of a normalised file, and
// gives it without the newline at its end. Nothing: only blank lines are left.
std::optional<std::string_view> next_document(std::string_view& rest, Documents documents);

// Error: `what` needs so many bytes of memory, and fewer can be had. (Without this check other
// programs would be pushed out of memory first.)
void check_room(const std::string& what, double bytes);

}  // namespace zhuyi
