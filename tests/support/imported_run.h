// A model from a Hugging Face folder, as commands would have it behind `zhuyi import`, without the files.
#pragma once
#include "interop/hugging_face.h"

namespace zhuyi {

inline LoadedRun loaded(ImportedModel imported) {
    LoadedRun run;
    run.config.model = imported.config;
    run.tokenizer = std::move(imported.tokenizer);
    run.parameters = std::move(imported.parameters);
    run.model = std::make_unique<Gpt>(run.config.model, *run.parameters);
    return run;
}

}  // namespace zhuyi
