#include "film/page_model.h"

#include "base/format.h"
#include "film/page_streams.h"
#include "film/stream_list.h"
#include "formats/base64.h"
#include "model/parameters.h"
#include "text/byte_pair.h"

namespace zhuyi {
namespace {

std::string hexadecimal(std::string_view bytes) {
    std::string digits;
    for (const char byte : bytes)
        digits += format("%02x", unsigned(static_cast<unsigned char>(byte)));
    return digits;
}

// The frames with a snapshot: `most` of them, spread, the last among them.
Frames snapshots(const History& history, Index most) {
    Frames all, chosen;
    for (const Frame& frame : history.frames)
        if (history.carries(frame, kSnapshot)) all.push_back(&frame);
    const Index n = std::ssize(all);
    if (most < 0 || most >= n) return all;
    for (Index i = 1; i <= most; ++i)
        chosen.push_back(all[std::size_t(most == 1 ? n - 1 : (i - 1) * (n - 1) / (most - 1))]);
    return chosen;
}

void set_tokenizer(Json& data, const Tokenizer& tokenizer) {
    Json::Array names, bytes, merges, counts;
    for (Token token = 0; token < tokenizer.size(); ++token) {
        names.push_back(tokenizer.name(token));
        bytes.push_back(hexadecimal(tokenizer.bytes(token)));
        counts.push_back(tokenizer.count(token));
    }
    if (const auto* byte_pairs = dynamic_cast<const BytePairTokenizer*>(&tokenizer))
        for (const auto& [left, right] : byte_pairs->merges()) {
            merges.push_back(left);
            merges.push_back(right);
        }
    data.set("names", std::move(names)).set("bytes", std::move(bytes));
    data.set("merges", std::move(merges)).set("end", tokenizer.end_of_text());
    data.set("counts", std::move(counts));
}

}  // namespace

PackedModel page_model(const Film& film, Index most) {
    const History& history = film.history;
    const Frames frames = snapshots(history, most);
    const HistoryStream* stream = history.stream(kSnapshot);
    if (frames.empty() || stream->size() != count(parameter_table(film.model))) return {};
    PackedModel model;
    Json::Array logits;
    std::vector<Index> steps;
    for (const Frame* frame : frames) {
        steps.push_back(frame->step);
        model.weights.push_back(base64(history.numbers(*frame, kSnapshot).levels()));
        Json::Array of_sentences;
        for (std::size_t s = 0; s < history.sentences.size(); ++s)
            of_sentences.push_back(
                base64(history.numbers(*frame, sentence_stream(s, "logits")).levels()));
        logits.push_back(std::move(of_sentences));
    }
    Json& data = model.data;
    data.set("steps", listed(steps)).set("logits", std::move(logits));
    data.set("activation", film.model.activation == Activation::gelu ? "gelu" : "gelu_new");
    set_tokenizer(data, *film.tokenizer);
    return model;
}

}  // namespace zhuyi
