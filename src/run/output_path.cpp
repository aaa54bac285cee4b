#include "run/output_path.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/check.h"
#include "interop/export.h"
#include "run/run_folder.h"
#include "system/printable.h"
#include "text/encoding.h"

namespace zhuyi {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRunFiles[] = {
    "run.conf",         "vocabulary.txt", "first.safetensors",    "last.safetensors",
    "best.safetensors", "metrics.csv",    "previous.safetensors", "damaged.safetensors",
    "probes.txt",       "probes.csv",     "samples.txt",          "history.bin",
    "report.html",      "log.txt"};

bool is_run_file(const fs::path& path) {
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    return RunFolder{folder}.is_run() &&
           std::ranges::find(kRunFiles, path.filename().string()) != std::end(kRunFiles);
}

std::string front_of(const fs::path& path) {
    constexpr std::size_t kFront = std::size_t(1) << 16;
    std::string bytes(kFront, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(bytes.data(), std::streamsize(kFront));
    bytes.resize(std::size_t(file.gcount()));
    return bytes;
}

// Is it what zhuyi writes of this kind? (An empty file holds nothing that could be lost.)
bool is_ours(const fs::path& path, OutputKind kind) {
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
        case OutputKind::gguf:
        case OutputKind::text:
            return false;
    }
    return false;
}

}  // namespace

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
    if (!fs::is_regular_file(path, ignored))
        return;  // refused where it is written, with the reason
    if (!is_ours(path, kind))
        fail_usage({"%s is there already. Name another file, or add --force to replace it.",
                    "%s 已经存在。请换一个文件名，或加上 --force 替换它。"},
                   printable(path));
}

void check_no_strangers(const RunFolder& folder) {
    std::error_code ignored;
    // A training that was killed before it wrote run.conf has left this one, and perhaps the two
    // that it writes next.
    const bool begun = front_of(folder.vocabulary()).starts_with(kVocabularyMark);
    std::string strangers;
    for (const char* name : kRunFiles) {
        const std::string file = name;
        if (begun && (file == "vocabulary.txt" || file == "probes.txt" ||
                      file == "first.safetensors" || file == "log.txt"))
            continue;
        if (fs::exists(fs::symlink_status(folder.path / file, ignored)))
            strangers += (strangers.empty() ? "" : ", ") + file;
    }
    if (strangers.empty()) return;
    fail_usage({"%s is no run folder, but has files of the names that a run writes: %s. They would "
                "be lost: give another --out, or move them away.",
                "%s 不是训练目录，却有与训练要写的文件同名的文件：%s。写上去就丢了："
                "请换一个 --out，或先把它们移走。"},
               printable(folder.path.string()), strangers);
}

}  // namespace zhuyi
