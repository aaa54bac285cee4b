#include "cost/run_config.h"

#include "system/options.h"

namespace zhuyi {

void declare(Options& options, RunConfig& config) {
    declare(options, config.text);
    declare(options, config.model);
    declare(options, config.train);
    declare(options, config.history);
    declare(options, config.probe);
}

}  // namespace zhuyi
