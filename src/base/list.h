// std::vector and std::span whose places are counted with Index, as everything else is: list[t]
// where the standard's own would want list[std::size_t(t)].
#pragma once
#include <concepts>
#include <span>
#include <utility>
#include <vector>

#include "base/real.h"

namespace zhuyi {

template <class T>
struct List : std::vector<T> {
    using std::vector<T>::vector;
    List() = default;
    List(std::vector<T> values) : std::vector<T>(std::move(values)) {}
    T& operator[](std::integral auto i) { return std::vector<T>::operator[](std::size_t(i)); }
    const T& operator[](std::integral auto i) const {
        return std::vector<T>::operator[](std::size_t(i));
    }
    Index count() const { return Index(this->size()); }
};

// A part of somebody's memory.
template <class T>
struct View : std::span<T> {
    using std::span<T>::span;
    View(std::span<T> values) : std::span<T>(values) {}
    T& operator[](std::integral auto i) const { return std::span<T>::operator[](std::size_t(i)); }
    Index count() const { return Index(this->size()); }
    View part(Index first, Index count) const {
        return View(this->subspan(std::size_t(first), std::size_t(count)));
    }
};

}  // namespace zhuyi
