// The options of a command that prints a sheet, and the printing.
#pragma once
#include "formats/sheet.h"
#include "system/options.h"

namespace zhuyi {

class SheetOutput {
  public:
    void declare(Options& options);
    void declare_format(Options& options);  // for sheets without a matrix: there is nothing to cut
    void write(const Sheet& sheet) const;   // to stdout

    bool for_terminal() const { return format() == Format::terminal; }
    bool for_program() const { return format() == Format::csv || format() == Format::json; }
    // A person at a terminal who did not ask for everything sees a part first.
    bool wants_all() const { return full_ || !for_terminal(); }

  private:
    enum class Format { terminal, markdown, html, csv, json };
    Format format() const { return json_ ? Format::json : format_; }
    Format format_ = Format::terminal;
    bool json_ = false;
    Index width_ = 0;
    bool full_ = false;
};

}  // namespace zhuyi
