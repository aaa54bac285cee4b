#include "text/statistics.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/math.h"
#include "base/unicode.h"
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

// The characters of all documents in a row, each document followed by kEnd: visit(before,
// character).
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

template <class Counts>
std::vector<Index> sorted_counts(const Counts& counts) {
    std::vector<Index> sorted;
    for (const auto& [what, count] : counts) sorted.push_back(count);
    std::sort(sorted.begin(), sorted.end());  // one order of summing on every machine
    return sorted;
}

void count_characters(const std::vector<std::string_view>& documents, TextStatistics& result) {
    std::vector<Index> counts(std::size_t(kEnd) + 1);
    std::unordered_map<std::uint64_t, Index> pairs;
    each_pair(documents, [&](char32_t before, char32_t code) {
        ++counts[code];
        ++pairs[std::uint64_t(before) << 32 | code];
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
    for (const Index count : sorted_counts(pairs)) both.add(count);
    result.unigram_entropy = single.nats();
    // Each character is once the one before and once the one after, so the chain rule H(b, c) =
    // H(b) + H(c | b) takes the same H for b.
    result.bigram_entropy = std::max(0.0, both.nats() - single.nats());
}

void find_passages(const std::vector<std::string_view>& different, TextStatistics& result) {
    CodePoints text;
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
    std::set<std::string_view> seen, openings;
    std::vector<std::string_view> different;
    for (std::string_view document : documents) {
        const Index length = utf8::length(document);
        result.longest = std::max(result.longest, length);
        result.shortest = result.documents == 0 ? length : std::min(result.shortest, length);
        result.bytes += std::ssize(document);
        result.documents += 1;
        if (seen.insert(document).second) different.push_back(document);
        openings.insert(utf8::prefix(document, kOpeningLength));
    }
    if (documents.empty()) return result;
    result.duplicates = result.documents - std::ssize(different);
    result.openings = double(openings.size()) / double(result.documents);
    count_characters(documents, result);
    find_passages(different, result);
    return result;
}

}  // namespace zhuyi
