#include "text/statistics.h"

#include <algorithm>
#include <set>

#include "base/random.h"
#include "base/utf8.h"
#include "system/printable.h"

namespace zhuyi {

static void find_passages(const std::vector<std::string_view>& different, Repetitions& result) {
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
    for (char32_t code : longest_shared(text)) result.longest_shared += utf8::encode(code);
}

TextStatistics text_statistics(const std::vector<std::string_view>& documents) {
    TextStatistics result;
    std::vector<Index> counts(0x110000);
    for (std::string_view document : documents) {
        Index length = 0;
        for (std::string_view character : utf8::Characters(document)) {
            ++counts[utf8::front(character).code];
            ++length;
        }
        result.longest = std::max(result.longest, length);
        result.shortest = result.documents == 0 ? length : std::min(result.shortest, length);
        result.documents += 1;
        result.characters += length;
        result.bytes += std::ssize(document);
    }
    for (const Index count : counts) {
        result.distinct += count > 0;
        result.seen_once += count == 1;
        result.seen_rarely += count > 0 && count < 5;
    }
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

namespace {

// Karp and Rabin's hash (1987) modulo the prime 2^61 - 1: the hash of any run follows from those of
// two prefixes. Two different runs of a text of n characters agree with a probability around
// n · 2^-61.
constexpr std::uint64_t kPrime = (std::uint64_t(1) << 61) - 1;
constexpr std::uint64_t kBase = 0x1B3C5D7F9A2E4681u;

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide(a) * b;
    const std::uint64_t sum = std::uint64_t(product & kPrime) + std::uint64_t(product >> 61);
    return sum >= kPrime ? sum - kPrime : sum;
}

class RunHashes {
  public:
    explicit RunHashes(const std::vector<char32_t>& codes) : prefix_(codes.size() + 1) {
        for (std::size_t i = 0; i < codes.size(); ++i)
            prefix_[i + 1] = (multiply(prefix_[i], kBase) + codes[i] + 1) % kPrime;
    }
    void set_length(Index length) {
        length_ = length;
        power_ = 1;
        for (Index i = 0; i < length; ++i) power_ = multiply(power_, kBase);
    }
    std::uint64_t at(Index begin) const {
        return (prefix_[begin + length_] + kPrime - multiply(prefix_[begin], power_)) % kPrime;
    }

  private:
    List<std::uint64_t> prefix_;
    Index length_ = 0;
    std::uint64_t power_ = 1;
};

// visit(document, begin) for every run inside a document, until it returns true.
template <class Visit>
bool any_run(const CodePoints& text, Index length, const Visit& visit) {
    for (Index d = 0; d < text.documents(); ++d)
        for (Index begin = text.begins[d]; begin + length <= text.begins[d + 1]; ++begin)
            if (visit(d, begin)) return true;
    return false;
}

// The first document that each hash was seen in: open addressing, at most two thirds full.
class FirstSeen {
  public:
    explicit FirstSeen(std::size_t entries) {
        std::size_t size = 16;
        while (2 * size < 3 * entries) size *= 2;
        slots_.resize(size);
    }
    void clear() { std::fill(slots_.begin(), slots_.end(), Slot{}); }
    // The first document that came with this hash: `document` itself when the hash is new.
    Index meet(std::uint64_t hash, Index document) {
        Slot& slot = slot_of(hash);
        if (slot.document < 0) slot = {hash, document};
        return slot.document;
    }
    bool knows(std::uint64_t hash) { return slot_of(hash).document >= 0; }

  private:
    struct Slot {
        std::uint64_t hash = 0;
        Index document = -1;
    };
    // The slot of this hash, or a free one.
    Slot& slot_of(std::uint64_t hash) {
        for (std::size_t i = std::size_t(mix(hash));; ++i) {
            Slot& slot = slots_[i & (slots_.size() - 1)];
            if (slot.document < 0 || slot.hash == hash) return slot;
        }
    }
    std::vector<Slot> slots_;
};

// The greatest length, up to `most`, of which `holds` is true. It is true of every smaller one,
// too: documents that share a run share its parts, and whoever copies a run copies its parts.
template <class Holds>
Index greatest_length(Index most, const Holds& holds) {
    Index least = 0;
    while (least < most) {
        const Index middle = least + (most - least + 1) / 2;
        holds(middle) ? least = middle : most = middle - 1;
    }
    return least;
}

}  // namespace

void CodePoints::add(std::string_view document) {
    for (std::string_view character : utf8::Characters(document))
        codes.push_back(utf8::front(character).code);
    begins.push_back(std::ssize(codes));
}

double repeated_share(const CodePoints& text, Index length, Index documents) {
    struct Run {
        std::uint64_t hash;
        Index document;
        bool operator<(const Run& other) const {
            return hash != other.hash ? hash < other.hash : document < other.document;
        }
    };
    std::vector<Run> runs;
    runs.reserve(text.codes.size());
    RunHashes hashes(text.codes);
    hashes.set_length(length);
    any_run(text, length, [&](Index document, Index begin) {
        runs.push_back({hashes.at(begin), document});
        return false;
    });
    std::sort(runs.begin(), runs.end());
    std::size_t repeated = 0;
    for (std::size_t begin = 0, end; begin < runs.size(); begin = end) {
        Index holders = 0;
        for (end = begin; end < runs.size() && runs[end].hash == runs[begin].hash; ++end)
            holders += end == begin || runs[end].document != runs[end - 1].document;
        if (holders > documents) repeated += end - begin;
    }
    return runs.empty() ? 0 : double(repeated) / double(runs.size());
}

std::u32string longest_shared(const CodePoints& text) {
    RunHashes hashes(text.codes);
    FirstSeen seen(text.codes.size());
    std::u32string longest;
    const auto shared = [&](Index length) {
        hashes.set_length(length);
        seen.clear();
        return any_run(text, length, [&](Index document, Index begin) {
            if (seen.meet(hashes.at(begin), document) == document) return false;
            longest.assign(text.codes.data() + begin, std::size_t(length));
            return true;
        });
    };
    Index most = 0;
    for (Index d = 0; d < text.documents(); ++d)
        most = std::max(most, text.begins[d + 1] - text.begins[d]);
    greatest_length(most, shared);
    return longest;
}

Copied copied(const CodePoints& written, const CodePoints& source, Index length) {
    RunHashes in_written(written.codes), in_source(source.codes);
    FirstSeen seen(source.codes.size());
    Index runs = 0, found = 0, place = 0;  // of runs of one length; where the last one begins
    const auto any_copied = [&](Index of_length) {
        in_written.set_length(of_length), in_source.set_length(of_length);
        seen.clear(), runs = found = 0;
        any_run(source, of_length,
                [&](Index, Index begin) { return seen.meet(in_source.at(begin), 0) < 0; });
        any_run(written, of_length, [&](Index, Index begin) {
            ++runs;
            if (seen.knows(in_written.at(begin))) ++found, place = begin;
            return false;
        });
        return found > 0;
    };
    Copied copied;
    greatest_length(std::min(written.codes.count(), source.codes.count()), [&](Index of_length) {
        if (!any_copied(of_length)) return false;
        copied.longest.assign(written.codes.data() + place, std::size_t(of_length));
        return true;
    });
    any_copied(length);
    copied.share = runs > 0 ? double(found) / double(runs) : 0;
    return copied;
}

}  // namespace zhuyi
