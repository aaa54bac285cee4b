// Reads again what was exported, and compares it with the model.
#include "interop/export.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <unordered_map>

#include "base/check.h"
#include "base/list.h"
#include "base/utf8.h"
#include "formats/json.h"
#include "interop/foreign.h"
#include "interop/hugging_face.h"
#include "system/printable.h"
#include "text/byte_pair.h"

namespace zhuyi {
namespace {

using Encode = std::function<std::vector<Token>(std::string_view)>;
using Ids = std::unordered_map<std::string, Token>;

[[noreturn]] void fail_different(const std::string& path, const std::string& what) {
    fail({"%s: what was written differs from the model: %s. The export was given up; please report "
          "this.",
          "%s：写出的内容与模型不同：%s。导出已放弃；请报告这个问题。"},
         path, what);
}

void compare_tokens(const std::string& path, const Tokenizer& ours, const Encode& theirs,
                    const Texts& texts) {
    Texts all = awkward_texts();
    all.insert(all.end(), texts.begin(), texts.end());
    for (const std::string_view text : all)
        if (ours.encode(text) != theirs(text))
            fail_different(path, say({"other tokens for %s", "%s 的 token 不同"}, in_quotes(text)));
}

// Hugging Face and llama.cpp both spell a character that is no token in bytes. `space` is how the
// file writes a space.
Encode by_characters(Ids ids, std::string space) {
    return [ids = std::move(ids), space = std::move(space)](std::string_view text) {
        std::vector<Token> tokens;
        for (const std::string_view character : utf8::Characters(text)) {
            const std::string spelt = character == " " ? space : std::string(character);
            const auto found = ids.find(spelt);
            if (found != ids.end()) {
                tokens.push_back(found->second);
                continue;
            }
            for (const char byte : spelt)
                tokens.push_back(ids.at(byte_fallback_name(static_cast<unsigned char>(byte))));
        }
        return tokens;
    };
}

Encode encoder_of(const GgufFile& file) {
    using Strings = std::vector<std::string>;
    const auto& tokens = file.setting<Strings>("tokenizer.ggml.tokens");
    const auto& types = file.setting<std::vector<std::int32_t>>("tokenizer.ggml.token_type");
    Ids ids;
    for (std::size_t i = 0; i < tokens.size(); ++i) ids.emplace(tokens[i], Token(i));
    if (file.setting<std::string>("tokenizer.ggml.model") == "llama")
        return by_characters(std::move(ids), "▁");

    Strings bytes;
    for (std::size_t i = 0; i < tokens.size(); ++i)
        bytes.push_back(types.at(i) == 1 ? from_byte_alphabet(tokens[i]).value() : "");
    std::vector<BytePairTokenizer::Merge> merges;
    for (const std::string& merge : file.setting<Strings>("tokenizer.ggml.merges")) {
        const std::size_t space = merge.find(' ');
        merges.push_back({ids.at(merge.substr(0, space)), ids.at(merge.substr(space + 1))});
    }
    const auto end = Token(file.setting<std::uint32_t>("tokenizer.ggml.eos_token_id"));
    const auto tokenizer = std::make_shared<BytePairTokenizer>(bytes, merges, end);
    return [tokenizer](std::string_view text) { return tokenizer->encode(text); };
}

}  // namespace

Texts awkward_texts() {
    using namespace std::string_view_literals;
    return {""sv,
            " "sv,
            "  two  spaces, and one behind "sv,
            "\n\n\r\n\t "sv,
            "NUL \0 inside"sv,
            "<0x41> <|endoftext >"sv,
            "😀👨‍👩‍👧‍👦🇨🇳"sv,
            "𠮷𪚥龘"sv,
            "é e\u0301 ﬁ ｱ Ａ１"sv,
            "小沈阳江西演唱会邀请了，　？！"sv,
            "It's 1234 o'clock, they've said; ½ ² ٣"sv};
}

void check_hugging_face(const std::string& folder, const LoadedModel& run, const Texts& texts) {
    const LoadedModel back = read_hugging_face(folder);
    GptConfig expected = run.model->config();
    expected.ffn = expected.width();
    if (expected.position != Position::rotary)
        expected.position = Position::learned;  // all others went out as a table
    if (back.model->config() != expected)
        fail_different(folder, say({"other sizes in config.json", "config.json 中的大小不同"}));
    for (const Parameter& p : back.parameters->table()) {
        const bool zeros = p.kind == Kind::position_embedding && !run.model->positions();
        const Values ours = zeros ? Values() : values_of(run, p.name);
        const In theirs = back.parameters->value(p);
        if (zeros ? std::ranges::any_of(theirs, [](Real x) { return x != 0; })
                  : !std::ranges::equal(ours, theirs))
            fail_different(folder, say({"other values of %s", "%s 的值不同"}, p.name));
    }
    Encode theirs = [&](std::string_view text) { return back.tokenizer->encode(text); };
    if (!dynamic_cast<const BytePairTokenizer*>(run.tokenizer.get())) {
        const std::string path = (std::filesystem::path(folder) / "tokenizer.json").string();
        Ids ids;
        const Json json = parse_json(read_file(path), path);
        for (const auto& [spelling, id] : json.at("model").at("vocab").members())
            ids.emplace(spelling, Token(id.integer()));
        theirs = by_characters(std::move(ids), " ");
    }
    compare_tokens(folder, *run.tokenizer, theirs, texts);
}

void check_llama_cpp(const std::string& path, const LoadedModel& run, const Texts& texts) {
    const GgufFile file(path);
    for (const ForeignTensor& tensor : foreign_tensors(run.model->config(), Program::llama_cpp)) {
        const GgufFile::Entry& entry = file.entry(tensor.name);
        const List<float> theirs = file.values(entry);
        const List<Values> ours = source_values(run, tensor);
        if (entry.size != tensor.size())
            fail_different(path, say({"another size of %s", "%s 的大小不同"}, entry.name));
        tensor.for_each_number([&](Index part, Index i, Index at) {
            const float there = theirs[at];
            const auto here = float(ours[part][i]);
            const float within =
                entry.type == GgufType::F32 ? 0 : 0x1p-11f * std::abs(here) + 0x1p-25f;
            if (!(std::abs(there - here) <= within))
                fail_different(path, say({"other values of %s", "%s 的值不同"}, entry.name));
        });
    }
    compare_tokens(path, *run.tokenizer, encoder_of(file), texts);
}

}  // namespace zhuyi
