// One small file per command. A command binds its options to its own fields and does one thing.
// app/command_line.cpp parses the command line and calls the command; main.cpp catches errors.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/language.h"
#include "system/options.h"

namespace zhuyi {

class Command {
  public:
    // usage: what follows the name: "RUN [--prompt 文字] …"; summary: one line.
    Command(const char* name, const char* usage, Words summary)
        : name_(name), usage_(usage), summary_(summary) {}
    virtual ~Command() = default;

    const char* name() const { return name_; }
    const char* usage() const { return usage_; }
    Words summary() const { return summary_; }
    virtual void declare(Options& /*options*/) {}

    // Called with the positional words before the command line's options are applied, so that a
    // configuration file named there gives defaults that options override.
    virtual void prepare(const std::vector<std::string>& /*words*/, Options& /*options*/) {}

    // Returns the exit code; throws Error or UsageError.
    virtual int run(const std::vector<std::string>& words, const Options& options) = 0;

  protected:
    // The word of a command line that has only one: "a RUN". UsageError, with the example, when
    // there are none or several.
    const std::string& only_word(const std::vector<std::string>& words, Words what,
                                 const char* example) const {
        if (words.size() != 1)
            fail_usage({"%s takes %s: %s", "%s 需要%s：%s"}, name_, what, example);
        return words[0];
    }

  private:
    const char *name_, *usage_;
    Words summary_;
};

inline constexpr Words kOneRun = {"one RUN", "一个训练目录"};

// Each in its own file src/app/<name>.cpp.
std::unique_ptr<Command> train_command();
std::unique_ptr<Command> compare_command();
std::unique_ptr<Command> sample_command();
std::unique_ptr<Command> eval_command();
std::unique_ptr<Command> attend_command();
std::unique_ptr<Command> probe_command();
std::unique_ptr<Command> params_command();
std::unique_ptr<Command> tokens_command();
std::unique_ptr<Command> data_command();
std::unique_ptr<Command> neighbors_command();
std::unique_ptr<Command> watch_command();
std::unique_ptr<Command> report_command();
std::unique_ptr<Command> bench_command();
std::unique_ptr<Command> explain_command();
std::unique_ptr<Command> course_command();
std::unique_ptr<Command> export_command();
std::unique_ptr<Command> import_command();
std::unique_ptr<Command> step_command();
std::unique_ptr<Command> verify_command();
std::unique_ptr<Command> runs_command();

// ---- the command line
//
//     zhuyi COMMAND words and options in any order (system/options.h)
//     --help, --version, --lang zh|en         anywhere

using CommandFactory = std::unique_ptr<Command> (*)();

// `arguments` without the program's name. Returns the exit code; throws what the command throws.
int run_command_line(const std::vector<std::string>& arguments,
                     std::span<const CommandFactory> commands);

}  // namespace zhuyi
