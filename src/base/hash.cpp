#include "base/hash.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "base/format.h"

namespace zhuyi {
static_assert(std::endian::native == std::endian::little, "words are read as they lie in memory");

constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87u, kPrime2 = 0xC2B2AE3D27D4EB4Fu,
                        kPrime3 = 0x165667B19E3779F9u, kPrime4 = 0x85EBCA77C2B2AE63u,
                        kPrime5 = 0x27D4EB2F165667C5u;

template <class Word>
std::uint64_t word_at(const std::byte* bytes) {
    Word word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

static std::uint64_t round(std::uint64_t lane, std::uint64_t word) {
    return std::rotl(lane + word * kPrime2, 31) * kPrime1;
}

void Hash::stripe(const std::byte* bytes) {
    for (std::size_t i = 0; i < 4; ++i)
        lanes_[i] = round(lanes_[i], word_at<std::uint64_t>(bytes + 8 * i));
}

void Hash::add(std::span<const std::byte> bytes) {
    const std::size_t waiting = std::size_t(length_ % rest_.size());
    length_ += bytes.size();
    if (waiting > 0) {
        const std::size_t taken = std::min(bytes.size(), rest_.size() - waiting);
        std::copy_n(bytes.begin(), taken, rest_.begin() + std::ptrdiff_t(waiting));
        bytes = bytes.subspan(taken);
        if (waiting + taken < rest_.size()) return;
        stripe(rest_.data());
    }
    for (; bytes.size() >= rest_.size(); bytes = bytes.subspan(rest_.size())) stripe(bytes.data());
    std::copy(bytes.begin(), bytes.end(), rest_.begin());
}

std::uint64_t Hash::value() const {
    std::uint64_t hash = kPrime5;
    if (length_ >= rest_.size()) {
        hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) +
               std::rotl(lanes_[3], 18);
        for (const std::uint64_t lane : lanes_) hash = (hash ^ round(0, lane)) * kPrime1 + kPrime4;
    }
    hash += length_;

    const std::byte* at = rest_.data();
    const std::byte* const end = at + length_ % rest_.size();
    for (; end - at >= 8; at += 8)
        hash = std::rotl(hash ^ round(0, word_at<std::uint64_t>(at)), 27) * kPrime1 + kPrime4;
    for (; end - at >= 4; at += 4)
        hash = std::rotl(hash ^ word_at<std::uint32_t>(at) * kPrime1, 23) * kPrime2 + kPrime3;
    for (; at < end; ++at)
        hash = std::rotl(hash ^ word_at<std::uint8_t>(at) * kPrime5, 11) * kPrime1;

    hash = (hash ^ hash >> 33) * kPrime2;  // every bit of the input reaches every bit of the value
    hash = (hash ^ hash >> 29) * kPrime3;
    return hash ^ hash >> 32;
}

std::uint64_t hash_of(std::span<const std::byte> bytes) {
    Hash hash;
    hash.add(bytes);
    return hash.value();
}
std::uint64_t hash_of(std::string_view bytes) { return hash_of(std::as_bytes(std::span(bytes))); }

std::string hash_text(std::uint64_t hash) {
    return format("%016llx", static_cast<unsigned long long>(hash));
}

std::optional<std::uint64_t> parse_hash(std::string_view text) {
    std::uint64_t hash = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), hash, 16);
    if (text.size() != 16 || error != std::errc() || end != text.data() + 16) return {};
    return hash;
}

}  // namespace zhuyi
