#include "app/sheet_output.h"

#include "formats/sheet_format.h"
#include "system/terminal.h"

namespace zhuyi {

void SheetOutput::declare_format(Options& options) {
    options.group({"paper", "输出格式"});
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
                {"shown of a long row; 0: what fits a line",
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
