#include "text/byte_pair.h"

#include <cstdint>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "text/documents.h"

namespace zhuyi {
namespace {

constexpr Token kFirstByte = 1, kFirstJoined = 257;
constexpr Index kTwice = 2;  // a pair that occurs once teaches nothing

// Positions, ids of pairs and weights take 32 bits: the texts are no longer than that.
using Number = std::uint32_t;
constexpr Number kNone = ~Number(0);

// Bytes for the lists of positions, for each byte of text: each join makes two new entries.
constexpr double kPositions = 8;

// A token in a piece, in a linked list with its neighbours. `pair`: of this token and the one after
// it.
struct Symbol {
    Token token;
    Number before, after;
    Number pair = kNone;
    Number weight;  // how often the piece occurs
};

struct Pair {
    Token left, right;
    Index count = 0;  // the sum of its positions' weights
    // Where it was seen, from left to right in each piece; where a neighbour has been joined with
    // another token since, the symbol has another pair now.
    std::vector<Number> positions{};
};

// A pair that waits to be joined, with its count when it was put there.
struct Waiting {
    Index count;
    Token left, right;
    Number pair;
    bool operator<(const Waiting& other) const {  // the queue's top is its largest
        return std::tuple(count, other.left, other.right) < std::tuple(other.count, left, right);
    }
};

class PairLearner {
  public:
    explicit PairLearner(std::span<const std::string_view> texts);
    // Joins the pair that occurs most often. Returns false if no pair occurs twice.
    bool join_next();
    BytePairTokenizer result(Index ends) &&;
    Index size() const { return Index(tokens_.size()); }

  private:
    using Pieces = std::unordered_map<std::string_view, Number>;  // and how often each occurs
    static Pieces pieces_of(std::span<const std::string_view> texts);
    void add_piece(std::string_view piece, Number weight);
    Number pair_of(Token left, Token right);
    void enlist(Number position);
    void delist(Number position);
    void join(Number pair);
    void offer(Number pair);

