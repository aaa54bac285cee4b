#include <cmath>

#include "app/command.h"
#include "app/sheet_output.h"
#include "base/check.h"
#include "base/format.h"
#include "film/history.h"
#include "film/push_sheet.h"
#include "run/run_folder.h"
#include "system/output.h"
#include "system/terminal.h"
#include "text/typed_text.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace zhuyi {
namespace {

double cosine(const std::vector<double>& a, const std::vector<double>& b) {
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        ab += a[i] * b[i], aa += a[i] * a[i], bb += b[i] * b[i];
    return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

class WatchCommand : public Command {
  public:
    WatchCommand()
        : Command("watch", "RUN --token 小 [--why [--towards 大]]",
                  {"what a character's embedding went through while the model learned",
                   "一个字的词向量在训练中怎样变化"}) {}

    void declare(Options& options) override {
        options.group({"watch", "观察"});
        options.add("token", token_, "", {"the character", "要观察的字"});
        options.add("components", components_, "",
                    {"how many components of the embedding to show", "显示词向量的前几个分量"}, 0,
                    100000);
        options.group({"why", "为什么"});
        options.add("why", why_,
                    {"which contexts pushed the embedding, over the whole training",
                     "整个训练中，是哪些上下文推动了这个词向量"});
        options.add("towards", towards_, "",
                    {"with --why: towards which characters; none: its nearest ones at the end",
                     "与 --why 同用：朝着哪些字；不写则取最后离它最近的几个"});
        output_.declare(options);
    }
    int run(const std::vector<std::string>& words, const Options& options,
            Language language) override {
        if (words.size() != 1 || !options.was_set("token"))
            fail_usage({"watch takes one RUN and a character: zhuyi watch runs/stories --token 小",
                        "watch 需要一个训练目录和一个字：zhuyi watch runs/stories --token 小"});
        const std::unique_ptr<Tokenizer> tokenizer = read_tokenizer_of({words[0]});
        const auto [film, damage] = read_history_of({words[0]}, tokenizer->size());
        tell(damage.in(language));
        const Token token = single_token(*tokenizer, token_);
        if (why_) {
            std::vector<Token> towards;
            for (const std::string_view character : utf8::Characters(towards_))
                towards.push_back(single_token(*tokenizer, character));
            output_.write(push_sheet(film, *tokenizer, token, towards), language);
            return 0;
        }
        for (const char* name : {"towards", "format", "full", "width"})
            if (options.was_set(name))
                fail_usage({"--%s belongs to --why", "--%s 要与 --why 同用"}, name);
        const Index row = watched_place(film, *tokenizer, token);
        print(heading(tokenizer->name(token), film, language));
        const std::vector<double> start = film.embedding(film.frames.front(), row);
        for (const Frame& frame : film.frames) print(line(film, frame, row, start));
        return 0;
    }

  private:
    Index shown(const History& film) const {
        return std::min(components_, Index(film.embedding(film.frames.front(), 0).size()));
    }

    std::string heading(const std::string& name, const History& film, Language language) const {
        std::string text =
            say({"E[%s] at each frame: ‖ΔE‖ from the last frame; from start: from step 0; met: "
                 "times read\n"
                 "in the batches since the last frame; cosine to the start; the norm of this "
                 "step's "
                 "gradient from\n"
                 "being looked up and from the tied head; first components\n\n",
                 "E[%s]，每一帧：\n"
                 "‖ΔE‖      与上一帧的距离\n"
                 "离初始值  与第 0 步的距离\n"
                 "出现      从上一帧起在批次里出现的次数\n"
                 "余弦      与第 0 步的余弦相似度\n"
                 "查表      这一步的梯度中，作为输入被查表的部分的范数\n"
                 "输出层    这一步的梯度中，来自输出层（共享权重）的部分的范数\n"
                 "E[0]…     前几个分量\n\n"},
                name)
                .in(language);
        constexpr std::pair<Words, int> kColumns[] = {
            {{"step", "步"}, 8},     {{"‖ΔE‖", "‖ΔE‖"}, 10},  {{"from start", "离初始值"}, 12},
            {{"met", "出现"}, 8},    {{"cosine", "余弦"}, 9}, {{"lookup", "查表"}, 10},
            {{"head", "输出层"}, 10}};
        for (const auto& [word, width] : kColumns) text += fit_right(word.in(language), width);
        for (Index c = 0; c < shown(film); ++c) text += fit_right(format("E[%td]", c), 9);
        return text + "\n";
    }

    std::string line(const History& film, const Frame& frame, Index row,
                     const std::vector<double>& start) const {
        const auto i = std::size_t(row);
        const auto at = [&](const char* name) {
            return film.numbers(frame, std::string("watched.") + name)[i];
        };
        const std::vector<double> now = film.embedding(frame, row);
        std::string text = format("%8td%10.4f%12.4f%8u%9.4f%10.2e%10.2e", frame.step,
                                  at("from_last"), at("from_start"), unsigned(at("met")),
                                  cosine(now, start), at("lookup"), at("head"));
        for (Index c = 0; c < shown(film); ++c) text += format("%9.4f", now[std::size_t(c)]);
        return text + "\n";
    }

    std::string token_, towards_;
    Index components_ = 4;
    bool why_ = false;
    SheetOutput output_;
};

}  // namespace

std::unique_ptr<Command> watch_command() { return std::make_unique<WatchCommand>(); }

}  // namespace zhuyi
