// Attention maps for other programs.
//
//   npy   array (L, H, T, T), float32: numpy.load opens it. The tokens stand beside it, in
//         FILE.tokens.json: {"tokens": [T names], "layers": [0, …], "heads": [0, …]}
//   csv   layer,head,query,key,query_token,key_token,weight: L·H·T·T lines, quoted after RFC 4180
//   json  {"tokens": [T names], "layers": [0, …], "heads": [0, …], "shape": [L, H, T, T],
//         "weights": nested as shape says}
//
// Tokens have the names of vocabulary.txt (\n for a newline, ⟨E8⟩ for a byte). A mean over heads is
// called "mean" where a head's number would stand. Weights are the shortest decimals that read back
// as the same float32.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "attention/maps.h"

namespace zhuyi {

// Takes the next piece of a file.
using Sink = std::function<void(std::string_view)>;

void write_csv(const AttentionMaps& maps, const Sink& sink);
void write_json(const AttentionMaps& maps, const Sink& sink);
// Both files, each of them whole or not at all. Throws Error when one cannot be written.
void write_npy_and_tokens(const AttentionMaps& maps, const std::string& path);

}  // namespace zhuyi
