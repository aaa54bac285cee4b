// The worked sheets of a run: its model and its training handed to explain/.
#pragma once
#include "explain/forward.h"
#include "run/loaded_run.h"

namespace zhuyi {

struct TokenWish;

WorkedModel worked_model(const LoadedRun& run);

// Each takes tokens within the model's context; see explain/ for what is refused.
WorkedSheets forward_sheets(const LoadedRun& run, std::span<const Token> ids, Focus focus);
// ids: T + 1 of them; every token but the first is predicted.
WorkedSheets backward_sheets(const LoadedRun& run, std::span<const Token> ids, Focus focus);
// The next training step, made on a copy in memory. Throws Error when the training text is not the
// one that the run was trained on.
Sheet next_step_sheet(const LoadedRun& run);
// The next steps, seen from one token (explain/step.h), from the checkpoint or from a snapshot of
// the film, as the page's bench makes them. Reads the training text only where the wish wants the
// run's own batches. Throws UsageError where wish.on_text and the text is short, or where the film
// has no snapshot.
Sheet next_steps_of_token(const LoadedRun& run, const TokenWish& wish);

}  // namespace zhuyi
