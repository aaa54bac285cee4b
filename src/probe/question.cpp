#include "probe/question.h"

#include <algorithm>
#include <map>

#include "text/tokenizer.h"
#include "text/utf8.h"

namespace zhuyi {
namespace {

// The bytes at which characters begin, and the end.
std::vector<std::size_t> begins_of(std::string_view text) {
    std::vector<std::size_t> begins{0};
    for (const std::string_view character : utf8::Characters(text))
        begins.push_back(begins.back() + character.size());
    return begins;
}

// The tokens from `first` on, until together they are whole characters.
Index end_of_character(const Tokenizer& tokenizer, std::span<const Token> ids, Index first) {
    std::string bytes;
    for (const Token id : ids.first(std::size_t(first))) bytes += tokenizer.bytes(id);
    for (Index end = first; end < std::ssize(ids);) {
        bytes += tokenizer.bytes(ids[std::size_t(end++)]);
        if (!utf8::first_error(bytes)) return end;
    }
    return std::ssize(ids);
}

Comparison comparison(const Tokenizer& tokenizer, Index text, const std::vector<Token>& right,
                      const std::vector<Token>& wrong) {
    const Index same = std::ranges::mismatch(right, wrong).in1 - right.begin();
    const Index end = end_of_character(tokenizer, wrong, same);
    return {text + same,
            text + end_of_character(tokenizer, right, same),
            {wrong.begin() + same, wrong.begin() + end}};
}

// Which tokens hold a part of each character of the text: positions of characters become tokens.
class Places {
  public:
    Places(const Tokenizer& tokenizer, std::string_view text, std::span<const Token> ids)
        : characters_(begins_of(text)) {
        for (const Token id : ids) ends_.push_back(end() + tokenizer.bytes(id).size());
    }
    Index first(Index character) const { return token_at(characters_[std::size_t(character)]); }
    Index last(Index character) const {
        return token_at(characters_[std::size_t(character) + 1] - 1);
    }

  private:
    std::size_t end() const { return ends_.empty() ? 0 : ends_.back(); }
    Index token_at(std::size_t byte) const {
        return std::ranges::upper_bound(ends_, byte) - ends_.begin();
    }
    std::vector<std::size_t> characters_, ends_;  // bytes
};

Question question_of(const Probe& probe, const Tokenizer& tokenizer) {
    Question q{probe.rule, probe.kind, tokenizer.encode(probe.text), {}, -1, {}};
    if (!probe.answerer.empty()) {
        const Places places(tokenizer, probe.text, q.ids);
        q.asker = places.last(probe.asker);
        for (const Span& span : probe.answerer)
            for (Index t = places.first(span.first); t <= places.last(span.last); ++t)
                if (std::ranges::find(q.answerer, t) == q.answerer.end()) q.answerer.push_back(t);
    }
    const Index text = std::ssize(q.ids);
    const std::vector<Token> right = tokenizer.encode(probe.right);
    for (const std::string& wrong : probe.wrong)
        q.comparisons.push_back(comparison(tokenizer, text, right, tokenizer.encode(wrong)));
    q.ids.insert(q.ids.end(), right.begin(), right.end());
    return q;
}

// Tokens that the model reads: all but the last one that is compared.
Index length(const Question& q) {
    Index most = 0;
    for (const Comparison& c : q.comparisons)
        most = std::max({most, c.end - 1, c.first + std::ssize(c.wrong) - 1});
    return most;
}

}  // namespace

Questions questions_of(const ProbeFile& file, const Tokenizer& tokenizer, Index context) {
    Questions questions{file.rules, {}, 0};
    for (const Probe& probe : file.probes) {
        Question q = question_of(probe, tokenizer);
        if (length(q) <= context)
            questions.all.push_back(std::move(q));
        else
            ++questions.too_long;
    }
    return questions;
}

Text too_long_text(const Questions& questions, Index context) {
    if (questions.too_long == 0) return {};
    return say({"%td of %td probes are left out: they are longer than this model's context, %td",
                "有 %td 个测试句（共 %td 个）超过这个模型的上下文长度 %td，没有测"},
               questions.too_long, questions.too_long + std::ssize(questions.all), context);
}

Questions part_of(const Questions& questions, Index most) {
    using Group = std::pair<std::size_t, ProbeKind>;
    std::map<Group, Index> there, met;
    for (const Question& q : questions.all) ++there[{q.rule, q.kind}];
    Questions part{questions.rules, {}, questions.too_long};
    for (const Question& q : questions.all) {
        const Index n = there[{q.rule, q.kind}], i = met[{q.rule, q.kind}]++;
        // of n, those where i · most / n rises by one
        if (n <= most || (i + 1) * most / n > i * most / n) part.all.push_back(q);
    }
    return part;
}

}  // namespace zhuyi
