#include "app/shared.h"

#include "base/check.h"
#include "base/format.h"
#include "base/parallel.h"
#include "formats/sheet_format.h"
#include "model/gpt.h"
#include "probe/ask.h"
#include "system/printable.h"
#include "system/terminal.h"
#include "text/tokenizer.h"

namespace zhuyi {

void declare_threads(Options& options, Index& threads) {
    options.add("threads", threads, "",
                {"how many threads work; 0: one for each processor", "线程数；0 表示全部处理器"}, 0,
                kMostThreads);
}

void declare_checkpoint(Options& options, std::string& which) {
    options.add("checkpoint", which, "",
                {"which weights to take: last, best, first or a file",
                 "用哪一份权重：last、best、first 或一个文件"});
    options.never_empty();
}

void declare_silence(Options& options, std::string& parts) {
    options.add("silence", parts, "",
                {"heads and FFNs to switch off (their output becomes 0), with commas between them: "
                 "2.3 is head 3 of block 2, 1.ffn is the FFN of block 1",
                 "关掉哪些头和 FFN（输出设为 0）：2.3 是第 2 层的头 3，1.ffn 是第 1 层的 "
                 "FFN；用半角逗号隔开"});
}

LoadedRun open_run(const std::string& path, const std::string& which, const std::string& silence) {
    LoadedRun run = load_run(path, which);
    if (!silence.empty()) {
        const GptConfig& config = run.config.model;
        run.watcher = std::make_unique<Silence>(parse_parts(silence, config, "--silence"), config);
        run.model->watch(*run.watcher);
    }
    tell(warning_of(run.checkpoint));
    if (!run.doubt.empty())
        tell(say({"zhuyi: warning: %s: %s\n", "zhuyi：警告：%s：%s\n"},
                 printable(run.checkpoint.file), run.doubt));
    return run;
}

void tell_unseen(const Tokenizer& tokenizer, std::string_view text) {
    const std::string unseen = unseen_text(tokenizer, text);
    if (!unseen.empty()) tell(say({"zhuyi: %s\n", "zhuyi：%s\n"}, unseen));
}

Index whole_number(const std::string& text, const char* option, const std::string& expected) {
    const std::optional<Index> value = parse_integer(text);
    if (!value)
        fail_usage({"--%s: expected %s, found %s", "--%s：应该是%s，却是 %s"}, option, expected,
                   in_quotes(text));
    return *value;
}

Index block_number(const std::string& text, Index blocks) {
    return whole_number(text, "layer",
                        say({"a block's number, 0 to %td", "层的编号，0 到 %td"}, blocks - 1));
}

Index head_number(const std::string& text, Index heads, const std::string& or_else) {
    return whole_number(
        text, "head",
        say({"a head's number, 0 to %td%s", "头的编号，0 到 %td%s"}, heads - 1, or_else));
}

void SheetOutput::declare_format(Options& options) {
    options.group({"output", "输出格式"});
    options.choice<Format>("format", format_,
                           {{"terminal", Format::terminal},
                            {"markdown", Format::markdown},
                            {"html", Format::html},
                            {"csv", Format::csv},
                            {"json", Format::json}},
                           {"csv and json hold every number uncut and unrounded",
                            "csv 和 json 里每个数都不截断、不四舍五入"});
    options.add("json", json_, {"the same as --format json", "与 --format json 相同"});
}

void SheetOutput::declare(Options& options) {
    declare_format(options);
    options.add("width", width_, "",
                {"how many numbers of a long row are shown; 0: as many as fit a line",
                 "长的一行显示几个数；0 表示放得下多少就显示多少"});
    options.add("full", full_, {"cut nothing", "全部显示，不截断"});
}

void SheetOutput::write(const Sheet& sheet) const {
    const Terminal screen = terminal(1);
    const SheetStyle style{width_, full_, screen.width, screen.colours};
    switch (format()) {
        case Format::terminal:
            return screen.colours == Colours::none
                       ? print(sheet_as_terminal(sheet, style))
                       : print_coloured(sheet_as_terminal(sheet, style));
        case Format::html:
            return print(sheet_as_html(sheet, style));
        case Format::markdown:
            return print(sheet_as_markdown(sheet, style));
        case Format::csv:
            return print(sheet_as_csv(sheet));
        case Format::json:
            return print(sheet_as_json(sheet));
    }
}

}  // namespace zhuyi
