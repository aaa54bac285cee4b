// What reading and writing safetensors share; for nobody else.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/safetensors.h"

namespace zhuyi::safetensors {

// Keys of checksums in the metadata: of the file, and before a tensor's name.
constexpr const char *kSum = "xxh64", *kTensorSum = "xxh64.";

// Nothing: a negative extent, or a product beyond 2^63.
std::optional<Index> bytes_of_shape(const std::vector<Index>& shape, Dtype type);

// The digits of the file's checksum within the JSON; empty: it has none.
std::span<char> digits_in(std::string& header);
// That checksum, whatever stands there now.
std::string sum_of_header(std::string header);

}  // namespace zhuyi::safetensors
