#include "text/floor.h"

#include <filesystem>

#include "base/hash.h"
#include "system/options.h"

namespace zhuyi {

std::optional<double> floor_of(const std::string& data, std::uint64_t text_hash) {
    const std::string path = std::filesystem::path(data).replace_extension(".floor").string();
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) return {};
    std::string hash;
    double nats = 0;
    Options options;
    options.add("text_hash", hash, "", {"of the text", "文本的哈希"});
    options.add("nats_per_character", nats, "nats", {"the floor", "下限"});
    options.read_file(path);
    return hash == hash_text(text_hash) ? std::optional(nats) : std::nullopt;
}

}  // namespace zhuyi
