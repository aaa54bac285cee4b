#include "run/run_list.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>

#include "base/check.h"
#include "base/format.h"
#include "base/hash.h"
#include "base/number.h"
#include "run/config_difference.h"
#include "run/progress.h"
#include "run/run_folder.h"
#include "system/input_file.h"
#include "system/printable.h"
#include "system/table.h"

namespace zhuyi {

namespace fs = std::filesystem;

namespace {

// samples.txt says it at each evaluation: "--- step 40, validation loss 2.5113 nats per character".
std::optional<double> last_loss(const RunFolder& folder) try {
    const std::string text = read_file(folder.samples().string());
    const std::string words = ", validation loss ";
    const std::size_t line = text.rfind("--- step "), at = text.find(words, line);
    if (line == text.npos || at == text.npos) return {};
    const std::size_t begin = at + words.size();
    return parse_number(text.substr(begin, text.find(' ', begin) - begin));
} catch (const Error&) {
    return {};
}

std::optional<double> seconds_of(const RunFolder& folder, Index step) try {
    return trained_seconds(read_file(folder.log().string()), step);
} catch (const Error&) {
    return {};
}

std::string clock_of(const fs::path& file) {
    std::error_code error;
    const fs::file_time_type when = fs::last_write_time(file, error);
    if (error) return {};
    const auto since = when - fs::file_time_type::clock::now();
    const std::time_t seconds = std::chrono::system_clock::to_time_t(
        std::chrono::system_clock::now() +
        std::chrono::duration_cast<std::chrono::system_clock::duration>(since));
    struct tm local = {};
    char text[32] = "";
    if (localtime_r(&seconds, &local)) std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local);
    return text;
}

std::string shape_of(const GptConfig& c) {
    return format("%td×%td, %td", c.layers, c.heads, c.channels);
}

std::string loss_of(const RunSummary& run) { return run.loss ? format("%.4f", *run.loss) : "–"; }

std::string time_of(const RunSummary& run) {
    return run.seconds ? duration_text(*run.seconds) : "–";
}

std::string steps_of(const RunSummary& run) {
    return format("%td/%td", run.step, run.config.train.steps);
}

Text state_of(const RunSummary& run) {
    if (!run.fault.empty()) return Words{"damaged", "损坏"};
    return run.complete() ? Words{"complete", "完成"} : Words{"to go on", "未完"};
}

}  // namespace

RunSummary summary_of(const std::string& path) {
    const RunFolder folder{path};
    RunSummary run{path, {}, 0, {}};
    for (const auto& entry : fs::directory_iterator(path)) {
        std::error_code none;
        const std::uintmax_t size = entry.is_regular_file(none) ? entry.file_size(none) : 0;
        if (!none) run.bytes += double(size);
    }
    try {
        run.config = read_run_config(folder);
    } catch (const Error& error) {
        run.fault = error.text();
        return run;
    }
    run.loss = last_loss(folder);
    for (const char* which : {"last", "previous"}) {
        if (!exists(folder.checkpoint(which))) continue;
        try {
            const Checkpoint found = read_checkpoint_header(folder.checkpoint(which).string());
            run.step = found.step;
            if (found.fingerprint) run.fingerprint = hash_text(*found.fingerprint);
            run.seconds = seconds_of(folder, run.step);
            run.changed = clock_of(folder.checkpoint(which));
            run.fault = {};
            break;
        } catch (const Error& error) {
            run.fault = error.text();
        }
    }
    return run;
}

std::vector<RunSummary> runs_in(const std::string& folder) {
    std::error_code error;
    if (!fs::is_directory(folder, error))
        fail({"%s: there is no such folder", "%s：没有这个目录"}, printable(folder));
    if (RunFolder{folder}.is_run()) return {summary_of(folder)};
    std::vector<std::string> paths;
    for (const auto& entry : fs::directory_iterator(folder))
        if (RunFolder{entry.path()}.is_run()) paths.push_back(entry.path().string());
    std::ranges::sort(paths);
    std::vector<RunSummary> runs;
    for (const std::string& path : paths) runs.push_back(summary_of(path));
    return runs;
}

Text table_of_runs(const std::vector<RunSummary>& runs) {
    Table table("llrrrlrrll", 0);
    table.row({Words{"run", "训练目录"}, Words{"text", "训练文本"},
               Words{"layers×heads, channels", "层×头，维度"}, Words{"steps", "步数"},
               Words{"val loss", "验证损失"}, Words{"fingerprint", "指纹"},
               Words{"training time", "训练用时"}, Words{"size", "大小"}, Words{"saved", "保存于"},
               Words{"state", "状态"}});
    for (const RunSummary& run : runs)
        table.row({printable(run.path),
                   printable(fs::path(run.config.text.data).filename().string()),
                   shape_of(run.config.model), steps_of(run), loss_of(run), run.fingerprint,
                   time_of(run), bytes_text(run.bytes), run.changed, state_of(run)});
    return table.text();
}

Text compared_runs(const RunSummary& first, const RunSummary& second) {
    for (const RunSummary* run : {&first, &second})
        if (!run->fault.empty()) fail(run->fault);
    Table table("lll", 0);
    table.row({Words{"", ""}, printable(first.path), printable(second.path)});
    const auto shown = [](const std::string& value) {
        return value.empty() ? "\"\"" : printable(value);
    };
    for (const ConfigDifference& d : differences(first.config, second.config))
        table.row({d.name, shown(d.first), shown(d.second)});
    const auto row = [&](Words name, const std::string& one, const std::string& two) {
        table.row({name, one, two});
    };
    row({"steps", "步数"}, steps_of(first), steps_of(second));
    row({"validation loss, nats per character", "验证损失（奈特/字符）"}, loss_of(first),
        loss_of(second));
    row({"fingerprint", "指纹"}, first.fingerprint, second.fingerprint);
    row({"training time", "训练用时"}, time_of(first), time_of(second));
    row({"size", "大小"}, bytes_text(first.bytes), bytes_text(second.bytes));
    row({"saved", "保存于"}, first.changed, second.changed);
    return table.text();
}

}  // namespace zhuyi
