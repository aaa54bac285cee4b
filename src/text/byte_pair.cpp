#include "text/byte_pair.h"

#include <queue>

#include "base/check.h"
#include "system/printable.h"
#include "text/byte_pair_split.h"
#include "text/vocabulary.h"

namespace zhuyi {
namespace {

std::uint64_t pair_key(Token left, Token right) {
    return std::uint64_t(std::uint32_t(left)) << 32 | std::uint32_t(right);
}

}  // namespace

BytePairTokenizer::BytePairTokenizer(std::vector<std::string> tokens,
                                     const std::vector<Merge>& merges, Token end_of_text,
                                     std::vector<Index> counts)
    : tokens_(std::move(tokens)),
      merges_(merges),
      counts_(std::move(counts)),
      end_of_text_(end_of_text) {
    counts_.resize(tokens_.size());
    std::unordered_map<std::string_view, Token> by_bytes;
    for (std::size_t token = 0; token < tokens_.size(); ++token)
        if (!tokens_[token].empty() && !by_bytes.emplace(tokens_[token], Token(token)).second)
            fail({"two tokens of the vocabulary are %s", "词表里有两个 token 都是 %s"},
                 in_quotes(tokens_[token]));
    if (end_of_text < 0 || end_of_text >= size() || !bytes(end_of_text).empty())
        fail({"the end of a text is token %d, which is no token of its own",
              "文档结尾是 token %d，但它不是单独的 token"},
             end_of_text);
    for (int byte = 0; byte < 256; ++byte) {
        const auto found = by_bytes.find(std::string(1, char(byte)));
        if (found == by_bytes.end())
            fail({"the byte %02X has no token: this vocabulary cannot spell every text",
                  "字节 %02X 没有 token：这个词表拼不出所有文本"},
                 byte);
        token_of_byte_[std::size_t(byte)] = found->second;
    }
    for (std::size_t rank = 0; rank < merges_.size(); ++rank) {
        const auto [left, right] = merges_[rank];
        if (left < 0 || right < 0 || left >= size() || right >= size())
            fail({"merge %zu joins tokens that do not exist", "合并规则 %zu 连接的 token 不存在"},
                 rank);
        const auto found = by_bytes.find(tokens_[std::size_t(left)] + tokens_[std::size_t(right)]);
        if (found == by_bytes.end() || bytes(left).empty() || bytes(right).empty())
            fail({"merge %zu (%s and %s) makes no token of the vocabulary",
                  "合并规则 %zu（%s 和 %s）得到的不是词表里的 token"},
                 rank, in_quotes(bytes(left)), in_quotes(bytes(right)));
        if (!joins_.emplace(pair_key(left, right), Join{std::int32_t(rank), found->second}).second)
            fail({"merge %zu (%s and %s) stands in the list twice",
                  "合并规则 %zu（%s 和 %s）在列表里出现了两次"},
                 rank, in_quotes(bytes(left)), in_quotes(bytes(right)));
    }
}

const BytePairTokenizer::Join* BytePairTokenizer::join(Token left, Token right) const {
    const auto found = joins_.find(pair_key(left, right));
    return found == joins_.end() ? nullptr : &found->second;
}

void BytePairTokenizer::append(std::vector<Token>& tokens, std::string_view text) const {
    while (!text.empty()) {
        const std::size_t length = first_piece(text);
        encode_piece(text.substr(0, length), tokens);
        text.remove_prefix(length);
    }
}

// Joins the pair of the lowest rank (the leftmost of equals) until no pair has a rank. The tokens
// form a linked list and the pairs wait in a heap, so a piece of n bytes takes n log n; a Chinese
// text can be one long piece. A pair is out of date when one of its tokens has been joined with
// another since: then the tokens at its position are no longer the pair's.
void BytePairTokenizer::encode_piece(std::string_view piece, std::vector<Token>& tokens) const {
    struct Symbol {
        Token token;
        std::ptrdiff_t before, after;  // neighbours; -1: none
    };
    struct Candidate {
        std::int32_t rank;
        std::ptrdiff_t at;
        Token left, right;
        bool operator<(const Candidate& other) const {  // the heap's top is its largest
            return std::pair(rank, at) > std::pair(other.rank, other.at);
        }
    };
    const auto size = std::ptrdiff_t(piece.size());
    std::vector<Symbol> symbols;
    for (std::ptrdiff_t i = 0; i < size; ++i)
        symbols.push_back({token_of_byte(piece[std::size_t(i)]), i - 1, i + 1 < size ? i + 1 : -1});
    const auto at = [&](std::ptrdiff_t i) -> Symbol& { return symbols[std::size_t(i)]; };

    std::priority_queue<Candidate> candidates;
    const auto offer = [&](std::ptrdiff_t left) {
        if (left < 0 || at(left).after < 0) return;
        const Token a = at(left).token, b = at(at(left).after).token;
        if (const Join* found = join(a, b)) candidates.push({found->rank, left, a, b});
    };
    for (std::ptrdiff_t i = 0; i + 1 < size; ++i) offer(i);
    while (!candidates.empty()) {
        const Candidate best = candidates.top();
        candidates.pop();
        Symbol& left = at(best.at);
        if (left.token != best.left || left.after < 0 || at(left.after).token != best.right)
            continue;
        Symbol& right = at(left.after);
        left.token = join(best.left, best.right)->result;
        right.token = -1;
        left.after = right.after;
        if (left.after >= 0) at(left.after).before = best.at;
        offer(left.before);
        offer(best.at);
    }
    for (std::ptrdiff_t i = 0; i >= 0 && i < size; i = at(i).after) tokens.push_back(at(i).token);
}

}  // namespace zhuyi
