// What makes writing fast, behind one handle. A text that is written reads every weight and every
// earlier key again for each token, so the time goes into bytes that come out of memory. A Past
// keeps both in the order in which the kernels read them:
//
//     weights          once more, in strips: for products of one to four rows (kernels/strips.h)
//     keys and values  of the positions so far, block by block: so generating one more token
//                      computes one position and not all, and transposes no key again
//
// Outside kernels/ nobody looks inside: a model makes a Past and hands it on to its ops. With it
// and without it every result has the same bits.
#pragma once
#include <memory>
#include <vector>

#include "base/arena.h"
#include "base/list.h"
#include "kernels/kernels.h"

namespace zhuyi {

// Matrices laid out once more, for products of few rows and one precision. Their numbers must not
// change afterwards.
class StripsOfWeights {
  public:
    struct Weights {
        Matrix B;
        Index K, N;  // B (K, N)
        const void* strips = nullptr;
    };
    StripsOfWeights(std::vector<Weights> all, Precision precision,
                    const Kernels& table = kernels());
    // The strips of a product's B, or null if it has none or needs another precision.
    const void* find(const Gemm& g) const;

  private:
    const Precision precision_;
    std::vector<Weights> all_;  // sorted by where B stands
    AlignedBytes memory_;
};

// The keys and values of one block.
class PastOfBlock {
  public:
    // a.K and a.V, of T new positions, are put behind those before them; now a.K, a.V and a.S are
    // those of all positions so far.
    void join(Attention& a);

  private:
    friend class Past;
    Index capacity_ = 0, room_ = 0, positions_ = 0;
    List<Real> keys_, values_;  // (B, H d_k, room) and (B, room, H d_v)
};

class Past {
  public:
    // Room for `texts` texts of `capacity` positions, with keys and values of C channels.
    Past(Index texts, Index blocks, Index C, Index capacity,
         std::shared_ptr<const StripsOfWeights> weights = {});
    // A past for `texts` texts, each a copy of the first text of this one.
    Past repeated(Index texts) const;

    Index texts() const { return texts_; }
    Index capacity() const { return blocks_.back().capacity_; }
    // Positions held. A pass goes through the blocks in order, so the last block knows.
    Index length() const { return blocks_.back().positions_; }
    void clear();  // forgets the positions, not the weights

    PastOfBlock& block(Index number) { return blocks_[number]; }
    const StripsOfWeights* weights() const { return weights_.get(); }

  private:
    Index texts_;
    List<PastOfBlock> blocks_;
    std::shared_ptr<const StripsOfWeights> weights_;
};

}  // namespace zhuyi
