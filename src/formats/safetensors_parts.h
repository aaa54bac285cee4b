// What reading and writing safetensors share; for nobody else.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/safetensors.h"

namespace zhuyi::safetensors {

// Keys of checksums in the metadata: of the file, and (a tensor's name follows) of a tensor.
constexpr const char *kSum = "xxh64", *kTensorSum = "xxh64.";

// Nothing: an extent is negative, or the product is larger than an Index can be.
std::optional<Index> bytes_of_shape(const std::vector<Index>& shape, Dtype type);

// The 16 digits of the file's checksum in the JSON; empty: there is none.
std::span<char> digits_in(std::string& header);
// The digits that belong there, whatever is there now.
std::string sum_of_header(std::string header);

}  // namespace zhuyi::safetensors
