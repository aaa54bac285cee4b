// From the bytes of a file to documents.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/language.h"
#include "text/config.h"

namespace zhuyi {

// Throws Error if `content` is no text in UTF-8. The message names the file and says what to do.
// `in_folder`: the file lies in a folder of which every text is read, so the mended one must take
// its place.
void check_text(const std::string& content, const std::string& name, bool in_folder = false);

// Returns "" for UTF-8, and otherwise a message in one line: path, line (from 1), byte offset in
// the file (from 0), the byte, what is wrong with it, and what to do: for text that looks like
// GB18030 (GBK, GB2312) or UTF-16, the iconv command that makes UTF-8 of it.
std::string complaint_about_encoding(std::string_view bytes, const std::string& path,
                                     bool in_folder = false);

// Mostly well-formed pairs of GBK, nearly all of them in the part of the table that holds common
// Chinese; and not mostly well-formed UTF-8 (which is a UTF-8 file with a few damaged bytes).
bool looks_like_gb18030(std::string_view bytes);

// Says what is wrong with the first byte, as the end of a sentence: "is a continuation byte without
// a beginning".
Words fault_of(std::string_view bytes);

// In place: removes a byte order mark; every line then ends with LF.
void normalise(std::string& text);

// Takes the next document off the front of `rest`, which is the rest of a normalised file, and
// returns it without the newline at its end. Returns nothing if only blank lines are left.
std::optional<std::string_view> next_document(std::string_view& rest, Documents documents);

// Throws Error if `what` needs more bytes of memory than can be had. (Without this check other
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
