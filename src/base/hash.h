// XXH64 (Yann Collet's xxHash, 64-bit, seed 0; github.com/Cyan4973/xxHash, doc/xxhash_spec.md): a
// checksum that reads memory about as fast as memory delivers. It finds accidents, not forgers.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace zhuyi {

// The same bytes give the same value, however they were cut into pieces.
class Hash {
  public:
    void add(std::span<const std::byte> bytes);
    void add(std::string_view bytes) { add(std::as_bytes(std::span(bytes))); }
    template <class T>
    void add(std::span<T> values) {
        add(std::as_bytes(values));
    }
    std::uint64_t value() const;  // of everything so far; more may follow

  private:
    void stripe(const std::byte* bytes);

    // The four running lanes of the specification, for seed 0.
    std::array<std::uint64_t, 4> lanes_{0x60EA27EEADC0B5D6u, 0xC2B2AE3D27D4EB4Fu, 0u,
                                        0x61C8864E7A143579u};
    std::array<std::byte, 32> rest_{};  // less than a stripe, waiting
    std::uint64_t length_ = 0;
};

std::uint64_t hash_of(std::string_view bytes);
std::uint64_t hash_of(std::span<const std::byte> bytes);
std::string hash_text(std::uint64_t hash);                       // 16 hexadecimal digits
std::optional<std::uint64_t> parse_hash(std::string_view text);  // such ones, and nothing else

}  // namespace zhuyi
