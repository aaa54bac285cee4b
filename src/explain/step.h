// One training step, looked at from all sides: what it read, what it changed, and why.
#pragma once
#include <string>
#include <vector>

#include "explain/update.h"

namespace zhuyi {

struct WorkedStep {
    // A row of the token embedding.
    struct Row {
        Token token;
        std::string name;
        double moved;           // ‖ΔE[token]‖
        double gradient;        // norm of the row of the gradient, before clipping
        Index inputs, targets;  // how often the batch has it as input, how often as target
        double from_inputs;     // norm of the gradient handed in by the positions that read it
        double from_output;     // of the rest, the output layer's; 0 when the output is not tied
        std::string example;  // the position that handed in most: "…吃了一个[苹]果…"; may be empty
    };
    // A parameter, or several that belong together.
    struct Part {
        Text name;
        Index block;           // -1 outside the blocks
        double moved, length;  // ‖ΔW‖, ‖W‖ before
        double share() const { return length > 0 ? moved / length : 0; }
    };

    StepReport report;
    double gradient_scale = 1, clip = 0;     // of clipping, and its limit
    double loss_before = 0, loss_after = 0;  // on the batch, without dropout
    bool muon = false;                       // it moves the matrices of blocks
    bool over = false;                       // WorkedTraining::over
    double adamw_mean = 0, adamw_most = 0;   // |Δw| / η of the weights that AdamW moves
    Index batch = 0, passes = 0;             // texts in a pass, passes
    std::vector<std::string> texts{};        // the batch, as a person reads it
    // All V, the one that moved most first; in the very first step the one with the largest
    // gradient, for AdamW then moves all by about as much.
    std::vector<Row> rows{};
    std::vector<Part> blocks{};  // W_Q, W_K, W_V, W_O, FFN of each block in turn
    std::vector<Part> others{};
};

// Makes update number training.step + 1 of the run, on `training`'s own parameters (so give a
// copy), with the batch that training draws from `text`.
WorkedStep worked_step(const WorkedTraining& training, std::span<const Token> text);
Sheet step_sheet(const WorkedStep& step);

}  // namespace zhuyi
