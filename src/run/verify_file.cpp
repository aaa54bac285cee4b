#include "run/verify_file.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/format.h"
#include "cost/run_config.h"
#include "film/history.h"
#include "formats/gguf.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "probe/knowledge.h"
#include "probe/question.h"
#include "run/session.h"
#include "system/input_file.h"
#include "system/options.h"
#include "system/printable.h"
#include "text/config.h"
#include "text/utf8.h"
#include "text/vocabulary.h"
#include "train/metrics.h"

namespace zhuyi {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

}  // namespace

std::string steps_text(Index last) {
    if (last < 0) return say({"no step yet", "还没有一步"});
    return say({"steps 0 to %td", "第 0 步到第 %td 步"}, last);
}

std::string tokens_text(const Tokenizer& tokenizer) {
    return say({"%td tokens", "%td 个 token"}, tokenizer.size());
}

std::string parameters_text(const RunConfig& config) {
    return say({"%s parameters", "%s 个参数"}, grouped(count(parameter_table(config.model))));
}

std::string check_samples(std::string_view text, const std::string& path) {
    if (const auto fault = utf8::first_error(text))
        fail({"%s: not UTF-8 at its byte %td", "%s：第 %td 个字节不是 UTF-8"}, path, fault->offset);
    return {};
}

std::string check_probe_log(std::string_view csv, const std::string& path) {
    if (csv.empty()) return {};
    return say({"%zu evaluations", "%zu 次评估"}, parse_probe_log(csv, path).evaluations.size());
}

std::string rewritten(const std::string& known, std::size_t bytes, bool begun) {
    if (bytes == 0) return known;
    return known + (known.empty() ? "" : say({"; ", "；"})) +
           (begun ? say({"after it ", "其后的 "}) : "") +
           say({"%zu bytes will be written anew by --resume", "%zu 字节会在继续训练时重写"}, bytes);
}

std::string look_at_config(const fs::path& file) {
    return parameters_text(read_run_config({folder_of(file)}));
}
std::string look_at_vocabulary(const fs::path& file) { return tokens_text(*read_tokenizer(file)); }
std::string look_at_probes(const fs::path& file) {
    const ProbeFile found = read_probes(file);
    return say({"%zu probes of %zu rules", "%zu 个测试句，%zu 条规则"}, found.probes.size(),
               found.rules.size());
}
std::string look_at_probe_log(const fs::path& file) {
    return check_probe_log(read_file(file), file);
}
std::string look_at_samples(const fs::path& file) { return check_samples(read_file(file), file); }
std::string look_at_metrics(const fs::path& file) {
    return steps_text(verify_metrics(read_file(file), file));
}

std::string look_at_history(const fs::path& file) {
    const History film = parse_history(read_file(file), file);
    if (film.dropped > 0)
        fail({"%td bytes after the last whole record", "最后一条完整记录之后还有 %td 字节"},
             film.dropped);
    return film.summary();
}

// A checkpoint in a run folder is held against its run.conf.
std::string look_at_tensors(const fs::path& file) {
    const RunFolder folder{folder_of(file)};
    if (!folder.is_run()) return say({"%td tensors", "%td 个张量"}, verify_tensors(file));
    const RunConfig config = read_run_config(folder);
    const VerifiedCheckpoint c =
        verify_checkpoint(file, table_of(config), make_rules(config.train));
    return say({"step %td, %td tensors", "第 %td 步，%td 个张量"}, c.step, c.tensors);
}

std::string look_at_gguf(const fs::path& path) {
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

std::string without_path(std::string error, const std::string& path) {
    if (!error.starts_with(path)) return error;
    error.erase(0, path.size());
    for (const std::string_view mark : {": ", "：", " "})
        if (error.starts_with(mark)) return error.substr(mark.size());
    const std::size_t digits = error.find_first_not_of("0123456789", 1);
    if (!error.starts_with(":") || digits < 2 || digits == error.npos) return error;
    return say({"line ", "第 "}) + error.substr(1, digits - 1) + say({"", " 行"}) +
           error.substr(digits);
}

std::string about_the_text(const TextOptions& options, std::uint64_t hash) {
    const std::string shown = printable(options.data);
    if (options.data == "-")
        return say({"; give it its text on standard input once more, or add --data FILE",
                    "；训练文本来自标准输入，请再输入一次，或加上 --data 文件"});
    std::error_code ignored;
    if (!fs::exists(options.data, ignored))
        return say({"; its text %s is not there (from here): add --data FILE",
                    "；训练文本 %s 不在（从当前目录看），请加上 --data 文件"},
                   shown);
    try {
        if (Corpus::read(options).hash() == hash) return {};
    } catch (const Error&) {  // no text any more
    }
    return say({"; but %s is no longer the text it was trained on: put that back, or add --data "
                "FILE",
                "；但 %s 已不是当初训练用的文本，请恢复它，或加上 --data 文件"},
               shown);
}

}  // namespace zhuyi
