#include "cost/run_config.h"

#include "system/options.h"

namespace zhuyi {

void declare(Options& options, RunConfig& config) {
    declare(options, config.text);
    declare(options, config.model);
    declare(options, config.train);
    declare(options, config.history);
    options.group({"probes", "规则测验"});
    options.add("probes", config.probes, "",
                {"a file of probes: questions whose answer a rule of the text decides. Each "
                 "evaluation asks a part of them, the last one asks all",
                 "测试句文件，答案由文本的规则决定：每次评估时测一部分，最后全部测一遍"});
}

}  // namespace zhuyi
