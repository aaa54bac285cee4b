#include "app/command.h"
#include "app/shared.h"
#include "base/check.h"
#include "base/format.h"
#include "base/grid.h"
#include "base/utf8.h"
#include "film/history.h"
#include "run/report.h"
#include "run/run_folder.h"
#include "system/terminal.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace zhuyi {
namespace {

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
                    {"with --why: towards which characters; without it towards those that are "
                     "nearest at the end",
                     "与 --why 同用：看它是怎样靠近这些字的；不写则取最后离它最近的几个"});
        output_.declare(options);
    }
    int run(const std::vector<std::string>& words, const Options& options) override {
        if (words.size() != 1 || !options.was_set("token"))
            fail_usage({"watch takes one RUN and a character: zhuyi watch runs/village --token 小",
                        "watch 需要一个训练目录和一个字：zhuyi watch runs/village --token 小"});
        const std::unique_ptr<Tokenizer> tokenizer = read_tokenizer_of({words[0]});
        const auto [film, damage] = read_history_of({words[0]}, tokenizer->size());
        tell(damage);
        const Token token = single_token(*tokenizer, token_);
        if (!why_ && options.was_set("towards"))
            fail_usage({"--towards belongs to --why", "--towards 要与 --why 同用"});
        std::vector<Token> towards;
        for (const std::string_view character : utf8::Characters(towards_))
            towards.push_back(single_token(*tokenizer, character));
        output_.write(why_ ? push_sheet(film, *tokenizer, token, towards)
                           : path_of(film, *tokenizer, token));
        return 0;
    }

  private:
    // A row for each frame.
    Sheet path_of(const History& film, const Tokenizer& tokenizer, Token token) const {
        const Index row = watched_place(film, tokenizer, token);
        const Numbers start = film.embedding(film.frames.front(), row);
        Sheet sheet{say({"E[%s] at each frame", "E[%s]，每一帧"}, tokenizer.name(token))};
        Sheet::Table& words = sheet.list("columns", {""});
        words.reader = Sheet::Reader::person;
        words.add("‖ΔE‖", {say({"distance from the last frame", "与上一帧的距离"})});
        words.add({"from start", "离初始值"}, {say({"distance from step 0", "与第 0 步的距离"})});
        words.add({"met", "出现"}, {say({"times read in the batches since the last frame",
                                         "从上一帧起在批次里出现的次数"})});
        words.add({"cosine", "余弦"},
                  {say({"of the angle to the embedding at step 0", "与第 0 步的余弦相似度"})});
        words.add({"lookup", "查表"}, {say({"norm of this step's gradient from being looked up",
                                            "这一步的梯度中，作为输入被查表的部分的范数"})});
        words.add({"head", "输出层"},
                  {say({"norm of this step's gradient from the tied head",
                        "这一步的梯度中，来自输出层（共享权重）的部分的范数"})});
        words.add("E[0] …", {say({"first components", "前几个分量"})});
        std::vector<Sheet::Column> columns{{"step", {"step", "步"}},
                                           {"from_last", "‖ΔE‖"},
                                           {"from_start", {"from start", "离初始值"}},
                                           {"met", {"met", "出现"}},
                                           {"cosine", {"cosine", "余弦"}},
                                           {"lookup", {"lookup", "查表"}},
                                           {"head", {"head", "输出层"}}};
        for (Index c = 0; c < std::min(components_, start.count()); ++c)
            columns.push_back({format("embedding[%td]", c), format("E[%td]", c)});
        Sheet::Table& table = sheet.records("frames", columns);
        for (const Frame& frame : film.frames) {
            const auto at = [&](const char* name) {
                return film.numbers(frame, std::string("watched.") + name)[std::size_t(row)];
            };
            const auto scientific = [](double x) { return Sheet::Cell(x, format("%.2e", x)); };
            const Numbers now = film.embedding(frame, row);
            table.record({Sheet::Cell::exact(double(frame.step)),
                          Sheet::Cell::fixed(at("from_last"), 4),
                          Sheet::Cell::fixed(at("from_start"), 4), Sheet::Cell::exact(at("met")),
                          Sheet::Cell::fixed(cosine(now, start), 4), scientific(at("lookup")),
                          scientific(at("head"))});
            for (std::size_t c = 7; c < columns.size(); ++c)
                table.rows.back().cells.push_back(Sheet::Cell::fixed(now[c - 7], 4));
        }
        return sheet;
    }

    std::string token_, towards_;
    Index components_ = 4;
    bool why_ = false;
    SheetOutput output_;
};

}  // namespace

std::unique_ptr<Command> watch_command() { return std::make_unique<WatchCommand>(); }

}  // namespace zhuyi
