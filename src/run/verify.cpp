#include "run/run_files.h"

#include "base/check.h"
#include "system/disk.h"
#include "system/printable.h"

namespace zhuyi {
namespace {

namespace fs = std::filesystem;

// Returns the error without the path, which stands at the beginning of the line already:
// "metrics.csv:4: expected …" -> "line 4: expected …", "metrics.csv: …" -> "…"
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

// Finds `path` whole or damaged.
template <class Look>
Finding finding_of(const fs::path& path, const Look& look, RunState* run) {
    const std::string name = path.filename().string();
    try {
        return {name, Verdict::ok, look(path.generic_string(), run)};
    } catch (const DiskError&) {  // The file may be whole.
        throw;
    } catch (const Error& error) {
        return {name, Verdict::damaged, without_path(error.what(), path.generic_string())};
    }
}

// A process that was killed between two renames leaves no last checkpoint, but the whole one before
// it, and the draft of the new one.
Finding missing(const RunFile& file, const RunState& run) {
    if (file.if_lost == IfLost::takes_another && run.find({"previous"}) &&
        fs::exists(run.folder.file("." + std::string(file.name) + ".partial")))
        return {file.name, Verdict::none_yet,
                say({"its writing was cut off; the one before it takes its place",
                     "写到一半被中断；由它之前的那个代替"})};
    const bool lost = run.begun || file.expected == Expected::always;
    return {file.name, lost ? Verdict::missing : Verdict::none_yet, ""};
}

// The files of a run, looked at one after the other, and what that leaves.
Verified verify_run(const std::string& path, const std::function<void(const Finding&)>& tell) {
    RunState run{{path}, false};
    run.begun =
        fs::exists(run.folder.checkpoint("last")) || fs::exists(run.folder.checkpoint("previous"));
    Verified result;
    for (const RunFile& file : run_files()) {
        const fs::path here = run.folder.file(file.name);
        const bool expected = run.expects(file);
        const bool weights = file.look == look_at_checkpoint;
        if (!file.look || (!exists(here) && !expected)) continue;
        if (weights && run.lost.contains("run.conf")) continue;
        const auto look = [&] {
            return exists(here) ? finding_of(here, file.look, &run) : missing(file, run);
        };
        Finding found = look();
        // Between two looks a training at work may have put a new file in its place.
        if (found.verdict >= Verdict::missing) found = look();
        tell(found);
        if (found.verdict >= Verdict::missing) result.passed = false;
        if (expected && found.verdict != Verdict::ok) run.lost.insert(file.name);
    }
    if (const RunState::Usable* from = run.resumable())
        result.usable = words_of_edits(from->checkpoint, run.config);
    const Promise promise = what_can_be_used(run);
    result.passed = result.passed && result.usable.empty() && promise.kept;
    result.usable += promise.text;
    return result;
}

Finding verify_file(const fs::path& path) {
    constexpr std::pair<const char*, const char*> kElsewhere[] = {{".csv", "metrics.csv"},
                                                                  {".bin", "history.bin"}};
    if (path.extension() == ".safetensors") return finding_of(path, look_at_checkpoint, nullptr);
    if (path.extension() == ".gguf") return finding_of(path, look_at_gguf, nullptr);
    const auto known = [&](const fs::path& name) {
        for (const RunFile& file : run_files())
            if (file.look && name == file.name) return &file;
        return static_cast<const RunFile*>(nullptr);
    };
    const RunFile* file = known(path.filename());
    for (const auto& [ending, name] : kElsewhere)
        if (!file && path.extension() == ending) file = known(name);
    if (file) return finding_of(path, file->look, nullptr);
    fail_usage({"verify has no reader for %s. It knows a RUN, the files in it but log.txt and "
                "report.html, a folder that Hugging Face reads, *.safetensors and *.gguf.",
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
    const RunFolder folder{name};
    const fs::path path = name, exported = path / "model.safetensors";
    if (!exists(path))
        fail({"%s: there is nothing of that name; %s", "%s：没有这个名字；%s"}, printable(name),
             runs_beside(name));
    const bool file = !is_directory(path), other = !folder.is_run() && exists(exported);
    if (file || other) {
        const Finding found = verify_file(file ? path : exported);
        tell(found);
        return {found.verdict == Verdict::ok, {}};
    }
    if (!folder.is_run() && !fs::exists(folder.vocabulary())) read_run_config(folder);  // says so
    return verify_run(name, tell);
}

}  // namespace zhuyi
