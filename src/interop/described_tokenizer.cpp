#include "interop/described_tokenizer.h"

#include <algorithm>

#include "base/check.h"
#include "interop/byte_alphabet.h"
#include "system/printable.h"
#include "text/byte_pair.h"
#include "text/utf8.h"

namespace zhuyi {

void refuse_kind(const std::string& why) {
    fail({"%s. zhuyi reads GPT-2's byte-level BPE, and vocabularies of characters with byte "
          "fallback "
          "as it exports them",
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

std::string listed(const std::map<Token, std::string>& tokens, Token but) {
    constexpr std::size_t kShown = 5;
    std::string names;
    std::size_t count = 0;
    for (const auto& [id, spelling] : tokens) {
        if (id == but) continue;
        if (++count <= kShown) names += (names.empty() ? "" : ", ") + in_quotes(spelling);
    }
    return count > kShown ? names + " …" : names;
}

// There a text that spells one of them gets its id, here its characters'.
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

std::unique_ptr<Tokenizer> characters(const DescribedTokenizer& from) {
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
                            id < first ? wanted : say({"one character", "一个字符"})));
        if (id >= first) list.push_back({found.code, 0});
    }
    if (expected < first)
        refuse_kind(say({"the tokens of the 256 bytes are missing", "缺少 256 个字节的 token"}));
    return std::make_unique<CharacterTokenizer>(std::move(list),
                                                std::vector<Index>(std::size_t(first), 0));
}

}  // namespace zhuyi
