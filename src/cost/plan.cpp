#include "cost/plan.h"

#include <map>
#include <utility>

#include "base/format.h"
#include "base/math.h"
#include "base/parallel.h"
#include "cost/needs.h"
#include "model/kind_words.h"
#include "system/output.h"
#include "system/printable.h"
#include "system/terminal.h"
#include "text/statistics.h"
#include "text/utf8.h"

namespace zhuyi {
namespace {

constexpr int kWidth = 80, kNames = 16, kIndent = 2 + kNames + 1;

struct Line {
    std::string name, text;
};

// A line may end behind a comma, semicolon or colon, and before a bracket.
std::vector<std::string> breakable(const std::string& text) {
    std::vector<std::string> pieces(1);
    std::string_view before;
    for (std::string_view character : utf8::Characters(text)) {
        const bool bracket = character == "（" || (character == "(" && before == " ");
        if (bracket) pieces.emplace_back();
        pieces.back() += character;
        const bool stop = before == "," || before == ";" || before == ":";
        if ((character == " " && stop) || character == "，" || character == "；" ||
            character == "：")
            pieces.emplace_back();
        before = character;
    }
    return pieces;
}

std::string wrapped(const std::string& text) {
    std::string lines;
    int column = kIndent;
    for (const std::string& piece : breakable(text)) {
        const int width = display_width(piece), space = piece.ends_with(' ') ? 1 : 0;
        if (column > kIndent && column + width - space > kWidth) {
            if (lines.ends_with(' ')) lines.pop_back();
            lines += "\n" + std::string(kIndent, ' ');
            column = kIndent;
        }
        lines += piece;
        column += width;
    }
    return lines;
}

std::string table_of(const std::vector<Line>& lines) {
    std::string text;
    for (const Line& line : lines)
        text += "  " + fit_left(line.name, kNames) + " " + wrapped(line.text) + "\n";
    return text;
}

std::string out_of(std::optional<double> free, Language language) {
    if (!free) return "";
    return format(language == Language::chinese ? "（可用 %s）" : " of %s free",
                  bytes_text(*free).c_str());
}

std::vector<Line> parameter_lines(const std::vector<Parameter>& table, Language language) {
    std::map<Kind, std::pair<Index, Shape>> kinds;
    std::map<Kind, Index> rows;
    for (const Parameter& p : table) {
        kinds[p.kind].first += p.shape.size();
        kinds[p.kind].second = p.shape;
        ++rows[p.kind];
    }
    std::vector<Line> lines;
    for (const auto& [kind, sum] : kinds)
        lines.push_back({words_of(kind).name.in(language),
                         fit_right(grouped(sum.first), 13) + "   " +
                             (rows[kind] > 1 ? std::to_string(rows[kind]) + " × " : "") +
                             sum.second.text()});
    lines.push_back({language == Language::chinese ? "合计" : "together",
                     fit_right(grouped(count(table)), 13)});
    return lines;
}

Index trained_weights(const std::vector<Parameter>& table) {
    Index trained = 0;
    for (const Parameter& p : table) trained += p.frozen ? 0 : p.shape.size();
    return trained;
}

// What it takes, and whether it is worth it.
std::vector<Line> need_lines(const RunConfig& config, const Corpus& corpus,
                             const TokenizedText& text, const std::vector<Parameter>& table,
                             const Room& room, Language language) {
    const bool zh = language == Language::chinese;
    std::vector<Line> lines;
    const auto add = [&](Words name, const std::string& line) {
        lines.push_back({name.in(language), line});
    };
    const Needs needs = needs_of(config, table, memory_of(corpus));
    add({"memory", "内存"},
        format(zh ? "大约 %s%s：权重、梯度和 AdamW 的两个矩 %s，激活值 %s，文本和词元 %s"
                  : "about %s%s: %s for weights, gradients and AdamW's two moments, %s for "
                    "activations, %s for the text and its tokens",
               bytes_text(needs.memory()).c_str(), out_of(room.memory, language).c_str(),
               bytes_text(needs.weights).c_str(), bytes_text(needs.activations).c_str(),
               bytes_text(needs.text).c_str()));
    add({"disk", "磁盘"},
        format(zh ? "最多 %s%s，每个检查点 %s" : "up to %s%s, of which a checkpoint takes %s",
               bytes_text(needs.disk).c_str(), out_of(room.disk, language).c_str(),
               bytes_text(needs.checkpoint).c_str()));
    if (room.seconds)
        add({"time", "时间"},
            format(zh ? "大约 %s（实测每步 %.3g 毫秒）" : "about %s (%.3g ms a step, measured)",
                   duration_text(*room.seconds).c_str(), 1000 * room.step));
    const Index trained = trained_weights(table);
    if (text_too_small(trained, std::ssize(text.train)))
        add({"take care", "请注意"},
            format(
                zh ? "文本太小：每个词元摊到 %td 个参数，模型很快会把它背下来，验证损失随后上升；"
                     "最好增加文本，否则减小 --channels 和 --layers，增大 --dropout"
                   : "the text is too small for the model: %td parameters for each token, so it "
                     "will "
                     "soon know the text by heart, and the validation loss will rise; more text "
                     "helps most, else: fewer --channels and --layers, more --dropout",
                trained / std::ssize(text.train)));
    return lines;
}

}  // namespace

std::string one_line(const std::string& text) {
    std::string line;
    for (char c : printable(text)) {
        if (c == '\n')
            line += "⏎";
        else
            line += c == '\t' ? ' ' : c;
    }
    return line;
}

std::string plan_text(const RunConfig& config, const Corpus& corpus, const TokenizedText& text,
                      const Tokenizer& tokenizer, const std::vector<Parameter>& table,
                      const Room& room, Language language) {
    const bool zh = language == Language::chinese;
    const GptConfig& m = config.model;
    const TrainConfig& t = config.train;
    const TextStatistics s = text_statistics(corpus.documents());

    std::vector<Line> lines;
    const auto add = [&](Words name, const std::string& line) {
        lines.push_back({name.in(language), line});
    };
    add({"text", "文本"},
        format(zh ? "%s：%s 篇，%s 字；训练 %s、验证 %s 个词元"
                  : "%s: %s documents, %s characters; %s tokens to train on, %s to validate",
               config.text.data.c_str(), grouped(s.documents).c_str(),
               grouped(s.characters).c_str(), grouped(Index(text.train.size())).c_str(),
               grouped(Index(text.validation.size())).c_str()));
    add({"to beat", "要胜过"},
        format(zh ? "单字熵 %.3f、双字熵 %.3f 奈特/字（一无所知时 %.3f 奈特/词元）"
                  : "unigram entropy %.3f, bigram %.3f nats per character (knowing nothing: %.3f "
                    "per token)",
               s.unigram_entropy, s.bigram_entropy, math::log(double(tokenizer.size()))));
    add({"model", "模型"},
        format(zh ? "上文 %td，通道 %td，头 %td × %td，块 %td，前馈 %td，词表 %td，dropout %g"
                  : "context %td, channels %td, heads %td of %td, layers %td, ffn %td, vocabulary "
                    "%td, dropout %g",
               m.context, m.channels, m.heads, m.head_size(), m.layers, m.width(), m.vocabulary,
               m.dropout));
    add({"training", "训练"},
        format(zh ? "%td 步，每步 %td × %td 个词元，学习率 %g → %g，预热 %td%s，%s，%d %s"
                  : "%td steps of %td × %td tokens, learning rate %g → %g, warm-up %td%s, %s, "
                    "%d %s",
               t.steps, t.batch * t.accumulate, m.context, t.learning_rate, t.final_learning_rate(),
               t.warmup,
               zh              ? " 步"
               : t.warmup == 1 ? " step"
                               : " steps",
               t.precision == Precision::bf16 ? "bf16" : "fp32", thread_count(),
               zh                    ? "个线程"
               : thread_count() == 1 ? "thread"
                                     : "threads"));
    if (!t.freeze.empty())
        add({"frozen", "冻结"},
            format(zh ? "%s：训练其余 %s 个参数" : "%s: %s parameters are trained",
                   t.freeze.c_str(), grouped(trained_weights(table)).c_str()));
    for (Line& line : need_lines(config, corpus, text, table, room, language))
        lines.push_back(std::move(line));
    return table_of(lines) + (zh ? "  参数\n" : "  parameters\n") +
           table_of(parameter_lines(table, language));
}

}  // namespace zhuyi
