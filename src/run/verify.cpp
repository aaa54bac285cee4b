#include "run/verify.h"

#include <filesystem>

#include "base/check.h"
#include "base/hash.h"
#include "cost/run_config.h"
#include "film/history_recorder.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "run/config_note.h"
#include "run/session.h"
#include "run/verify_file.h"
#include "run/verify_promise.h"
#include "system/append_file.h"
#include "system/input_file.h"
#include "system/printable.h"
#include "text/vocabulary.h"
#include "train/metrics.h"

namespace zhuyi {
namespace {

namespace fs = std::filesystem;

// ---- the files of a run, looked at one after the other, and what that leaves

class RunCheck {
  public:
    RunCheck(const fs::path& folder, const std::function<void(const Finding&)>& tell)
        : run_{{folder}, false}, folder_(run_.folder), tell_(tell) {
        run_.begun = exists(folder_.checkpoint("last")) || exists(folder_.checkpoint("previous"));
    }

    Verified verified();

    std::string config(const fs::path& file);
    std::string checkpoint(const fs::path& file);
    std::string vocabulary(const fs::path& file);
    std::string metrics(const fs::path& file);
    std::string probes(const fs::path& file) { return look_at_probes(file); }
    std::string probe_log(const fs::path& file) { return log(file, "probes", check_probe_log); }
    std::string samples(const fs::path& file) { return log(file, "samples", check_samples); }
    std::string history(const fs::path& file);

  private:
    bool logs_count() const;
    std::string state_of(const std::string& listener) const;
    std::string_view known_part(std::string_view bytes, const fs::path& file,
                                const std::string& listener) const;
    std::string log(const fs::path& file, const char* listener,
                    std::string (*look)(std::string_view, const std::string&)) const;
    Finding missing(const char* file) const;

