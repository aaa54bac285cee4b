#include "app/command.h"
#include "app/shared.h"
#include "attention/pictures.h"
#include "base/check.h"
#include "base/format.h"
#include "base/parallel.h"
#include "film/history.h"
#include "run/report.h"
#include "run/run_folder.h"
#include "system/atomic_file.h"
#include "system/printable.h"
#include "system/terminal.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace zhuyi {
namespace {

using Color = std::optional<Colours>;  // nothing means what the terminal can do

class AttendCommand : public Command {
  public:
    AttendCommand()
        : Command("attend",
                  "RUN --text 文字 [--layer 0 --head 2|mean] [--step N] [--format "
                  "npy|csv|json|svg|html --out FILE]",
                  {"show where each character of a text looks", "看一段文字里每个字在看哪里"}) {}

    void declare(Options& options) override {
        options.group({"attention", "注意力"});
        options.add("text", text_, "", {"what the model reads", "让模型读的文字"});
        options.add("layer", layer_, "",
                    {"which block, counted from 0; without it all blocks",
                     "第几层，从 0 数起；不写则全部"});
        options.add("head", head_, "",
                    {"which head, counted from 0, or mean (of all heads); without it all heads",
                     "第几个头，从 0 数起，或 mean（各头平均）；不写则全部"});
        options.choice<OutputKind>(
            "format", format_,
            {{"terminal", OutputKind::text},
             {"npy", OutputKind::npy},
             {"csv", OutputKind::csv},
             {"json", OutputKind::json},
             {"svg", OutputKind::svg},
             {"html", OutputKind::html}},
            {"terminal, svg and html are pictures; npy, csv and json hold the numbers [L, H, T, T] "
             "for programs",
             "输出格式：terminal、svg、html 给人看，npy、csv、json 给程序读 [L, H, T, T]"});
        options.add("step", step_, "",
                    {"show the attention at this step of the training; only for sentences that the "
                     "history recorded",
                     "显示第 N 步时的注意力；只限训练回放记录过的句子"});
        options.add("out", out_, "",
                    {"write to this file instead of the terminal", "写进这个文件，不写到终端"});
        options.add("force", force_, kForce);
        options.choice<Color>(
            "color", color_,
            {{"auto", {}},
             {"always", Colours::direct},
             {"256", Colours::palette},
             {"never", Colours::none}},
            {"auto: what the terminal can do; always: 24 bits; never: percentages",
             "auto：终端有多少色用多少；always：24 位色；never：只写百分比"});
        declare_checkpoint(options, checkpoint_);
        declare_silence(options, silence_);
        declare_threads(options, threads_);
    }

    int run(const std::vector<std::string>& words, const Options&) override {
        const std::string& run =
            only_word(words, {"one RUN and a text", "一个训练目录和一段文字"},
                      "zhuyi attend runs/village --text 小沈阳江西演唱会邀请了，");
        if (format_ == OutputKind::npy && out_.empty())
            fail_usage(
                {"--format npy is a binary file with its tokens beside it and needs a name: "
                 "--out FILE.npy (csv and json can go to the terminal)",
                 "--format npy 是二进制文件，旁边还有一个写着 token 的文件，需要文件名："
                 "--out FILE.npy（csv 和 json 可以写到终端）"});
        if (!out_.empty()) check_output(out_, format_, force_);
        if (format_ == OutputKind::npy)
            check_output(out_ + ".tokens.json", OutputKind::json, force_);
        set_thread_count(int(threads_));
        AttentionMaps maps = step_.empty() ? of_checkpoint(run) : of_film(run);
        if (!layer_.empty()) maps = one_block(maps, block_number(layer_, maps.blocks.count()));
        if (head_ == "mean")
            maps = head_of(maps, kMeanHead);
        else if (!head_.empty())
            maps = head_of(maps,
                           head_number(head_, maps.heads.count(), say({", or mean", "，或 mean"})));
        write(maps);
        return 0;
    }

  private:
    AttentionMaps of_checkpoint(const std::string& path) const {
        const LoadedRun run = open_run(path, checkpoint_, silence_);
        tell_unseen(*run.tokenizer, text_);
        return attention_maps(
            *run.model, *run.tokenizer,
            typed_text(*run.tokenizer, text_, run.config.model.context, "--text"));
    }
    AttentionMaps of_film(const std::string& path) const {
        const Index step = whole_number(step_, "step", say({"a number", "一个数"}));
        const std::unique_ptr<Tokenizer> tokenizer = read_tokenizer_of({path});
        const auto [film, damage] = read_history_of({path}, tokenizer->size());
        tell(damage);
        return recorded_maps(film, *tokenizer, text_, step);
    }

    void write(const AttentionMaps& maps) const {
        if (format_ == OutputKind::npy) return write_npy_and_tokens(maps, out_);
        if (out_.empty())
            return write_to(maps, picture().colours == Colours::none ? print : print_coloured);
        AtomicFile file(out_);
        write_to(maps, [&file](std::string_view piece) { file.write(piece); });
        file.commit();
    }

    void write_to(const AttentionMaps& maps, const Sink& sink) const {
        if (format_ == OutputKind::csv) return write_csv(maps, sink);
        if (format_ == OutputKind::json) return write_json(maps, sink);
        if (format_ == OutputKind::svg) return sink(attention_svg(maps));
        if (format_ == OutputKind::html) return sink(attention_html(maps));
        sink(drawing(maps, picture()));
    }

    Picture picture() const {
        const Terminal screen = terminal(1);
        const Colours automatic = out_.empty() ? screen.colours : Colours::none;
        return {color_.value_or(automatic), screen.width};
    }

    std::string text_, step_, layer_, head_, out_, checkpoint_ = "best", silence_;
    Index threads_ = 0;
    bool force_ = false;
    OutputKind format_ = OutputKind::text;
    Color color_;
};

}  // namespace

std::unique_ptr<Command> attend_command() { return std::make_unique<AttendCommand>(); }

}  // namespace zhuyi
