#include <cmath>

#include "app/command.h"
#include "base/check.h"
#include "base/format.h"
#include "film/watched.h"
#include "run/run_folder.h"
#include "system/output.h"
#include "system/terminal.h"
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
    const char* name() const override { return "watch"; }
    const char* usage() const override { return "RUN --token 小"; }
    Words summary() const override {
        return {"what a character's embedding went through while the model learned",
                "训练中一个字的词向量经历了什么"};
    }
    void declare(Options& options) override {
        options.group({"watch", "追踪"});
        options.add("token", token_, "", {"the character", "要追踪的字"});
        options.add("components", components_, "",
                    {"how many components of the embedding to show", "显示词向量的前几个分量"}, 0,
                    100000);
    }
    int run(const std::vector<std::string>& words, const Options& options,
            Language language) override {
        if (words.size() != 1 || !options.was_set("token"))
            fail_usage_english(
                "watch takes one RUN and a character: zhuyi watch runs/stories --token 小");
        const std::unique_ptr<Tokenizer> tokenizer = read_tokenizer(words[0]);
        const History film =
            read_history(RunFolder{words[0]}.history().string(), tokenizer->size());
        const Token token = single_token(*tokenizer, token_);
        const Index place = watched_place(film, *tokenizer, token);
        print(heading(tokenizer->name(token), film, language));
        const std::vector<double> start = film.embedding(film.frames.front(), place);
        for (const Frame& frame : film.frames) print(line(film, frame, place, start));
        return 0;
    }

  private:
    Index shown(const History& film) const {
        return std::min(components_, Index(film.embedding(film.frames.front(), 0).size()));
    }

    std::string heading(const std::string& name, const History& film, Language language) const {
        const bool zh = language == Language::chinese;
        std::string text =
            zh ? "E[" + name +
                     "]，每一帧：‖ΔE‖ 离上一帧、离起点的距离；在批次里出现的次数；与起点的余弦；\n"
                     "这一步的梯度中来自查表（前向读到它）和来自输出头（共享权重）的长度；前几个分"
                     "量\n\n"
               : "E[" + name +
                     "] at each frame: ‖ΔE‖ from the last frame and from the start; times met in "
                     "the\n"
                     "batches; cosine to the start; the length of this step's gradient from being "
                     "looked up and\n"
                     "from the tied head; first components\n\n";
        const auto cell = [](const char* word, int width) { return fit_right(word, width); };
        text += cell(zh ? "步" : "step", 8) + cell("‖ΔE‖", 10) +
                cell(zh ? "离起点" : "from start", 12) + cell(zh ? "出现" : "met", 8) +
                cell(zh ? "余弦" : "cosine", 9) + cell(zh ? "查表" : "lookup", 10) +
                cell(zh ? "输出头" : "head", 10);
        for (Index c = 0; c < shown(film); ++c) text += cell(format("E[%td]", c).c_str(), 9);
        return text + "\n";
    }

    std::string line(const History& film, const Frame& frame, Index place,
                     const std::vector<double>& start) const {
        const auto i = std::size_t(place);
        const auto at = [&](const char* name) {
            return film.numbers(frame, std::string("watched.") + name)[i];
        };
        const std::vector<double> now = film.embedding(frame, place);
        std::string text = format("%8td%10.4f%12.4f%8u%9.4f%10.2e%10.2e", frame.step,
                                  at("from_last"), at("from_start"), unsigned(at("met")),
                                  cosine(now, start), at("lookup"), at("head"));
        for (Index c = 0; c < shown(film); ++c) text += format("%9.4f", now[std::size_t(c)]);
        return text + "\n";
    }

    std::string token_;
    Index components_ = 4;
};

}  // namespace

std::unique_ptr<Command> watch_command() { return std::make_unique<WatchCommand>(); }

}  // namespace zhuyi
