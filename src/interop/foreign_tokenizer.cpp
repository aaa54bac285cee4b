#include "interop/foreign.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/format.h"
#include "base/list.h"
#include "base/utf8.h"
#include "interop/hugging_face.h"
#include "system/printable.h"
#include "text/byte_pair.h"

namespace zhuyi {
static constexpr bool is_visible(unsigned byte) {
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
}

// The letter of each byte.
constexpr std::array<char32_t, 256> kAlphabet = [] {
    std::array<char32_t, 256> letters{};
    char32_t next = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte)
        letters[byte] = is_visible(byte) ? char32_t(byte) : next++;
    return letters;
}();

std::string in_byte_alphabet(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) text += utf8::encode(kAlphabet[static_cast<unsigned char>(byte)]);
    return text;
}

std::optional<std::string> from_byte_alphabet(std::string_view text) {
    std::string bytes;
    for (const std::string_view character : utf8::Characters(text)) {
        const auto letter = std::ranges::find(kAlphabet, utf8::front(character).code);
        if (letter == kAlphabet.end()) return std::nullopt;
        bytes += char(letter - kAlphabet.begin());
    }
    return bytes;
}

std::string byte_fallback_name(unsigned char byte) { return format("<0x%02X>", unsigned(byte)); }

std::string character_spelling(const Tokenizer& tokenizer, Token token) {
    if (token == tokenizer.end_of_text()) return std::string(kEndOfTextName);
    if (token >= CharacterTokenizer::kFirstCharacter) return std::string(tokenizer.bytes(token));
    return byte_fallback_name(static_cast<unsigned char>(token - CharacterTokenizer::kFirstByte));
}

std::vector<std::string> merge_spellings(const BytePairTokenizer& tokenizer) {
    std::vector<std::string> merges;
    for (const auto& [left, right] : tokenizer.merges())
        merges.push_back(in_byte_alphabet(tokenizer.bytes(left)) + " " +
                         in_byte_alphabet(tokenizer.bytes(right)));
    return merges;
}

void refuse_kind(const std::string& why) {
    fail({"%s. zhuyi reads GPT-2's byte-level BPE, and vocabularies of characters with byte "
          "fallback as it exports them",
          "%s。zhuyi 能读 GPT-2 的字节级 BPE，以及它自己导出的、带字节回退的字符词表"},
         why);
}

Token end_of_text_of(const DescribedTokenizer& from) {
    for (const std::string& wanted : {from.end_of_text, std::string(kEndOfTextName)})
        for (const auto* list : {&from.added, &from.vocabulary})
            for (const auto& [id, spelling] : *list)
                if (!wanted.empty() && spelling == wanted) return id;
    fail({"expected a token <|endoftext|>, or an eos_token in tokenizer_config.json, found none",
          "缺少 token <|endoftext|>，tokenizer_config.json 里也没有 eos_token"});
}

std::string listed(const std::map<Token, std::string>& tokens, Token except) {
    constexpr std::size_t kShown = 5;
    std::vector<std::string> names;
    for (const auto& [id, spelling] : tokens)
        if (id != except) names.push_back(in_quotes(spelling));
    const bool more = names.size() > kShown;
    if (more) names.resize(kShown);
    return joined(names, ", ") + (more ? " …" : "");
}

void refuse_plain(const DescribedTokenizer& from) {
    const std::string names = listed(from.plain, end_of_text_of(from));
    if (!names.empty())
        fail({"added tokens that a text may spell are not supported: %s. Their texts would get "
              "other ids here than the model has learnt",
              "不支持可以出现在文本里的附加 token：%s。在这里，这些文字会得到与模型所学不同的编号"},
             names);
}

