// Which continuations of a watched sentence are followed from frame to frame: at each position the
// tokens that were ever among the likeliest, and of more than kFollowed those that were once most
// probable. So a curve does not end because its token left the likeliest five.
#pragma once
#include <map>
#include <vector>

#include "base/real.h"

namespace zhuyi {

constexpr Index kFollowed = 16;  // tokens at each position

struct History;

class Followed {
  public:
    // Position t with its probabilities (V): `likeliest` are followed from now on. Appends
    // kFollowed tokens, -1 where there are fewer, and their probabilities.
    void add(std::size_t t, const std::vector<double>& p, const std::vector<Token>& likeliest,
             std::vector<double>& tokens, std::vector<double>& probabilities);
    // The same from a frame that was recorded: (T, kFollowed) of both.
    void again(const std::vector<Token>& tokens, const std::vector<double>& probabilities);

  private:
    using Highest = std::map<Token, float>;  // as the file has it
    std::vector<Highest> positions_;
};

// Of each sentence of a history, after its last frame.
std::vector<Followed> followed_in(const History& history);

}  // namespace zhuyi
