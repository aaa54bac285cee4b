// Every option that decides a training: its text, its model, its steps, and what is recorded.
// cost/ counts from it, run/ writes it to run.conf.
#pragma once
#include "film/config.h"
#include "model/config.h"
#include "probe/config.h"
#include "text/config.h"
#include "train/config.h"

namespace zhuyi {

class Options;

struct RunConfig {
    TextOptions text;
    GptConfig model;
    TrainConfig train;
    HistoryConfig history;
    ProbeConfig probe;
};

void declare(Options& options, RunConfig& config);

}  // namespace zhuyi
