// zhuyi verify: is everything as it was written, and if not, what can still be used?
#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>

#include "app/command.h"
#include "app/output.h"
#include "base/check.h"
#include "base/format.h"
#include "base/input_file.h"
#include "base/number.h"
#include "base/terminal.h"
#include "observe/history_recorder.h"
#include "text/utf8.h"
#include "text/vocabulary.h"
#include "train/metrics.h"
#include "train/run_folder.h"

namespace zhuyi {
namespace {

namespace fs = std::filesystem;

// Looks at one file after the other and remembers which were whole.
class Inspection {
  public:
    Inspection(const std::string& path, Language language)
        : folder_{path}, zh_(language == Language::chinese) {}

    void run();
    void file();  // the path is one
    bool passed() const { return passed_; }

  private:
    // What there is to say of a whole file; throws Error
    using Look = std::function<std::string()>;
    bool look(const fs::path& path, const Look& look);
    std::string look_at_checkpoint(const std::string& which);
    void look_at_logs();
    std::string look_at_log(const fs::path& path, const std::string& name);
    std::string look_at_metrics(std::string_view csv, const fs::path& path,
                                bool to_the_checkpoint) const;
    std::string look_at_film(const fs::path& path, const std::string& state) const;
    std::string look_at_samples(std::string_view text) const;
    std::string state_of(const std::string& listener) const;  // in the checkpoint to go on from
    void say_what_can_be_used() const;

    struct Usable {
        std::string name;
        VerifiedCheckpoint checkpoint;
    };
    const Usable* usable(std::initializer_list<const char*> names) const;