    List<std::string> tokens_;
    std::vector<BytePairTokenizer::Merge> merges_;
    std::vector<Symbol> symbols_;
    std::vector<Pair> pairs_;  // first those of two bytes, then as joins make them
    std::priority_queue<Waiting> queue_;
    // The pairs that the newest token forms with a token before it and after it, by that token.
    List<Number> newest_after_, newest_before_;
};

PairLearner::Pieces PairLearner::pieces_of(std::span<const std::string_view> texts) {
    Pieces pieces;
    for (std::string_view text : texts)
        while (!text.empty()) {
            const std::size_t length = first_piece(text);
            ++pieces[text.substr(0, length)];
            text.remove_prefix(length);
        }
    return pieces;
}

PairLearner::PairLearner(std::span<const std::string_view> texts) {
    tokens_.emplace_back();
    for (int byte = 0; byte < 256; ++byte) tokens_.emplace_back(1, char(byte));
    for (Token left = 0; left < 256; ++left)
        for (Token right = 0; right < 256; ++right)
            pairs_.push_back({.left = kFirstByte + left, .right = kFirstByte + right});

    std::size_t all = 0, different = 0;
    for (std::string_view text : texts) all += text.size();
    if (all >= kNone)
        fail({"byte pairs are learnt from at most 4 GiB of text, this one has %s: give a part of "
              "it, or take tokenizer = characters",
              "字节对最多从 4 GiB 的文本里学，这份文本有 %s：请只给出它的一部分，"
              "或改用 tokenizer = characters"},
             bytes_text(double(all)));
    const Pieces pieces = pieces_of(texts);
    for (const auto& [piece, weight] : pieces) different += piece.size();
    check_room(
        say({"the byte pairs of a text of %s", "从 %s 的文本里学字节对"}, bytes_text(double(all))),
        double(different) * (double(sizeof(Symbol)) + kPositions));
    symbols_.reserve(different);
    // The order of the pieces plays no part: only what the counts sum up to is used.
    for (const auto& [piece, weight] : pieces) add_piece(piece, weight);
    for (Number pair = 0; pair < pairs_.size(); ++pair) offer(pair);
}

void PairLearner::add_piece(std::string_view piece, Number weight) {
    const auto begin = Number(symbols_.size()), end = begin + Number(piece.size());
    for (Number i = begin; i < end; ++i) {
        const auto byte = static_cast<unsigned char>(piece[i - begin]);
        symbols_.push_back({.token = kFirstByte + byte,
                            .before = i > begin ? i - 1 : kNone,
                            .after = i + 1 < end ? i + 1 : kNone,
                            .weight = weight});
    }
    for (Number i = begin; i < end; ++i) enlist(i);
}

Number PairLearner::pair_of(Token left, Token right) {
    if (left < kFirstJoined && right < kFirstJoined)
        return Number((left - kFirstByte) * 256 + (right - kFirstByte));
    const Token newest = Token(tokens_.size() - 1);
    Number& pair = right == newest ? newest_before_[left] : newest_after_[right];
    if (pair == kNone) {
        pair = Number(pairs_.size());
        pairs_.push_back({.left = left, .right = right});
    }
    return pair;
}

// While the bytes are read, and within a join, the positions of a piece come from left to right. So
// each list is in that order, and of overlapping pairs (aaa) the left one is joined.
void PairLearner::enlist(Number position) {
    if (position == kNone || symbols_[position].after == kNone) return;
    Symbol& symbol = symbols_[position];
    symbol.pair = pair_of(symbol.token, symbols_[symbol.after].token);
    Pair& pair = pairs_[symbol.pair];
    pair.positions.push_back(position);
    pair.count += symbol.weight;
}

void PairLearner::delist(Number position) {
    if (position == kNone || symbols_[position].pair == kNone) return;
    Symbol& symbol = symbols_[position];
    pairs_[symbol.pair].count -= symbol.weight;
    symbol.pair = kNone;
}

void PairLearner::offer(Number pair) {
    const Pair& p = pairs_[pair];
    if (p.count >= kTwice) queue_.push({p.count, p.left, p.right, pair});
}

bool PairLearner::join_next() {
    while (!queue_.empty()) {
        const Waiting best = queue_.top();
        queue_.pop();
        if (pairs_[best.pair].count == best.count) {
            join(best.pair);
            return true;
        }
        offer(best.pair);  // joins of its neighbours have taken some away since
    }
    return false;
}

// No two joins make the same bytes. For a string that tokens cover exactly has been joined, up to
// now, as if it stood alone: no pair reached over its ends. So it is cut in one way everywhere, and
// once that is a single token, no pair of tokens covers the string again.
void PairLearner::join(Number pair) {
    const auto [left_token, right_token] = std::pair(pairs_[pair].left, pairs_[pair].right);
    const auto made = Token(tokens_.size());
    tokens_.push_back(tokens_[left_token] + tokens_[right_token]);
    merges_.push_back({left_token, right_token});
    newest_before_.resize(tokens_.size(), kNone);
    newest_after_.resize(tokens_.size(), kNone);
    const auto first_new = Number(pairs_.size());
    for (const Number at : std::exchange(pairs_[pair].positions, {})) {
        if (symbols_[at].pair != pair) continue;
        Symbol& left = symbols_[at];
        const Number gone = left.after;
        delist(left.before);
        delist(at);
        delist(gone);
        left.token = made;
        left.after = symbols_[gone].after;
        symbols_[gone].token = -1;
        if (left.after != kNone) symbols_[left.after].before = at;
        enlist(left.before);
        enlist(at);
    }
    for (Number fresh = first_new; fresh < pairs_.size(); ++fresh) {
        newest_before_[pairs_[fresh].left] = kNone;
        newest_after_[pairs_[fresh].right] = kNone;
        offer(fresh);
    }
}

BytePairTokenizer PairLearner::result(Index ends) && {
    List<Index> counts(tokens_.size());
    counts[kEndOfText] = ends;
    for (const Symbol& symbol : symbols_)
        if (symbol.token >= 0) counts[symbol.token] += symbol.weight;
    return {std::move(tokens_), merges_, kEndOfText, std::move(counts)};
}

}  // namespace

BytePairTokenizer learn_byte_pairs(std::span<const std::string_view> texts, Index at_most,
                                   Index ends) {
    PairLearner learner(texts);
    while (learner.size() < at_most && learner.join_next()) {
    }
    return std::move(learner).result(ends);
}

BytePairTokenizer train_byte_pairs(std::span<const std::string_view> texts, Index vocabulary,
                                   Index ends) {
    BytePairTokenizer learnt = learn_byte_pairs(texts, vocabulary, ends);
    if (learnt.size() < vocabulary)
        fail_usage({"bpe_vocabulary = %1$td is too large for this text: with %2$td tokens no "
                    "two of them stand side by side twice. Give at most %2$td.",
                    "bpe_vocabulary = %1$td 对这份文本太大：到 %2$td 个 token 时，"
                    "已没有任何两个相邻的 token 出现过两次。请给出不超过 %2$td 的数。"},
                   vocabulary, learnt.size());
    return learnt;
}

}  // namespace zhuyi
