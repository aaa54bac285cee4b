#include <algorithm>

#include "base/check.h"
#include "base/parallel.h"
#include "formats/json.h"
#include "formats/safetensors.h"
#include "system/atomic_file.h"
#include "system/printable.h"

namespace zhuyi {

using namespace safetensors;

static std::string header_of(const std::vector<TensorBytes>& tensors, const Metadata& metadata) {
    Json::Object members;
    if (!metadata.empty()) {
        Json::Object texts;
        for (const auto& [key, text] : metadata) texts.emplace_back(key, text);
        members.emplace_back("__metadata__", texts);
    }
    Index offset = 0;
    for (const TensorBytes& tensor : tensors) {
        const Index end = offset + Index(tensor.bytes.size());
        Json shape{Json::Array()};
        for (const Index extent : tensor.shape) shape.push(extent);
        Json entry;
        entry.set("dtype", name_of(tensor.type));
        entry.set("shape", shape);
        entry.set("data_offsets", Json().push(offset).push(end));
        members.emplace_back(tensor.name, entry);
        offset = end;
    }
    std::string text = Json(members).write();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    return text;
}

// Sorts the tensors into the order of the file, and refuses names and shapes that are not possible.
static void arrange(std::vector<TensorBytes>& tensors, const std::string& path) {
    std::ranges::sort(tensors, {}, [](const TensorBytes& t) {
        return std::pair(-bytes_of(t.type), std::string_view(t.name));
    });
    std::vector<std::string_view> names{"__metadata__"};
    for (const TensorBytes& tensor : tensors) {
        names.push_back(tensor.name);
        if (bytes_of_shape(tensor.shape, tensor.type) != Index(tensor.bytes.size()))
            fail({"cannot write %s: tensor %s has %zu bytes, which is not %s of %s",
                  "无法写入 %s：张量 %s 有 %zu 字节，与形状 %s、类型 %s 不符"},
                 path, in_quotes(tensor.name), tensor.bytes.size(), shape_text(tensor.shape),
                 name_of(tensor.type));
    }
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end())
        fail({"cannot write %s: two tensors have the name %s", "无法写入 %s：两个张量都叫 %s"},
             path, in_quotes(*twice));
}

static void write_parts(AtomicFile& file, const std::string& header,
                        const std::vector<TensorBytes>& tensors) {
    const std::uint64_t length = header.size();
    file.write(std::as_bytes(std::span(&length, 1)));
    file.write(header);
    for (const TensorBytes& tensor : tensors) file.write(tensor.bytes);
}

static void add_sums(Metadata& metadata, const std::vector<TensorBytes>& tensors) {
    std::vector<std::uint64_t> sums(tensors.size());
    parallel_for(std::ssize(tensors), 1e9,
                 [&](Index i) { sums[std::size_t(i)] = hash_of(tensors[std::size_t(i)].bytes); });
    for (std::size_t i = 0; i < sums.size(); ++i)
        metadata[kTensorSum + tensors[i].name] = hash_text(sums[i]);
    metadata[kSum] = hash_text(0);
}

void write_safetensors(const std::string& path, std::vector<TensorBytes> tensors,
                       const Metadata& metadata) {
    arrange(tensors, path);
    AtomicFile file(path);
    write_parts(file, header_of(tensors, metadata), tensors);
    file.commit();
}

void write_checked_safetensors(const std::string& path, std::vector<TensorBytes> tensors,
                               Metadata metadata, const std::string& previous) {
    arrange(tensors, path);
    add_sums(metadata, tensors);
    std::string header = header_of(tensors, metadata);
    const std::string sum = sum_of_header(header);
    std::ranges::copy(sum, digits_in(header).begin());

    AtomicFile file(path);
    write_parts(file, header, tensors);
    const std::string& draft = file.draft();  // a full disk says so here, and is no broken one
    try {
        const SafetensorsFile written(draft);
        for (const SafetensorsEntry& entry : written.entries()) written.verify(entry);
    } catch (const Error& error) {
        fail(
            {"cannot write %s: read back it is not what was written, so the old one stays (%s). "
             "The disk or the memory may be failing.",
             "无法写入 %s：读回的内容与写入的不同，因此保留旧文件（%s）。磁盘或内存可能出了故障。"},
            path, error.what());
    }
    file.commit(previous);
}

}  // namespace zhuyi
