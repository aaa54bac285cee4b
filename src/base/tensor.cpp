#include "base/tensor.h"

#include "base/check.h"

namespace zhuyi {

Shape::Shape(std::initializer_list<Index> extents) : rank_(int(extents.size())) {
    require(extents.size() <= extents_.size(), "a shape has at most four extents");
    std::size_t axis = 0;
    for (Index extent : extents) extents_[axis++] = extent;
}

Index Shape::size() const {
    if (rank_ == 0) return 0;
    Index product = 1;
    for (Index extent : extents_) product *= extent;
    return product;
}

Index Shape::columns() const { return rank_ == 0 ? 0 : extents_[std::size_t(rank_ - 1)]; }

std::string Shape::text() const {
    return shape_text(std::span(extents_).first(std::size_t(rank_)));
}

std::string shape_text(std::span<const Index> extents) {
    std::string text = "[";
    for (const Index extent : extents)
        text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
    return text + "]";
}

}  // namespace zhuyi
