// One pass of the model over one text, with every named tensor kept.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "explain/worked_grid.h"
#include "model/gpt.h"
#include "text/tokenizer.h"

namespace zhuyi {

class WorkedPass : public Watcher {
  public:
    void value(std::string_view name, const Tensor& tensor) override;
    void gradient(std::string_view name, const Tensor& tensor, In gradient) override;

    // As rows of the last extent: (1, T, C) gives T rows, (1, H, T, T) gives H T. Throw Error for a
    // name that was not seen.
    Grid values_of(std::string_view name) const;
    Grid gradients_of(std::string_view name) const;
    Numbers row_of(std::string_view name, Index row) const;
    Numbers gradient_row_of(std::string_view name, Index row) const;

  private:
    struct Kept {
        Index columns = 0;
        std::vector<Real> numbers;
        Grid grid() const { return {numbers, Index(numbers.size()) / columns, columns}; }
        Numbers row(Index r) const;
    };
    using Book = std::map<std::string, Kept, std::less<>>;
    static const Kept& found(const Book& book, std::string_view name);
    Book values_, gradients_;
};

// "block.2.attention.Q"
std::string block_name(Index layer, const char* rest);

// The tokens of a text that is to be worked through. Throws Error when it is empty, is no UTF-8, or
// longer than the model's context; `what` names it in the message ("--text").
std::vector<Token> tokens_of(const Tokenizer& tokenizer, std::string_view text,
                             const GptConfig& config, const char* what);

// Throws UsageError, which says what is allowed, unless 0 <= number < count.
void check_place(const char* option, Index number, Index count, const char* things);

}  // namespace zhuyi
