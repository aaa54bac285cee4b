#include "formats/gguf.h"

#include <bit>

#include "fuzz/fuzz.h"

using namespace zhuyi;

// What is accepted can be written, and the second writing has the bytes of the first. (Of the file
// that was read they may differ: its padding is free. F16 refuses infinity in writing.)
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz([&] {
        const auto write = [](const GgufFile& file, const char* name) {
            std::vector<GgufTensor> tensors;
            for (const GgufFile::Entry& entry : file.entries())
                tensors.push_back(
                    {entry.name, entry.extents, entry.type, [&] { return file.values(entry); }});
            write_gguf(fuzz_folder().path(name), file.settings(), tensors);
        };
        const GgufFile file(as_file(text_of(data, size)));
        for (const GgufFile::Entry& entry : file.entries())
            hold(Index(file.values(entry).size()) == entry.size, "values are those of the extents");
        write(file, "once");
        const GgufFile once(fuzz_folder().path("once"));
        write(once, "twice");
        hold(fuzz_folder().read("once") == fuzz_folder().read("twice"), "reads back the same");
    });
}