std::unique_ptr<Tokenizer> byte_pairs(const DescribedTokenizer& from) {
    std::map<std::string, Token> by_spelling;
    Index size = from.rows;
    for (const auto* list : {&from.vocabulary, &from.added})
        if (!list->empty()) size = std::max<Index>(size, list->rbegin()->first + 1);
    if (size > kMostForeignTokens)
        fail({"expected at most %td tokens, found %td", "最多 %td 个 token，实际有 %td 个"},
             kMostForeignTokens, size);
    List<std::string> tokens;
    tokens.resize(std::size_t(size));
    for (const auto& [id, spelling] : from.vocabulary) {
        by_spelling[spelling] = id;
        if (from.added.contains(id)) continue;
        const auto bytes = from_byte_alphabet(spelling);
        if (!bytes)
            refuse_kind(say({"the token %s is not written in bytes", "token %s 不是用字节写的"},
                            in_quotes(spelling)));
        tokens[id] = *bytes;
    }
    const Token end = end_of_text_of(from);
    tokens[end].clear();
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

std::unique_ptr<Tokenizer> characters(const DescribedTokenizer& from) {
    constexpr Token first = CharacterTokenizer::kFirstCharacter;
    std::vector<CharacterTokenizer::Character> list;
    Token expected = 0;
    for (const auto& [id, spelling] : from.vocabulary) {
        const auto byte = static_cast<unsigned char>(id - CharacterTokenizer::kFirstByte);
        const std::string wanted =
            id == kEndOfText ? std::string(kEndOfTextName) : byte_fallback_name(byte);
        const utf8::Front found = spelling.empty() ? utf8::Front{} : utf8::front(spelling);
        const bool character = found.whole() && found.length == spelling.size();
        if (id != expected++ || (id < first ? spelling != wanted : !character))
            refuse_kind(say({"token %d is %s, where this kind has %s", "token %d 是 %s，应为 %s"},
                            id, in_quotes(spelling),
                            id < first ? wanted : say({"one character", "一个字符"})));
        if (id >= first) list.push_back({found.code, 0});
    }
    if (expected < first)
        refuse_kind({"the tokens of the 256 bytes are missing", "缺少 256 个字节的 token"});
    return std::make_unique<CharacterTokenizer>(std::move(list),
                                                std::vector<Index>(std::size_t(first), 0));
}

// ---- tokenizer.json as we write it; hugging_face_tokenizer_reader.cpp reads those of others

static Json end_of_text_entry(Index id) {
    Json entry;
    entry.set("id", id).set("content", kEndOfTextName);
    for (const char* flag : {"single_word", "lstrip", "rstrip", "normalized"})
        entry.set(flag, false);
    return entry.set("special", true);
}

static Json bpe_model(Json vocabulary, Json merges, bool byte_fallback) {
    Json model;
    model.set("type", "BPE").set("dropout", Json()).set("unk_token", Json());
    model.set("continuing_subword_prefix", Json()).set("end_of_word_suffix", Json());
    model.set("fuse_unk", false).set("byte_fallback", byte_fallback).set("ignore_merges", false);
    return model.set("vocab", std::move(vocabulary)).set("merges", std::move(merges));
}

// Without a pre-tokenizer the whole text is one word; without merges a word is its characters; and
// a character without a token is its bytes.
static void describe_characters(Json& json, const Tokenizer& tokenizer) {
    Json::Object vocabulary;
    for (Token token = 0; token < tokenizer.size(); ++token)
        vocabulary.emplace_back(character_spelling(tokenizer, token), Index(token));
    Json decoders;
    decoders.push(Json().set("type", "ByteFallback")).push(Json().set("type", "Fuse"));
    json.set("pre_tokenizer", Json()).set("post_processor", Json());
    json.set("decoder", Json().set("type", "Sequence").set("decoders", decoders));
    json.set("model", bpe_model(vocabulary, Json::Array(), true));
}

static void describe_byte_pairs(Json& json, const BytePairTokenizer& tokenizer) {
    Json::Object vocabulary;
    for (Token token = 0; token < tokenizer.size(); ++token)
        if (token == tokenizer.end_of_text())
            vocabulary.emplace_back(kEndOfTextName, Index(token));
        else if (const std::string_view bytes = tokenizer.bytes(token); !bytes.empty())
            vocabulary.emplace_back(in_byte_alphabet(bytes), Index(token));
    Json::Array merges;
    for (const std::string& merge : merge_spellings(tokenizer)) merges.push_back(merge);
    Json byte_level;
    byte_level.set("type", "ByteLevel").set("add_prefix_space", false);
    byte_level.set("trim_offsets", true).set("use_regex", true);
    json.set("pre_tokenizer", byte_level).set("post_processor", Json());
    json.set("decoder", byte_level);
    json.set("model", bpe_model(vocabulary, merges, false));
}

Json hugging_face_tokenizer(const Tokenizer& tokenizer) {
    Json json;
    json.set("version", "1.0").set("truncation", Json()).set("padding", Json());
    json.set("added_tokens", Json().push(end_of_text_entry(tokenizer.end_of_text())));
    json.set("normalizer", Json());
    if (const auto* byte_pairs = dynamic_cast<const BytePairTokenizer*>(&tokenizer))
        describe_byte_pairs(json, *byte_pairs);
    else
        describe_characters(json, tokenizer);
    return json;
}

}  // namespace zhuyi
