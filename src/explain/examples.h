// The course's examples, computed by the project's own ops: small enough for pencil and paper. And
// how many weights the models have that everybody talks about.
#pragma once
#include <string>
#include <vector>

#include "formats/sheet.h"
#include "model/config.h"
#include "ops/attention.h"

namespace zhuyi {

// 猫 吃 鱼 through attention: 3 tokens, d_in = 4, no bias. heads: 1 or 2; throws UsageError for
// another number. The sections are input, weights_in, projections, split (2 heads); scores, scaled,
// mask (causal), softmax, mix of each head; concatenation, output, mean (2 heads).
Sheet example_sheet(Index heads, Mask mask);
// The tutorial's table of it as it is printed, beside what follows from its own numbers and beside
// the right one: who worked it by hand sees where the road was left.
Sheet printed_sheet();

Sheet dot_sheet();      // how alike 邀请 is to 小, 沈 and 阳
Sheet query_sheet();    // one vector through one matrix: q = x · W
Sheet softmax_sheet();  // one row of scores through softmax, and why scores are divided by √d_k

// One of "attention", "dot", "query", "softmax"; `heads` and `mask` are those of attention. Throws
// UsageError for another name.
Sheet example_named(const std::string& name, Index heads, Mask mask);

// ---- well-known models (course_small.cpp)

struct KnownModel {
    const char* name;
    Index channels, layers;
    Index attention;  // weights of all W_Q, W_K, W_V, W_O
    Index all;
};
std::vector<KnownModel> known_models();  // GPT-2, GPT-3, LLaMA, Llama 2

GptConfig gpt2_config(Index channels, Index layers, Index heads);  // V = 50257, T = 1024
GptConfig course_config();                                         // 12 blocks of 512, 4 heads
Index weights_of(const GptConfig& config);                         // all

}  // namespace zhuyi
