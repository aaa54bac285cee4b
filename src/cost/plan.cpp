#include "cost/plan.h"

#include "base/format.h"
#include "base/math.h"
#include "base/parallel.h"
#include "cost/model_size.h"
#include "film/history_plan.h"
#include "formats/sheet.h"
#include "model/kind_words.h"
#include "system/machine.h"
#include "system/printable.h"
#include "text/corpus.h"
#include "text/ngram.h"
#include "text/tokenized.h"

namespace zhuyi {
static Index trained_weights(const std::vector<Parameter>& table) {
    Index trained = 0;
    for (const Parameter& p : table) trained += p.frozen ? 0 : p.shape.size();
    return trained;
}

// The text, and the losses with which its validation loss is compared.
static void add_text(Sheet::Table& lines, const RunConfig& config, const TrainingText& text,
                     const Levels& levels) {
    const Index documents = std::ssize(text.corpus.documents());
    const std::string count = documents == 1 ? say({"one document", "1 篇"})
                                             : say({"%s documents", "%s 篇"}, grouped(documents));
    lines.add({"text", "训练文本"},
              {printable(config.text.data) + say({": ", "："}) + count +
               say({", %s characters; %s tokens to train on, %s to validate",
                    "，%s 个字符（标点也算）；训练集 %s 个 token，验证集 %s 个"},
                   grouped(text.corpus.characters()), grouped(Index(text.tokens.train.size())),
                   grouped(Index(text.tokens.validation.size()))) +
               (config.text.tokenizer == TokenizerKind::bpe
                    ? say({"; a token is a byte pair of %.1f characters on average",
                           "；token 是字节对，平均 %.1f 个字符"},
                          1 / tokens_per_character(text.tokens).train)
                    : std::string())});
    lines.add(
        {"counting alone", "只靠计数"},
        {say({"unigram model %.3f, bigram model %.3f, trigram model %.3f nats per character of the "
              "validation part (knowing nothing: %.3f per token)",
              "一元模型 %.3f，二元模型 %.3f，三元模型 %.3f 奈特/字符（在验证集上；均匀猜测 ln V = "
              "%.3f 奈特/token）"},
             levels.counting.unigram, levels.counting.bigram, levels.counting.trigram,
             math::log(double(text.tokenizer->size()))) +
         (levels.floor ? say({"; floor %.3f: no model is better on average",
                              "；理论下界（文本的熵率）%.3f：任何模型的平均损失都不会更低"},
                             *levels.floor)
                       : std::string())});
}

static void add_options(Sheet::Table& lines, const RunConfig& config,
                        const std::vector<Parameter>& table) {
    const GptConfig& m = config.model;
    const TrainConfig& t = config.train;
    lines.add(
        {"model", "模型"},
        {say({"context %td, channels %td, heads %td of %td, layers %td, ffn %td, "
              "vocabulary %td, position %s, dropout %g%s",
              "上下文长度 %td，嵌入维度 %td，%td 个头 × %td 维，%td 层，FFN %td，"
              "词表大小 %td，位置编码 %s，dropout %g%s"},
             m.context, m.channels, m.heads, m.head_size(), m.layers, m.width(), m.vocabulary,
             encoding_of(m.position).name, m.dropout,
             m.embedding_dropout > 0
                 ? say({", embedding_dropout %g", "，embedding_dropout %g"}, m.embedding_dropout)
                 : std::string())});
    lines.add(
        {"training", "训练"},
        {say({"%td steps of %td × %td tokens, %s, learning rate %g → %g (%s), warm-up %td%s, %s, "
              "%d%s",
              "%td 步，每步 %td × %td 个 token，%s，学习率 %g → %g（%s），预热 %td%s，%s，%d%s"},
             t.steps, t.batch * t.accumulate, m.context, name_of(t.optimizer), t.learning_rate,
             t.final_learning_rate(), name_of(t.schedule), t.warmup,
             t.warmup == 1 ? say({" step", " 步"}) : say({" steps", " 步"}), name_of(t.precision),
             thread_count(),
             thread_count() == 1 ? say({" thread", " 个线程"}) : say({" threads", " 个线程"}))});
    if (!t.freeze.empty())
        lines.add({"frozen", "冻结"},
                  {say({"%s: %s parameters are trained", "%s：训练其余 %s 个参数"}, t.freeze,
                       grouped(trained_weights(table)))});
}

static std::string out_of(std::optional<double> free) {
    return free ? say({" of %s free", "（可用 %s）"}, bytes_text(*free)) : std::string();
}

// Snapshots of the weights, with which the page runs the model.
static void add_snapshots(Sheet::Table& lines, const HistoryConfig& history, const Needs& needs) {
    if (!history.on || history.snapshots == 0) return;
    const double all = double(needs.snapshots) * needs.snapshot;
    std::string text =
        say({"%td for the page, %s each, %s together", "给网页存 %td 份权重，每份 %s，共 %s"},
            needs.snapshots, bytes_text(needs.snapshot), bytes_text(all));
    if (needs.snapshots < history.snapshots)
        text += say({"; not %td, which would take more than %s", "；存 %td 份会超过 %s"},
                    history.snapshots, bytes_text(kMostBytesOfSnapshots));
    lines.add({"snapshots", "权重快照"}, {text});
}

// Memory and disk.
static void add_needs(Sheet::Table& lines, const RunConfig& config, const TrainingText& text,
                      const std::vector<Parameter>& table, const Room& room) {
    const Needs needs = needs_of(config, table, memory_of(text.corpus));
    // What came before is known: learning byte pairs, counting, the pilot.
    const double memory = std::max(needs.training(), peak_bytes());
    const std::string spared = words_of_spared(training_memory(config.model, config.train));
    lines.add({"memory", "内存"},
              {say({"about %1$s%2$s: %3$s for weights, gradients and %4$s%5$s, %6$s for "
                    "activations, %7$s for the text and its tokens, %8$s for the film, the "
                    "rest for the program, for reading the text and, when the training is over, "
                    "for the film's page",
                    "大约 %1$s%2$s：权重、梯度和 %4$s 共 %3$s%5$s，激活值 %6$s，"
                    "训练文本和它的 token %7$s，训练回放 "
                    "%8$s，其余用于程序本身、读入文本和训练结束后写出的回放网页"},
                   bytes_text(memory), out_of(room.memory), bytes_text(needs.weights),
                   words_of_moments(config.train),
                   spared.empty() ? std::string() : say({" (", "（"}) + spared + say({")", "）"}),
                   bytes_text(needs.activations), bytes_text(needs.text), bytes_text(needs.film))});
    lines.add({"disk", "磁盘"},
              {say({"up to %s%s, of which a checkpoint takes %s", "最多 %s%s，每个检查点 %s"},
                   bytes_text(needs.disk), out_of(room.disk), bytes_text(needs.checkpoint))});
    add_snapshots(lines, config.history, needs);
}

static void add_warning(Sheet::Table& lines, const std::vector<Parameter>& table, Index tokens) {
    const Index trained = trained_weights(table);
    if (!text_too_small(trained, tokens)) return;
    lines.add(
        {"take care", "请注意"},
        {say({"the text is too small for the model: %td parameters for each token, so it will soon "
              "know the text by heart, and the validation loss will rise; more text helps most, "
              "else: fewer --channels and --layers, more --dropout",
              "文本太小：每个 token 平均对应 %td 个参数，模型很快会过拟合（背下原文），"
              "验证损失随后上升；最好增加文本，否则减小 --channels 和 --layers，增大 --dropout"},
             trained / tokens)});
}

Sheet plan_sheet(const RunConfig& config, const TrainingText& text, const Levels& levels,
                 const std::vector<Parameter>& table, const Room& room,
                 const std::optional<Pace>& pace, Index begun) {
    Sheet sheet;
    Sheet::Table& lines = sheet.list("plan");
    lines.wraps = true;
    add_text(lines, config, text, levels);
    add_options(lines, config, table);
    add_needs(lines, config, text, table, room);
    if (pace)
        lines.add({"time", "时间"},
                  {say({"about %s (%.3g ms a step, measured)", "大约 %s（实测每步 %.3g 毫秒）"},
                       duration_text(pace->seconds(config.train.steps - begun, config.train)),
                       1000 * pace->step)});
    add_warning(lines, table, std::ssize(text.tokens.train));
    sheet.part({"parameters", "参数"});
    Sheet::Table& parameters = sheet.values("parameters");
    for (const auto& [kind, rows] : rows_by_kind(table))
        parameters.value(words_of(kind).identifier, say(words_of(kind).name),
                         Cell::count(count(rows)),
                         (rows.size() > 1 ? std::to_string(rows.size()) + " × " : "") +
                             rows.back().shape.text());
    parameters.value("all", {"together", "合计"}, Cell::count(count(table)));
    return sheet;
}

}  // namespace zhuyi
