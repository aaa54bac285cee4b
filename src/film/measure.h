// The numbers of one frame, measured from the model as it stands, under the names of stream_list.h.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "autograd/watching.h"
#include "base/list.h"
#include "base/tensor.h"

namespace zhuyi {

class Gpt;
class Parameters;
class Tape;
class Tokenizer;
class Workspace;
struct History;
struct Levels;
struct TokensPerCharacter;
struct UpdateSize;

using Measured = std::map<std::string, List<double>>;  // by stream

// "tokens_per_character" and "levels"
void measure_text(Measured& out, const TokensPerCharacter& per_character, const Levels& levels);

// "parameter.*". `first`: all values at step 0, laid out as Parameters::values(). `update`: how far
// the last update moved each row (Optimizer::measured_update); empty where none was made.
void measure_parameters(Measured& out, Parameters& parameters, In first,
                        const std::vector<UpdateSize>& update);

// ---- embeddings that are followed: `watched` are their rows of E (V, C)

// "watched.moved", "watched.from_start", "watched.from_last". `first`: E at step 0. `last_moved`:
// (watched, C), "watched.moved" of the frame before, as the file has it.
void measure_watched(Measured& out, const Tensor& E, View<const Token> watched, In first,
                     const List<double>& last_moved);

// "watched.neighbours" and "watched.cosine"
void measure_neighbours(Measured& out, const Tensor& E, const std::vector<Token>& watched,
                        const std::vector<Token>& candidates, Workspace& workspace);

// If the output layer shares E, the gradient of E is a sum of two parts: from the lookup, and from
// the output layer. This watcher adds up the first part, row by row, from the gradient of the
// tensor "embedding"; the second part is the whole minus the first.
class LookupGradient : public Watcher {
  public:
    // place_of: (V), index of a token among the watched ones, or -1. It must outlive this.
    LookupGradient(const List<Index>& place_of, Index watched, Index C)
        : place_of_(place_of), C_(C), sums_(std::size_t(watched * C)) {}

    void clear() { sums_.assign(sums_.size(), 0); }
    void read(std::span<const Token> ids) { ids_ = ids; }
    // "watched.lookup" and "watched.head". E: with the gradient of the last update.
    void measure(Measured& out, const Tensor& E, View<const Token> watched, bool tied) const;

    bool wants(std::string_view name) const override { return name == "embedding"; }
    void value(std::string_view, const Tensor&) override {}
    void gradient(std::string_view name, const Tensor&, In dx) override;  // (B, T, C)

  private:
    const List<Index>& place_of_;
    const Index C_;
    View<const Token> ids_;
    List<double> sums_;  // (watched, C)
};

// ---- sentences

// Which continuations of a sentence are followed from frame to frame: at each position the tokens
// that were ever among the likeliest, and of more than kFollowed those that were once most
// probable. So a curve does not end because its token left the likeliest five.
class Followed {
  public:
    // Position t with its probabilities (V): `likeliest` are followed from now on. Appends
    // kFollowed tokens, -1 where there are fewer, and their probabilities.
    void add(Index t, const List<double>& p, const List<Token>& likeliest, List<double>& tokens,
             List<double>& probabilities);
    // The same from a frame that was recorded: (T, kFollowed) of both.
    void again(const List<Token>& tokens, const List<double>& probabilities);

  private:
    List<std::map<Token, float>> highest_;  // at each position, as the file has it
};
// Of each sentence of a history, after its last frame.
std::vector<Followed> followed_in(const History& history);

// "sentence.N.*" by one pass over the sentence; its "logits" only for a snapshot. `followed`: of
// this sentence, up to the last frame.
void measure_sentence(Measured& out, std::size_t number, Gpt& model, Tape& tape,
                      View<const Token> sentence, Followed& followed, bool snapshot);

// ---- the whole model

// "snapshot"
void measure_weights(Measured& out, Parameters& parameters);

// "sample": `count` tokens after `prompt`, always drawn with the same random numbers.
void measure_sample(Measured& out, Gpt& model, const Tokenizer& tokenizer,
                    std::span<const Token> prompt, Index count);

}  // namespace zhuyi
