#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "formats/bytes.h"
#include "formats/gguf.h"
#include "system/atomic_file.h"
#include "system/printable.h"

namespace zhuyi {

using namespace gguf;

namespace {

constexpr std::size_t kLongestName = 63;

// Numbers of the types, in the order of GgufValue's alternatives; the last three are arrays of the
// type named.
constexpr std::uint32_t kTypeNumbers[] = {4, 5, 6, 7, 8, 5, 6, 8};

void write_text(ByteWriter& out, std::string_view text) {
    out.number(std::uint64_t(text.size()));
    out.raw(text);
}

void write_value(ByteWriter& out, const GgufValue& value) {
    const std::uint32_t type = kTypeNumbers[value.index()];
    const auto scalar = [&](const auto& item) {
        using T = std::decay_t<decltype(item)>;
        if constexpr (std::is_same_v<T, std::string>)
            write_text(out, item);
        else if constexpr (std::is_same_v<T, bool>)
            out.number(std::uint8_t(item));
        else
            out.number(item);
    };
    const auto any = [&](const auto& item) {
        using T = std::decay_t<decltype(item)>;
        if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
            out.number(type);
            scalar(item);
        } else {
            out.number(kArrayType);
            out.number(type);
            out.number(std::uint64_t(item.size()));
            for (const auto& element : item) scalar(element);
        }
    };
    std::visit(any, value);
}

std::string header_of(const GgufSettings& settings, const std::vector<GgufTensor>& tensors) {
    ByteWriter out;
    out.raw(kGgufMagic);
    out.number(kGgufVersion);
    out.number(std::uint64_t(tensors.size()));
    out.number(std::uint64_t(settings.size()));
    for (const auto& [key, value] : settings) {
        write_text(out, key);
        write_value(out, value);
    }
    std::uint64_t offset = 0;
    for (const GgufTensor& tensor : tensors) {
        write_text(out, tensor.name);
        out.number(std::uint32_t(tensor.extents.size()));
        for (const Index extent : tensor.extents) out.number(std::uint64_t(extent));
        out.number(std::uint32_t(tensor.type));
        out.number(offset);
        offset += aligned(std::uint64_t(size_of(tensor.extents)) * bytes_of(tensor.type));
    }
    return out.bytes() + std::string(aligned(out.bytes().size()) - out.bytes().size(), '\0');
}

std::string data_of(const GgufTensor& tensor, const std::string& path) {
    const std::vector<float> values = tensor.values();
    if (Index(values.size()) != size_of(tensor.extents))
        fail({"cannot write %s: %s has %zu values, but its extents ask for %td",
              "无法写入 %s：%s 有 %zu 个值，而按它的形状应有 %td 个"},
             path, tensor.name, values.size(), size_of(tensor.extents));
    std::string bytes(aligned(values.size() * bytes_of(tensor.type)), '\0');
    if (tensor.type == GgufType::F32) {
        std::memcpy(bytes.data(), values.data(), values.size() * sizeof(float));
        return bytes;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint16_t half = half_of(values[i]);
        if ((half & 0x7FFF) >= 0x7C00)
            fail({"%s holds %g, which is no number of type f16; export with --type f32",
                  "%s 中的 %g 无法用 f16 表示；请用 --type f32 导出"},
                 tensor.name, values[i]);
        std::memcpy(bytes.data() + 2 * i, &half, sizeof half);
    }
    return bytes;
}

}  // namespace

void write_gguf(const std::string& path, const GgufSettings& settings,
                const std::vector<GgufTensor>& tensors) {
    std::vector<std::string_view> names, keys;
    for (const GgufTensor& tensor : tensors) {
        names.push_back(tensor.name);
        if (tensor.name.empty() || tensor.name.size() > kLongestName || size_of(tensor.extents) < 1)
            fail({"cannot write %s: a tensor cannot have this name, or its extents: %s",
                  "无法写入 %s：张量的名字或形状不合格式：%s"},
                 path, in_quotes(tensor.name));
    }
    for (const auto& setting : settings) keys.push_back(setting.first);
    for (auto* list : {&names, &keys}) {
        std::sort(list->begin(), list->end());
        const auto twice = std::adjacent_find(list->begin(), list->end());
        if (twice != list->end())
            fail({"cannot write %s: twice the name %s", "无法写入 %s：名字 %s 出现了两次"}, path,
                 in_quotes(*twice));
    }
    AtomicFile file(path);
    file.write(header_of(settings, tensors));
    for (const GgufTensor& tensor : tensors) file.write(data_of(tensor, path));
    file.commit();
}

}  // namespace zhuyi
