// zhuyi verify: is everything as it was written, and if not, what can still be used?
#include <filesystem>
#include <functional>
#include <optional>

#include "app/command.h"
#include "base/check.h"
#include "base/format.h"
#include "base/hash.h"
#include "film/history_recorder.h"
#include "run/run_folder.h"
#include "run/verify_file.h"
#include "system/append_file.h"
#include "system/input_file.h"
#include "system/output.h"
#include "system/printable.h"
#include "system/terminal.h"
#include "text/encoding.h"
#include "text/vocabulary.h"
#include "train/metrics.h"

namespace zhuyi {
namespace {

namespace fs = std::filesystem;

// Looks at one file after the other and remembers which were whole.
class Inspection {
  public:
    Inspection(const std::string& path, Language language)
        : folder_{path},
          language_(language),
          zh_(language == Language::chinese),
          begun_(exists(folder_.checkpoint("last")) || exists(folder_.checkpoint("previous"))) {}

    void run();
    void file(const fs::path& path);
    bool passed() const { return passed_; }

  private:
    // What there is to say of a whole file; throws Error
    using Look = std::function<std::string()>;
    bool look(const fs::path& path, const Look& look);
    void say(const fs::path& path, Words verdict, const std::string& text) const;
    std::string look_at_vocabulary() const;
    std::string look_at_checkpoint(const std::string& which);
    void look_at_logs();
    std::string_view known_part(std::string_view bytes, const fs::path& path,
                                const std::string& name) const;
    std::string look_at_log(const fs::path& path, const std::string& name);
    std::string look_at_metrics(std::string_view csv, const fs::path& path,
                                bool to_the_checkpoint) const;
    std::string look_at_film(const fs::path& path, const std::string& state) const;
    std::string state_of(const std::string& listener) const;  // in the checkpoint to go on from
    std::string what_can_be_trained_on() const;
    void say_what_can_be_used() const;

    struct Usable {
        std::string name;
        VerifiedCheckpoint checkpoint;
    };
    const Usable* usable(std::initializer_list<const char*> names) const;

