// How well a model predicts a text it was not trained on, and metrics.csv, which notes it.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "system/append_file.h"
#include "train/update.h"

namespace zhuyi {

struct Evaluation {
    double nats = 0;        // sum of -ln p(next token)
    Index predictions = 0;  // tokens predicted: all but the first

    double loss() const { return predictions ? nats / double(predictions) : 0; }  // nats per token
};

// Over non-overlapping windows of the whole text; every token but the first is predicted exactly
// once. `batch` windows run side by side, which changes the speed and no bit of the result.
Evaluation evaluate(Gpt& model, Tape& tape, std::span<const Token> text, Index batch);

// The first documents of a text: as many whole ones as fit into `tokens`, or, if the first one is
// longer, its first `tokens`. With 0 the whole text.
std::span<const Token> first_documents(std::span<const Token> text, Token end_of_text,
                                       Index tokens);

// Each document by itself, read from its beginning: after <|endoftext|> every token is predicted,
// the document's own end too. Where a document is longer than the context, the last half of it is
// read again before what follows.
Evaluation evaluate_documents(Gpt& model, Tape& tape, std::span<const Token> text,
                              Token end_of_text, Index batch);

// ---- metrics.csv: one row a step

// No clock, no path, no thread count in it: the same training gives the same file.
//
//     step             updates done
//     loss             nats per token on the step's batch, before the update
//     learning_rate, gradient_norm (before clipping)
//     validation_loss  nats per token; empty where none was measured
//     fingerprint      of all weights after the update (Parameters::fingerprint); empty where
//                      nothing was evaluated
//     document_loss    nats per token, each validation document read from its beginning; empty but
//                      after the last step
class MetricsLog : public Listener {
  public:
    MetricsLog(const std::string& path, Parameters& parameters);

    void step_done(const StepReport& report) override;
    void evaluated(const EvaluationReport& report) override;
    const char* name() const override { return "metrics"; }
    std::string state() override;
    void resume(const std::string& state) override;
    std::string set_aside() override;

  private:
    void begin();
    void write_row();

    const std::string path_;
    AppendFile file_;
    Parameters& parameters_;
    std::optional<StepReport> step_;  // of a row not yet written: an evaluation may follow
    std::optional<EvaluationReport> evaluation_;
    std::uint64_t fingerprint_ = 0;
};

// Returns the last step of a metrics.csv, or -1 if it has no row. Throws Error, with the line, if
// the steps of the rows do not follow each other or a column is no number. (The first row is that
// of step 0, or of the step from which a lost file began again.)
Index verify_metrics(std::string_view csv, const std::string& origin);

// Returns the fingerprint of the weights after this step, or nothing if no row notes it.
std::optional<std::uint64_t> fingerprint_at(std::string_view csv, Index step);

}  // namespace zhuyi
