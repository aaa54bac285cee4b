#include "interop/hugging_face.h"

#include "base/format.h"
#include "fuzz/fuzz.h"
#include "interop/foreign.h"

using namespace zhuyi;

namespace {

// The tokens of the 256 bytes, which either kind needs, are added to what the fuzzer invents.
std::string with_bytes(const std::string& text, bool byte_pairs) {
    const Json json = parse_json(text, "file");
    const Json& model = json.at("model");
    Json vocabulary;
    vocabulary.set(std::string(kEndOfTextName), 0);
    for (int byte = 0; byte < 256; ++byte)
        vocabulary.set(byte_pairs ? in_byte_alphabet(std::string(1, char(byte)))
                                  : format("<0x%02X>", unsigned(byte)),
                       byte + 1);
    for (const auto& [spelling, id] : model.at("vocab").members())
        if (!vocabulary.find(spelling)) vocabulary.set(spelling, id);
    Json changed, changed_model;
    for (const auto& [name, value] : model.members())
        changed_model.set(name, name == "vocab" ? vocabulary : value);
    for (const auto& [name, value] : json.members())
        changed.set(name, name == "model" ? changed_model : value);
    return changed.write();
}

void read_tokenizer_json(const std::string& text) {
    as_file(text, "tokenizer.json");
    std::string lost;
    const auto tokenizer = read_hugging_face_tokenizer(fuzz_folder().path(), 300, lost);
    hold(tokenizer->decode(tokenizer->encode(text)) == text, "tokens spell the text");
    hugging_face_tokenizer(*tokenizer).write();
}

}  // namespace

// The first byte says which of the files it is.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string text(text_of(data + 1, size - 1));
    if (data[0] == 'c')
        return fuzz([&] { check(config_from_hugging_face(parse_json(text, "config.json"))); });
    if (data[0] == 'b' || data[0] == 'p')
        return fuzz([&] { read_tokenizer_json(with_bytes(text, data[0] == 'p')); });
    return fuzz([&] { read_tokenizer_json(text); });
}
