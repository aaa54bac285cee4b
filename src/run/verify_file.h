// What verify looks at in one file by itself. Each gives what there is to say of a whole file;
// Error: what is wrong with it.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "base/language.h"
#include "base/real.h"

namespace zhuyi {

class Tokenizer;
struct RunConfig;
struct TextOptions;

std::string look_at_config(const std::filesystem::path& file);
std::string look_at_vocabulary(const std::filesystem::path& file);
std::string look_at_metrics(const std::filesystem::path& file);
std::string look_at_probes(const std::filesystem::path& file);
std::string look_at_probe_log(const std::filesystem::path& file);
std::string look_at_samples(const std::filesystem::path& file);
std::string look_at_history(const std::filesystem::path& file);
// A checkpoint in a run folder is held against its run.conf.
std::string look_at_tensors(const std::filesystem::path& file);
std::string look_at_gguf(const std::filesystem::path& file);

// What is said alike of a file alone and of one in a run.
std::string parameters_text(const RunConfig& config);
std::string tokens_text(const Tokenizer& tokenizer);
std::string steps_text(Index last);  // of a metrics.csv; -1: it has no row
std::string check_samples(std::string_view text, const std::string& path);
std::string check_probe_log(std::string_view csv, const std::string& path);
// `known`, and how many bytes after it will be written anew.
std::string rewritten(const std::string& known, std::size_t bytes, bool begun);

// The error without the path, which stands at the beginning of the line already:
// "metrics.csv:4: expected …" -> "line 4: expected …", "metrics.csv: …" -> "…"
std::string without_path(std::string error, const std::string& path);

// What must be done about a run's text before training can go on with it, which had this hash;
// empty: nothing.
std::string about_the_text(const TextOptions& options, std::uint64_t hash);

}  // namespace zhuyi
