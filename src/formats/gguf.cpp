#include "formats/gguf.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "formats/bytes.h"
#include "system/atomic_file.h"
#include "system/printable.h"

namespace zhuyi {

constexpr std::uint32_t kGgufMagic = 0x46554747;  // "GGUF"
constexpr std::uint32_t kGgufVersion = 3;
constexpr std::uint32_t kArrayType = 9;  // the number of the type "array"

static std::uint64_t aligned(std::uint64_t bytes) { return (bytes + 31) / 32 * 32; }
static std::uint64_t bytes_of(GgufType type) { return type == GgufType::F32 ? 4 : 2; }

// Returns the number of elements, or -1 if no array has such extents.
static Index size_of(const std::vector<Index>& extents) {
    Index size = 1;
    for (const Index extent : extents)
        if (extent < 1 || __builtin_mul_overflow(size, extent, &size)) return -1;
    return size;
}

// Reads the header from front to back. A length is checked against the rest of the file before
// anything is allocated for it.
class GgufFile::Header {
  public:
    explicit Header(const GgufFile& file) : file_(file) {}

    template <class T>
    T number() {
        T value;
        read(std::as_writable_bytes(std::span(&value, 1)));
        return value;
    }
    std::string text() {
        std::string text(count(1), '\0');
        read(std::as_writable_bytes(std::span(text)));
        return text;
    }
    // A count of things of at least `bytes` each.
    std::size_t count(std::uint64_t bytes) {
        const auto count = number<std::uint64_t>();
        if (count > (file_.file_.size() - at_) / bytes)
            file_.fail_damaged(say(
                {"a count of %llu is more than the file can hold", "数量 %llu 超出了文件的长度"},
                count));
        return std::size_t(count);
    }
    template <class T>
    std::vector<T> array() {
        std::vector<T> items(count(sizeof(T) < 8 ? sizeof(T) : 8));
        for (T& item : items)
            if constexpr (std::is_same_v<T, std::string>)
                item = text();
            else
                item = number<T>();
        return items;
    }
    GgufValue value() {
        const auto type = number<std::uint32_t>();
        if (type == kArrayType) {
            const auto of = number<std::uint32_t>();
            if (of == 5) return array<std::int32_t>();
            if (of == 6) return array<float>();
            if (of == 8) return array<std::string>();
            file_.fail_damaged(
                say({"an array of type %u is unknown here", "不认识类型为 %u 的数组"}, of));
        }
        if (type == 4) return number<std::uint32_t>();
        if (type == 5) return number<std::int32_t>();
        if (type == 6) return number<float>();
        if (type == 7) return number<std::uint8_t>() != 0;
        if (type == 8) return text();
        file_.fail_damaged(say({"the type %u is unknown here", "不认识类型 %u"}, type));
    }
    Entry entry() {
        Entry entry{text(), {}, GgufType::F32, 0, 0};
        const auto rank = number<std::uint32_t>();
        if (rank < 1 || rank > 4)
            file_.fail_damaged(
                say({"expected 1 to 4 extents, found %u", "维数应为 1 到 4，实际是 %u"}, rank));
        for (std::uint32_t i = 0; i < rank; ++i)
            entry.extents.push_back(Index(number<std::uint64_t>()));
        const auto type = number<std::uint32_t>();
        if (type > 1)
            file_.fail_damaged(
                say({"%s: expected type 0 or 1, found %u", "%s：类型应为 0 或 1，实际是 %u"},
                    in_quotes(entry.name), type));
        entry.type = GgufType(type);
        entry.offset = number<std::uint64_t>();
        entry.size = size_of(entry.extents);
        if (entry.size < 0 || std::uint64_t(entry.size) > file_.file_.size())
            file_.fail_damaged(say(
                {"%s: its extents ask for more than the file holds", "%s：形状超出了文件的长度"},
                in_quotes(entry.name)));
        return entry;
    }
    std::uint64_t at() const { return at_; }

  private:
    // A header is read in thousands of small pieces, so a window of it is kept in memory.
    void read(std::span<std::byte> bytes) {
        if (bytes.size() > file_.file_.size() - at_)
            file_.fail_damaged(say({"it ends in its header", "文件在头部中间就结束了"}));
        if (at_ < begin_ || at_ + bytes.size() > begin_ + window_.size()) {
            begin_ = at_;
            window_.resize(std::min<std::size_t>(std::max<std::size_t>(bytes.size(), 1 << 16),
                                                 std::size_t(file_.file_.size() - at_)));
            file_.file_.read(begin_, window_);
        }
        if (!bytes.empty())
            std::memcpy(bytes.data(), window_.data() + (at_ - begin_), bytes.size());
        at_ += bytes.size();
    }

