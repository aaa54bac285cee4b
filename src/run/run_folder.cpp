#include "run/run_folder.h"

#include <algorithm>
#include <fstream>

#include "base/check.h"
#include "base/format.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "cost/plan.h"
#include "interop/export.h"
#include "model/config.h"
#include "model/loaded_model.h"
#include "run/run_files.h"
#include "system/append_file.h"
#include "system/atomic_file.h"
#include "system/input_file.h"
#include "system/options.h"
#include "system/printable.h"
#include "text/tokenized.h"
#include "text/tokenizer.h"
#include "train/evaluate.h"

namespace zhuyi {

namespace fs = std::filesystem;

std::string runs_beside(const fs::path& missing) {
    const fs::path parent = missing.has_parent_path() ? missing.parent_path() : fs::path(".");
    std::vector<std::string> runs;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored))
        if (RunFolder{entry.path().string()}.is_run())
            runs.push_back(printable((missing.parent_path() / entry.path().filename()).string()));
    if (runs.empty())
        return say({"`make demo` or `zhuyi train TEXT` makes a run",
                    "make demo 或 zhuyi train 文本 会训练出一个"});
    return say({"there is %s", "这里有 %s"}, first_names(runs));
}

RunConfig read_run_config(const RunFolder& folder) {
    const std::string path = printable(folder.path);
    if (path.empty())
        fail_usage(
            {"expected a run folder, found an empty name", "要给出训练目录，这里是空的名字"});
    const fs::path itself = folder.path;
    const std::string parent = printable(itself.parent_path().string());
    if (itself.extension() == ".safetensors")
        fail_usage({"%s: expected a run folder, found a file of weights; name the folder, and the "
                    "weights beside it: %s --checkpoint %s",
                    "%s：应该是训练目录，这是一个权重文件；请写目录，再用选项指定权重：%s "
                    "--checkpoint %s"},
                   path, parent.empty() ? "." : parent, printable(itself.stem().string()));
    if (!fs::exists(folder.path))
        fail({"%s: there is no such folder; %s", "%s：没有这个目录；%s"}, path,
             runs_beside(itself));
    if (!folder.is_run())
        fail({"%s: no run folder (it has no run.conf). `zhuyi train` makes one.",
              "%s：不是训练目录（没有 run.conf）。用 zhuyi train 创建一个。"},
             path);
    RunConfig config;
    Options options;
    declare(options, config);
    options.read_file(folder.config());
    check(config.model);
    // What is written here goes on into checkpoints and the history, whose JSON holds UTF-8 alone.
    // (The name of a file may be any bytes.)
    for (const Options::Entry& entry : options.entries()) {
        const bool file =
            entry.name == "data" || entry.name == "probes" || entry.name == "tokenizer";
        if (entry.kind == "text" && !file) require_utf8(entry.get(), entry.name);
    }
    return config;
}

void write_run_config(const RunFolder& folder, RunConfig config) {
    Options options;
    declare(options, config);
    write_file(folder.config(), options.file());
}

void check_text_exists(const std::string& text) {
    std::error_code ignored;
    if (text.empty() || text == "-" || fs::exists(text, ignored)) return;
    fail({"%s: the text this run was trained on is not there (from here); name one: --data FILE",
          "%s：训练文本不在（从当前目录看）；请用 --data 文件 指明"},
         printable(text));
}

std::string warning_of(const FoundCheckpoint& checkpoint) {
    std::string lines;
    for (const auto& [why, kept] : checkpoint.set_aside)
        lines += say({"zhuyi: warning: %s. A new one is begun at step %td%s.\n",
                      "zhuyi：警告：%s。从第 %td 步起另写一个新的%s。\n"},
                     why, checkpoint.step,
                     kept.empty() ? std::string()
                                  : say({"; what was there is kept as %s", "；原有内容保存为 %s"},
                                        printable(kept)));
    if (checkpoint.damage.empty()) return lines;
    return lines +
           say({"zhuyi: warning: %s. The one before it is used instead, of step %td (%s).\n",
                "zhuyi：警告：%s。改用它之前的那个检查点，第 %td 步（%s）。\n"},
               checkpoint.damage, checkpoint.step, printable(checkpoint.file));
}

std::optional<Checkpoint> newest_header(const RunFolder& folder,
                                        std::initializer_list<const char*> which) {
    for (const char* name : which) try {
            return read_checkpoint_header(folder.checkpoint(name));
        } catch (const Error&) {  // not this one
        }
    return {};
}

// Of metrics.csv as far as the checkpoint vouches for it.
static std::optional<std::uint64_t> noted_fingerprint(const RunFolder& folder,
                                                      const Checkpoint& newest, Index step) try {
    const auto state = newest.listeners.find("metrics");
    if (state == newest.listeners.end()) return {};
    const std::string path = folder.metrics(), csv = read_file(path);
    return fingerprint_at(bytes_at(state->second, csv, path), step);
} catch (const Error&) {
    return {};
}

std::string doubt_about(const RunFolder& folder, const Checkpoint& checkpoint) {
    const std::optional<Checkpoint> newest = newest_header(folder);
    if (!newest || !checkpoint.fingerprint) return {};
    if (newest->text_hash != checkpoint.text_hash)
        return say({"it belongs to another training: its text has the hash %s, that of the last "
                    "checkpoint %s",
                    "它属于另一次训练：它的文本哈希是 %s，最后的检查点是 %s"},
                   hash_text(checkpoint.text_hash), hash_text(newest->text_hash));
    const auto noted = noted_fingerprint(folder, *newest, checkpoint.step);
    if (!noted || *noted == *checkpoint.fingerprint) return {};
    return say({"it belongs to another training: its weights have the fingerprint %s, and "
                "metrics.csv notes %s for step %td",
                "它属于另一次训练：它的权重指纹是 %s，而 metrics.csv 里第 %3$td 步是 %2$s"},
               hash_text(*checkpoint.fingerprint), hash_text(*noted), checkpoint.step);
}

