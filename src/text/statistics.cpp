#include "text/statistics.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/math.h"
#include "base/random.h"
#include "system/unicode.h"
#include "text/passages.h"
#include "text/utf8.h"

namespace zhuyi {

namespace {

constexpr char32_t kEnd = 0x110000;  // of a document: a character beyond all others

// Σ -(n / total) ln(n / total) from the counts n.
class Entropy {
  public:
    void add(Index count) {
        total_ += double(count);
        sum_ += double(count) * math::log(double(count));
    }
    double nats() const { return total_ > 0 ? math::log(total_) - sum_ / total_ : 0; }

  private:
    double total_ = 0, sum_ = 0;
};

// How often each pair of characters occurs: open addressing, at most half full. (With a
// std::unordered_map, it took two thirds of the time for a text of gigabytes.)
class PairCounts {
  public:
    void add(char32_t before, char32_t code) {
        const std::uint64_t pair = std::uint64_t(before) << 32 | code;
        Slot& slot = find(pair);
        slot.pair = pair;
        if (slot.count++ == 0 && 2 * ++used_ > slots_.size()) grow();
    }
    std::vector<Index> sorted() const {  // so that sums have one order on every machine
        std::vector<Index> counts;
        for (const Slot& slot : slots_)
            if (slot.count > 0) counts.push_back(slot.count);
        std::sort(counts.begin(), counts.end());
        return counts;
    }

  private:
    struct Slot {
        std::uint64_t pair = 0;
        Index count = 0;
    };
    Slot& find(std::uint64_t pair) {
        for (std::size_t i = std::size_t(mix(pair));; ++i) {
            Slot& slot = slots_[i & (slots_.size() - 1)];
            if (slot.count == 0 || slot.pair == pair) return slot;
        }
    }
    void grow() {
        const std::vector<Slot> before =
            std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
        for (const Slot& slot : before)
            if (slot.count > 0) find(slot.pair) = slot;
    }
    std::vector<Slot> slots_ = std::vector<Slot>(1024);
    std::size_t used_ = 0;
};

// visit(before, character) for all documents in a row, each followed by kEnd.
template <class Visit>
void each_pair(const std::vector<std::string_view>& documents, const Visit& visit) {
    char32_t before = kEnd;
    for (std::string_view document : documents) {
        for (std::string_view character : utf8::Characters(document)) {
            const char32_t code = utf8::front(character).code;
            visit(before, code);
            before = code;
        }
        visit(before, kEnd);
        before = kEnd;
    }
}

void count_characters(const std::vector<std::string_view>& documents, TextStatistics& result) {
    std::vector<Index> counts(std::size_t(kEnd) + 1);
    PairCounts pairs;
    Index length = 0;  // of the document so far
    each_pair(documents, [&](char32_t before, char32_t code) {
        ++counts[code];
        pairs.add(before, code);
        if (code != kEnd) {
            ++length;
            return;
        }
        result.longest = std::max(result.longest, length);
        result.shortest = result.documents == 0 ? length : std::min(result.shortest, length);
        result.documents += 1;
        length = 0;
    });
    Entropy single, both;
    for (std::size_t code = 0; code < counts.size(); ++code) {
        const Index count = counts[code];
        if (count == 0) continue;
        single.add(count);
        if (code == kEnd) continue;
        result.characters += count;
        result.distinct += 1;
        result.seen_once += count == 1;
        result.seen_rarely += count < 5;
    }
    for (const Index count : pairs.sorted()) both.add(count);
    result.unigram_entropy = single.nats();
    // Chain rule: H(c | b) = H(b, c) - H(b). Each character is b once and c once, so H(b) is the
    // entropy of the single characters.
    result.bigram_entropy = std::max(0.0, both.nats() - single.nats());
}

void find_passages(const std::vector<std::string_view>& different, Repetitions& result) {
    CodePoints text;
    Index bytes = 0;
    for (std::string_view document : different) bytes += std::ssize(document);
    text.codes.reserve(std::size_t(std::min(bytes, kPassagesWithin)));
    for (std::string_view document : different) {
        text.add(utf8::prefix(document, kPassagesWithin - result.searched));
        result.searched = std::ssize(text.codes);
        if (result.searched == kPassagesWithin) break;
    }
    result.repeated_runs = repeated_share(text, kRunLength, kRunDocuments);
    for (char32_t code : longest_shared(text)) append_code_point(result.longest_shared, code);
}

}  // namespace

TextStatistics text_statistics(const std::vector<std::string_view>& documents) {
    TextStatistics result;
    for (std::string_view document : documents) result.bytes += std::ssize(document);
    if (!documents.empty()) count_characters(documents, result);
    return result;
}

Repetitions repetitions(const std::vector<std::string_view>& documents) {
    Repetitions result;
    std::set<std::string_view> seen, openings;
    std::vector<std::string_view> different;
    for (std::string_view document : documents) {
        if (seen.insert(document).second) different.push_back(document);
        openings.insert(utf8::prefix(document, kOpeningLength));
    }
    if (documents.empty()) return result;
    result.duplicates = std::ssize(documents) - std::ssize(different);
    result.openings = double(openings.size()) / double(documents.size());
    // A single document shares nothing, and may be gigabytes long.
    if (different.size() > 1) find_passages(different, result);
    return result;
}

}  // namespace zhuyi
