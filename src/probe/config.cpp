#include "probe/config.h"

#include "system/options.h"

namespace zhuyi {

void declare(Options& options, ProbeConfig& config) {
    options.group({"probes", "规则测验"});
    options.add("probes", config.probes, "",
                {"a file of probes, questions whose answer a rule of the text decides: a part of "
                 "them is asked at each evaluation, all at the end",
                 "测试句文件，答案由文本的规则决定：每次评估时测一部分，最后全部测一遍"});
}

}  // namespace zhuyi
