#include "text/byte_pair.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <unordered_map>

#include "base/check.h"
#include "base/format.h"
#include "base/utf8.h"
#include "system/printable.h"
#include "text/vocabulary.h"

namespace zhuyi {

static std::uint64_t pair_key(Token left, Token right) {
    return std::uint64_t(std::uint32_t(left)) << 32 | std::uint32_t(right);
}

// Times 2^64 / golden ratio (Knuth, volume 3, section 6.4), so that the upper bits spread evenly.
static std::size_t first_place(std::uint64_t pair, std::size_t places) {
    return std::size_t(pair * 0x9e3779b97f4a7c15u >> (64 - std::countr_zero(places)));
}

constexpr std::size_t kShort = 128;  // bytes of a piece that join_short takes

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
    joins_.resize(std::max(std::bit_ceil(2 * merges_.size()), std::size_t(2)));
    for (std::size_t rank = 0; rank < merges_.size(); ++rank) {
        const auto [left, right] = merges_[rank];
        if (left < 0 || right < 0 || left >= size() || right >= size())
            fail({"merge %zu joins tokens that do not exist", "合并规则 %zu 连接的 token 不存在"},
                 rank);
        const auto found = by_bytes.find(tokens_[left] + tokens_[right]);
        if (found == by_bytes.end() || bytes(left).empty() || bytes(right).empty())
            fail({"merge %zu (%s and %s) makes no token of the vocabulary",
                  "合并规则 %zu（%s 和 %s）得到的不是词表里的 token"},
                 rank, in_quotes(bytes(left)), in_quotes(bytes(right)));
        Place& place = place_of(left, right);
        if (place.join.rank >= 0)
            fail({"merge %zu (%s and %s) stands in the list twice",
                  "合并规则 %zu（%s 和 %s）在列表里出现了两次"},
                 rank, in_quotes(bytes(left)), in_quotes(bytes(right)));
        place = {pair_key(left, right), {std::int32_t(rank), found->second}};
    }
}

BytePairTokenizer::Place& BytePairTokenizer::place_of(Token left, Token right) {
    const std::uint64_t pair = pair_key(left, right);
    std::size_t at = first_place(pair, joins_.size());
    while (joins_[at].join.rank >= 0 && joins_[at].pair != pair) at = (at + 1) % joins_.size();
    return joins_[at];
}

const BytePairTokenizer::Join* BytePairTokenizer::join(Token left, Token right) const {
    const std::uint64_t pair = pair_key(left, right);
    // size() is a power of two: `& last` is the remainder.
    const std::size_t last = joins_.size() - 1;
    for (std::size_t at = first_place(pair, joins_.size()); joins_[at].join.rank >= 0;
         at = (at + 1) & last)
        if (joins_[at].pair == pair) return &joins_[at].join;
    return nullptr;
}

struct BytePairTokenizer::Piece {
    struct Symbol {
        Token token;
        std::int32_t before, after;  // neighbours; -1 if there is none
    };
    struct Candidate {
        std::int64_t order;  // rank · 2^32 + position: one number is compared sooner than two
        Token left, right, result;
        bool operator<(const Candidate& other) const {  // the heap's top is its largest
            return order > other.order;
        }
        std::int32_t at() const { return std::int32_t(order & 0x7fffffff); }
    };
    List<Symbol> symbols;
    std::vector<Candidate> waiting;  // a heap
};

void BytePairTokenizer::append(std::vector<Token>& tokens, std::string_view text) const {
    Piece piece;
    while (!text.empty()) {
        const std::size_t length = first_piece(text);
        if (length <= kShort)
            join_short(text.substr(0, length), tokens);
        else
            join_long(text.substr(0, length), piece, tokens);
        text.remove_prefix(length);
    }
}

// Both ways join the pair of the lowest rank (the leftmost of equals) until no pair has a rank.
//
// A short piece: each time all pairs are looked through, and what follows moves up by one. For n
// bytes that is n², and yet twice as fast on English words as the heap of the other way.
void BytePairTokenizer::join_short(std::string_view bytes, std::vector<Token>& tokens) const {
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
    std::array<Token, kShort> symbols;
    std::array<std::int64_t, kShort> pairs;  // of symbols i and i + 1: rank · 2^32 + what they make
    std::size_t n = bytes.size();
    const auto look_up = [&](std::size_t i) {
        const Join* found = join(symbols[i], symbols[i + 1]);
        pairs[i] = found ? std::int64_t(found->rank) << 32 | found->result : kNone;
    };
    const auto remove = [](auto& list, std::size_t at, std::size_t end) {
        for (; at + 1 < end; ++at) list[at] = list[at + 1];
    };
    for (std::size_t i = 0; i < n; ++i) symbols[i] = token_of_byte(bytes[i]);
    for (std::size_t i = 0; i + 1 < n; ++i) look_up(i);
    while (n > 1) {
        std::size_t i = 0;
        std::int64_t lowest = pairs[0];
        for (std::size_t at = 1; at + 1 < n; ++at)
            if (pairs[at] < lowest) lowest = pairs[at], i = at;
        if (lowest == kNone) break;
        symbols[i] = Token(lowest & 0xffffffff);
        remove(symbols, i + 1, n);
        remove(pairs, i + 1, n - 1);
        --n;
        if (i > 0) look_up(i - 1);
        if (i + 1 < n) look_up(i);
    }
    tokens.insert(tokens.end(), symbols.begin(), symbols.begin() + std::ptrdiff_t(n));
}

