#include <algorithm>
#include <iostream>

#include "app/command.h"
#include "app/shared.h"
#include "base/check.h"
#include "base/format.h"
#include "base/parallel.h"
#include "base/utf8.h"
#include "formats/sheet_format.h"
#include "generate/generate.h"
#include "generate/novelty.h"
#include "system/input_file.h"
#include "system/printable.h"
#include "system/terminal.h"
#include "text/corpus.h"
#include "text/tokenizer.h"

namespace zhuyi {
namespace {

class SampleCommand : public Command {
  public:
    SampleCommand()
        : Command("sample", "RUN [--prompt 文字] [--tokens 200] [--temperature 0.8] …",
                  {"continue a text", "续写一段文字"}) {}

    void declare(Options& options) override {
        options.group({"sample", "续写"});
        options.add("prompt", wish_.prompt, "",
                    {"the beginning; without it the model begins a new document",
                     "开头；不写则从新的一篇开始"});
        options.add("prompt_file", prompt_file_, "",
                    {"a file with the beginning (its last line break is left out)",
                     "从文件读开头（去掉末尾的换行）"});
        zhuyi::declare(options, wish_);
        options.add("count", count_, "",
                    {"how many continuations to write; four are written at a time",
                     "生成几段，每四段同时生成"},
                    1, 1 << 20);
        options.add(
            "interactive", interactive_,
            {"type a beginning, get a continuation, again", "输入开头，得到续写，反复进行"});
        options.add("novelty", novelty_,
                    {"write 20 texts, show none of them, and say how much of them is copied from "
                     "the training text",
                     "续写 20 段，不显示，只统计其中有多少是从训练文本里照抄的"});
        options.add("json", json_,
                    {"print a line of JSON for each continuation: text, tokens, log-probabilities",
                     "每段续写输出一行 JSON：文字、token、对数概率"});
        options.add("cache", wish_.cached,
                    {"write without the KV cache: slower, but the same text",
                     "不用 KV 缓存：较慢，文本相同"});
        declare_checkpoint(options, checkpoint_);
        declare_silence(options, silence_);
        declare_threads(options, threads_);
        zhuyi::declare(options, sampler_);
    }

    int run(const std::vector<std::string>& words, const Options&) override {
        const std::string& path =
            only_word(words, kOneRun, "zhuyi sample runs/village --prompt 小沈阳");
        read_prompt();
        for (const std::string& stop : wish_.stops) require_utf8(stop, "--stop");
        set_thread_count(int(threads_));
        const LoadedRun run = open_run(path, checkpoint_, silence_);
        run.model->lay_out(wish_.precision);
        wish_.log_probabilities = json_;
        if (novelty_) {
            check_text_exists(run.config.text.data);
            const Novelty found = novelty(*run.model, *run.tokenizer, Corpus::read(run.config.text),
                                          sampler_, wish_.tokens, wish_.precision);
            print(sheet_as_terminal(novelty_sheet(found), {}));
            return 0;
        }
        if (interactive_) return converse(run);
        for (Index i = 0; i < count_; i += kAtOnce) write(run, i, std::min(kAtOnce, count_ - i));
        return 0;
    }

  private:
    // Continuations that are made together: each weight is fetched once for all of them.
    static constexpr Index kAtOnce = 4;

    void read_prompt() {
        if (prompt_file_.empty()) return require_utf8(wish_.prompt, "--prompt");
        if (!wish_.prompt.empty())
            fail_usage({"--prompt and --prompt-file are both given; one beginning is wanted",
                        "--prompt 和 --prompt-file 只能给一个"});
        wish_.prompt = read_stream(prompt_file_);
        for (const char end : {'\n', '\r'})
            if (wish_.prompt.ends_with(end)) wish_.prompt.pop_back();
        require_utf8(wish_.prompt, printable(prompt_file_));
    }

    // The first one is seen as it comes, the others when all are written.
    void write(const LoadedRun& run, Index number, Index texts) {
        if (number == 0 || interactive_) tell_unseen(*run.tokenizer, wish_.prompt);
        const auto show = [&](const std::string& text) {
            if (!json_) print(text);
        };
        const auto head = [&](Index text) {
            const Index shown = number + text;
            return (count_ > 1 ? format("%s[%td]\n", shown ? "\n" : "", shown + 1) : "") +
                   wish_.prompt;
        };
        show(head(0));
        wish_.place = std::uint64_t(number), wish_.texts = texts;
        const std::vector<Written> all = write_texts(*run.model, *run.tokenizer, sampler_, wish_,
                                                     [&](Index text, const std::string& more) {
                                                         if (text == 0) show(more);
                                                     });
        show("\n");
        for (Index text = 1; text < texts; ++text)
            show(head(text) + all[std::size_t(text)].text + "\n");
        for (const Written& one : all)
            if (json_) print(json_of(one, wish_.prompt, *run.tokenizer).write() + "\n");
    }

    int converse(const LoadedRun& run) {
        const bool person = terminal(2).interactive;
        const auto ask = [&](Words words) { tell(say(words)); };
        if (person)
            ask({"Type a beginning; an empty line or Ctrl-D ends.\n",
                 "输入开头，回车续写；空行或 Ctrl-D 结束。\n"});
        for (Index number = 0;; ++number) {
            if (person) tell("> ");
            if (!std::getline(std::cin, wish_.prompt) || wish_.prompt.empty()) return 0;
            if (utf8::first_error(wish_.prompt)) {
                ask({"this line is not UTF-8\n", "这一行不是 UTF-8\n"});
                continue;
            }
            write(run, number, 1);
        }
    }

    std::string prompt_file_, checkpoint_ = "best", silence_;
    Index count_ = 1, threads_ = 0;
    bool novelty_ = false, interactive_ = false, json_ = false;
    Writing wish_;
    SamplerConfig sampler_;
};

}  // namespace

std::unique_ptr<Command> sample_command() { return std::make_unique<SampleCommand>(); }

}  // namespace zhuyi
