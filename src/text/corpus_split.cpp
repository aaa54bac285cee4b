// Which documents a model learns from, and which it is judged by.
#include <algorithm>
#include <set>

#include "base/check.h"
#include "base/hash.h"
#include "base/random.h"
#include "text/corpus.h"
#include "text/utf8.h"

namespace zhuyi {
namespace {

constexpr std::size_t kDocumentsForHash = 20;
constexpr Index kOneIn = 10;  // the share of validation

// In [0, 1), spread evenly: the same for equal documents, another for different ones.
double number_of(std::string_view document) {
    return double(mix(hash_of(document)) >> 11) * 0x1p-53;
}

}  // namespace

void Corpus::divide(Split wanted) {
    split_ = wanted;
    if (wanted == Split::automatic) {
        std::set<std::string_view> different;
        for (std::string_view document : documents_)
            if (different.size() < kDocumentsForHash) different.insert(document);
        split_ = different.size() == kDocumentsForHash ? Split::hash : Split::tail;
    }
    split_ == Split::hash ? split_by_hash() : split_by_tail();
}

// A document is in the validation part when its place lies in the first tenth. With few documents
// that may be none (or all): then the document with the smallest place (with the largest) and its
// duplicates go to the other part.
void Corpus::split_by_hash() {
    std::vector<double> places;
    for (std::string_view document : documents_) places.push_back(number_of(document));
    const double least = *std::min_element(places.begin(), places.end());
    const double most = *std::max_element(places.begin(), places.end());
    if (least == most)
        fail(
            {"split = hash needs two documents that differ, found one; use --split=tail, or "
             "separate documents by blank lines",
             "split = hash 需要两篇不同的文档，实际只有一篇；请用 "
             "--split=tail，或用空行把文档隔开"});
    for (const double place : places)
        in_validation_.push_back(place == least || (place < 1.0 / double(kOneIn) && place != most));
}

void Corpus::split_by_tail() {
    const Index all = characters();
    Index before = all * (kOneIn - 1) / kOneIn;  // characters of the training part
    in_validation_.assign(documents_.size(), false);
    for (std::size_t i = 0; i < documents_.size(); ++i) {
        const Index length = utf8::length(documents_[i]);
        if (before >= length) {
            before -= length;
            cut_document_ = i + 1;
            continue;
        }
        if (cut_document_ == i) cut_ = utf8::prefix(documents_[i], before).size();
        in_validation_[i] = i > cut_document_ || cut_ == 0;
        before = 0;
    }
}

Part Corpus::part(std::size_t document) const {
    return in_validation_[document] ? Part::validation : Part::train;
}

std::vector<Piece> Corpus::pieces(Part part) const {
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < documents_.size(); ++i) {
        const bool cut = split_ == Split::tail && i == cut_document_ && cut_ > 0;
        if (cut && part == Part::train)
            pieces.push_back({documents_[i].substr(0, cut_), false});
        else if (cut)
            pieces.push_back({documents_[i].substr(cut_), true});
        else if (in_validation_[i] == (part == Part::validation))
            pieces.push_back({documents_[i], true});
    }
    return pieces;
}

}  // namespace zhuyi
