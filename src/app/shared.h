// What several commands share: their options, opening a run, and printing a sheet.
#pragma once
#include <string>

#include "base/language.h"
#include "formats/sheet.h"
#include "run/loaded_run.h"
#include "system/options.h"

namespace zhuyi {

class Tokenizer;

void declare_threads(Options& options, Index& threads);
void declare_checkpoint(Options& options, std::string& which);
void declare_silence(Options& options, std::string& parts);

// Loads a run as load_run does (run/loaded_run.h). `silence`: parts of the model that are silenced
// ("2.3,1.ffn"). A warning goes to stderr where another checkpoint had to be taken than was asked
// for.
LoadedRun open_run(const std::string& path, const std::string& which,
                   const std::string& silence = "");

// Says on stderr which characters of a typed text the training text never had (unseen_text).
void tell_unseen(const Tokenizer& tokenizer, std::string_view text);

// Returns the text of --`option` as a whole number. Throws UsageError, with what was expected, if
// it is none.
Index whole_number(const std::string& text, const char* option, const std::string& expected);
// Of --layer and --head. Throws UsageError that says which numbers there are; `or_else`: what the
// option takes besides.
Index block_number(const std::string& text, Index blocks);
Index head_number(const std::string& text, Index heads, const std::string& or_else = "");

// The options of a command that prints a sheet, and the printing.
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