    RunState run_;
    const RunFolder& folder_;
    const std::function<void(const Finding&)>& tell_;
    std::vector<Parameter> table_;  // empty: run.conf cannot be read
};

// ---- the table

enum class Expected {
    always,
    once_begun,     // from step 0 on: a run that was killed before has lost nothing
    when_there,     // only looked at where there is one
    by_checkpoint,  // where the checkpoint to go on from speaks of it
    never,          // in no run
};

struct Check {
    const char* file;    // its name in a run
    const char* ending;  // by which it is known elsewhere; "": by its name alone
    Expected expected;
    const char* listener;  // whose state in a checkpoint says how far the file is known
    std::string (RunCheck::*in_a_run)(const fs::path&);
    std::string (*alone)(const fs::path&);
};

using enum Expected;

// In this order: of a checkpoint can be said more when run.conf was read, of a log when a
// checkpoint was.
constexpr Check kChecks[] = {
    {"run.conf", "", always, "", &RunCheck::config, look_at_config},
    {"first.safetensors", ".safetensors", once_begun, "", &RunCheck::checkpoint, look_at_tensors},
    {"best.safetensors", ".safetensors", once_begun, "", &RunCheck::checkpoint, look_at_tensors},
    {"previous.safetensors", ".safetensors", when_there, "", &RunCheck::checkpoint,
     look_at_tensors},
    {"last.safetensors", ".safetensors", once_begun, "", &RunCheck::checkpoint, look_at_tensors},
    {"vocabulary.txt", "", always, "", &RunCheck::vocabulary, look_at_vocabulary},
    {"probes.txt", "", by_checkpoint, "probes", &RunCheck::probes, look_at_probes},
    {"probes.csv", "", by_checkpoint, "probes", &RunCheck::probe_log, look_at_probe_log},
    {"metrics.csv", ".csv", by_checkpoint, "metrics", &RunCheck::metrics, look_at_metrics},
    {"samples.txt", "", by_checkpoint, "samples", &RunCheck::samples, look_at_samples},
    {"history.bin", ".bin", by_checkpoint, "history", &RunCheck::history, look_at_history},
    {"*.gguf", ".gguf", never, "", nullptr, look_at_gguf},
};

// Finds `path` whole or damaged.
template <class Look>
Finding finding_of(const fs::path& path, const Look& look) {
    const std::string name = path.filename().string();
    try {
        return {name, Verdict::ok, look()};
    } catch (const Error& error) {
        return {name, Verdict::damaged, without_path(error.what(), path.string())};
    }
}

// A run that stands at step 0 begins its logs again.
bool RunCheck::logs_count() const {
    const RunState::Usable* from = run_.resumable();
    return run_.begun && !(from && from->checkpoint.step == 0);
}

// A history that was switched off ends at an earlier step than the checkpoint: no state to compare.
std::string RunCheck::state_of(const std::string& listener) const {
    const RunState::Usable* from = run_.resumable();
    if (!from || !logs_count() || !from->checkpoint.listeners.contains(listener)) return "";
    if (listener == "history" && !run_.config.history.on) return "";
    return from->checkpoint.listeners.at(listener);
}

std::string RunCheck::config(const fs::path&) {
    run_.config = read_run_config(folder_);
    table_ = table_of(run_.config);
    return parameters_text(run_.config);
}

std::string RunCheck::checkpoint(const fs::path& file) {
    const VerifiedCheckpoint c = verify_checkpoint(file, table_, make_rules(run_.config.train));
    if (const std::string doubt = doubt_about(folder_, c); !doubt.empty()) fail(doubt);
    run_.usable.push_back({file.stem().string(), c});
    return say({"step %td, %td tensors%s", "第 %td 步，%td 个张量%s"}, c.step, c.tensors,
               c.checksums ? "" : say({", no checksums", "，没有校验和"}));
}

std::string RunCheck::vocabulary(const fs::path& file) {
    const std::unique_ptr<Tokenizer> tokenizer = read_tokenizer(file);
    if (!table_.empty() && tokenizer->size() != run_.config.model.vocabulary)
        fail({"%td tokens, but run.conf says vocabulary = %td",
              "%td 个 token，而 run.conf 写的是 vocabulary = %td"},
             tokenizer->size(), run_.config.model.vocabulary);
    if (const RunState::Usable* any = run_.find({"last", "previous", "best", "first"}))
        check_vocabulary(any->checkpoint, hash_of(tokenizer->vocabulary_file()), file);
    return tokens_text(*tokenizer);
}

// As far as the checkpoint knows the file that training would go on from, every byte must be right.
std::string_view RunCheck::known_part(std::string_view bytes, const fs::path& file,
                                      const std::string& listener) const {
    const std::string state = state_of(listener);
    return !logs_count() ? "" : state.empty() ? bytes : bytes_at(state, bytes, file);
}

std::string RunCheck::metrics(const fs::path& file) {
    const std::string csv = read_file(file);
    std::string_view known;
    try {
        known = known_part(csv, file, "metrics");
    } catch (const Error&) {
        verify_metrics(csv, file);  // may name the line
        throw;
    }
    if (!logs_count()) return rewritten({}, csv.size(), false);
    const Index step = verify_metrics(known, file);
    if (!state_of("metrics").empty() && step != run_.resumable()->checkpoint.step)
        fail({"expected a last row of step %td, found %td", "最后一行应是第 %td 步，却是第 %td 步"},
             run_.resumable()->checkpoint.step, step);
    return rewritten(steps_text(step), csv.size() - known.size(), logs_count());
}

// `look` gives what there is to say of the part that is known; Error: what is wrong with it.
std::string RunCheck::log(const fs::path& file, const char* listener,
                          std::string (*look)(std::string_view, const std::string&)) const {
    const std::string text = read_file(file);
    const std::string_view known = known_part(text, file, listener);
    return rewritten(look(known, file), text.size() - known.size(), logs_count());
}

std::string RunCheck::history(const fs::path& file) {
    const std::string bytes = read_file(file), state = state_of("history");
    if (!logs_count()) return rewritten({}, bytes.size(), false);
    const auto found = state.empty() ? parse_history(bytes, file) : verify_history(file, state);
    const std::size_t known = known_part(bytes, file, "history").size();
    return rewritten(found.summary(), bytes.size() - known, logs_count());
}

Verified RunCheck::verified() {
    Verified result;
    for (const Check& check : kChecks) {
        const fs::path file = folder_.path / check.file;
        const bool there = exists(file);
        const bool expected = check.expected == Expected::by_checkpoint
                                  ? !state_of(check.listener).empty()
                                  : check.expected <= Expected::once_begun;
        if (check.in_a_run == &RunCheck::checkpoint && table_.empty()) continue;
        if (!check.in_a_run || (!there && !expected)) continue;
        Finding found = missing(check.file);
        if (there)
            found = finding_of(file, [&] { return (this->*check.in_a_run)(file); });
        else if (!run_.begun && check.expected != Expected::always)
            found.verdict = Verdict::none_yet;
        tell_(found);
        if (found.verdict >= Verdict::missing) result.passed = false;
        if (expected && found.verdict != Verdict::ok) run_.lost.insert(check.file);
    }
    if (const RunState::Usable* from = run_.resumable())
        result.usable = words_of_edits(from->checkpoint, run_.config);
    result.passed = result.passed && result.usable.empty();
    result.usable += what_can_be_used(run_);
    return result;
}

// A process that was killed between two renames leaves no last checkpoint, but the whole one before
// it, and the draft of the new one.
Finding RunCheck::missing(const char* file) const {
    const bool between = file == std::string_view("last.safetensors") && run_.find({"previous"}) &&
                         exists(folder_.path / ".last.safetensors.partial");
    if (!between) return {file, Verdict::missing, {}};
    return {file, Verdict::none_yet,
            say({"its writing was cut off; the one before it takes its place",
                 "写到一半被中断；由它之前的那个代替"})};
}

Finding verify_file(const fs::path& path) {
    for (const Check& check : kChecks)
        if (path.filename() == check.file || (*check.ending && path.extension() == check.ending))
            return finding_of(path, [&] { return check.alone(path); });
    fail_usage({"verify has no reader for %s. It knows a RUN, the files in it but log.txt and "
                "report.html, "
                "a folder that Hugging Face reads, *.safetensors and *.gguf.",
                "verify 不认识 %s。它能检查训练目录、其中的文件（log.txt 和 report.html 除外）、"
                "Hugging Face 目录，以及 *.safetensors 和 *.gguf。"},
               printable(path.string()));
}

}  // namespace

Words words_of(Verdict verdict) {
    constexpr Words kWords[] = {
        {"ok", "完好"}, {"none yet", "还没有"}, {"missing", "缺失"}, {"damaged", "损坏"}};
    return kWords[std::size_t(verdict)];
}

Verified verify(const std::string& name, const std::function<void(const Finding&)>& tell) {
    const fs::path path = name, exported = path / "model.safetensors";
    const RunFolder folder{path};
    if (!exists(path))
        fail({"%s: there is nothing of that name", "%s：没有这个名字"}, printable(name));
    const bool file = !is_directory(path), other = !folder.is_run() && exists(exported);
    if (file || other) {
        const Finding found = verify_file(file ? path : exported);
        tell(found);
        return {found.verdict == Verdict::ok, {}};
    }
    if (!folder.is_run() && !exists(folder.vocabulary())) read_run_config(folder);  // says so
    return RunCheck(path, tell).verified();
}

}  // namespace zhuyi
