// The main path of a worked sheet: what a person looks at first, at most 45 lines, taken from the
// whole sheet. Each part names the sheets where all its numbers stand.
#pragma once
#include "explain/pass.h"

namespace zhuyi {

// The main path, and the whole sheet.
struct WorkedSheets {
    Sheet path, whole;
};

// `whole` is what write_forward wrote of this text.
Sheet forward_path(const WorkedText& text, const Sheet& whole);
// `whole` is what write_forward and write_backward wrote. The path begins at the loss.
Sheet backward_path(const WorkedText& text, const Sheet& whole);

// Returns the sheets of these numbers or names: "5", "5,8-10", "scores,softmax". Throws UsageError
// if one of them does not exist.
Sheet chosen_sheets(const Sheet& whole, const std::string& numbers);

}  // namespace zhuyi
