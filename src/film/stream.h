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

// A number is stored as a level, which is a number of type `element`: value = scale · level.
// Rounding:
//     attention    u16, scale 1/65535: the error is at most 0.000008
//     changes      (an embedding minus its initial value) `group` levels share a scale, chosen so
//                  that the largest of them just fits the element: the error is at most 1/65534 of
//                  the largest number in i16, 1/254 in i8. So the tiny changes of the first steps
//                  are stored as exactly as the large ones of the last.
struct HistoryStream {
    std::string name;          // "watched.moved"
    std::string element;       // of the levels: u8 i8 u16 i16 u32 i32 f32 f64 bf16
    std::vector<Index> shape;  // of what one frame carries; {kAnyLength}: a text
    // Which frames carry it: every `every`-th one, from the first on; if `every` is 0, the frames
    // of `steps`; if `steps` is empty too, no frame, but the start, once.
    Index every = 1;
    std::vector<Index> steps{};
    double scale = 1;
    Index group = 0;  // not 0: each group of `group` levels has a scale (f32, before all levels)

    bool once() const { return every == 0 && steps.empty(); }
    bool readable() const;  // does this program know its element?
    Index size() const;     // numbers in a frame; kAnyLength when their count may change
    double bytes() const;   // of a frame's data; 0 for kAnyLength
    bool fits(std::size_t bytes) const;  // can a frame's data have this length?
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

    // All of them as T; -1 for a number that T cannot hold (the file is damaged).
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