// A piece of any length: the tokens form a linked list and the pairs wait in a heap, so n bytes
// take n log n; a Chinese text can be one long piece. A pair is out of date when one of its tokens
// has been joined with another since: then the tokens at its position are no longer the pair's.
void BytePairTokenizer::join_long(std::string_view bytes, Piece& piece,
                                  std::vector<Token>& tokens) const {
    List<Piece::Symbol>& symbols = piece.symbols;
    std::vector<Piece::Candidate>& waiting = piece.waiting;
    symbols.clear(), waiting.clear();
    const auto size = std::int32_t(bytes.size());
    for (std::int32_t i = 0; i < size; ++i)
        symbols.push_back({token_of_byte(bytes[std::size_t(i)]), i - 1, i + 1 < size ? i + 1 : -1});
    const auto offer = [&](std::int32_t left) {
        if (left < 0 || symbols[left].after < 0) return;
        const Token a = symbols[left].token, b = symbols[symbols[left].after].token;
        if (const Join* found = join(a, b))
            waiting.push_back({std::int64_t(found->rank) << 32 | left, a, b, found->result});
    };
    for (std::int32_t i = 0; i + 1 < size; ++i) offer(i);
    std::make_heap(waiting.begin(), waiting.end());
    while (!waiting.empty()) {
        const Piece::Candidate best = waiting.front();
        std::pop_heap(waiting.begin(), waiting.end());
        waiting.pop_back();
        Piece::Symbol& left = symbols[best.at()];
        if (left.token != best.left || left.after < 0 || symbols[left.after].token != best.right)
            continue;
        Piece::Symbol& right = symbols[left.after];
        left.token = best.result;
        right.token = -1;
        left.after = right.after;
        if (left.after >= 0) symbols[left.after].before = best.at();
        for (const std::int32_t changed : {left.before, best.at()}) {
            const std::size_t before = waiting.size();
            offer(changed);
            if (waiting.size() > before) std::push_heap(waiting.begin(), waiting.end());
        }
    }
    for (std::int32_t i = 0; i >= 0 && i < size; i = symbols[i].after)
        tokens.push_back(symbols[i].token);
}

constexpr std::string_view kUnused = "⟨unused⟩";
constexpr std::string_view kOpen = "⟨", kClose = "⟩";

static std::string written(std::string_view bytes) {
    std::string text;
    for (std::string_view character : utf8::Characters(bytes))
        text += character == kOpen ? "\\u{27E8}" : escaped(character);
    return text;
}

// ⟨E5⟩ at the front of the field is the byte E5; takes it off.
static char take_byte(const VocabularyReader& reader, std::string_view& field) {
    const std::size_t end = field.find(kClose);
    unsigned byte = 256;
    if (end != field.npos) {
        const char *const first = field.data() + kOpen.size(), *const last = field.data() + end;
        if (std::from_chars(first, last, byte, 16).ptr != last) byte = 256;
    }
    if (byte > 255)
        reader.refuse(say({"expected a byte like ⟨E5⟩, found %s", "应为 ⟨E5⟩ 这样的字节，实际是%s"},
                          in_quotes(field)));
    field.remove_prefix(end + kClose.size());
    return char(byte);
}

static std::string token_bytes(const VocabularyReader& reader, std::string_view field) {
    if (field == kUnused || field == kEndOfTextName) return {};
    std::string bytes;
    do {
        if (field.starts_with(kOpen))
            bytes += take_byte(reader, field);
        else
            bytes += utf8::encode(reader.take_character(field));
    } while (!field.empty());
    return bytes;
}

std::string BytePairTokenizer::vocabulary_file() const {
    std::string lines = std::string(kBytePairs) + std::to_string(end_of_text_) +
                        "\n# id, bytes, how often; \\s space, \\n newline, \\t tab, \\r carriage "
                        "return, \\\\ backslash, \\u{3000} any other\n# character that would not "
                        "be seen, ⟨E8⟩ a byte that is no whole character. Behind them the pairs "
                        "that are joined, the first first\n";
    for (Token token = 0; token < size(); ++token) {
        const std::string_view spelt = bytes(token);
        const std::string name = !spelt.empty()          ? written(spelt)
                                 : token == end_of_text_ ? std::string(kEndOfTextName)
                                                         : std::string(kUnused);
        lines += format("%d\t%s\t%td\n", token, name.c_str(), count(token));
    }
    for (const Merge& merge : merges_) lines += format("merge\t%d\t%d\n", merge.left, merge.right);
    return lines;
}

std::unique_ptr<Tokenizer> parse_byte_pairs(std::string_view content, const std::string& origin) {
    VocabularyReader reader(content, origin);
    reader.next_line();
    constexpr Words kId{"id", "编号"};
    const auto end_of_text = Token(reader.natural(reader.line().substr(kBytePairs.size()), kId));
    std::vector<std::string> tokens;
    std::vector<Index> counts;
    std::vector<BytePairTokenizer::Merge> merges;
    while (reader.next_line()) {
        if (tokens.empty() && reader.line().starts_with('#')) continue;
        const auto [first, second, third] = reader.fields();
        if (first == "merge") {
            merges.push_back(
                {Token(reader.natural(second, kId)), Token(reader.natural(third, kId))});
            continue;
        }
        if (!merges.empty())
            reader.refuse(say({"expected nothing but merges after the first of them",
                               "第一条合并规则之后只能是合并规则"}));
        reader.check_id(first, std::ssize(tokens));
        // <|endoftext|> is a name in its own row only; elsewhere these are thirteen characters.
        tokens.push_back(second == kEndOfTextName && std::ssize(tokens) != end_of_text
                             ? std::string(second)
                             : token_bytes(reader, second));
        counts.push_back(reader.natural(third, {"count", "次数"}));
    }
    try {
        return std::make_unique<BytePairTokenizer>(std::move(tokens), merges, end_of_text,
                                                   std::move(counts));
    } catch (const Error& error) {
        fail({"%s: %s", "%s：%s"}, origin, error.what());
    }
}

}  // namespace zhuyi
