// What every sheet of a model starts from: the model; a text, with a block, a head and a position
// to look at; and one pass over it with every named tensor kept, forward and backward. A sheet
// reads its numbers from here and from the parameters.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "attention/neighbors.h"
#include "autograd/watching.h"
#include "formats/sheet.h"
#include "model/config.h"

namespace zhuyi {

class Gpt;
class Parameters;
class Tokenizer;

// A model with its table and its words.
struct WorkedModel {
    Gpt& model;
    Parameters& parameters;
    const Tokenizer& tokenizer;

    // Return a parameter, or its gradient, as rows of its last extent.
    Grid value(const std::string& name) const;
    Grid gradient(const std::string& name) const;  // zeros when it is frozen
    Numbers bias(const std::string& name) const { return value(name).values; }
};

// The place in a model and a text that a sheet looks at.
struct Focus {
    Index block = 0, head = 0;
    Index query = -1;  // position in the text; -1: the last
};

// Keeps every named tensor of a pass, as rows of its last extent: (1, T, C) becomes T rows,
// (1, H, T, T) becomes H T rows.
class WorkedPass : public Watcher {
  public:
    void value(std::string_view name, const Tensor& tensor) override;
    void gradient(std::string_view name, const Tensor& tensor, In gradient) override;

    // Throw Error if the pass had no tensor of this name.
    const Grid& values(std::string_view name) const { return found(values_, name); }
    const Grid& gradients(std::string_view name) const { return found(gradients_, name); }

  private:
    using Book = std::map<std::string, Grid, std::less<>>;
    static const Grid& found(const Book& book, std::string_view name);
    Book values_, gradients_;
};

// Returns the tokens around a position, `side` on either side: "…西演[唱]会…".
std::string around(const List<std::string>& tokens, Index position, Index side);

// The text that a sheet follows, and the block, head and position that it looks at.
struct WorkedText {
    GptConfig config;
    Focus focus;  // query resolved
    List<Token> ids;
    List<std::string> tokens;  // T names

    // Throws UsageError if the layer, head or query does not exist; the message says which do.
    WorkedText(const WorkedModel& model, std::span<const Token> ids, Focus focus);

    Index length() const { return ids.count(); }  // T
    const std::string& query_token() const { return tokens[focus.query]; }
    std::string token(const char* matrix) const;  // "E[江]", of the query's token
    std::string marked() const;                   // "李华看[见]"
    Labels labels() const;                        // "3 江"
    // Replaces the letters of base/tensor.h in brackets by numbers: "X: [1, T, C]" becomes
    // "X: [1, 3, 128]".
    std::string in_numbers(std::string_view formula) const;
};

std::string block_name(Index block, std::string_view rest);  // "block.2.attention.Q"
std::string input_name(Index block);                         // what flows into a block

// A text and the pass over it. The functions that begin with d_ return gradients, and throw Error
// if the pass went forward only.
struct Reading : WorkedText {
    WorkedModel model;
    WorkedPass pass{};

    Reading(const WorkedModel& model_, std::span<const Token> ids_, Focus focus_)
        : WorkedText(model_, ids_, focus_), model(model_) {}

    // A name in the block that is looked at.
    std::string own(std::string_view rest) const { return block_name(focus.block, rest); }
    Numbers at_query(std::string_view name) const {
        return pass.values(name).row_copy(focus.query);
    }
    Numbers d_at_query(std::string_view name) const {
        return pass.gradients(name).row_copy(focus.query);
    }
    // Return the head's columns: of "attention.Q" (T, d_k), of the matrix "attention.W_Q" (C, d_k).
    Grid part(std::string_view rest) const { return of_head(pass.values(own(rest))); }
    Grid d_part(std::string_view rest) const { return of_head(pass.gradients(own(rest))); }
    Grid matrix(std::string_view rest) const { return of_head(model.value(own(rest))); }
    Grid d_matrix(std::string_view rest) const { return of_head(model.gradient(own(rest))); }
    Grid of_head(const Grid& all) const;
    // Returns the name under which Q or K meet: with rotary positions they are turned before.
    bool rotary() const { return config.position == Position::rotary; }
    std::string met(std::string name) const { return rotary() ? name + "_turned" : name; }
    Grid weights() const;   // (T, T): the head's, as the op gave them
    Grid products() const;  // (T, T): Q[t] · K[s], also where the mask hides it
};

// Runs the text through the model, forward only.
void record(WorkedPass& pass, const WorkedModel& model, std::span<const Token> ids);
Reading read(const WorkedModel& model, std::span<const Token> ids, Focus focus);

// Returns what each head of a block adds to x at one position: mix_h · W_O[h], (H, C).
Grid head_parts(const WorkedModel& model, const WorkedPass& pass, Index block, Index position);
// What LayerNorm computes of x (C): n = (x - mean) · r with r = 1/√(variance + ε).
struct Spread {
    double mean = 0, variance = 0, r = 0;
};
Spread spread_of(std::span<const double> x);

// Returns the places of the `count` largest numbers, the largest first; of equals the first one.
List<Token> by_size(std::span<const double> numbers, Index count);
// Returns the `count` rows of the token embedding that are nearest to x.
List<Neighbour> nearest_rows(const WorkedModel& model, std::span<const double> x, Index count);
// Return the `count` likeliest tokens, and how they are written: "鱼 0.412  肉 0.203".
List<Token> likeliest(std::span<const double> logits, Index count);
std::string likeliest_text(const WorkedModel& model, std::span<const double> logits, Index count);

// Returns an activation on `tape` with these values, so that ops can be applied to them.
Tensor constant(Tape& tape, Shape shape, std::span<const double> values);
// Returns a · bᵀ, computed by the model's own op (ops/linear.h).
Grid rows_with_rows(const Grid& a, const Grid& b);

// ---- the directions of a matrix (directions.cpp): X = U Σ Vᵀ is a sum of σ_i · u_i v_iᵀ, one
// term for each of them

struct Direction {
    double size;   // σ_i, the singular value of X
    double other;  // u_iᵀ Y v_i: how large another matrix Y is along it; 0 where σ_i is 0
};

// Returns the min(rows, columns) directions of X, the largest first, and how large Y is along each
// of them. X and Y have the same shape. One-sided Jacobi (Hestenes 1958) in double: some ten sweeps
// over all pairs of rows, each min²·max operations.
std::vector<Direction> directions(Grid X, Grid Y);

}  // namespace zhuyi
