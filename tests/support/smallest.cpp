#include "support/smallest.h"

#include <atomic>
#include <cmath>
#include <cstdio>

namespace zhuyi {
inline namespace support {

bool lies_below(float a, float b, float c) {
    const double product = double(a) * double(b);  // exact; what the sum loses: Knuth's two-sum
    const double sum = product + double(c), rest = sum - product;
    const double lost = (product - (sum - rest)) + (double(c) - rest);
    return std::abs(sum) < 0x1p-126 || (std::abs(sum) == 0x1p-126 && lost * sum < 0);
}
bool lies_below(float a, float b) {
    return std::abs(double(a)) < 0x1p-126 * std::abs(double(b));  // both sides are exact
}

namespace {
struct Count {
    std::atomic<long> all = 0, below = 0;
#ifdef ZHUYI_COUNT_SMALLEST
    ~Count() {
        std::fprintf(stderr, "results of 2^-126: %ld, of them below it before rounding: %ld\n",
                     all.load(), below.load());
    }
#endif
} count;
}  // namespace

void count_smallest(bool below) {
    ++count.all;
    count.below += below;
}
Smallest smallest() { return {count.all, count.below}; }

}  // namespace support
}  // namespace zhuyi
