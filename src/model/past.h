// Keys and values of the positions already read, so that generating one more token computes one
// position and not all.
#pragma once
#include <utility>
#include <vector>

#include "base/tensor.h"

namespace zhuyi {

struct GptConfig;

class Past {
  public:
    // Room for B texts of config.context positions.
    Past(const GptConfig& config, Index B);
    // A past for `texts` texts, each a copy of the first text of this one.
    Past repeated(Index texts) const;

    Index texts() const { return B_; }
    Index length() const { return length_; }      // positions held
    Index capacity() const { return capacity_; }  // T_max
    Index room() const { return room_; }          // T_max, and a little more
    void clear() { length_ = 0; }

    // Puts the keys and values of T new positions (B, T, C) of a block after the old ones and gives
    // all of them: the keys turned, (B, C, room), as a query reads them, so that no token turns
    // them anew; the values (B, length + T, C), with room() rows a text in memory. advance(T)
    // follows when every block has done so.
    std::pair<Tensor, Tensor> append(Index block, const Tensor& K, const Tensor& V);
    void advance(Index T) { length_ += T; }

  private:
    Index B_, C_, capacity_, room_, length_ = 0;
    std::vector<std::vector<Real>> keys_, values_;  // one a block, (B, C, room) and (B, room, C)
};

}  // namespace zhuyi
