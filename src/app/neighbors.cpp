#include "attention/neighbors.h"

#include <algorithm>
#include "app/command.h"
#include "app/shared.h"
#include "base/arena.h"
#include "base/check.h"
#include "base/format.h"
#include "film/stream_list.h"
#include "run/report.h"
#include "system/terminal.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace zhuyi {
namespace {

class NeighborsCommand : public Command {
  public:
    NeighborsCommand()
        : Command("neighbors", "RUN 小 [--step all|STEP]",
                  {"which embeddings point the same way as a character's, now or over the training",
                   "哪些字的词向量与这个字方向相近：现在，或整个训练过程"}) {}

    void declare(Options& options) override {
        options.group({"neighbours", "近邻"});
        options.add("step", step_, "",
                    {"a recorded step, or all of them; without it the model of the checkpoint",
                     "某个记录过的步数，或 all（全部）；不写则看检查点里的模型"});
        options.add("count", count_, "", {"how many neighbours", "列出多少个近邻"}, 1, 1000);
        declare_checkpoint(options, checkpoint_);
        output_.declare_format(options);
    }
    int run(const std::vector<std::string>& words, const Options&) override {
        if (words.size() != 2)
            fail_usage(
                {"neighbors takes one RUN and one character: zhuyi neighbors runs/village 小",
                 "neighbors 要一个训练目录 RUN 和一个字：zhuyi neighbors runs/village 小"});
        output_.write(step_.empty() ? from_model(words[0], words[1])
                                    : from_film(words[0], words[1]));
        return 0;
    }

  private:
    Sheet from_model(const std::string& path, const std::string& character) const {
        const LoadedRun run = open_run(path, checkpoint_);
        const std::vector<Token> of{single_token(*run.tokenizer, character)};
        const std::vector<Token> candidates = possible_neighbours(*run.tokenizer);
        Workspace workspace;
        const Tensor E = run.parameters->tensor("embedding.token");
        // In a variable: in `for (… : nearest(…)[0])` the outer vector would be destroyed too
        // early.
        const auto found = nearest(E, of, candidates, count_, workspace);
        Sheet sheet{say(
            {"%s, step %td: neighbours of %s (cosine)", "%s，第 %td 步：%s 的近邻（余弦相似度）"},
            printable(run.checkpoint.file), run.checkpoint.step, run.tokenizer->name(of[0]))};
        Sheet::Table& table = sheet.records("neighbours", {{"token"}, {"cosine"}});
        for (const Neighbour& n : found[0])
            table.record({run.tokenizer->name(n.token), Sheet::Cell::fixed(n.cosine, 3)});
        return sheet;
    }

    Sheet from_film(const std::string& path, const std::string& character) const {
        const std::unique_ptr<Tokenizer> tokenizer = read_tokenizer_of({path});
        const auto [film, damage] = read_history_of({path}, tokenizer->size());
        tell(damage);
        const Token token = single_token(*tokenizer, character);
        const auto place = std::size_t(watched_place(film, *tokenizer, token));
        std::optional<Index> step;  // nothing means all
        if (step_ != "all")
            step = whole_number(step_, "step", say({"a number or all", "一个数或 all"}));
        const std::size_t count = std::size_t(std::min(count_, kNeighbours));
        Sheet sheet{
            say({"neighbours of %s (cosine)", "%s 的近邻（余弦相似度）"}, tokenizer->name(token))};
        std::vector<Sheet::Column> columns{{"step", {"step", "步"}}};
        for (std::size_t k = 0; k < count; ++k)
            for (const char* what : {"token", "cosine"})
                columns.push_back({format("neighbours[%zu].%s", k, what)});
        Sheet::Table& table = sheet.records("steps", columns);
        for (const Frame& frame : film.frames) {
            if (step && &frame != &film.frame_at(*step)) continue;
            table.record({{double(frame.step), std::to_string(frame.step)}});
            const HistoryNumbers tokens = film.numbers(frame, "watched.neighbours");
            const HistoryNumbers cosine = film.numbers(frame, "watched.cosine");
            std::vector<Sheet::Cell>& cells = table.rows.back().cells;
            for (std::size_t k = place * kNeighbours; k < place * kNeighbours + count; ++k)
                if (tokens[k] >= 0) {
                    cells.emplace_back(tokenizer->name(Token(tokens[k])));
                    cells.push_back(Sheet::Cell::fixed(cosine[k], 3));
                }
        }
        return sheet;
    }

    std::string step_, checkpoint_ = "best";
    Index count_ = kNeighbours;
    SheetOutput output_;
};

}  // namespace

std::unique_ptr<Command> neighbors_command() { return std::make_unique<NeighborsCommand>(); }

}  // namespace zhuyi
