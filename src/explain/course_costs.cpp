// Tables of the course about what a longer text costs: counted, and timed on this machine.
#include <algorithm>
#include <chrono>

#include "autograd/tape.h"
#include "base/format.h"
#include "base/parallel.h"
#include "base/random.h"
#include "explain/course.h"
#include "generate/generate.h"
#include "model/block.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "ops/attention.h"

namespace zhuyi {
constexpr double kMostProducts = 5e9;  // multiply-adds that are timed at once: half a second

// One thread is timed: several wait for each other, and for whatever else the machine does.
template <class Work>
double milliseconds(const Work& work) {
    using Clock = std::chrono::steady_clock;
    const int threads = thread_count();
    set_thread_count(1);
    const Clock::time_point begun = Clock::now();
    work();
    const Clock::time_point ended = Clock::now();
    set_thread_count(threads);
    return 1e3 * std::chrono::duration<double>(ended - begun).count();
}

// Rows that go through the blocks when N characters are written: after each character all of the
// text so far is read again, or with the cache the new one alone.
static Index rows_of_writing(Index N, bool cached) { return cached ? N : N * (N + 1) / 2; }

// The multiply-adds of it, the output layer's included.
static double products_of_writing(const GptConfig& config, Index N, bool cached) {
    const double C = double(config.channels), L = double(config.layers);
    const double row = L * (4 * C * C + 2 * C * double(config.width()));  // W_Q … W_2
    double sum =
        double(N) * C * double(config.vocabulary) + double(rows_of_writing(N, cached)) * row;
    // A row at position t meets t keys and t values.
    for (Index n = 1; n <= N; ++n)
        sum += 2 * L * C * double(cached ? n : rows_of_writing(n, false));
    return sum;
}

// The best of three.
static double time_of_writing(const CourseRun& run, Index N, bool cached) {
    const std::vector<Token> text = run.tokens("小沈阳");
    double best = 1e300;
    for (int time = 0; time < 3; ++time) {
        Reader reader(run.model->model, cached);
        best = std::min(best, milliseconds([&] {
                            for (Index n = 0; n < N; ++n)
                                reader.read({&text[std::size_t(n) % text.size()], 1});
                        }));
    }
    return best;
}

// x: (1, T, C), of the size that a LayerNorm gives.
static Tensor normal_rows(Tape& tape, Index T, Index C) {
    const Tensor x = tape.tensor({1, T, C});
    const Random random(1, Stream::initialisation, 0);
    for (Index i = 0; i < x.size(); ++i) x.value[i] = Real(random.normal(i));
    return x;
}

static void kv_cache(Sheet& sheet, const CourseRun& run) {
    const GptConfig& config = run.model->model.config();
    Index N = config.context;
    while (N > 8 && products_of_writing(config, N, false) > kMostProducts) N /= 2;
    Sheet::Table& table = sheet.list("kv_cache", {{"rows, cache", "行数，有缓存"},
                                                  {"without", "无缓存"},
                                                  {"multiply-adds, cache", "乘加，有缓存"},
                                                  {"without", "无缓存"},
                                                  {"ms, cache", "毫秒，有缓存"},
                                                  {"without", "无缓存"}});
    for (const Index n : {N / 4, N / 2, N}) {
        if (n == 0) continue;
        table.add(format("N = %td", n),
                  {grouped(rows_of_writing(n, true)), grouped(rows_of_writing(n, false)),
                   format("%.1f", products_of_writing(config, n, true) / 1e6),
                   format("%.1f", products_of_writing(config, n, false) / 1e6),
                   format("%.1f", time_of_writing(run, n, true)),
                   format("%.1f", time_of_writing(run, n, false))});
    }
}

static void lengths(Sheet& sheet, const CourseRun& run) {
    const GptConfig& config = run.model->model.config();
    const Index C = config.channels, H = config.heads;
    Index T = config.context;
    while (T > 8 && 64.0 * double(T) * double(T) * double(C) > kMostProducts) T /= 2;
    Sheet::Table& table = sheet.list("lengths", {{"numbers of its maps, H·T²", "注意力图的数 H·T²"},
                                                 {"attention, ms", "注意力，毫秒"},
                                                 {"× before", "是上一行的几倍"},
                                                 {"FFN, ms", "FFN，毫秒"},
                                                 {"× before", "是上一行的几倍"}});
    const Block block = block_of(run.model->parameters, 0);
    double before[2] = {0, 0};
    for (const Index length : {T, 2 * T, 4 * T, 8 * T}) {
        double best[2] = {1e300, 1e300};
        Tape tape(false);
        for (int time = 0; time < 11; ++time) {  // the first one gets the memory
            tape.reset();
            const Tensor x = normal_rows(tape, length, C);
            const double took[2] = {milliseconds([&] { attention(x, x, x, H); }), milliseconds([&] {
                                        linear(gelu_of_linear(x, block.W_1, config.activation),
                                               block.W_2);
                                    })};
            for (int part : {0, 1})
                if (time > 0) best[part] = std::min(best[part], took[part]);
        }
        const auto times = [&](int part) {
            return before[part] > 0 ? format("× %.1f", best[part] / before[part]) : "";
        };
        table.add(format("T = %s", grouped(length).c_str()),
                  {grouped(H * length * length), format("%.2f", best[0]), times(0),
                   format("%.2f", best[1]), times(1)});
        std::ranges::copy(best, before);
    }
}

const CourseSheets& course_cost_sheets() {
    static const CourseSheets kSheets = {{"kv_cache", kv_cache}, {"lengths", lengths}};
    return kSheets;
}

}  // namespace zhuyi
