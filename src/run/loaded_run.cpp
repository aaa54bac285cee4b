#include "run/loaded_run.h"

#include <filesystem>
#include <limits>

#include "autograd/tape.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/math.h"
#include "run/session.h"
#include "system/atomic_file.h"
#include "system/options.h"
#include "system/printable.h"
#include "text/corpus.h"
#include "text/ngram.h"
#include "text/tokenized.h"
#include "text/vocabulary.h"

namespace zhuyi {

namespace fs = std::filesystem;

LoadedRun load_run(const std::string& path, const std::string& which) {
    LoadedRun run;
    run.folder = {path};
    run.config = read_run_config(run.folder);
    const std::string checkpoint = run.folder.checkpoint(which);
    const bool replaceable = which == "last" && fs::exists(run.folder.checkpoint("previous"));
    if (!fs::exists(checkpoint) && !replaceable)
        fail({"%s: no such checkpoint; --checkpoint=last|best|first|FILE takes another",
              "%s：没有这个检查点；可用 --checkpoint=last|best|first|文件 指定另一个"},
             printable(checkpoint));
    run.tokenizer = read_tokenizer(path);
    const GptConfig& model = run.config.model;
    if (run.tokenizer->size() != model.vocabulary)
        fail({"%s: vocabulary.txt has %td tokens, run.conf says vocabulary = %td",
              "%s：vocabulary.txt 有 %td 个 token，而 run.conf 写的是 vocabulary = %td"},
             printable(path), run.tokenizer->size(), model.vocabulary);
    run.parameters = std::make_unique<Parameters>(parameter_table(model), false);
    run.checkpoint = find_checkpoint(run.folder, which, *run.parameters);
    check_vocabulary(run.checkpoint, hash_of(run.tokenizer->vocabulary_file()),
                     run.folder.vocabulary());
    if (checkpoint != which) run.doubt = doubt_about(run.folder, run.checkpoint);
    run.model = std::make_unique<Gpt>(model, *run.parameters);
    return run;
}

void write_imported_run(const RunFolder& folder, const LoadedModel& model) {
    const std::string vocabulary = model.tokenizer->vocabulary_file();
    RunConfig config;
    config.model = model.model->config();
    adopt(config.text, *model.tokenizer);
    write_file(folder.vocabulary(), vocabulary);
    write_run_config(folder, config);
    const std::string first = folder.checkpoint("first");
    constexpr double kNoLossYet = std::numeric_limits<double>::infinity();
    write_checkpoint(first, *model.parameters, {0, kNoLossYet, 0, {}, hash_of(vocabulary)});
    // One file under three names, where the file system can. (A checkpoint that is written later
    // is a new file.)
    for (const char* name : {"best", "last"}) {
        const std::string other = folder.checkpoint(name);
        std::error_code error;
        fs::create_hard_link(first, other, error);
        if (error) fs::copy_file(first, other, error);
        if (error)
            fail({"cannot write %s: %s", "无法写入 %s：%s"}, printable(other), error.message());
    }
}

// The tokens, and the hash of the text.
static std::pair<std::vector<Token>, std::uint64_t> scored_text(const LoadedRun& run,
                                                                const std::string& data,
                                                                const Corpus::Files* read) {
    TextOptions options = run.config.text;
    if (data.empty()) {
        if (!read) check_text_exists(options.data);
        const Corpus corpus = read_text(run.config, read);
        return {tokenize(corpus, *run.tokenizer).validation, corpus.hash()};
    }
    options.data = data;
    options.split = Split::tail;  // there is no other part: any text will do, of any length
    const Corpus corpus = Corpus::read(options);
    return {tokenize(corpus.documents(), *run.tokenizer), corpus.hash()};
}

double Score::per_character() const {
    return evaluation.loss() * double(tokens) / double(characters);
}
double Score::bits() const { return per_character() / math::log(2); }
double Score::perplexity() const { return math::exp(per_character()); }

Score score(const LoadedRun& run, const std::string& data, bool documents,
            const Corpus::Files* read) {
    const auto [text, hash] = scored_text(run, data, read);
    const std::string& source = data.empty() ? run.config.text.data : data;
    if (text.size() < 2)
        fail({"%s: too short to predict anything: it has one token",
              "%s：太短，没有什么可预测：只有一个 token"},
             printable(source));
    Tape tape(false);
    const Index batch = run.config.train.batch;
    return {run.checkpoint.file,
            run.checkpoint.step,
            source,
            data.empty(),
            documents
                ? evaluate_documents(*run.model, tape, text, run.tokenizer->end_of_text(), batch)
                : evaluate(*run.model, tape, text, batch),
            std::ssize(text),
            run.tokenizer->characters(text),
            documents,
            documents ? floor_of(source, hash) : std::nullopt,
            data.empty() ? "" : unseen_text(*run.tokenizer, run.tokenizer->decode(text)),
            math::log(double(run.model->config().vocabulary))};
}

Sheet score_sheet(const Score& s) {
    const std::string data = printable(s.data);
    Sheet sheet{say({"%s, step %td, %s", "%s，第 %td 步，%s"}, printable(s.checkpoint), s.step,
                    s.validation ? say({"validation part of %s", "%s 的验证集"}, data) : data)};
    sheet.set("checkpoint", s.checkpoint), sheet.set("step", s.step), sheet.set("data", s.data);
    sheet.set("part", s.validation ? "validation" : "all");
    if (s.documents) sheet.set("by", "document");
    Sheet::Table& table = sheet.values();
    table.value("tokens", {"tokens", "token"}, Cell::count(s.tokens),
                s.documents
                    ? Label{"each predicted from its document's beginning on",
                            "个，每个都由本篇从头到它之前的文字预测"}
                    : Label{"each predicted from those before it", "个，每个都由它前面的文字预测"});
    table.value("characters", {"characters", "字符"}, Cell::count(s.characters),
                {"(the end of a document is one)", "个（文档结尾算一个）"});
    table.value("nats_per_token", {"loss", "损失"}, Cell::fixed(s.evaluation.loss(), 4),
                {"nats per token", "奈特/token"});
    table.value("nats_per_character", {}, Cell::fixed(s.per_character(), 4),
                {"nats per character", "奈特/字符"});
    if (s.floor)
        table.value("floor", {"floor", "理论下界（文本的熵率）"}, Cell::fixed(*s.floor, 4),
                    say({"no model can be below it; this one is %.4f above",
                         "任何模型都不会比它更低；这个模型高出 %.4f"},
                        s.per_character() - *s.floor));
    table.value("bits_per_character", {}, Cell::fixed(s.bits(), 4),
                {"bits per character", "比特/字符"});
    table.value("perplexity_per_character", {"perplexity", "困惑度"},
                Cell::fixed(s.perplexity(), 2),
                s.even > 0 && s.evaluation.loss() > s.even
                    ? say({"per character: worse than guessing evenly among all tokens",
                           "每字符：比在所有 token 里平均地猜还差"})
                    : say({"per character: as unsure as among %.1f equally likely ones",
                           "每字符：相当于每次在 %.1f 个同样可能的字里猜"},
                          s.perplexity()));
    return sheet;
}

}  // namespace zhuyi
