// The worked sheets of a run: its model and its training handed to explain/.
#pragma once
#include "explain/pass.h"
#include "run/loaded_run.h"

namespace zhuyi {

// Each takes tokens within the model's context; see explain/ for what is refused.
Sheet forward_sheet(const LoadedRun& run, std::span<const Token> ids, WorkedPlace place);
// ids: T + 1 of them; every token but the first is predicted.
Sheet backward_sheet(const LoadedRun& run, std::span<const Token> ids, WorkedPlace place);
Sheet comparison_sheet(const LoadedRun& run, std::span<const Token> first,
                       std::span<const Token> second, Index query);
// The next training step, made on a copy in memory. Throws Error when the training text is not the
// one that the run was trained on.
Sheet next_step_sheet(const LoadedRun& run);

}  // namespace zhuyi
