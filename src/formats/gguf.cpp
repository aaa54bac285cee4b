#include "formats/gguf.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "formats/bytes.h"
#include "system/printable.h"

namespace zhuyi {

using namespace gguf;

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
    T scalar() {
        if constexpr (std::is_same_v<T, std::string>)
            return text();
        else if constexpr (std::is_same_v<T, bool>)
            return number<std::uint8_t>() != 0;
        else
            return number<T>();
    }
    template <class T>
    std::vector<T> array() {
        std::vector<T> items(count(sizeof(T) < 8 ? sizeof(T) : 8));
        for (T& item : items) item = scalar<T>();
        return items;
    }
    GgufValue value() {
        switch (const auto type = number<std::uint32_t>()) {
            case 4:
                return number<std::uint32_t>();
            case 5:
                return number<std::int32_t>();
            case 6:
                return number<float>();
            case 7:
                return scalar<bool>();
            case 8:
                return text();
            case kArrayType:
                switch (const auto of = number<std::uint32_t>()) {
                    case 5:
                        return array<std::int32_t>();
                    case 6:
                        return array<float>();
                    case 8:
                        return array<std::string>();
                    default:
                        file_.fail_damaged(say(
                            {"an array of type %u is unknown here", "不认识类型为 %u 的数组"}, of));
                }
            default:
                file_.fail_damaged(say({"the type %u is unknown here", "不认识类型 %u"}, type));
        }
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
    char magic[4];
    for (char& letter : magic) letter = header.number<char>();
    if (std::string_view(magic, 4) != kGgufMagic)
        fail_damaged(say({"expected \"GGUF\" in front", "开头应为 \"GGUF\""}));
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

void GgufFile::fail_type(std::string_view key) const {
    fail_damaged(say({"the setting %s has another type", "设置 %s 的类型不对"}, key));
}

const GgufValue* GgufFile::find(std::string_view key) const {
    for (const auto& setting : settings_)
        if (setting.first == key) return &setting.second;
    return nullptr;
}

const GgufValue& GgufFile::at(std::string_view key) const {
    if (const GgufValue* value = find(key)) return *value;
    fail_damaged(say({"it has no setting %s", "缺少设置 %s"}, key));
}

const GgufFile::Entry& GgufFile::entry(std::string_view name) const {
    for (const Entry& entry : entries_)
        if (entry.name == name) return entry;
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

}  // namespace zhuyi
