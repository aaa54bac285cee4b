#include "cost/bench.h"

#include <cstring>
#include <thread>

#include "base/format.h"
#include "base/parallel.h"
#include "formats/sheet.h"
#include "model/config.h"
#include "system/machine.h"
#include "system/printable.h"
#include "train/config.h"

namespace zhuyi {

double fma_peak() {
    Workspace workspace;
    double best = 0;
    // Runs get longer until one takes a hundredth of a second: the short ones wake the threads.
    for (Index rounds = 1000, long_runs = 0; long_runs < 3;) {
        double operations = 0;
        const double seconds =
            seconds_of([&] { operations = kernels().fma_rounds(rounds, workspace); });
        best = std::max(best, operations / seconds);
        if (seconds > 0.01)
            ++long_runs;
        else
            rounds *= 2;
    }
    return best;
}

// Bytes per second of AdamW on arrays that fit into no cache.
static double streaming_rate() {
    constexpr Index kCount = Index(1) << 24;  // four arrays of 64 MiB
    const std::size_t bytes = std::size_t(kCount) * sizeof(Real);
    AlignedBytes memory[4];
    Real* arrays[4];
    for (int i = 0; i < 4; ++i) {
        memory[i] = allocate_aligned(bytes);
        arrays[i] = reinterpret_cast<Real*>(memory[i].get());
        std::fill_n(arrays[i], kCount, Real(0));
    }
    const AdamWStep step{1e-3, 0.9, 0.99, 1e-8, 0.1, 1, 1};
    std::vector<double> rates;
    for (int round = 0; round < 7; ++round) {
        const double seconds = seconds_of(
            [&] { kernels().adamw(arrays[0], arrays[1], arrays[2], arrays[3], kCount, step); });
        rates.push_back(kAdamWBytes * double(kCount) / seconds);
    }
    return median(rates);
}

// "123.4", billions of something per second.
static Cell gigas(double rate) { return {rate / 1e9, format("%.4g", rate / 1e9)}; }

// The C library searches for a byte that is not there, so it reads all of them, and no other reader
// is faster on any machine.
double reading_rate(Index bytes) {
    const auto size = std::size_t(bytes);
    const AlignedBytes memory = allocate_aligned(size);
    std::memset(memory.get(), 0, size);
    std::vector<double> rates;
    const Index repeats = 1 + (Index(1) << 24) / bytes;
    for (int round = 0; round < 15; ++round) {
        bool found = false;
        const double seconds = seconds_of([&] {
            for (Index i = 0; i < repeats; ++i)
                found |= std::memchr(memory.get(), 1 + int(i % 9), size) != nullptr;
        });
        if (!found) rates.push_back(double(bytes * repeats) / seconds);
    }
    return median(rates);
}

double add_machine(Sheet& sheet, Precision precision, bool streaming) {
    const int processors = int(std::max(1u, std::thread::hardware_concurrency()));
    const std::string processor = processor_name();
    const double peak = fma_peak(), moved = streaming ? streaming_rate() : 0;
    sheet.text({"%s, %d processors", "%s，%d 个处理器"}, printable(processor), processors);
    sheet.text({"%d threads, %s, %s", "%d 个线程，%s，%s"}, thread_count(), kernels().name,
               name_of(precision));
    std::string now = say({"now: %s GFLOP/s of fused multiply-adds", "现在：乘加峰值 %s GFLOP/s"},
                          gigas(peak).text);
    if (streaming)
        now += say(
            {", %s GB/s of memory in AdamW's seven streams", "，内存 %s GB/s（AdamW 的七路读写）"},
            gigas(moved).text);
    sheet.text(now);
    sheet.set("processor", processor), sheet.set("processors", processors);
    sheet.set("threads", thread_count()), sheet.set("kernels", kernels().name);
    sheet.set("precision", name_of(precision)), sheet.set("peak_gflops", peak / 1e9);
    sheet.set("streaming_gbytes_per_second", streaming ? Json(moved / 1e9) : Json());
    return moved;
}

namespace {

// `count` matrices side by side that share X. transposed: W is stored (out, in), as the token
// embedding is.
struct Product {
    const char* name;
    Index count, in, out;
    bool transposed;
};

// Numbers that differ, and are not so small that arithmetic with them is slow.
std::vector<Real> filled(Index count) {
    std::vector<Real> numbers(std::size_t(count), 0);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = Real(i % 13) / 16 - Real(0.4);
    return numbers;
}

Matrix by_rows(const Real* data, Index columns) { return {data, columns, 1}; }
Matrix by_columns(const Real* data, Index columns) { return {data, 1, columns}; }

// Repeats the products until a clock can measure them, takes a median, and ends after about a
// second.
double rate_of(const std::vector<Gemm>& products) {
    double operations = 0;
    for (const Gemm& p : products) operations += 2.0 * double(p.M) * double(p.N) * double(p.K);
    Workspace workspace;
    const auto once = [&] { kernels().gemms(products.data(), std::ssize(products), workspace); };
    const double first = seconds_of(once);
    const Index repeats = 1 + Index(0.01 / std::max(first, 1e-7));
    std::vector<double> rates;
    double spent = 0;
    while (rates.size() < 5 && spent < 1) {
        const double seconds = seconds_of([&] {
            for (Index i = 0; i < repeats; ++i) once();
        });
        rates.push_back(operations * double(repeats) / seconds), spent += seconds;
    }
    return median(rates);
}

// The row of a product of N rows.
std::vector<Cell> speed_of(const Product& p, Index N, Precision precision) {
    const Index in = p.in, out = p.out;
    const std::vector<Real> X = filled(N * in), W = filled(p.count * in * out);
    const std::vector<Real> dY = filled(p.count * N * out);
    std::vector<Real> Y(dY.size()), dX(X.size()), dW(W.size());
    std::vector<Gemm> forward, d_input, d_weight;
    for (Index i = 0; i < p.count; ++i) {
        const Real *w = W.data() + i * in * out, *dy = dY.data() + i * N * out;
        Real *y = Y.data() + i * N * out, *dw = dW.data() + i * in * out;
        const auto gemm = [&](Index M, Index n, Index K, Matrix A, Matrix B, Destination C) {
            Gemm g{M, n, K, A, B, C, n};
            g.precision = precision;
            return g;
        };
        const Matrix weights = p.transposed ? by_columns(w, in) : by_rows(w, out);
        const Matrix transposed = p.transposed ? by_rows(w, in) : by_columns(w, out);
        forward.push_back(gemm(N, out, in, by_rows(X.data(), in), weights, {y, false}));
        d_input.push_back(gemm(N, in, out, by_rows(dy, out), transposed, {dX.data(), i > 0}));
        d_weight.push_back(
            p.transposed
                ? gemm(out, in, N, by_columns(dy, out), by_rows(X.data(), in), {dw, false})
                : gemm(in, out, N, by_columns(X.data(), in), by_rows(dy, out), {dw, false}));
    }
    const double peak = fma_peak();
    const double rates[] = {rate_of(forward), rate_of(d_input), rate_of(d_weight)};
    const double all = 3 / (1 / rates[0] + 1 / rates[1] + 1 / rates[2]);
    const Index all_out = p.count * out;
    return {p.name,
            format("%td × %td × %td", N, in, all_out),
            gigas(rates[0]),
            gigas(rates[1]),
            gigas(rates[2]),
            gigas(peak),
            Cell::percent(all / peak, 0),
            double(N),
            double(in),
            double(all_out)};
}

}  // namespace

void add_products(Sheet& sheet, const BenchResult& r) {
    Sheet::Table& table = sheet.records("configurations.products",
                                        {Sheet::unseen("../name"),
                                         {"name", {"products, GFLOP/s", "矩阵乘法，GFLOP/s"}},
                                         {"", {"rows × in × out", "行 × 入 × 出"}},
                                         {"forward_gflops", "Y = X·W"},
                                         {"d_input_gflops", "dX = dY·Wᵀ"},
                                         {"d_weight_gflops", "dW = Xᵀ·dY"},
                                         {"peak_gflops", {"peak", "峰值"}},
                                         {""},
                                         Sheet::unseen("rows"),
                                         Sheet::unseen("in"),
                                         Sheet::unseen("out")});
    if (!r.generation) {
        table.reader = Sheet::Reader::program;
        return;
    }
    const Index C = r.config.model.channels, F = r.config.model.width();
    for (const Product& product : {Product{"W_Q W_K W_V", 3, C, C, false},
                                   {"W_O", 1, C, C, false},
                                   {"W_1", 1, C, F, false},
                                   {"W_2", 1, F, C, false},
                                   {"logits", 1, C, r.config.model.vocabulary, true}}) {
        std::vector<Cell> cells = speed_of(product, r.config.rows(), r.training.precision);
        cells.insert(cells.begin(), r.config.name);
        table.record(std::move(cells));
    }
}

}  // namespace zhuyi
