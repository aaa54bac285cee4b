// One stream of a history: numbers of one kind, of the same name and shape in every frame that
// carries it.
#pragma once
#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/real.h"

namespace zhuyi {

constexpr Index kAnyLength = -1;

// A number is stored as a level of its element: value = scale · level. What is rounded:
//     attention    scale 1/65535 for levels from 0 to 65535: wrong by at most 0.000008
//     what grows in training from nothing (an embedding minus its initial value)
//                  `group` levels share a scale, with which the largest of them is as large as the
//                  element can hold: i16 is wrong by at most 1/65534 of it, i8 by 1/254. So the first
//                  tiny updates are as sharp as the last.
struct HistoryStream {
    std::string name;          // "watched.moved"
    std::string element;       // of the levels: u8 i8 u16 i16 u32 i32 f32 f64 bf16
    std::vector<Index> shape;  // of what one frame carries; {kAnyLength}: a text
    Index every = 1;  // every so manieth frame carries it, from the first one on; or, with 0,
    std::vector<Index> steps{};  // the frames of these steps; and without any, the start, once
    double scale = 1;
    Index group = 0;  // not 0: a scale for each group of so many levels (f32, before all levels)

    bool once() const { return every == 0 && steps.empty(); }
    bool readable() const;  // this program knows its element
    Index size() const;     // numbers in a frame; kAnyLength when their count may change
    double bytes() const;   // of a frame's data; 0 for kAnyLength
    bool fits(std::size_t bytes) const;  // can data of so many bytes be a frame's?
    // Error when there are more or fewer values than a frame carries.
    std::string encoded(const std::vector<double>& values) const;
};

// What one frame carries of a stream; a view.
class HistoryNumbers {
  public:
    // data fits the stream.
    HistoryNumbers(const HistoryStream& stream, std::string_view data);
    std::size_t size() const { return size_; }
    double operator[](std::size_t i) const {
        return scale_of(i) * level_(levels_.data() + i * width_);
    }
    std::string_view scales() const { return scales_; }  // f32s; empty without groups
    std::string_view levels() const { return levels_; }

    // All of them; as -1 what T cannot hold, in a file that is damaged.
    template <class T>
    std::vector<T> as() const {
        std::vector<T> all(size_, T(-1));
        for (std::size_t i = 0; i < size_; ++i)
            if (const double x = (*this)[i]; x >= double(std::numeric_limits<T>::lowest()) &&
                                             x <= double(std::numeric_limits<T>::max()))
                all[i] = T(x);
        return all;
    }

  private:
    double scale_of(std::size_t i) const;
    std::string_view scales_, levels_;
    double (*level_)(const char* bytes);
    double scale_;
    std::size_t width_, group_, size_;
};

}  // namespace zhuyi