    const GgufFile& file_;
    std::vector<std::byte> window_;
    std::uint64_t begin_ = 0, at_ = 0;
};

GgufFile::GgufFile(const std::string& path) : file_(path) {
    Header header(*this);
    if (header.number<std::uint32_t>() != kGgufMagic)
        fail_damaged(say({"expected \"GGUF\" in front", "开头应为“GGUF”"}));
    const auto version = header.number<std::uint32_t>();
    if (version != kGgufVersion)
        fail_damaged(say({"expected version 3, found %u", "版本应为 3，实际是 %u"}, version));
    const std::size_t tensors = header.count(24), settings = header.count(13);
    for (std::size_t i = 0; i < settings; ++i) {
        std::string key = header.text();
        if (find(key)) fail_damaged(say({"two settings %s", "设置 %s 出现了两次"}, in_quotes(key)));
        settings_.emplace_back(std::move(key), header.value());
    }
    for (std::size_t i = 0; i < tensors; ++i) entries_.push_back(header.entry());
    data_begin_ = aligned(header.at());
    std::uint64_t offset = 0;
    for (const Entry& entry : entries_) {
        if (entry.offset != offset)
            fail_damaged(say({"%s: expected at byte %llu of the data, found at %llu",
                              "%s：应在数据的第 %llu 字节，实际在第 %llu 字节"},
                             in_quotes(entry.name), offset, entry.offset));
        offset += aligned(std::uint64_t(entry.size) * bytes_of(entry.type));
    }
    if (data_begin_ + offset != file_.size())
        fail_damaged(say({"expected %llu bytes, found %llu", "应有 %llu 字节，实际有 %llu"},
                         data_begin_ + offset, file_.size()));
}

void GgufFile::fail_damaged(const std::string& what) const {
    fail({"%s is no GGUF file of ours, or a damaged one: %s",
          "%s 不是本程序写的 GGUF 文件，或者已损坏：%s"},
         file_.path(), what);
}

const GgufValue* GgufFile::find(std::string_view key) const {
    const auto setting = std::ranges::find(settings_, key, &GgufSettings::value_type::first);
    return setting == settings_.end() ? nullptr : &setting->second;
}

const GgufValue& GgufFile::at(std::string_view key) const {
    if (const GgufValue* value = find(key)) return *value;
    fail_damaged(say({"it has no setting %s", "缺少设置 %s"}, key));
}

const GgufFile::Entry& GgufFile::entry(std::string_view name) const {
    const auto entry = std::ranges::find(entries_, name, &Entry::name);
    if (entry != entries_.end()) return *entry;
    fail_damaged(say({"it has no array %s", "缺少数组 %s"}, name));
}

std::vector<float> GgufFile::values(const Entry& entry) const {
    std::vector<float> values(std::size_t(entry.size), 0.0f);
    const std::uint64_t begin = data_begin_ + entry.offset;
    if (entry.type == GgufType::F32) {
        file_.read(begin, std::as_writable_bytes(std::span(values)));
        return values;
    }
    std::vector<std::uint16_t> halves(values.size());
    file_.read(begin, std::as_writable_bytes(std::span(halves)));
    std::transform(halves.begin(), halves.end(), values.begin(), from_half);
    return values;
}

constexpr std::size_t kLongestName = 63;

// Numbers of the types, in the order of GgufValue's alternatives; the last three are arrays of the
// type named.
constexpr std::uint32_t kTypeNumbers[] = {4, 5, 6, 7, 8, 5, 6, 8};

static void write_text(ByteWriter& out, std::string_view text) {
    out.number(std::uint64_t(text.size()));
    out.raw(text);
}

static void write_value(ByteWriter& out, const GgufValue& value) {
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
            out.number(kArrayType), out.number(type);
            out.number(std::uint64_t(item.size()));
            for (const auto& element : item) scalar(element);
        }
    };
    std::visit(any, value);
}

static std::string header_of(const GgufSettings& settings, const std::vector<GgufTensor>& tensors) {
    ByteWriter out;
    out.number(kGgufMagic), out.number(kGgufVersion);
    out.number(std::uint64_t(tensors.size()));
    out.number(std::uint64_t(settings.size()));
    for (const auto& [key, value] : settings) write_text(out, key), write_value(out, value);
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

static std::string data_of(const GgufTensor& tensor, const std::string& path) {
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

void write_gguf(const std::string& path, const GgufSettings& settings,
                const std::vector<GgufTensor>& tensors,
                const std::function<void(const std::string& draft)>& check) {
    std::vector<std::string_view> names, keys;
    for (const auto& setting : settings) keys.push_back(setting.first);
    for (const GgufTensor& tensor : tensors) {
        names.push_back(tensor.name);
        if (tensor.name.empty() || tensor.name.size() > kLongestName || size_of(tensor.extents) < 1)
            fail({"cannot write %s: a tensor cannot have this name, or its extents: %s",
                  "无法写入 %s：张量的名字或形状不合格式：%s"},
                 path, in_quotes(tensor.name));
    }
    for (auto* list : {&names, &keys}) {
        std::ranges::sort(*list);
        if (const auto twice = std::ranges::adjacent_find(*list); twice != list->end())
            fail({"cannot write %s: twice the name %s", "无法写入 %s：名字 %s 出现了两次"}, path,
                 in_quotes(*twice));
    }
    AtomicFile file(path);
    file.write(header_of(settings, tensors));
    for (const GgufTensor& tensor : tensors) file.write(data_of(tensor, path));
    if (check) check(file.draft());
    file.commit();
}

}  // namespace zhuyi
