#include "run/verify_file.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/format.h"
#include "film/history.h"
#include "formats/gguf.h"
#include "run/run_folder.h"
#include "system/input_file.h"
#include "system/output.h"
#include "system/printable.h"
#include "text/utf8.h"
#include "text/vocabulary.h"
#include "train/metrics.h"

namespace zhuyi {
namespace {

namespace fs = std::filesystem;

enum class FileKind { config, vocabulary, samples, metrics, film, tensors, gguf, unknown };

FileKind kind_of(const fs::path& path) {
    const std::string name = path.filename().string(), ending = path.extension().string();
    if (name == "run.conf") return FileKind::config;
    if (name == "vocabulary.txt") return FileKind::vocabulary;
    if (name == "samples.txt") return FileKind::samples;
    if (ending == ".csv") return FileKind::metrics;
    if (ending == ".bin") return FileKind::film;
    if (ending == ".safetensors") return FileKind::tensors;
    return ending == ".gguf" ? FileKind::gguf : FileKind::unknown;
}

std::string look_at_config(const fs::path& folder, bool zh) {
    const RunConfig config = read_run_config({folder});
    return format(zh ? "%s 个参数" : "%s parameters",
                  grouped(count(parameter_table(config.model))).c_str());
}

std::string look_at_tensors(const fs::path& path, const fs::path& folder, bool zh) {
    if (!fs::exists(RunFolder{folder}.config()))
        return format(zh ? "%td 个张量" : "%td tensors", verify_tensors(path));
    const RunConfig config = read_run_config({folder});
    std::vector<Parameter> table = parameter_table(config.model);
    freeze(table, config.train.freeze);
    const VerifiedCheckpoint c = verify_checkpoint(path, table);
    return format(zh ? "第 %td 步，%td 个张量" : "step %td, %td tensors", c.step, c.tensors);
}

std::string look_at_film(const fs::path& path, bool zh) {
    const History film = parse_history(read_file(path), path);
    if (film.dropped > 0)
        fail_english(format("%td bytes behind the last whole record", film.dropped));
    return format(zh ? "%zu 帧" : "%zu frames", film.frames.size());
}

std::string look_at_gguf(const fs::path& path, bool zh) {
    const GgufFile file(path);
    for (const GgufFile::Entry& entry : file.entries()) {
        const std::vector<float> values = file.values(entry);
        const auto bad = std::find_if_not(values.begin(), values.end(),
                                          [](float x) { return std::isfinite(x); });
        if (bad != values.end())
            fail_english(format("number %td of tensor %s is %g", bad - values.begin(),
                                in_quotes(entry.name).c_str(), double(*bad)));
    }
    return format(zh ? "%zu 个张量" : "%zu tensors", file.entries().size());
}

}  // namespace

std::string look_at_steps(Index last, Language language) {
    const bool zh = language == Language::chinese;
    if (last < 0) return zh ? "还没有一步" : "no step yet";
    return format(zh ? "第 0 步到第 %td 步" : "steps 0 to %td", last);
}

std::string look_at_samples(std::string_view text) {
    if (const auto fault = utf8::first_error(text))
        fail_english(format("not UTF-8 at its byte %td", Index(fault->offset)));
    return "";
}

std::string about_the_text(const TextOptions& options, std::uint64_t hash, Language language) {
    const bool zh = language == Language::chinese;
    const std::string& text = options.data;
    const std::string shown = printable(text);
    if (text == "-")
        return zh ? "；文本来自标准输入，请再输入一次，或加上 --data 文件"
                  : "; give it its text on standard input once more, or add --data FILE";
    std::error_code ignored;
    if (!std::filesystem::exists(text, ignored))
        return format(zh ? "；训练文本 %s 不在（从当前目录看），请加上 --data 文件"
                         : "; its text %s is not there (from here): add --data FILE",
                      shown.c_str());
    try {
        if (Corpus::read(options).hash() == hash) return "";
    } catch (const Error&) {  // no text any more
    }
    return format(zh ? "；但 %s 已不是当初训练用的文本，请恢复它，或加上 --data 文件"
                     : "; but %s is no longer the text it was trained on: put that back, or add "
                       "--data FILE",
                  shown.c_str());
}

void check_kind(const fs::path& path) {
    if (kind_of(path) != FileKind::unknown) return;
    fail_usage_english(
        "verify has no reader for " + path.string() +
        ". It knows a RUN, a folder that Hugging Face reads, and the files run.conf, "
        "vocabulary.txt, samples.txt, metrics.csv, history.bin, *.safetensors, *.gguf.");
}

std::string look_at_file(const fs::path& path, Language language) {
    const bool zh = language == Language::chinese;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    switch (kind_of(path)) {
        case FileKind::config:
            return look_at_config(folder, zh);
        case FileKind::vocabulary:
            return format(zh ? "%td 个词元" : "%td tokens", read_tokenizer(path)->size());
        case FileKind::samples:
            return look_at_samples(read_file(path));
        case FileKind::metrics:
            return look_at_steps(verify_metrics(read_file(path), path), language);
        case FileKind::film:
            return look_at_film(path, zh);
        case FileKind::tensors:
            return look_at_tensors(path, folder, zh);
        case FileKind::gguf:
            return look_at_gguf(path, zh);
        case FileKind::unknown:
            break;
    }
    check_kind(path);
    return "";
}

}  // namespace zhuyi