    const RunFolder folder_;
    const Language language_;
    const bool zh_, begun_;  // begun: a checkpoint to go on from was written
    bool passed_ = true, readable_ = true, logs_whole_ = true, film_whole_ = true;
    RunConfig config_;
    std::vector<Parameter> table_;
    std::vector<Usable> usable_;
};

// One line: file, ok, damaged or missing, and what or where.
void Inspection::say(const fs::path& path, Words verdict, const std::string& text) const {
    constexpr int kNames = 20, kVerdict = 8;
    print(fit_left(path.filename().string(), kNames) + " " +
          fit_left(verdict.in(language_), kVerdict) + " " + printable(text) + "\n");
}

bool Inspection::look(const fs::path& path, const Look& look) {
    if (!exists(path)) {
        // A run that was killed before its first checkpoint has lost nothing that it had.
        const bool lost = begun_ || path == folder_.config() || path == folder_.vocabulary();
        say(path, lost ? Words{"missing", "缺失"} : Words{"none yet", "还没有"}, "");
        passed_ &= !lost;
        return false;
    }
    try {
        say(path, {"ok", "完好"}, look());
        return true;
    } catch (const Error& error) {
        std::string text = error.what();
        if (text.starts_with(path.string())) text.erase(0, path.string().size());
        if (text.starts_with(": ") || text.starts_with(" "))
            text.erase(0, text.find(' ') + 1);
        else if (text.starts_with(":"))
            text.replace(0, 1, zh_ ? "行 " : "line ");  // "metrics.csv:4: …"
        say(path, {"damaged", "损坏"}, text);
        return passed_ = false;
    }
}

std::string Inspection::look_at_vocabulary() const {
    const std::unique_ptr<Tokenizer> tokenizer = read_tokenizer(folder_.vocabulary());
    if (readable_ && tokenizer->size() != config_.model.vocabulary)
        fail_english(format("%td tokens, but run.conf says vocabulary = %td", tokenizer->size(),
                            config_.model.vocabulary));
    if (const Usable* any = usable({"last", "previous", "best", "first"}))
        check_vocabulary(any->checkpoint, hash_of(tokenizer->vocabulary_file()),
                         folder_.vocabulary());
    return format(zh_ ? "%td 个词元" : "%td tokens", tokenizer->size());
}

std::string Inspection::look_at_checkpoint(const std::string& which) {
    const VerifiedCheckpoint c = verify_checkpoint(folder_.checkpoint(which), table_);
    usable_.push_back({which, c});
    return format(zh_ ? "第 %td 步，%td 个张量%s" : "step %td, %td tensors%s", c.step, c.tensors,
                  c.checksums ? ""
                  : zh_       ? "，没有校验和"
                              : ", no checksums");
}

const Inspection::Usable* Inspection::usable(std::initializer_list<const char*> names) const {
    for (const char* name : names)
        for (const Usable& candidate : usable_)
            if (candidate.name == name) return &candidate;
    return nullptr;
}

// As far as the checkpoint knows the file that training would go on from, every byte must be right.
std::string_view Inspection::known_part(std::string_view bytes, const fs::path& path,
                                        const std::string& name) const try {
    const std::string state = state_of(name);
    return !begun_ ? "" : state.empty() ? bytes : bytes_at(state, bytes, path);
} catch (const Error&) {
    if (name == "metrics") verify_metrics(bytes, path);  // may name the line
    throw;
}

std::string Inspection::look_at_log(const fs::path& path, const std::string& name) {
    const std::string state = state_of(name), bytes = read_file(path);
    std::string text = name == "history" && begun_ ? look_at_film(path, state) : "";
    const std::string_view sure = known_part(bytes, path, name);
    if (name == "metrics" && begun_) text = look_at_metrics(sure, path, !state.empty());
    if (name == "samples") text = look_at_samples(sure);
    if (const Index more = std::ssize(bytes) - std::ssize(sure); more > 0)
        text += std::string(text.empty() ? ""
                            : zh_        ? "；"
                                         : "; ") +
                format(zh_ ? "%s%td 字节会在继续训练时重写"
                           : "%s%td bytes will be written anew by --resume",
                       !begun_ ? ""
                       : zh_   ? "其后的 "
                               : "behind it ",
                       more);
    return text;
}

// A film that was switched off is that of earlier steps.
std::string Inspection::state_of(const std::string& listener) const {
    const Usable* from = usable({"last", "previous"});
    if (!from || !from->checkpoint.listeners.contains(listener)) return "";
    if (listener == "history" && !config_.history.on) return "";
    return from->checkpoint.listeners.at(listener);
}

std::string Inspection::look_at_metrics(std::string_view csv, const fs::path& path,
                                        bool to_the_checkpoint) const {
    const Index step = verify_metrics(csv, path);
    const Usable* from = usable({"last", "previous"});
    if (to_the_checkpoint && step != from->checkpoint.step)
        fail_english(
            format("expected a last row of step %td, found %td", from->checkpoint.step, step));
    return look_at_steps(step, language_);
}

std::string Inspection::look_at_film(const fs::path& path, const std::string& state) const {
    const History film =
        state.empty() ? parse_history(read_file(path), path) : verify_film(path, state);
    return format(zh_ ? "%zu 帧，到第 %td 步" : "%zu frames, up to step %td", film.frames.size(),
                  film.frames.empty() ? 0 : film.frames.back().step);
}

// Those a checkpoint speaks of must be there; of others only what is there is looked at.
void Inspection::look_at_logs() {
    const std::pair<const char*, fs::path> logs[] = {{"metrics", folder_.metrics()},
                                                     {"samples", folder_.samples()},
                                                     {"history", folder_.history()}};
    for (const auto& [name, path] : logs) {
        const bool needed = !state_of(name).empty();
        if (!needed && !exists(path)) continue;
        const bool whole = look(path, [&, n = name, p = path] { return look_at_log(p, n); });
        if (needed && !whole) (path == folder_.history() ? film_whole_ : logs_whole_) = false;
    }
}

void Inspection::run() {
    readable_ = look(folder_.config(), [&] {
        config_ = read_run_config(folder_);
        table_ = parameter_table(config_.model);
        freeze(table_, config_.train.freeze);
        return format(zh_ ? "%s 个参数" : "%s parameters", grouped(count(table_)).c_str());
    });
    if (!table_.empty())
        for (const char* which : {"first", "best", "previous", "last"}) {
            const bool expected = std::string_view(which) != "previous";
            if (expected || exists(folder_.checkpoint(which)))
                look(folder_.checkpoint(which), [&] { return look_at_checkpoint(which); });
        }
    readable_ &= look(folder_.vocabulary(), [&] { return look_at_vocabulary(); });
    look_at_logs();
    say_what_can_be_used();
}

std::string Inspection::what_can_be_trained_on() const {
    const Usable* from = usable({"last", "previous"});
    const std::string run = shell_word(folder_.path.string()), text = config_.text.data;
    if (from && from->checkpoint.moments && logs_whole_)
        return format(zh_ ? "可继续训练%s：zhuyi train --resume %s%s，从第 %td 步起%s\n"
                          : "To train on%s: zhuyi train --resume %s%s, from step %td%s\n",
                      film_whole_ ? ""
                      : zh_       ? "（不再录影片）"
                                  : " without its film",
                      run.c_str(), film_whole_ ? "" : " --history=no", from->checkpoint.step,
                      about_the_text(config_.text, from->checkpoint.text_hash, language_).c_str());
    if (!begun_ && (usable({"first"}) || !exists(folder_.checkpoint("first"))))
        return format(zh_ ? "什么也没丢：还没有保存过一步。从头开始：zhuyi train --resume %s\n"
                          : "Nothing is lost, as no step was saved yet. From the beginning: zhuyi "
                            "train --resume %s\n",
                      run.c_str());
    if (usable({"best"}))
        return format(
            zh_ ? "不能原样继续训练；可以从这些权重重新开始：zhuyi train %s --from %s --out …\n"
                : "Not to be trained on as it was; a new run may begin with these weights: "
                  "zhuyi train %s --from %s --out …\n",
            text.empty() ? "TEXT" : shell_word(text).c_str(), run.c_str());
    return zh_ ? "不能继续训练。\n" : "Not to be trained on.\n";
}

void Inspection::say_what_can_be_used() const {
    const Usable* read = usable({"best", "last", "previous", "first"});
    if (!readable_ || (!read && begun_))
        return print(zh_ ? "\n没有可用的模型。\n" : "\nNo model of it can be used.\n");
    std::string text = "\n";
    if (read)
        text += format(zh_ ? "可用来续写和观察：%s（第 %td 步）%s\n"
                           : "To write and to look at: %s (step %td)%s\n",
                       read->name.c_str(), read->checkpoint.step,
                       read->name == "best" ? "" : (" --checkpoint " + read->name).c_str());
    print(text + what_can_be_trained_on());
}

void Inspection::file(const fs::path& path) {
    check_kind(path);
    look(path, [&] { return look_at_file(path, language_); });
}

class VerifyCommand : public Command {
  public:
    const char* name() const override { return "verify"; }
    const char* usage() const override { return "RUN|FILE"; }
    Words summary() const override {
        return {"check a run or a file for damage, and say what can still be used",
                "检查一次运行或一个文件有没有损坏，还有什么可用"};
    }
    void declare(Options&) override {}
    int run(const std::vector<std::string>& words, const Options&, Language language) override {
        if (words.size() != 1)
            fail_usage_english("verify takes one RUN or FILE: zhuyi verify runs/stories");
        if (!fs::exists(words[0])) fail_english(words[0] + ": there is nothing of that name");
        Inspection inspection(words[0], language);
        const fs::path path = words[0], exported = path / "model.safetensors";
        const bool run = fs::exists(RunFolder{path}.config());
        if (!fs::is_directory(path))
            inspection.file(path);
        else if (!run && fs::exists(exported))
            inspection.file(exported);
        else if (!run && !fs::exists(RunFolder{path}.vocabulary()))
            read_run_config({path});  // says that it is none
        else
            inspection.run();
        return inspection.passed() ? 0 : 1;
    }
};

}  // namespace

std::unique_ptr<Command> verify_command() { return std::make_unique<VerifyCommand>(); }

}  // namespace zhuyi
