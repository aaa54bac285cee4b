// Whether a file may be written where a person said. Nothing that somebody else wrote is replaced,
// and nothing that a run lives from.
#pragma once
#include <string>

#include "base/language.h"

namespace zhuyi {

struct RunFolder;

enum class OutputKind { page, html, svg, json, gguf, modelfile, npy, csv, text };

// Throws UsageError, with what to do, if `path` is
// - a file of a run ("r/run.conf"; r/report.html may be replaced by a page),
// - or a file that is there and is not of this kind and from zhuyi (npy and csv: of this kind). A
//   gguf file that is there always stays.
// `force`: everything may be replaced.
void check_output(const std::string& path, OutputKind kind, bool force);

// The help of the option --force.
inline constexpr Words kForce = {"replace what is there, whatever it is",
                                 "不管原来是什么文件，都替换掉"};

// Throws UsageError if a run cannot begin in this folder without writing over files that are there:
// names those of a run that no training of ours wrote.
void check_no_strangers(const RunFolder& folder);

}  // namespace zhuyi