    const RunFolder folder_;
    const bool zh_;
    bool passed_ = true, readable_ = true, logs_whole_ = true;
    RunConfig config_;
    std::vector<Parameter> table_;
    std::vector<Usable> usable_;
};

// One line: file, ok or damaged, and what or where.
bool Inspection::look(const fs::path& path, const Look& look) {
    constexpr int kNames = 20, kVerdict = 8;
    std::string text;
    bool whole = true;
    try {
        text = look();
    } catch (const Error& error) {
        text = error.what();
        if (text.starts_with(path.string())) text.erase(0, path.string().size());
        if (text.starts_with(": ") || text.starts_with(" "))
            text.erase(0, text.find(' ') + 1);
        else if (text.starts_with(":"))
            text.replace(0, 1, zh_ ? "行 " : "line ");  // "metrics.csv:4: …"
        whole = passed_ = false;
    }
    const char* verdict = whole ? (zh_ ? "完好" : "ok") : zh_ ? "损坏" : "damaged";
    print(fit_left(path.filename().string(), kNames) + " " + fit_left(verdict, kVerdict) + " " +
          visible(text) + "\n");
    return whole;
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
std::string Inspection::look_at_log(const fs::path& path, const std::string& name) {
    const std::string state = state_of(name), bytes = read_file(path);
    const Index size = std::ssize(bytes);
    const Index known =
        state.empty() ? size : parse_integer(state.substr(0, state.find(' '))).value_or(size + 1);
    if (known > size)
        fail(format("expected at least the %td bytes that the checkpoint knows, found %td", known,
                    size));
    const std::string_view sure = std::string_view(bytes).substr(0, std::size_t(known));
    std::string text = name == "metrics"   ? look_at_metrics(sure, path, !state.empty())
                       : name == "history" ? look_at_film(path, state)
                                           : look_at_samples(sure);
    if (known < size)
        text += format(zh_ ? "%s其后的 %td 字节会在继续训练时重写"
                           : "%s%td bytes behind it will be written anew by --resume",
                       text.empty() ? ""
                       : zh_        ? "；"
                                    : "; ",
                       size - known);
    return text;
}

std::string Inspection::state_of(const std::string& listener) const {
    const Usable* from = usable({"last", "previous"});
    if (!from || !from->checkpoint.listeners.contains(listener)) return "";
    return from->checkpoint.listeners.at(listener);
}

std::string Inspection::look_at_metrics(std::string_view csv, const fs::path& path,
                                        bool to_the_checkpoint) const {
    const Index step = verify_metrics(csv, path);
    const Usable* from = usable({"last", "previous"});
    if (to_the_checkpoint && step != from->checkpoint.step)
        fail(format("expected a last row of step %td, found %td", from->checkpoint.step, step));
    return format(zh_ ? "第 0 步到第 %td 步" : "steps 0 to %td", step);
}

std::string Inspection::look_at_film(const fs::path& path, const std::string& state) const {
    const History film =
        state.empty() ? parse_history(read_file(path), path) : verify_film(path, state);
    return format(zh_ ? "%zu 帧，到第 %td 步" : "%zu frames, up to step %td", film.frames.size(),
                  film.frames.empty() ? 0 : film.frames.back().step);
}

std::string Inspection::look_at_samples(std::string_view text) const {
    if (const auto fault = utf8::first_error(text))
        fail(format("not UTF-8 at its byte %td", Index(fault->offset)));
    return "";
}

// Those a checkpoint speaks of must be there; of others only what is there is looked at.
void Inspection::look_at_logs() {
    const std::pair<const char*, fs::path> logs[] = {{"metrics", folder_.metrics()},
                                                     {"samples", folder_.samples()},
                                                     {"history", folder_.history()}};
    for (const auto& [name, path] : logs)
        if (exists(path) || !state_of(name).empty())
            logs_whole_ &= look(path, [&, n = name, p = path] { return look_at_log(p, n); });
}

void Inspection::run() {
    readable_ = look(folder_.config(), [&] {
        config_ = read_run_config(folder_);
        table_ = parameter_table(config_.model);
        freeze(table_, config_.train.freeze);
        return format(zh_ ? "%s 个参数" : "%s parameters", grouped(count(table_)).c_str());
    });
    readable_ &= look(folder_.vocabulary(), [&] {
        const Index tokens = read_tokenizer(folder_.path.string())->size();
        if (readable_ && tokens != config_.model.vocabulary)
            fail(format("%td tokens, but run.conf says vocabulary = %td", tokens,
                        config_.model.vocabulary));
        return format(zh_ ? "%td 个词元" : "%td tokens", tokens);
    });
    if (!table_.empty())
        for (const char* which : {"first", "best", "previous", "last"}) {
            const bool expected = std::string_view(which) != "previous";
            if (expected || exists(folder_.checkpoint(which)))
                look(folder_.checkpoint(which), [&] { return look_at_checkpoint(which); });
        }
    look_at_logs();
    say_what_can_be_used();
}

void Inspection::say_what_can_be_used() const {
    std::string text = "\n";
    const Usable *from = usable({"last", "previous"}),
                 *read = usable({"best", "last", "previous", "first"});
    const std::string run = folder_.path.string();
    if (!readable_ || !read) text += zh_ ? "没有可用的模型。\n" : "No model of it can be used.\n";
    if (readable_ && read)
        text += format(zh_ ? "可用来续写和观察：%s（第 %td 步）%s\n"
                           : "To write and to look at: %s (step %td)%s\n",
                       read->name.c_str(), read->checkpoint.step,
                       read->name == "best" ? "" : (" --checkpoint " + read->name).c_str());
    if (readable_ && from && from->checkpoint.moments && logs_whole_)
        text += format(zh_ ? "可继续训练：zhuyi train --resume %s，从第 %td 步起\n"
                           : "To train on: zhuyi train --resume %s, from step %td\n",
                       run.c_str(), from->checkpoint.step);
    else if (readable_ && read)
        text += format(
            zh_ ? "不能原样继续训练；可以从这些权重重新开始：zhuyi train %s --from %s --out …\n"
                : "Not to be trained on as it was; a new run may begin with these weights: "
                  "zhuyi train %s --from %s --out …\n",
            config_.text.data.empty() ? "TEXT" : config_.text.data.c_str(), run.c_str());
    print(text);
}

// A file that stands in a run folder is held against its run.conf.
void Inspection::file() {
    const fs::path& path = folder_.path;
    const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
    look(path, [&] {
        if (path.filename() == "vocabulary.txt")
            return format(zh_ ? "%td 个词元" : "%td tokens", read_tokenizer(path)->size());
        if (path.extension() == ".bin") {
            const History film = parse_history(read_file(path), path);
            if (film.dropped > 0)
                fail(format("%td bytes behind the last whole record", film.dropped));
            return format(zh_ ? "%zu 帧" : "%zu frames", film.frames.size());
        }
        if (path.extension() == ".csv")
            return format(zh_ ? "到第 %td 步" : "up to step %td",
                          verify_metrics(read_file(path), path));
        if (exists(RunFolder{parent}.config())) {
            const RunConfig config = read_run_config({parent});
            table_ = parameter_table(config.model);
            freeze(table_, config.train.freeze);
            const VerifiedCheckpoint c = verify_checkpoint(path, table_);
            return format(zh_ ? "第 %td 步，%td 个张量" : "step %td, %td tensors", c.step,
                          c.tensors);
        }
        return format(zh_ ? "%td 个张量" : "%td tensors", verify_tensors(path));
    });
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
            fail_usage("verify takes one RUN or FILE: zhuyi verify runs/stories");
        if (!fs::exists(words[0])) fail(words[0] + ": there is nothing of that name");
        Inspection inspection(words[0], language);
        if (fs::is_directory(words[0]))
            inspection.run();
        else
            inspection.file();
        return inspection.passed() ? 0 : 1;
    }
};

}  // namespace

std::unique_ptr<Command> verify_command() { return std::make_unique<VerifyCommand>(); }

}  // namespace zhuyi
