#include "text/statistics.h"

#include <algorithm>
#include <set>

#include "system/printable.h"
#include "text/passages.h"
#include "text/utf8.h"

namespace zhuyi {

namespace {

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

}  // namespace zhuyi
