// zhuyi tokens: how a text falls into tokens.
#include "app/command.h"
#include "app/shared.h"
#include "base/check.h"
#include "base/format.h"
#include "run/run_folder.h"
#include "system/input_file.h"
#include "system/options.h"
#include "system/printable.h"
#include "text/merges_sheet.h"
#include "text/vocabulary.h"

namespace zhuyi {
namespace {

std::string hexadecimal(std::string_view bytes) {
    return joined(bytes, " ", [](char byte) {
        return format("%02X", unsigned(static_cast<unsigned char>(byte)));
    });
}

Sheet merges_of(const Tokenizer& tokenizer, const std::string& run, const std::string& text) {
    constexpr std::size_t kLongest = 1000;  // bytes: what a person would read
    const auto* byte_pairs = dynamic_cast<const BytePairTokenizer*>(&tokenizer);
    if (!byte_pairs)
        fail_usage({"--merges: the tokens of %s are characters, nothing is joined; a run of "
                    "`train --tokenizer bpe` has byte pairs",
                    "--merges：%s 的 token 就是字符，没有合并；用 train --tokenizer bpe "
                    "训练的才有字节对"},
                   printable(run));
    if (text.size() > kLongest)
        fail_usage({"--merges shows every step of at most %zu bytes, this text has %zu",
                    "--merges 会列出每一步，文字最多 %zu 个字节，这里有 %zu 个"},
                   kLongest, text.size());
    return merges_sheet(*byte_pairs, text);
}

Sheet tokens_of(const Tokenizer& tokenizer, const std::string& text) {
    Sheet sheet;
    Sheet::Table& table = sheet.records("tokens", {{"id", {"id", "token 编号"}},
                                                   {"token", "token"},
                                                   {"bytes", {"bytes", "字节"}},
                                                   {"count", {"count", "次数"}}});
    for (const Token token : tokenizer.encode(text))
        table.record({{double(token), std::to_string(token)},
                      tokenizer.name(token),
                      hexadecimal(tokenizer.bytes(token)),
                      Sheet::Cell::count(tokenizer.count(token))});
    return sheet;
}

class TokensCommand : public Command {
  public:
    TokensCommand()
        : Command(
              "tokens", "RUN|VOCABULARY [文字|-] [--merges]",
              {"how a text falls into tokens: id, token, bytes, how often it stood in the training "
               "text",
               "一段文字怎样变成 token：token 编号、token、字节、在训练文本里出现的次数"}) {}

    void declare(Options& options) override {
        options.group({"tokens", "token"});
        options.add("merges", merges_,
                    {"byte pairs: how bytes are joined to tokens, step by step",
                     "字节对：字节怎样一步一步合并成 token"});
        output_.declare_format(options);
    }
    int run(const std::vector<std::string>& words, const Options&) override {
        if (words.empty())
            fail_usage({"expected a run folder or a vocabulary.txt: zhuyi tokens RUN 文字",
                        "tokens 需要训练目录或 vocabulary.txt：zhuyi tokens RUN 文字"});
        if (words.size() > 2)
            fail_usage(
                {"expected one text, found %s after it; put quotes around a text with spaces",
                 "只需要一段文字，后面还多出 %s；含空格的文字请加引号"},
                in_quotes(words[2]));
        const bool from_input = words.size() < 2 || words[1] == "-";
        const std::unique_ptr<Tokenizer> tokenizer =
            RunFolder{words[0]}.is_run() ? read_tokenizer_of({words[0]}) : read_tokenizer(words[0]);
        const std::string text = from_input ? read_stream("/dev/stdin") : words[1];
        if (text.empty())
            fail_usage({"expected a text, found an empty one: zhuyi tokens RUN 小猫",
                        "要给出一段文字，这里是空的：zhuyi tokens RUN 小猫"});
        tell_unseen(*tokenizer, text);
        output_.write(merges_ ? merges_of(*tokenizer, words[0], text)
                              : tokens_of(*tokenizer, text));
        return 0;
    }

  private:
    bool merges_ = false;
    SheetOutput output_;
};

}  // namespace

std::unique_ptr<Command> tokens_command() { return std::make_unique<TokensCommand>(); }

}  // namespace zhuyi
