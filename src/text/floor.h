// The floor of a text: nats per character that no model can be below on average, because whoever
// wrote the text chose at random. Only the generator of a text knows it; it stands in a file beside
// it, data/village.floor beside data/village.txt:
//
//     text_hash = 0123456789abcdef       Corpus::hash of the text that it is true of
//     nats_per_character = 0.3323
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace zhuyi {

// Of the text in the file `data`. Nothing: there is no such file, or it speaks of another text.
// UsageError: it cannot be read.
std::optional<double> floor_of(const std::string& data, std::uint64_t text_hash);

}  // namespace zhuyi
