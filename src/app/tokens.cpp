// zhuyi tokens: how a text falls into tokens.
#include "app/command.h"
#include "base/check.h"
#include "base/format.h"
#include "system/input_file.h"
#include "system/output.h"
#include "system/printable.h"
#include "system/table.h"
#include "text/vocabulary.h"

namespace zhuyi {

namespace {

std::string hexadecimal(std::string_view bytes) {
    std::string text;
    for (char byte : bytes)
        text +=
            format("%s%02X", text.empty() ? "" : " ", unsigned(static_cast<unsigned char>(byte)));
    return text;
}

class TokensCommand : public Command {
  public:
    TokensCommand()
        : Command(
              "tokens", "RUN|VOCABULARY [文字|-]",
              {"how a text falls into tokens: id, token, bytes, how often it stood in the training "
               "text",
               "一段文字怎样变成 token：token 编号、token、字节、在训练文本里出现的次数"}) {}

    int run(const std::vector<std::string>& words, const Options&, Language language) override {
        if (words.empty())
            fail_usage({"expected a run folder or a vocabulary.txt: zhuyi tokens RUN 文字",
                        "tokens 需要训练目录或 vocabulary.txt：zhuyi tokens RUN 文字"});
        if (words.size() > 2)
            fail_usage(
                {"expected one text, found %s after it; put quotes around a text with spaces",
                 "只需要一段文字，后面还多出 %s；含空格的文字请加引号"},
                in_quotes(words[2]));
        const bool from_input = words.size() < 2 || words[1] == "-";
        const std::unique_ptr<Tokenizer> tokenizer = read_tokenizer(words[0]);
        const std::string text = from_input ? read_file("/dev/stdin") : words[1];
        Table table("rllr", 0);
        table.row({Words{"id", "token 编号"}, Words{"token", "token"}, Words{"bytes", "字节"},
                   Words{"count", "次数"}});
        for (const Token token : tokenizer->encode(text))
            table.row({std::to_string(token), tokenizer->name(token),
                       hexadecimal(tokenizer->bytes(token)), grouped(tokenizer->count(token))});
        print(table.text().in(language));
        return 0;
    }
};

}  // namespace

std::unique_ptr<Command> tokens_command() { return std::make_unique<TokensCommand>(); }

}  // namespace zhuyi
