// From the bytes of a file to documents.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/language.h"
#include "text/config.h"
#include "text/utf8.h"

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

// ---- A model may spell a character in bytes, one token at a time. A program that shows text while
// it is generated must show whole characters only.

class TextStream {
  public:
    // Gives the characters that `bytes` completes. A sequence that more bytes could complete is
    // held back; each byte that can no longer belong to a character gives U+FFFD.
    std::string push(std::string_view bytes);
    // Gives U+FFFD for each byte that was held back; the stream is empty again.
    std::string finish();

  private:
    std::string held_;  // at most three bytes
};

}  // namespace zhuyi
