#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "base/check.h"
#include "interop/byte_alphabet.h"
#include "interop/hugging_face.h"
#include "system/input_file.h"
#include "system/printable.h"
#include "text/byte_pair.h"
#include "text/utf8.h"

namespace zhuyi {

namespace fs = std::filesystem;

// A tokenizer of another program, from tokenizer.json or from vocab.json beside merges.txt.

namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t(64) << 20;
constexpr Index kMostTokens = 1 << 22;

// What the files say, before it is one kind of tokenizer or the other.
struct Described {
    std::map<Token, std::string> vocabulary, added;  // spellings by id
    std::vector<std::pair<std::string, std::string>> merges;
    std::string end_of_text;  // spelling; "": not said
    Index rows;
};

Token id_of(const Json& json) {
    const Index id = json.integer();
    if (id < 0 || id >= kMostTokens)
        fail({"a token has the id %td, expected 0 to %td",
              "有 token 的编号是 %td，应在 0 到 %td 之间"},
             id, kMostTokens - 1);
    return Token(id);
}

void read_vocabulary(const Json& json, Described& to) {
    for (const auto& [spelling, id] : json.members())
        if (!to.vocabulary.emplace(id_of(id), spelling).second)
            fail({"two tokens have the id %td", "两个 token 的编号都是 %td"}, id.integer());
}

std::pair<std::string, std::string> merge_of(std::string_view line) {
    const std::size_t space = line.find(' ');
    if (space == 0 || space + 1 >= line.size() || line.find(' ', space + 1) != line.npos)
        fail({"expected a merge of two tokens, found %s", "应为两个 token 的合并规则，实际是%s"},
             in_quotes(line));
    return {std::string(line.substr(0, space)), std::string(line.substr(space + 1))};
}

void read_merges(const Json& json, Described& to) {
    for (const Json& item : json.items()) {
        if (item.is_text()) {
            to.merges.push_back(merge_of(item.text()));
            continue;
        }
        if (item.items().size() != 2)
            fail({"expected a merge of two tokens", "合并规则应有两个 token"});
        to.merges.emplace_back(item.items()[0].text(), item.items()[1].text());
    }
}

std::string type_of(const Json* json) {
    return json && json->is_object() && json->find("type") ? json->at("type").text() : "none";
}

bool flag(const Json& json, const char* name, bool otherwise) {
    const Json* value = json.find(name);
    return value && !value->is_null() ? value->boolean() : otherwise;
}

[[noreturn]] void refuse_kind(const Text& why) {
    fail({"%s. zhuyi reads GPT-2's byte-level BPE, and vocabularies of characters with byte "
          "fallback "
          "as it exports them",
          "%s。zhuyi 能读 GPT-2 的字节级 BPE，以及它自己导出的、带字节回退的字符词表"},
         why);
}

Token end_of_text_of(const Described& from) {
    for (const std::string& wanted : {from.end_of_text, std::string(kEndOfTextName)})
        for (const auto* list : {&from.added, &from.vocabulary})
            for (const auto& [id, spelling] : *list)
                if (!wanted.empty() && spelling == wanted) return id;
    fail({"expected a token <|endoftext|>, or an eos_token in tokenizer_config.json, found none",
          "缺少 token <|endoftext|>，tokenizer_config.json 里也没有 eos_token"});
}

std::unique_ptr<Tokenizer> byte_pairs(const Described& from) {
    std::map<std::string, Token> by_spelling;
    Index size = from.rows;
    for (const auto* list : {&from.vocabulary, &from.added})
        if (!list->empty()) size = std::max<Index>(size, list->rbegin()->first + 1);
    if (size > kMostTokens)
        fail({"expected at most %td tokens, found %td", "最多 %td 个 token，实际有 %td 个"},
             kMostTokens, size);
    std::vector<std::string> tokens;
    tokens.resize(std::size_t(size));
    for (const auto& [id, spelling] : from.vocabulary) {
        by_spelling[spelling] = id;
        if (from.added.contains(id)) continue;
        const auto bytes = from_byte_alphabet(spelling);
        if (!bytes)
            refuse_kind(say({"the token %s is not written in bytes", "token %s 不是用字节写的"},
                            in_quotes(spelling)));
        tokens[std::size_t(id)] = *bytes;
    }
    const Token end = end_of_text_of(from);
    tokens[std::size_t(end)].clear();
    const auto id_of_spelling = [&](const std::string& spelling) {
        const auto found = by_spelling.find(spelling);
        if (found == by_spelling.end())
            fail({"a merge joins %s, which is no token", "合并规则里的 %s 不是 token"},
                 in_quotes(spelling));
        return found->second;
    };
    std::vector<BytePairTokenizer::Merge> merges;
    for (const auto& [left, right] : from.merges)
        merges.push_back({id_of_spelling(left), id_of_spelling(right)});
    return std::make_unique<BytePairTokenizer>(std::move(tokens), merges, end);
}

// The ids must be those of text/tokenizer.h: an id is a row of the embedding.
std::unique_ptr<Tokenizer> characters(const Described& from) {
    constexpr Token first = CharacterTokenizer::kFirstCharacter;
    std::vector<CharacterTokenizer::Character> list;
    Token expected = 0;
    for (const auto& [id, spelling] : from.vocabulary) {
        const std::string wanted = id == kEndOfText ? std::string(kEndOfTextName)
                                                    : byte_fallback_name(static_cast<unsigned char>(
                                                          id - CharacterTokenizer::kFirstByte));
        const utf8::Front found = spelling.empty() ? utf8::Front{} : utf8::front(spelling);
        const bool character =
            found.finding == utf8::Finding::whole && std::size_t(found.length) == spelling.size();
        if (id != expected++ || (id < first ? spelling != wanted : !character))
            refuse_kind(say({"token %d is %s, where this kind has %s", "token %d 是 %s，应为 %s"},
                            id, in_quotes(spelling),
                            id < first ? same(wanted) : Text(Words{"one character", "一个字符"})));
        if (id >= first) list.push_back({found.code, 0});
    }
    if (expected < first)
        refuse_kind({"the tokens of the 256 bytes are missing", "缺少 256 个字节的 token"});
    return std::make_unique<CharacterTokenizer>(std::move(list),
                                                std::vector<Index>(std::size_t(first), 0));
}

std::unique_ptr<Tokenizer> from_tokenizer_json(const Json& json, Described& described) {
    if (const std::string kind = type_of(json.find("normalizer")); kind != "none")
        refuse_kind(say({"the normalizer %s changes the text", "normalizer %s 会改变文本"},
                        in_quotes(kind)));
    const Json& model = json.at("model");
    // GPT-2's own file is older than the field.
    if (const std::string kind = type_of(&model);
        kind != "BPE" && !(kind == "none" && model.find("merges")))
        refuse_kind(say({"the tokenizer is of the kind %s", "分词器的种类是 %s"}, in_quotes(kind)));
    for (const char* affix : {"continuing_subword_prefix", "end_of_word_suffix"})
        if (const Json* value = model.find(affix);
            value && value->is_text() && !value->text().empty())
            refuse_kind(
                say({"%s changes how tokens are written", "%s 会改变 token 的写法"}, affix));
    read_vocabulary(model.at("vocab"), described);
    read_merges(model.at("merges"), described);
    if (const Json* added = json.find("added_tokens"); added && !added->is_null())
        for (const Json& token : added->items())
            described.added.emplace(id_of(token.at("id")), token.at("content").text());

    const Json* before = json.find("pre_tokenizer");
    const std::string splitting = type_of(before);
    if (splitting == "none" && flag(model, "byte_fallback", false) && described.merges.empty())
        return characters(described);
    if (splitting != "ByteLevel")
        refuse_kind(say({"the pre-tokenizer is %s%s", "pre-tokenizer 是 %s%s"},
                        in_quotes(splitting),
                        flag(model, "byte_fallback", false)
                            ? Words{}
                            : Words{", and there is no byte fallback", "，而且没有字节回退"}));
    if (flag(*before, "add_prefix_space", true))
        refuse_kind(
            {"add_prefix_space = true adds to the text", "add_prefix_space = true 会给文本加空格"});
    if (!flag(*before, "use_regex", true))
        refuse_kind(
            {"use_regex = false splits in another way", "use_regex = false 的切分方式不同"});
    if (flag(model, "ignore_merges", false))
        refuse_kind(
            {"ignore_merges = true joins in another way", "ignore_merges = true 的合并方式不同"});
    return byte_pairs(described);
}

std::unique_ptr<Tokenizer> from_vocab_and_merges(const Json& vocab, std::string_view merges,
                                                 Described& described) {
    read_vocabulary(vocab, described);
    for (bool first = true; !merges.empty(); first = false) {
        const std::size_t end = std::min(merges.find('\n'), merges.size());
        std::string_view line = merges.substr(0, end);
        merges.remove_prefix(std::min(end + 1, merges.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty() || (first && line.starts_with("#version"))) continue;
        described.merges.push_back(merge_of(line));
    }
    return byte_pairs(described);
}

// What tokenizer_config.json calls eos_token: a text, or an object with one.
std::string named_end_of_text(const fs::path& folder) {
    const fs::path path = folder / "tokenizer_config.json";
    if (!fs::exists(path)) return {};
    const Json json = parse_json(read_file(path.string(), kLargestFile), path.string());
    const Json* token = json.find("eos_token");
    if (token && token->is_object()) token = token->find("content");
    return token && token->is_text() ? token->text() : std::string();
}

}  // namespace

std::unique_ptr<Tokenizer> read_hugging_face_tokenizer(const std::string& path, Index rows) {
    const fs::path folder(path), whole = folder / "tokenizer.json", vocab = folder / "vocab.json",
                                 merges = folder / "merges.txt";
    const bool one = fs::exists(whole);
    if (!one && !(fs::exists(vocab) && fs::exists(merges)))
        fail({"%s: expected tokenizer.json, or vocab.json and merges.txt, found neither; "
              "--tokenizer "
              "FOLDER takes the tokenizer from elsewhere",
              "%s：应有 tokenizer.json，或 vocab.json 和 merges.txt，两者都没有；可用 --tokenizer "
              "目录 "
              "从别处取分词器"},
             path);
    const std::string origin = (one ? whole : vocab).string();
    Described described{{}, {}, {}, named_end_of_text(folder), rows};
    const Json json = parse_json(read_file(origin, kLargestFile), origin);
    try {
        return one ? from_tokenizer_json(json, described)
                   : from_vocab_and_merges(json, read_file(merges.string(), kLargestFile),
                                           described);
    } catch (const Error& error) {
        fail({"%s: %s", "%s：%s"}, origin, error.text());
    }
}

}  // namespace zhuyi
