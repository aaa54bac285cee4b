// zhuyi tokens: how a text falls into tokens.
#include <algorithm>
#include <array>

#include "app/command.h"
#include "base/check.h"
#include "base/format.h"
#include "system/input_file.h"
#include "system/output.h"
#include "system/terminal.h"
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

using Row = std::array<std::string, 4>;

std::string table_of(const std::vector<Row>& rows) {
    std::array<int, 4> widths{};
    for (const Row& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], display_width(row[i]));
    std::string lines;
    for (const auto& [id, token, bytes, count] : rows)
        lines += fit_right(id, widths[0]) + "  " + fit_left(token, widths[1]) + "  " +
                 fit_left(bytes, widths[2]) + "  " + fit_right(count, widths[3]) + "\n";
    return lines;
}

class TokensCommand : public Command {
  public:
    const char* name() const override { return "tokens"; }
    const char* usage() const override { return "RUN|VOCABULARY [文字|-]"; }
    Words summary() const override {
        return {
            "how a text falls into tokens: id, token, bytes, how often it stood in the training "
            "text",
            "一段文字怎样变成词元：编号、词元、字节、在训练文本里出现的次数"};
    }
    void declare(Options&) override {}

    int run(const std::vector<std::string>& words, const Options&, Language language) override {
        if (words.empty())
            fail_usage_english("expected a run folder or a vocabulary.txt: zhuyi tokens RUN 文字");
        if (words.size() > 2)
            fail_usage_english("expected one text, found " + words[2] +
                               " behind it; put quotes around a text with spaces");
        const bool from_input = words.size() < 2 || words[1] == "-";
        const std::unique_ptr<Tokenizer> tokenizer = read_tokenizer(words[0]);
        const std::string text = from_input ? read_file("/dev/stdin") : words[1];
        std::vector<Row> rows = {language == Language::chinese
                                     ? Row{"编号", "词元", "字节", "次数"}
                                     : Row{"id", "token", "bytes", "count"}};
        for (const Token token : tokenizer->encode(text))
            rows.push_back({std::to_string(token), tokenizer->name(token),
                            hexadecimal(tokenizer->bytes(token)),
                            grouped(tokenizer->count(token))});
        print(table_of(rows));
        return 0;
    }
};

}  // namespace

std::unique_ptr<Command> tokens_command() { return std::make_unique<TokensCommand>(); }

}  // namespace zhuyi
