// How a sheet leaves the program: the options of its paper, and the writing.
#pragma once
#include "formats/sheet.h"
#include "system/options.h"

namespace zhuyi {

class SheetOutput {
  public:
    void declare(Options& options);
    void write(const Sheet& sheet, Language language) const;  // to stdout
    // A person at a terminal who did not ask for everything sees a part first.
    bool wants_all() const { return full_ || format_ != Format::terminal; }

  private:
    enum class Format { terminal, html, markdown, json };
    Format format_ = Format::terminal;
    Index width_ = 0;
    bool full_ = false;
};

}  // namespace zhuyi
