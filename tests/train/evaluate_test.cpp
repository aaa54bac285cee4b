// Reading document by document: each from its beginning, every token once.
#include "train/evaluate.h"

#include <doctest/doctest.h>

#include "autograd/tape.h"
#include "support/close.h"
#include "support/tiny_gpt.h"

using namespace zhuyi;

namespace {

// -ln p of the targets after the inputs, from number `from` on.
double nats(Gpt& model, const std::vector<Token>& ids, const std::vector<Token>& targets,
            std::size_t from) {
    Tape tape(false);
    const CrossEntropy loss = model.loss(tape, ids, targets, 1, {});
    double sum = 0;
    for (std::size_t t = from; t < targets.size(); ++t) sum += loss.each_row[t];
    return sum;
}

}  // namespace

TEST_CASE("documents: each is read after an end of text, a long one with half a context before") {
    TinyGpt gpt;  // context 8
    // a document of three tokens, an empty one, one of ten, and the beginning of another
    const std::vector<Token> text{5, 6, 7, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 11, 12};
    const double expected = nats(gpt.model, {0, 5, 6, 7}, {5, 6, 7, 0}, 0) +
                            nats(gpt.model, {0}, {0}, 0) +
                            nats(gpt.model, {0, 1, 2, 3, 4, 5, 6, 7}, {1, 2, 3, 4, 5, 6, 7, 8}, 0) +
                            // 9, 10 and the end, with 4 tokens read again
                            nats(gpt.model, {4, 5, 6, 7, 8, 9, 10}, {5, 6, 7, 8, 9, 10, 0}, 4) +
                            nats(gpt.model, {0, 11}, {11, 12}, 0);
    Tape tape(false);
    for (const Index batch : {1, 2, 3, 16}) {
        const Evaluation found = evaluate_documents(gpt.model, tape, text, 0, batch);
        CHECK(found.predictions == std::ssize(text));
        CHECK(close(found.nats, expected, 1e-9));
        CHECK(found.nats == evaluate_documents(gpt.model, tape, text, 0, 1).nats);
    }
    CHECK(evaluate_documents(gpt.model, tape, {}, 0, 4).predictions == 0);
}

TEST_CASE("evaluate: a part of a text is its first whole documents") {
    const std::vector<Token> text{5, 6, 0, 7, 8, 9, 0, 5};  // 0 ends a document
    const auto length = [&](Index tokens) { return first_documents(text, 0, tokens).size(); };
    CHECK(length(0) == 8);  // all
    CHECK(length(2) == 2);  // of a longer one
    CHECK(length(3) == 3);
    CHECK(length(6) == 3);
    CHECK(length(7) == 7);
    CHECK(length(9) == 8);
}
