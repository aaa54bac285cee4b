// Half pages of the course about what a longer text costs: counted, and timed on this machine.
#include <algorithm>
#include <chrono>

#include "autograd/tape.h"
#include "base/format.h"
#include "base/parallel.h"
#include "base/random.h"
#include "explain/course_pages.h"
#include "generate/generate.h"
#include "model/block.h"
#include "model/gpt.h"
#include "model/parameters.h"
#include "ops/attention.h"

namespace zhuyi {
namespace {

constexpr double kMostProducts = 5e9;  // multiply-adds that are timed at once: half a second

// The threads of a loop wait for each other, and for whatever else the machine does: one is timed.
class OneThread {
  public:
    OneThread() { set_thread_count(1); }
    ~OneThread() { set_thread_count(before_); }
    OneThread(const OneThread&) = delete;

  private:
    int before_ = thread_count();
};

template <class Work>
double milliseconds(const Work& work) {
    using Clock = std::chrono::steady_clock;
    const OneThread alone;
    const Clock::time_point begun = Clock::now();
    work();
    return 1e3 * std::chrono::duration<double>(Clock::now() - begun).count();
}

// Of writing N characters: after each one it is asked what comes next.
struct WritingCost {
    Index rows = 0;       // that go through the blocks
    double products = 0;  // multiply-adds, the output layer's included
};

WritingCost writing_cost(const GptConfig& config, Index N, bool cached) {
    const double C = double(config.channels), L = double(config.layers);
    const double row = L * (4 * C * C + 2 * C * double(config.width()));  // W_Q … W_2
    WritingCost sum;
    for (Index n = 1; n <= N; ++n) {
        sum.rows += cached ? 1 : n;
        sum.products += C * double(config.vocabulary) + row * double(cached ? 1 : n);
        // A row at position t meets t keys and t values.
        sum.products += 2 * L * C * double(cached ? n : n * (n + 1) / 2);
    }
    return sum;
}

// The best of three.
double time_of_writing(const CourseRun& run, Index N, Reader::Cache cache) {
    const std::vector<Token> text = course_tokens(run, "小沈阳");
    double best = 1e300;
    for (int time = 0; time < 3; ++time) {
        Reader reader(run.model.model, cache);
        best = std::min(best, milliseconds([&] {
                            for (Index n = 0; n < N; ++n)
                                reader.read({&text[std::size_t(n) % text.size()], 1});
                        }));
    }
    return best;
}

// x: (1, T, C), of the size that a LayerNorm gives.
Tensor normal_rows(Tape& tape, Index T, Index C) {
    const Tensor x = tape.tensor({1, T, C});
    const Random random(1, Stream::initialisation, 0);
    for (Index i = 0; i < x.size(); ++i) x.value[i] = Real(random.normal(i));
    return x;
}

}  // namespace

void cache_page(Sheet& sheet, const CourseRun& run) {
    const GptConfig& config = run.model.model.config();
    Index N = config.context;
    while (N > 8 && writing_cost(config, N, false).products > kMostProducts) N /= 2;
    sheet.text(
        {"Writing N characters with this model, rows counted as they go through the blocks; "
         "multiply-adds in millions; milliseconds of one thread here, the best of three:",
         "用这个模型写 N 个字：经过各层的行数、乘加次数（百万）是数出来的，毫秒是这台机器用一个线程"
         "实测的，三次取最短："});
    Sheet::Table& table = sheet.list("kv_cache", {{"rows, cache", "行数，有缓存"},
                                                  {"without", "无缓存"},
                                                  {"multiply-adds, cache", "乘加，有缓存"},
                                                  {"without", "无缓存"},
                                                  {"ms, cache", "毫秒，有缓存"},
                                                  {"without", "无缓存"}});
    for (const Index n : {N / 4, N / 2, N}) {
        if (n == 0) continue;
        const WritingCost with = writing_cost(config, n, true),
                          without = writing_cost(config, n, false);
        table.add(format("N = %td", n),
                  {grouped(with.rows), grouped(without.rows), format("%.1f", with.products / 1e6),
                   format("%.1f", without.products / 1e6),
                   format("%.1f", time_of_writing(run, n, Reader::Cache::on)),
                   format("%.1f", time_of_writing(run, n, Reader::Cache::off))});
    }
    sheet.text(
        {"With the cache twice the text takes twice the rows, without it about four times: "
         "N and N(N + 1)/2.",
         "有缓存时，文字长一倍，行数也多一倍；无缓存时约为四倍：N 与 N(N + 1)/2。"});
}

void lengths_page(Sheet& sheet, const CourseRun& run) {
    const GptConfig& config = run.model.model.config();
    const Index C = config.channels, H = config.heads;
    Index T = config.context;
    while (T > 8 && 64.0 * double(T) * double(T) * double(C) > kMostProducts) T /= 2;
    sheet.text(
        {"One block with the sizes of this run (C = %td, %td heads), on a text of T tokens: "
         "softmax(Q Kᵀ / √d_k) V beside the FFN, in milliseconds of one thread here, the best of "
         "ten.",
         "取这个模型的一层（C = %td，%td 个头），读 T 个 token：softmax(Q Kᵀ / √d_k) V 与 FFN "
         "各用多少毫秒，这台机器用一个线程实测，十次取最短。"},
        C, H);
    Sheet::Table& table =
        sheet.list("lengths", {{"numbers of all maps, L·H·T²", "注意力图的数 L·H·T²"},
                               {"attention, ms", "注意力，毫秒"},
                               {"× before", "是上一行的几倍"},
                               {"FFN, ms", "FFN，毫秒"},
                               {"× before", "是上一行的几倍"}});
    const Block block = block_of(run.model.parameters, 0);
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
                  {grouped(config.layers * H * length * length), format("%.2f", best[0]), times(0),
                   format("%.2f", best[1]), times(1)});
        std::ranges::copy(best, before);
    }
    sheet.text(
        {"Twice the text: the FFN has twice the work, attention four times (T²/2 products of "
         "a query and a key in each head). The times come near that where the text is long; "
         "in short ones much of them is what every call and every row costs anyhow.",
         "文字长一倍：FFN 的工作多一倍，注意力多到四倍（每个头约 T²/2 次查询与键的点积）。"
         "文字长时，实测的时间才接近这个倍数；文字短时，每次调用、每一行的固定开销占了不少。"});
}

}  // namespace zhuyi
