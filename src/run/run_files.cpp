#include "run/run_files.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/format.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "formats/gguf.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "probe/knowledge.h"
#include "probe/question.h"
#include "run/session.h"
#include "system/append_file.h"
#include "system/input_file.h"
#include "system/printable.h"
#include "text/vocabulary.h"
#include "train/evaluate.h"

namespace zhuyi {

namespace fs = std::filesystem;

static RunFolder folder_of(const fs::path& file) {
    return {file.has_parent_path() ? file.parent_path().generic_string() : "."};
}

static std::string look_at_config(const std::string& file, RunState* run) {
    const RunConfig config = read_run_config(folder_of(file));
    if (run) run->config = config;
    return say({"%s parameters", "%s 个参数"}, grouped(count(parameter_table(config.model))));
}

static std::string look_at_vocabulary(const std::string& file, RunState* run) {
    std::unique_ptr<Tokenizer> tokenizer = read_tokenizer(file);
    const Index tokens = tokenizer->size();
    if (run) {
        if (!run->lost.contains("run.conf") && tokens != run->config.model.vocabulary)
            fail({"%td tokens, but run.conf says vocabulary = %td",
                  "%td 个 token，而 run.conf 写的是 vocabulary = %td"},
                 tokens, run->config.model.vocabulary);
        if (const RunState::Usable* any = run->find({"last", "previous", "best", "first"}))
            check_vocabulary(any->checkpoint, hash_of(tokenizer->vocabulary_file()), file);
        run->tokenizer = std::move(tokenizer);
    }
    return say({"%td tokens", "%td 个 token"}, tokens);
}

static std::string look_at_probes(const std::string& file, RunState*) {
    const ProbeFile found = read_probes(file);
    return say({"%zu probes of %zu rules", "%zu 个测试句，%zu 条规则"}, found.probes.size(),
               found.rules.size());
}

// Returns `known`, and how many bytes of the file the training will write anew.
static std::string rewritten(const std::string& known, const RunState& run, std::size_t bytes) {
    if (bytes == 0) return known;
    return known + (known.empty() ? "" : say({"; ", "；"})) +
           (run.logs_count() ? say({"after it ", "其后的 "}) : "") +
           say({"%zu bytes will be written anew by --resume", "%zu 字节会在继续训练时重写"}, bytes);
}

// `read` returns what there is to say of the part that is known.
template <class Read>
static std::string look_at_log(const std::string& file, const RunState* run, const char* listener,
                               const Read& read) {
    const std::string text = read_file(file);
    if (!run) return read(text);
    const std::string_view known = run->known_part(text, file, listener);
    return rewritten(read(known), *run, text.size() - known.size());
}

static std::string look_at_probe_log(const std::string& file, RunState* run) {
    return look_at_log(file, run, "probes", [&](std::string_view csv) -> std::string {
        if (csv.empty()) return "";
        return say({"%zu evaluations", "%zu 次评估"},
                   parse_probe_log(csv, file).evaluations.size());
    });
}

static std::string look_at_samples(const std::string& file, RunState* run) {
    return look_at_log(file, run, "samples", [&](std::string_view text) -> std::string {
        if (const auto fault = utf8::first_error(text))
            fail({"%s: not UTF-8 at its byte %td", "%s：第 %td 个字节不是 UTF-8"}, file, *fault);
        return "";
    });
}

static std::string look_at_metrics(const std::string& file, RunState* run) {
    const std::string csv = read_file(file);
    std::string_view known = csv;
    if (run) try {
            known = run->known_part(csv, file, "metrics");
        } catch (const Error&) {
            verify_metrics(csv, file);  // may name the line
            throw;
        }
    if (run && !run->logs_count()) return rewritten("", *run, csv.size());
    const Index step = verify_metrics(known, file);
    const std::string text = step < 0 ? say({"no step yet", "还没有一步"})
                                      : say({"steps 0 to %td", "第 0 步到第 %td 步"}, step);
    if (!run) return text;
    // (One that was begun anew after the last step has no row.)
    if (step >= 0 && !run->state_of("metrics").empty() && step != run->resumable()->checkpoint.step)
        fail({"expected a last row of step %td, found %td", "最后一行应是第 %td 步，却是第 %td 步"},
             run->resumable()->checkpoint.step, step);
    return rewritten(text, *run, csv.size() - known.size());
}

static std::string look_at_history(const std::string& file, RunState* run) {
    const std::string bytes = read_file(file), state = run ? run->state_of("history") : "";
    if (run && !run->logs_count()) return rewritten("", *run, bytes.size());
    const History film = state.empty() ? parse_history(bytes, file) : verify_history(file, state);
    if (!run && film.dropped > 0)
        fail({"%td bytes after the last whole record", "最后一条完整记录之后还有 %td 字节"},
             film.dropped);
    if (!run) return film.summary();
    const std::size_t known = run->known_part(bytes, file, "history").size();
    return rewritten(film.summary(), *run, bytes.size() - known);
}

// A checkpoint in a run folder is held against its run.conf.
std::string look_at_checkpoint(const std::string& file, RunState* run) {
    const RunFolder folder = folder_of(file);
    if (!run && !folder.is_run()) return say({"%td tensors", "%td 个张量"}, verify_tensors(file));
    const RunConfig config = run ? run->config : read_run_config(folder);
    const VerifiedCheckpoint c =
        verify_checkpoint(file, table_of(config), make_rules(config.train));
    if (run) {
        if (const std::string doubt = doubt_about(run->folder, c); !doubt.empty()) fail(doubt);
        run->usable.push_back({fs::path(file).stem().string(), c});
    }
    return say({"step %td, %td tensors%s", "第 %td 步，%td 个张量%s"}, c.step, c.tensors,
               c.checksums ? "" : say({", no checksums", "，没有校验和"}));
}

std::string look_at_gguf(const std::string& path, RunState*) {
    const GgufFile file(path);
    for (const GgufFile::Entry& entry : file.entries()) {
        const std::vector<float> values = file.values(entry);
        const auto bad = std::ranges::find_if_not(values, [](float x) { return std::isfinite(x); });
        if (bad != values.end())
            fail({"number %td of tensor %s is %g", "第 %td 个数（张量 %s）是 %g"},
                 bad - values.begin(), in_quotes(entry.name), double(*bad));
    }
    return say({"%zu tensors", "%zu 个张量"}, file.entries().size());
}

std::span<const RunFile> run_files() {
    using enum Expected;
    using enum IfLost;
    static constexpr RunFile kFiles[] = {
        {"run.conf", always, refuses, "", false, look_at_config},
        {"first.safetensors", from_step_0, draws_again, "", true, look_at_checkpoint},
        {"best.safetensors", from_step_0, does_without, "", false, look_at_checkpoint},
        {"previous.safetensors", sometimes, does_without, "", false, look_at_checkpoint},
        {"last.safetensors", from_step_0, takes_another, "", false, look_at_checkpoint},
        {"damaged.safetensors", sometimes, does_without, "", false, nullptr},
        {"vocabulary.txt", always, refuses, "", true, look_at_vocabulary},
        {"probes.txt", by_checkpoint, asks_no_more, "probes", true, look_at_probes},
        {"probes.csv", by_checkpoint, begins_anew, "probes", false, look_at_probe_log},
        {"metrics.csv", by_checkpoint, begins_anew, "metrics", false, look_at_metrics},
        {"samples.txt", by_checkpoint, begins_anew, "samples", false, look_at_samples},
        {"history.bin", by_checkpoint, begins_anew, "history", false, look_at_history},
        {"report.html", sometimes, does_without, "", false, nullptr},
        {"log.txt", sometimes, does_without, "", true, nullptr},
    };
    return kFiles;
}

const RunState::Usable* RunState::find(std::initializer_list<const char*> names) const {
    for (const char* name : names)
        for (const Usable& candidate : usable)
            if (candidate.name == name) return &candidate;
    return nullptr;
}

const RunState::Usable* RunState::resumable() const {
    for (const char* name : {"last", "previous"})
        if (const Usable* found = find({name}); found && found->checkpoint.moments) return found;
    return nullptr;
}

bool RunState::expects(const RunFile& file) const {
    if (file.expected == Expected::by_checkpoint) return !state_of(file.listener).empty();
    return file.expected == Expected::always || file.expected == Expected::from_step_0;
}

bool RunState::logs_count() const {
    const Usable* from = resumable();
    return begun && !(from && from->checkpoint.step == 0);
}

// A history that was switched off ends at an earlier step than the checkpoint: no state to compare.
std::string RunState::state_of(std::string_view listener) const {
    const Usable* from = resumable();
    if (!from || !logs_count() || (listener == "history" && !config.history.on)) return "";
    const auto state = from->checkpoint.listeners.find(std::string(listener));
    return state == from->checkpoint.listeners.end() ? "" : state->second;
}

std::string_view RunState::known_part(std::string_view bytes, const std::string& file,
                                      std::string_view listener) const {
    if (!logs_count()) return "";
    const std::string state = state_of(listener);
    return state.empty() ? bytes : bytes_at(state, bytes, file);
}

}  // namespace zhuyi
