// Standard output, where results go. (Progress and errors go to stderr.)
#pragma once
#include <string>
#include <string_view>

#include "base/check.h"

namespace zhuyi {

// Whoever read our output has gone (`zhuyi sample … | head -1`): not worth a word, but worth stopping.
class OutputClosed : public Error {
  public:
    OutputClosed() : Error(Words{"nobody reads the output any more", "输出已经没有人读了"}) {}
};

// Written at once, for a reader who watches. Throws OutputClosed, or Error ("No space left on device").
void print(std::string_view text);

// Standard error: progress, warnings, what is no result. Failures are ignored: there is nobody left
// to tell.
void tell(std::string_view text);

// Before anything else: a closed pipe and a file size limit become errors of the write instead of the end of the process, and
// numbers 0 to 2 are occupied, so that no file we open is ever taken for standard output.
void prepare_streams();
// After everything else: what was written by other means than print() has arrived too, or it throws as print() does.
void finish_output();

}  // namespace zhuyi
