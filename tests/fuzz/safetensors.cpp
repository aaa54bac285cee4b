#include "formats/safetensors.h"

#include "formats/json.h"
#include "fuzz/fuzz.h"

using namespace zhuyi;

namespace {

// Every tensor of a file that is accepted can be read, and written as a file that has it too.
void read(const std::string& path) {
    const SafetensorsFile file(path);
    std::vector<std::vector<std::byte>> contents;
    std::vector<TensorBytes> tensors;
    contents.reserve(file.entries().size());
    for (const SafetensorsEntry& entry : file.entries()) {
        std::vector<std::byte>& bytes = contents.emplace_back(entry.end - entry.begin);
        file.read_bytes(entry, 0, bytes);
        tensors.push_back({entry.name, entry.type, entry.shape, bytes});
        const std::string_view type = name_of(entry.type);
        std::vector<Real> values(std::size_t(entry.size()));
        if (type[0] == 'F' || type == "BF16") file.read_numbers(entry.name, values);
    }
    const std::string written = fuzz_folder().path("written");
    write_safetensors(written, tensors, file.metadata());
    const SafetensorsFile again(written);
    hold(again.metadata() == file.metadata(), "metadata read back the same");
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const SafetensorsEntry& entry = again.at(tensors[i].name);
        std::vector<std::byte> bytes(entry.end - entry.begin);
        again.read_bytes(entry, 0, bytes);
        hold(bytes == contents[i] && entry.shape == tensors[i].shape &&
                 entry.type == tensors[i].type,
             "tensors read back the same");
    }
}

// The bytes as a header that has the right length, before `data_bytes` of data.
std::string with_header(std::string_view header, std::size_t data_bytes) {
    const std::uint64_t length = header.size();
    std::string file(reinterpret_cast<const char*>(&length), sizeof length);
    file += header;
    for (std::size_t i = 0; i < data_bytes; ++i) file += char(i * 37);
    return file;
}

}  // namespace

// As a whole file; and as a header, whose data is made to fit in most cases.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes = text_of(data + 1, size - 1);
    if (data[0] == 'f') return fuzz([&] { read(as_file(bytes)); });
    return fuzz([&] { read(as_file(with_header(bytes, data[0]))); });
}
