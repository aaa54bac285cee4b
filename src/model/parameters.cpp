#include "model/parameters.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "base/format.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "base/random.h"
#include "model/config.h"

namespace zhuyi {
// Elements that a parameter of `size` elements takes up: each begins on a cache line.
static Index padded(Index size) {
    constexpr Index kAlignment = 16;
    return (size + kAlignment - 1) / kAlignment * kAlignment;
}

// GPT-2's initialisation (Radford et al. 2019, section 2.3): weights normal with deviation 0.02,
// and the two matrices that write into the residual stream smaller by √(2L), so that 2L additions
// leave its size alone.
constexpr double kDeviation = 0.02;

std::vector<Parameter> parameter_table(const GptConfig& c, std::string_view frozen) {
    const Index C = c.channels, F = c.width(), L = c.layers, V = c.vocabulary;
    const double residual = kDeviation / std::sqrt(2.0 * double(L));
    std::vector<Parameter> table;
    Index offset = 0, block = -1;
    const auto row = [&](const std::string& name, Shape shape, Kind kind, double mean,
                         double deviation) {
        const std::string prefix = block < 0 ? "" : "block." + std::to_string(block) + ".";
        const bool decay = shape.rank() == 2;
        table.push_back({prefix + name, shape, kind, block, mean, deviation, decay, offset,
                         decay && block >= 0});
        offset += padded(shape.size());
    };
    const auto weight = [&](const char* name, Index in, Index out, Kind kind, double deviation) {
        row(name, {in, out}, kind, 0, deviation);
    };
    const auto bias = [&](const char* name, Index size, Kind kind) {
        row(name, {size}, kind, 0, 0);
    };
    const auto norm = [&](const std::string& name) {
        row(name + ".gamma", {C}, Kind::norm, 1, 0);
        row(name + ".beta", {C}, Kind::norm, 0, 0);
    };

    weight("embedding.token", V, C, Kind::token_embedding, kDeviation);
    if (encoding_of(c.position).learned)
        weight("embedding.position", c.context, C, Kind::position_embedding, kDeviation);
    for (block = 0; block < L; ++block) {
        norm("norm_1");
        weight("attention.W_Q", C, C, Kind::W_Q, kDeviation);
        weight("attention.W_K", C, C, Kind::W_K, kDeviation);
        weight("attention.W_V", C, C, Kind::W_V, kDeviation);
        weight("attention.W_O", C, C, Kind::W_O, residual);
        for (const char* name :
             {"attention.b_Q", "attention.b_K", "attention.b_V", "attention.b_O"})
            bias(name, C, Kind::attention_bias);
        norm("norm_2");
        weight("ffn.W_1", C, F, Kind::ffn_weight, kDeviation);
        bias("ffn.b_1", F, Kind::ffn_bias);
        weight("ffn.W_2", F, C, Kind::ffn_weight, residual);
        bias("ffn.b_2", C, Kind::ffn_bias);
    }
    block = -1;
    norm("final_norm");
    if (!c.tied) weight("head.W", C, V, Kind::head, kDeviation);
    freeze(table, frozen);
    return table;
}

void freeze(std::vector<Parameter>& table, std::string_view parts) {
    const auto part_of = [](Kind kind) -> std::string_view {
        switch (kind) {
            case Kind::token_embedding:
            case Kind::position_embedding:
            case Kind::head:
                return "embedding";
            case Kind::ffn_weight:
            case Kind::ffn_bias:
                return "ffn";
            case Kind::norm:
                return "norm";
            default:
                return "attention";
        }
    };
    for (std::string_view part : split(parts, ",")) {
        while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
        while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
        if (part.empty()) continue;
        bool known = false;
        for (Parameter& p : table) {
            const bool here = p.block >= 0 && part == "block." + std::to_string(p.block);
            if (part != part_of(p.kind) && !here) continue;
            p.frozen = known = true;
        }
        if (!known)
            fail_usage({"freeze: '%s' is no part of this model; there are embedding, attention, "
                        "ffn, norm and block.0, block.1 …",
                        "freeze：这个模型没有“%s”这一部分；可以写 embedding、attention、ffn、norm、"
                        "block.0、block.1……"},
                       part);
    }
}

Index count(const std::vector<Parameter>& table) {
    Index sum = 0;
    for (const Parameter& p : table) sum += p.shape.size();
    return sum;
}

Index buffer_length(const std::vector<Parameter>& table) {
    const Parameter& last = table.back();
    return last.offset + padded(last.shape.size());
}

double sum_over_table(const GptConfig& config,
                      const std::function<double(const std::vector<Parameter>&)>& sum) {
    GptConfig shallow = config;
    shallow.layers = 1;
    const double one = sum(parameter_table(shallow));
    if (config.layers == 1) return one;
    shallow.layers = 2;
    return one + double(config.layers - 1) * (sum(parameter_table(shallow)) - one);
}

Parameters::Parameters(std::vector<Parameter> table, bool training)
    : table_(std::move(table)), length_(buffer_length(table_)) {
    const std::size_t bytes = std::size_t(length_) * sizeof(Real);
    for (AlignedBytes* buffer : {&value_, &grad_}) {
        if (buffer != &value_ && !training) break;
        *buffer = allocate_aligned(bytes);
        std::memset(buffer->get(), 0, bytes);
    }
    if (!training) return;
    for (const Parameter& p : table_)
        gradients_.push_back({p.frozen ? nullptr : grad(p).data(), p.shape.size(), false});
}

void Parameters::initialise(std::uint64_t seed) {
    constexpr Index kChunk = 4096;
    for (std::size_t row = 0; row < table_.size(); ++row) {
        const Parameter& p = table_[row];
        const Out values = value(p);
        const Random random(seed, Stream::initialisation, row);
        const Index size = Index(values.size()), chunks = (size + kChunk - 1) / kChunk;
        parallel_for(chunks, double(kChunk) * 100, [&](Index chunk) {
            for (Index i = chunk * kChunk; i < std::min(size, (chunk + 1) * kChunk); ++i)
                values[std::size_t(i)] =
                    Real(p.deviation == 0 ? p.mean : p.mean + p.deviation * random.normal(i));
        });
    }
}

const Parameter& Parameters::row(std::string_view name) const {
    const auto p = std::ranges::find(table_, name, &Parameter::name);
    if (p == table_.end()) fail({"the model has no parameter %s", "模型里没有参数 %s"}, name);
    return *p;
}

Tensor Parameters::tensor(std::string_view name) {
    const Parameter& p = row(name);
    const auto place = std::size_t(&p - table_.data());
    Gradient* gradient = training() && !p.frozen ? &gradients_[place] : nullptr;
    return {value(p).data(), gradient, nullptr, p.shape};
}

void Parameters::forget_gradients() {
    for (Gradient& gradient : gradients_) gradient.touched = false;
}

void Parameters::settle_gradients() {
    for (Gradient& gradient : gradients_)
        if (gradient.data && !gradient.touched) std::fill_n(gradient.data, gradient.size, Real(0));
}

std::uint64_t Parameters::fingerprint() {
    Hash hash;
    for (const Parameter& p : table_) hash.add(std::as_bytes(value(p)));
    return hash.value();
}

Out Parameters::slice(const AlignedBytes& buffer, const Parameter& p) const {
    return whole(buffer).subspan(std::size_t(p.offset), std::size_t(p.shape.size()));
}

Out Parameters::whole(const AlignedBytes& buffer) const {
    return {reinterpret_cast<Real*>(buffer.get()), std::size_t(length_)};
}

}  // namespace zhuyi
