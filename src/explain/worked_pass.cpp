#include "explain/worked_pass.h"

#include "base/check.h"

namespace zhuyi {

void WorkedPass::value(std::string_view name, const Tensor& tensor) {
    values_.insert_or_assign(std::string(name), Grid(tensor));
}

void WorkedPass::gradient(std::string_view name, const Tensor& tensor, In gradient) {
    gradients_.insert_or_assign(std::string(name), Grid(gradient, tensor.rows(), tensor.columns()));
}

const Grid& WorkedPass::found(const Book& book, std::string_view name) {
    const auto entry = book.find(name);
    if (entry == book.end()) fail({"the pass has no tensor %s", "前向传播里没有张量 %s"}, name);
    return entry->second;
}

}  // namespace zhuyi
