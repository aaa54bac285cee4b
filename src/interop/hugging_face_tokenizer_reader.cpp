// Reads a tokenizer of another program: tokenizer.json, or vocab.json beside merges.txt.
#include <algorithm>
#include <filesystem>

#include "base/check.h"
#include "base/format.h"
#include "interop/foreign.h"
#include "interop/hugging_face.h"
#include "system/input_file.h"
#include "system/printable.h"

namespace zhuyi {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestFile = std::uint64_t(64) << 20;

static Token id_of(const Json& json) {
    const Index id = json.integer();
    if (id < 0 || id >= kMostForeignTokens)
        fail({"a token has the id %td, expected 0 to %td",
              "有 token 的编号是 %td，应在 0 到 %td 之间"},
             id, kMostForeignTokens - 1);
    return Token(id);
}

static void read_vocabulary(const Json& json, DescribedTokenizer& to) {
    for (const auto& [spelling, id] : json.members())
        if (!to.vocabulary.emplace(id_of(id), spelling).second)
            fail({"two tokens have the id %td", "两个 token 的编号都是 %td"}, id.integer());
}

static std::pair<std::string, std::string> merge_of(std::string_view line) {
    const std::size_t space = line.find(' ');
    if (space == 0 || space + 1 >= line.size() || line.find(' ', space + 1) != line.npos)
        fail({"expected a merge of two tokens, found %s", "应为两个 token 的合并规则，实际是%s"},
             in_quotes(line));
    return {std::string(line.substr(0, space)), std::string(line.substr(space + 1))};
}

static void read_merges(const Json& json, DescribedTokenizer& to) {
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

static std::string type_of(const Json* json) {
    return json && json->is_object() && json->find("type") ? json->at("type").text() : "none";
}

static bool flag(const Json& json, const char* name, bool otherwise) {
    const Json* value = json.find(name);
    return value && !value->is_null() ? value->boolean() : otherwise;
}

// What the files say and zhuyi has no notion of, a line each.
static void say_lost(const Json& json, const DescribedTokenizer& from, std::string& lost) {
    const Token end = end_of_text_of(from);
    if (const std::string names = listed(from.added, end); !names.empty())
        lost += say({"special tokens that no text spells here: %s (their rows stay, and nothing "
                     "reads them)\n",
                     "特殊 token 在这里拼不出来：%s（对应的行保留，但不会被读到）\n"},
                    names);
    const Json* after = json.find("post_processor");
    const std::string kind = type_of(after);
    const Json* adds = kind == "TemplateProcessing" ? after->find("special_tokens") : nullptr;
    const bool nothing = adds && adds->is_object() && adds->members().empty();
    if (kind != "none" && kind != "ByteLevel" && !nothing)
        lost +=
            say({"the post-processor %s is left out: what it puts around a text there is not put "
                 "around it here\n",
                 "post-processor %s 已略去：它在那里给文本前后加上的 token，这里不加\n"},
                in_quotes(kind));
}

// A sequence of one is that one.
static const Json* only_of_sequence(const Json* json) {
    while (type_of(json) == "Sequence" && json->find("pretokenizers") &&
           json->at("pretokenizers").items().size() == 1)
        json = &json->at("pretokenizers").items()[0];
    return json;
}

static std::unique_ptr<Tokenizer> from_tokenizer_json(const Json& json,
                                                      DescribedTokenizer& described) {
    if (const std::string kind = type_of(json.find("normalizer")); kind != "none")
        refuse_kind(say({"the normalizer %s changes the text", "normalizer %s 会改变文本"},
                        in_quotes(kind)));
    const Json& model = json.at("model");
    // GPT-2's own file is older than the field.
    if (const std::string kind = type_of(&model);
        kind != "BPE" && !(kind == "none" && model.find("merges")))
        refuse_kind(
            kind == "WordPiece"
                ? say(kWordPiece)
                : say({"the tokenizer is of the kind %s", "分词器的种类是 %s"}, in_quotes(kind)));
    for (const char* affix : {"continuing_subword_prefix", "end_of_word_suffix"})
        if (const Json* value = model.find(affix);
            value && value->is_text() && !value->text().empty())
            refuse_kind(
                say({"%s changes how tokens are written", "%s 会改变 token 的写法"}, affix));
    read_vocabulary(model.at("vocab"), described);
    read_merges(model.at("merges"), described);
    if (const Json* added = json.find("added_tokens"); added && !added->is_null())
        for (const Json& token : added->items()) {
            const Token id = id_of(token.at("id"));
            const std::string& spelling = token.at("content").text();
            described.added.emplace(id, spelling);
            if (!flag(token, "special", false)) described.plain.emplace(id, spelling);
        }
    refuse_plain(described);

    const Json* before = only_of_sequence(json.find("pre_tokenizer"));
    const std::string splitting = type_of(before);
    if (splitting == "none" && flag(model, "byte_fallback", false) && described.merges.empty())
        return characters(described);
    if (splitting != "ByteLevel")
        refuse_kind(say({"the pre-tokenizer is %s%s", "pre-tokenizer 是 %s%s"},
                        in_quotes(splitting),
                        flag(model, "byte_fallback", false)
                            ? ""
                            : say({", and there is no byte fallback", "，而且没有字节回退"})));
    if (flag(*before, "add_prefix_space", true))
        refuse_kind(say({"add_prefix_space = true adds to the text",
                         "add_prefix_space = true 会给文本加空格"}));
    if (!flag(*before, "use_regex", true))
        refuse_kind(
            say({"use_regex = false splits in another way", "use_regex = false 的切分方式不同"}));
    if (flag(model, "ignore_merges", false))
        refuse_kind(say(
            {"ignore_merges = true joins in another way", "ignore_merges = true 的合并方式不同"}));
    return byte_pairs(described);
}

static std::unique_ptr<Tokenizer> from_vocab_and_merges(const Json& vocab, std::string_view merges,
                                                        DescribedTokenizer& described) {
    read_vocabulary(vocab, described);
    for (std::string_view line : split(merges, "\n")) {
        const bool first = line.data() == merges.data();
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty() || (first && line.starts_with("#version"))) continue;
        described.merges.push_back(merge_of(line));
    }
    return byte_pairs(described);
}

// A text, or an object with one.
static std::string token_text(const Json& json, const char* name) {
    const Json* token = json.find(name);
    if (token && token->is_object()) token = token->find("content");
    return token && token->is_text() ? token->text() : std::string();
}

// What tokenizer_config.json, and older special_tokens_map.json, call eos_token. What else they say
// is named in `lost`.
static std::string named_end_of_text(const fs::path& folder, std::string& lost) {
    std::string end, begin;
    bool template_there = fs::exists(folder / "chat_template.jinja");
    for (const char* name : {"special_tokens_map.json", "tokenizer_config.json"}) {
        const fs::path path = folder / name;
        if (!fs::exists(path)) continue;
        const Json json = parse_json(read_file(path.string(), kLargestFile), path.string());
        for (const auto& [key, to] : {std::pair("eos_token", &end), {"bos_token", &begin}})
            if (const std::string text = token_text(json, key); !text.empty()) *to = text;
        template_there = template_there || json.find("chat_template");
        if (flag(json, "add_bos_token", false))
            lost += say({"add_bos_token: here nothing is put before a text\n",
                         "add_bos_token：这里不会在文本前面加 token\n"});
    }
    if (!begin.empty() && !end.empty() && begin != end)
        lost += say({"the begin of a text is %s there; here documents have an end only, %s\n",
                     "那里的文本以 %s 开头；这里的文档只有结尾 %s\n"},
                    in_quotes(begin), in_quotes(end));
    if (template_there)
        lost +=
            say({"the chat template is left out: zhuyi goes on with texts, and holds no "
                 "conversation\n",
                 "对话模板（chat template）已略去：zhuyi 只续写文本，不作对话\n"});
    return end;
}

std::unique_ptr<Tokenizer> read_hugging_face_tokenizer(const std::string& path, Index rows,
                                                       std::string& lost) {
    const fs::path folder(path), whole = folder / "tokenizer.json", vocab = folder / "vocab.json",
                                 merges = folder / "merges.txt";
    const bool one = fs::exists(whole);
    if (!one && !fs::exists(merges) && fs::exists(folder / "vocab.txt"))
        refuse_kind(say({"%s: %s", "%s：%s"}, (folder / "vocab.txt").string(), kWordPiece));
    if (!one && !(fs::exists(vocab) && fs::exists(merges)))
        fail({"%s: expected tokenizer.json, or vocab.json and merges.txt, found neither; "
              "--tokenizer FOLDER takes the tokenizer from elsewhere",
              "%s：应有 tokenizer.json，或 vocab.json 和 merges.txt，两者都没有；可用 --tokenizer "
              "目录 从别处取分词器"},
             path);
    const std::string origin = (one ? whole : vocab).string();
    DescribedTokenizer described{{}, {}, {}, {}, named_end_of_text(folder, lost), rows};
    const Json json = parse_json(read_file(origin, kLargestFile), origin);
    try {
        if (!one)
            return from_vocab_and_merges(json, read_file(merges.string(), kLargestFile), described);
        std::unique_ptr<Tokenizer> tokenizer = from_tokenizer_json(json, described);
        say_lost(json, described, lost);
        return tokenizer;
    } catch (const Error& error) {
        fail({"%s: %s", "%s：%s"}, origin, error.what());
    }
}

}  // namespace zhuyi
