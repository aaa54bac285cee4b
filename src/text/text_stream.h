// A model may spell a character in bytes, one token at a time. A program that shows text while it
// is generated must show whole characters only.
#pragma once
#include <string>
#include <string_view>

namespace zhuyi {

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
