// Ends a text where one of some given texts would begin.
#pragma once
#include <string>
#include <vector>

namespace zhuyi {

class StopTexts {
  public:
    explicit StopTexts(const std::vector<std::string>& stops);

    // Gives what of the text so far may be shown: up to the first stop, which itself is not shown,
    // or without a tail that could still become one.
    std::string push(const std::string& more);
    // What was held back; empty after a stop.
    std::string finish();
    bool reached() const { return reached_; }

  private:
    std::vector<std::string> stops_;
    std::string held_;
    bool reached_ = false;
};

}  // namespace zhuyi