std::unique_ptr<Tokenizer> read_tokenizer_of(const RunFolder& folder) {
    std::unique_ptr<Tokenizer> tokenizer = read_tokenizer(folder.path);
    if (const auto header = newest_header(folder, {"last", "previous", "best", "first"}))
        check_vocabulary(*header, hash_of(tokenizer->vocabulary_file()), folder.vocabulary());
    return tokenizer;
}

std::string shown_value(const std::string& value) {
    return value.empty() ? "\"\"" : printable(value);
}

std::vector<ConfigDifference> differences(const RunConfig& first, const RunConfig& second) {
    RunConfig one = first, two = second;  // options are bound to variables
    Options ones, twos;
    declare(ones, one);
    declare(twos, two);
    std::vector<ConfigDifference> found;
    for (const Options::Entry& entry : ones.entries()) {
        if (entry.name == "plan") continue;
        const std::string was = entry.get(), is = twos.value(entry.name);
        if (was != is) found.push_back({entry.name, was, is, entry.group, entry.help});
    }
    return found;
}

Text differences_text(const std::vector<ConfigDifference>& differences) {
    Text text;
    for (const ConfigDifference& d : differences) {
        const Text one = say_both({"%s %s, %s", "%s %s，%s"}, d.name, shown_value(d.first),
                                  shown_value(d.second));
        text.english += (text.english.empty() ? "" : "; ") + one.english;
        text.chinese += (text.chinese.empty() ? "" : "；") + one.chinese;
    }
    return text;
}

static bool is_run_file(const fs::path& path) {
    const std::string folder = path.has_parent_path() ? path.parent_path().generic_string() : ".";
    const auto named = [&](const RunFile& file) { return path.filename() == file.name; };
    return RunFolder{folder}.is_run() && std::ranges::any_of(run_files(), named);
}

static std::string front_of(const fs::path& path) {
    constexpr std::size_t kFront = std::size_t(1) << 16;
    std::string bytes(kFront, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(bytes.data(), std::streamsize(kFront));
    bytes.resize(std::size_t(file.gcount()));
    return bytes;
}

// Is it what zhuyi writes of this kind? (An empty file holds nothing that could be lost.)
static bool is_ours(const fs::path& path, OutputKind kind) {
    const std::string front = front_of(path);
    const auto holds = [&](const char* mark) { return front.find(mark) != front.npos; };
    if (front.empty()) return true;
    switch (kind) {
        case OutputKind::page:
        case OutputKind::html:
            return front.starts_with("<!doctype html>") && holds("zhuyi 注意</title>");
        case OutputKind::svg:
            return front.starts_with("<svg ") && holds("data-made-by=\"zhuyi\"");
        case OutputKind::json:
            return front.starts_with("{\"tokens\": [");
        case OutputKind::modelfile:
            return front.starts_with(kModelfileMark);
        case OutputKind::npy:
            return front.starts_with("\x93NUMPY");
        case OutputKind::csv:
            return front.starts_with("layer,head,query,key,") || path.extension() == ".csv";
        case OutputKind::times:
            return is_comparison(path);
        case OutputKind::gguf:
        case OutputKind::text:
            return false;
    }
    return false;
}

void check_output(const std::string& path, OutputKind kind, bool force) {
    std::error_code ignored;
    if (force || !fs::exists(path, ignored)) return;
    if (is_run_file(path)) {
        if (kind == OutputKind::page && fs::path(path).filename() == "report.html") return;
        fail_usage(
            {"%s is a file of a run, which would be lost. Name another file, or add --force.",
             "%s 是训练目录里的文件，写上去就丢了。请换一个文件名，或加上 --force。"},
            printable(path));
    }
    check_replaceable(path);
    if (!is_ours(path, kind))
        fail_usage({"%s is there already. Name another file, or add --force to replace it.",
                    "%s 已经存在。请换一个文件名，或加上 --force 替换它。"},
                   printable(path));
}

void check_no_strangers(const RunFolder& folder) {
    std::error_code ignored;
    if (fs::exists(folder.path, ignored) && !fs::is_directory(folder.path, ignored))
        fail_usage({"%s is no folder, and a run is one: give another --out",
                    "%s 不是目录，而训练结果是一个目录：请换一个 --out"},
                   printable(folder.path));
    // A training that was killed before it wrote run.conf has left this one, and perhaps others.
    const bool begun = front_of(folder.vocabulary()).starts_with(kVocabularyMark);
    std::string strangers;
    for (const RunFile& file : run_files()) {
        if (begun && file.early) continue;
        if (fs::exists(fs::symlink_status(folder.file(file.name), ignored)))
            (strangers += strangers.empty() ? "" : ", ") += file.name;
    }
    if (strangers.empty()) return;
    fail_usage({"%s is no run folder, but has files of the names that a run writes: %s. They would "
                "be lost: give another --out, or move them away.",
                "%s 不是训练目录，却有与训练要写的文件同名的文件：%s。写上去就丢了："
                "请换一个 --out，或先把它们移走。"},
               printable(folder.path), strangers);
}

}  // namespace zhuyi
