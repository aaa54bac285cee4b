#include "run/run_list.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>

#include "base/check.h"
#include "base/format.h"
#include "base/hash.h"
#include "run/progress.h"
#include "run/run_folder.h"
#include "system/input_file.h"
#include "system/machine.h"
#include "system/printable.h"

namespace zhuyi {

namespace fs = std::filesystem;

// samples.txt says it at each evaluation: "--- step 40, validation loss 2.5113 nats per character".
static std::optional<double> last_loss(const RunFolder& folder) try {
    const std::string text = read_file(folder.samples());
    const std::string words = ", validation loss ";
    const std::size_t line = text.rfind("--- step "), at = text.find(words, line);
    if (line == text.npos || at == text.npos) return {};
    const std::size_t begin = at + words.size();
    return parse_number(text.substr(begin, text.find(' ', begin) - begin));
} catch (const Error&) {
    return {};
}

static std::optional<double> seconds_of(const RunFolder& folder, Index step) try {
    return trained_seconds(read_file(folder.log()), step);
} catch (const Error&) {
    return {};
}

static std::string clock_of(const fs::path& file) {
    std::error_code error;
    const fs::file_time_type when = fs::last_write_time(file, error);
    if (error) return {};
    const auto since = when - fs::file_time_type::clock::now();
    const std::time_t seconds = std::chrono::system_clock::to_time_t(
        std::chrono::system_clock::now() +
        std::chrono::duration_cast<std::chrono::system_clock::duration>(since));
    const std::tm local = local_time(seconds);
    char text[32] = "";
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local);
    return text;
}

static Cell loss_of(const RunSummary& run) {
    return run.loss ? Cell::fixed(*run.loss, 4) : Cell::none();
}

static Cell time_of(const RunSummary& run) {
    return run.seconds ? Cell(*run.seconds, duration_text(*run.seconds)) : Cell::none();
}

static Cell steps_of(const RunSummary& run) {
    return {double(run.step), format("%td/%td", run.step, run.config.train.steps)};
}

// For a program, and for a person.
static std::pair<const char*, Words> state_of(const RunSummary& run) {
    if (!run.fault.empty()) return {"damaged", Words{"damaged", "损坏"}};
    if (run.complete()) return {"complete", Words{"complete", "完成"}};
    return {"to go on", Words{"to go on", "未完"}};
}

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
        run.fault = error.what();
        return run;
    }
    run.loss = last_loss(folder);
    for (const char* which : {"last", "previous"}) {
        if (!fs::exists(folder.checkpoint(which))) continue;
        try {
            const Checkpoint found = read_checkpoint_header(folder.checkpoint(which));
            run.step = found.step;
            if (found.fingerprint) run.fingerprint = hash_text(*found.fingerprint);
            run.seconds = seconds_of(folder, run.step);
            run.changed = clock_of(folder.checkpoint(which));
            run.fault = {};
            break;
        } catch (const Error& error) {
            run.fault = error.what();
        }
    }
    return run;
}

std::vector<std::string> runs_in(const std::string& folder) {
    std::error_code error;
    if (!fs::is_directory(folder, error))
        fail({"%s: there is no such folder; %s", "%s：没有这个目录；%s"}, printable(folder),
             runs_beside(folder));
    if (RunFolder{folder}.is_run()) return {folder};
    std::vector<std::string> paths;
    for (const auto& entry : fs::directory_iterator(folder))
        if (RunFolder{entry.path().generic_string()}.is_run())
            paths.push_back(entry.path().generic_string());
    std::ranges::sort(paths);
    return paths;
}

Sheet runs_sheet(std::span<const std::string> runs) {
    Sheet sheet;
    Sheet::Table& table = sheet.records("runs", {Sheet::unseen("run"),
                                                 {"", {"run", "训练目录"}},
                                                 Sheet::unseen("text"),
                                                 {"", {"text", "训练文本"}},
                                                 Sheet::unseen("layers"),
                                                 Sheet::unseen("heads"),
                                                 Sheet::unseen("channels"),
                                                 {"", {"layers×heads, channels", "层×头，维度"}},
                                                 {"step", {"steps", "步数"}},
                                                 Sheet::unseen("steps"),
                                                 {"validation_loss", {"val loss", "验证损失"}},
                                                 {"fingerprint", {"fingerprint", "指纹"}},
                                                 {"seconds", {"training time", "训练用时"}},
                                                 {"bytes", {"size", "大小"}},
                                                 {"saved", {"saved", "保存于"}},
                                                 Sheet::unseen("state"),
                                                 {"", {"state", "状态"}}});
    for (const std::string& path : runs) {
        const RunSummary run = summary_of(path);
        const GptConfig& model = run.config.model;
        const std::string& text = run.config.text.data;
        const auto [state, state_words] = state_of(run);
        table.record({run.path, printable(run.path), text,
                      printable(fs::path(text).filename().string()), double(model.layers),
                      double(model.heads), double(model.channels),
                      format("%td×%td, %td", model.layers, model.heads, model.channels),
                      steps_of(run), double(run.config.train.steps), loss_of(run), run.fingerprint,
                      time_of(run), Cell::bytes(run.bytes), run.changed, state, state_words});
    }
    return sheet;
}

Sheet compared_runs(const RunSummary& first, const RunSummary& second) {
    for (const RunSummary* run : {&first, &second})
        if (!run->fault.empty()) fail(run->fault);
    Sheet sheet;
    sheet.set("first.run", first.path), sheet.set("second.run", second.path);
    Sheet::Table& table = sheet.records("differences", {Sheet::unseen("name"),
                                                        {""},
                                                        {"first", printable(first.path)},
                                                        {"second", printable(second.path)}});
    for (const ConfigDifference& d : differences(first.config, second.config))
        table.record({d.name, d.name, shown_value(d.first), shown_value(d.second)});
    const auto row = [&](const char* key, Label name, Cell one, Cell two) {
        table.record({key, std::move(name), std::move(one), std::move(two)});
    };
    row("step", {"steps", "步数"}, steps_of(first), steps_of(second));
    row("validation_loss", {"validation loss, nats per character", "验证损失（奈特/字符）"},
        loss_of(first), loss_of(second));
    row("fingerprint", {"fingerprint", "指纹"}, first.fingerprint, second.fingerprint);
    row("seconds", {"training time", "训练用时"}, time_of(first), time_of(second));
    row("bytes", {"size", "大小"}, Cell::bytes(first.bytes), Cell::bytes(second.bytes));
    row("saved", {"saved", "保存于"}, first.changed, second.changed);
    return sheet;
}

}  // namespace zhuyi
