// A model may spell a character in bytes, one token at a time. Whoever shows text while it comes
// releases whole characters only.
#pragma once
#include <string>
#include <string_view>

namespace zhuyi {

class TextStream {
  public:
    // The characters that `bytes` completes. A sequence that more bytes could complete is held
    // back; bytes that can belong to no character any more come out as U+FFFD, one for each.
    std::string push(std::string_view bytes);
    // What was held back, as U+FFFD; the stream is empty again.
    std::string finish();

  private:
    std::string held_;  // at most three bytes
};

}  // namespace zhuyi
