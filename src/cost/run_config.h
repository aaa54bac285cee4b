// Every option that decides a training: its text, its model, its steps, and what is recorded.
// cost/ counts from it, run/ writes it to run.conf.
#pragma once
#include <string>

#include "film/config.h"
#include "model/config.h"
#include "text/config.h"
#include "train/config.h"

namespace zhuyi {

class Options;

struct RunConfig {
    TextOptions text;
    GptConfig model;
    TrainConfig train;
    HistoryConfig history;
    std::string probes;  // a file of them (probe/question.h); "": none
};

void declare(Options& options, RunConfig& config);

}  // namespace zhuyi
