#include "explain/worked_pass.h"

#include "base/check.h"
#include "base/format.h"
#include "text/utf8.h"

namespace zhuyi {

void WorkedPass::value(std::string_view name, const Tensor& tensor) {
    const In numbers = tensor.values();
    values_[std::string(name)] = {tensor.columns(), {numbers.begin(), numbers.end()}};
}

void WorkedPass::gradient(std::string_view name, const Tensor& tensor, In gradient) {
    gradients_[std::string(name)] = {tensor.columns(), {gradient.begin(), gradient.end()}};
}

const WorkedPass::Kept& WorkedPass::found(const Book& book, std::string_view name) {
    const auto place = book.find(name);
    if (place == book.end()) fail_english("the pass has no tensor " + std::string(name));
    return place->second;
}

Numbers WorkedPass::Kept::row(Index r) const {
    const auto begin = numbers.begin() + r * columns;
    return {begin, begin + columns};
}

Grid WorkedPass::values_of(std::string_view name) const { return found(values_, name).grid(); }
Grid WorkedPass::gradients_of(std::string_view name) const {
    return found(gradients_, name).grid();
}
Numbers WorkedPass::row_of(std::string_view name, Index row) const {
    return found(values_, name).row(row);
}
Numbers WorkedPass::gradient_row_of(std::string_view name, Index row) const {
    return found(gradients_, name).row(row);
}

std::string block_name(Index layer, const char* rest) {
    return "block." + std::to_string(layer) + "." + rest;
}

std::vector<Token> tokens_of(const Tokenizer& tokenizer, std::string_view text,
                             const GptConfig& config, const char* what) {
    if (text.empty())
        fail_usage_english(format("%s: expected at least one character, found none", what));
    if (const auto fault = utf8::first_error(text))
        fail_usage_english(format("%s is not UTF-8: byte %td %s", what, fault->offset,
                                  utf8::description(fault->finding)));
    std::vector<Token> ids = tokenizer.encode(text);
    if (Index(ids.size()) > config.context)
        fail_usage_english(
            format("%s has %zu tokens, but this model's context is %td: give a shorter text", what,
                   ids.size(), config.context));
    return ids;
}

void check_place(const char* option, Index number, Index count, const char* things) {
    if (number >= 0 && number < count) return;
    fail_usage_english(
        format("--%s=%td: %s count from 0, here 0 to %td", option, number, things, count - 1));
}

}  // namespace zhuyi
