#include <algorithm>
#include <iostream>

#include "app/command.h"
#include "app/open_run.h"
#include "base/check.h"
#include "base/format.h"
#include "base/parallel.h"
#include "generate/generate.h"
#include "generate/novelty.h"
#include "system/output.h"
#include "system/printable.h"
#include "system/terminal.h"
#include "text/corpus.h"
#include "text/text_stream.h"
#include "text/utf8.h"

namespace zhuyi {
namespace {

class SampleCommand : public Command {
  public:
    SampleCommand()
        : Command("sample", "RUN [--prompt 文字] [--tokens 200] [--temperature 0.8] …",
                  {"continue a text", "续写一段文字"}) {}

    void declare(Options& options) override {
        options.group({"sample", "续写"});
        options.add("prompt", prompt_, "",
                    {"the beginning; none: where a document begins", "开头；不写则从新的一篇开始"});
        options.add("tokens", tokens_, "tokens",
                    {"at most so many; a document's end ends it sooner",
                     "最多生成多少个 token；文档结束时提前停止"});
        options.add("count", count_, "",
                    {"so many continuations, four of them at a time", "生成几段，每四段同时生成"},
                    1, 1 << 20);
        options.add(
            "interactive", interactive_,
            {"type a beginning, get a continuation, again", "输入开头，得到续写，反复进行"});
        options.add("novelty", novelty_,
                    {"write 20 texts, show none of them, and say how much of them is copied from "
                     "the training text",
                     "续写 20 段，不显示，只统计其中有多少是从训练文本里照抄的"});
        options.add("cache", cache_,
                    {"no KV cache: slower, the same text", "不用 KV 缓存：较慢，文本相同"});
        declare_checkpoint(options, checkpoint_);
        declare_silence(options, silence_);
        declare_threads(options, threads_);
        zhuyi::declare(options, sampler_);
    }

    int run(const std::vector<std::string>& words, const Options&, Language language) override {
        const std::string& path =
            only_word(words, kOneRun, "zhuyi sample runs/stories --prompt 小沈阳");
        if (const auto fault = utf8::first_error(prompt_))
            fail_usage(
                {"--prompt is not UTF-8 at its byte %td", "--prompt 的第 %td 个字节不是 UTF-8"},
                fault->offset);
        set_thread_count(int(threads_));
        const LoadedRun run = open_run(path, checkpoint_, language, silence_);
        if (novelty_) {
            check_text_exists(run.config.text.data);
            const Corpus corpus = Corpus::read(run.config.text);
            const Novelty found = novelty(*run.model, *run.tokenizer, corpus, sampler_, tokens_);
            print(novelty_text(found).in(language));
            return 0;
        }
        if (interactive_) return converse(run, language);
        for (Index i = 0; i < count_; i += kAtOnce)
            write(run, prompt_, i, std::min(kAtOnce, count_ - i));
        return 0;
    }

  private:
    // Continuations that are made together: each weight is fetched once for all of them.
    static constexpr Index kAtOnce = 4;

    // The first one is seen as it comes, the others when all are written.
    void write(const LoadedRun& run, const std::string& prompt, Index number, Index texts) const {
        const bool person = terminal(1).interactive;  // gets symbols for control characters
        const auto show = [&](const std::string& text) { print(person ? printable(text) : text); };
        const auto head = [&](Index text) {
            const Index shown = number + text;
            return (count_ > 1 ? format("%s[%td]\n", shown ? "\n" : "", shown + 1) : "") + prompt;
        };
        std::vector<TextStream> streams(static_cast<std::size_t>(texts));
        std::vector<std::string> written(streams.size());
        const auto add = [&](Index text, const std::string& more) {
            text == 0 ? show(more) : void(written[std::size_t(text)] += more);
        };
        for (Index text = 0; text < texts; ++text) add(text, head(text));
        const Continuation wish{tokens_, run.tokenizer->end_of_text(), std::uint64_t(number),
                                texts};
        generate(
            *run.model, run.tokenizer->encode(prompt), sampler_, wish,
            [&](Index text, Token token) {
                add(text, streams[std::size_t(text)].push(run.tokenizer->bytes(token)));
                return true;
            },
            cache_ ? Reader::Cache::on : Reader::Cache::off);
        for (Index text = 0; text < texts; ++text) {
            add(text, streams[std::size_t(text)].finish() + "\n");
            show(written[std::size_t(text)]);
        }
    }

    int converse(const LoadedRun& run, Language language) const {
        const bool person = terminal(2).interactive;
        const auto ask = [&](Words words) { tell(words.in(language)); };
        if (person)
            ask({"Type a beginning; an empty line or Ctrl-D ends.\n",
                 "输入开头，回车续写；空行或 Ctrl-D 结束。\n"});
        std::string line;
        for (Index number = 0;; ++number) {
            if (person) tell("> ");
            if (!std::getline(std::cin, line) || line.empty()) return 0;
            if (utf8::first_error(line)) {
                ask({"this line is not UTF-8\n", "这一行不是 UTF-8\n"});
                continue;
            }
            write(run, line, number, 1);
        }
    }

    std::string prompt_, checkpoint_ = "best", silence_;
    Index tokens_ = 200, count_ = 1, threads_ = 0;
    bool novelty_ = false, interactive_ = false, cache_ = true;
    SamplerConfig sampler_;
};

}  // namespace

std::unique_ptr<Command> sample_command() { return std::make_unique<SampleCommand>(); }

}  // namespace zhuyi
