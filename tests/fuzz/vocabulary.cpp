#include "text/vocabulary.h"

#include "fuzz/fuzz.h"

using namespace zhuyi;

namespace {

// What is accepted is written as the same tokens again, and they spell every text.
void read(const std::string& content) {
    const std::unique_ptr<Tokenizer> tokenizer = parse_vocabulary(content, "file");
    const std::string written = tokenizer->vocabulary_file();
    const std::unique_ptr<Tokenizer> again = parse_vocabulary(written, "written");
    hold(again->vocabulary_file() == written, "a vocabulary reads back the same");
    const std::vector<Token> tokens = tokenizer->encode(content);
    hold(tokenizer->decode(tokens) == content, "tokens spell the text");
    hold(again->encode(content) == tokens, "and are the same tokens");
    for (const Token token : tokens) tokenizer->name(token);
}

// The byte tokens that each kind begins with would fill a fuzzer's day.
std::string beginning(bool byte_pairs) {
    std::string lines = byte_pairs ? "# zhuyi vocabulary 1 byte_pairs, end of text 0\n"
                                   : "# zhuyi vocabulary 1 characters\n";
    lines += "0\t<|endoftext|>\t1\n";
    for (unsigned byte = 0; byte < 256; ++byte) {
        char line[32];
        std::snprintf(line, sizeof line, "%u\t⟨%02X⟩\t0\n", byte + 1, byte);
        lines += line;
    }
    return lines;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::string characters = beginning(false), byte_pairs = beginning(true);
    const std::string text(text_of(data, size));
    fuzz([&] { read(text); });
    fuzz([&] { read(characters + text); });
    return fuzz([&] { read(byte_pairs + text); });
}
