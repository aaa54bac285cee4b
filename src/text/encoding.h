// Texts that are not UTF-8: what they probably are, and the command that makes UTF-8 of them.
#pragma once
#include <string>
#include <string_view>

#include "base/language.h"

namespace zhuyi {

// Where a text lies: one of a folder must take the place of what it was made from, because all that
// lies there is read.
enum class Lies { alone, in_folder };

// Empty for UTF-8. Otherwise a message in one line: path, line (from 1), byte offset in the file
// (from 0), the byte, what is wrong with it, and what to do: for text that looks like GB18030 (GBK,
// GB2312) or UTF-16, the iconv command that makes UTF-8 of it.
std::string complaint_about_encoding(std::string_view bytes, const std::string& path,
                                     Lies lies = Lies::alone);

// Mostly well-formed pairs of GBK, nearly all of them in the part of the table that holds common
// Chinese; and not mostly well-formed UTF-8 (which is a UTF-8 file with a few damaged bytes).
bool looks_like_gb18030(std::string_view bytes);

// 'it'\''s': a word for the shell.
std::string shell_quoted(std::string_view word);
// The same in quotes only where the shell needs them: runs/诗, 'runs/my poems'.
std::string shell_word(std::string_view word);

}  // namespace zhuyi
