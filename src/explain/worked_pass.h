// One pass with every named tensor kept, forward and backward.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "autograd/watching.h"
#include "base/grid.h"

namespace zhuyi {

// Every named tensor as rows of its last extent: (1, T, C) is T rows, (1, H, T, T) is H T.
class WorkedPass : public Watcher {
  public:
    void value(std::string_view name, const Tensor& tensor) override;
    void gradient(std::string_view name, const Tensor& tensor, In gradient) override;

    // Throw Error for a name that was not seen.
    const Grid& values(std::string_view name) const { return found(values_, name); }
    const Grid& gradients(std::string_view name) const { return found(gradients_, name); }

  private:
    using Book = std::map<std::string, Grid, std::less<>>;
    static const Grid& found(const Book& book, std::string_view name);
    Book values_, gradients_;
};

}  // namespace zhuyi
