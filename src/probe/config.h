// Options: what a training is asked as it goes on.
#pragma once
#include <string>

namespace zhuyi {

class Options;

struct ProbeConfig {
    std::string probes;  // a file of probes (probe/probe_file.h); "": none
};

void declare(Options& options, ProbeConfig& config);

}  // namespace zhuyi
