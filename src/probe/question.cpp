#include "probe/question.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/check.h"
#include "base/format.h"
#include "base/utf8.h"
#include "system/input_file.h"
#include "system/printable.h"
#include "text/documents.h"
#include "text/tokenizer.h"

namespace zhuyi {

namespace {

class ProbeReader {
  public:
    explicit ProbeReader(const std::string& origin) : origin_(printable(origin)) {}

    void read(std::string_view line) {
        ++line_;
        if (line.starts_with('#'))
            read_name(line.substr(1));
        else if (!line.empty())
            read_probe(line);
    }

    ProbeFile finish() {
        if (file_.probes.empty())
            fail({"%s: expected probes, one a line, found none",
                  "%s：应该每行有一个测试句，却一个也没有"},
                 origin_);
        for (Text& rule : file_.rules)
            if (const auto name = english_.find(rule.chinese); name != english_.end())
                rule.english = name->second;
        return std::move(file_);
    }

  private:
    [[noreturn]] void wrong(const std::string& what) const {
        fail({"%s:%td: %s", "%s 第 %td 行：%s"}, origin_, line_, what);
    }

    void read_name(std::string_view comment) {
        const std::size_t mark = comment.find(" = ");
        if (mark == comment.npos || !comment.starts_with(' ')) return;
        english_[std::string(comment.substr(1, mark - 1))] = comment.substr(mark + 3);
    }

    void read_probe(std::string_view line) {
        const std::vector<std::string_view> fields = split(line, " | ");
        if (fields.size() != 5 && fields.size() != 6)
            wrong(say(
                {"expected 5 or 6 fields with \" | \" between them (rule, seen, new or form, text, "
                 "right, wrong, asker and answerer), found %zu",
                 "应该有 5 或 6 栏，用“ | ”隔开（规则、seen、new 或 form、文字、对的、"
                 "错的、提问处和依据），却有 %zu 栏"},
                fields.size()));
        Probe probe{line_, rule_of(fields[0]), kind_of(fields[1]), std::string(fields[2]),
                    std::string(fields[3])};
        if (probe.text.empty() || probe.right.empty())
            wrong(say({"text and right answer must not be empty", "文字和对的答案不能是空的"}));
        for (const std::string_view answer : split(fields[4], ", ")) {
            check_wrong(answer, probe.right);
            probe.wrong.emplace_back(answer);
        }
        if (fields.size() == 6) read_positions(fields[5], probe);
        file_.probes.push_back(std::move(probe));
    }

    std::size_t rule_of(std::string_view name) {
        if (name.empty() || name.find_first_of(",\"") != name.npos)
            wrong(say({"expected the name of a rule, without commas and quotation marks, found %s",
                       "开头应该是规则的名字，不含半角逗号和引号，却是 %s"},
                      in_quotes(name)));
        const auto found = std::ranges::find(file_.rules, name, &Text::chinese);
        if (found != file_.rules.end()) return std::size_t(found - file_.rules.begin());
        file_.rules.push_back({std::string(name), std::string(name)});
        return file_.rules.size() - 1;
    }

    ProbeKind kind_of(std::string_view word) const {
        if (const auto kind = probe_kind(word)) return *kind;
        wrong(say({"expected seen, new or form, found %s", "应该是 seen、new 或 form，却是 %s"},
                  in_quotes(word)));
    }

    // If one answer begins with the other, there is no character in which they differ.
    void check_wrong(std::string_view answer, std::string_view right) const {
        if (!right.starts_with(answer) && !answer.starts_with(right)) return;
        wrong(say({"expected a wrong answer that differs from the right one, %s, in a character; "
                   "found %s",
                   "错的答案应该与对的答案 %s 至少有一个字不同，却是 %s"},
                  in_quotes(right), in_quotes(answer)));
    }

    // asker, a-b c-d …
    void read_positions(std::string_view field, Probe& probe) const {
        const Index length = utf8::length(probe.text);
        const std::size_t comma = field.find(", ");
        const auto position = [&](std::string_view digits) -> std::optional<Index> {
            const std::optional<Index> number = parse_integer(digits);
            return number && *number >= 0 && *number < length ? number : std::nullopt;
        };
        const std::optional<Index> asker = position(field.substr(0, comma));
        if (!asker || comma == field.npos)
            wrong(say({"expected asker, a-b c-d …, positions in the text of %td characters from 0 "
                       "to %td; found %s",
                       "应该是“提问处, a-b c-d …”，都是文字（%td 个字符）里的位置，"
                       "从 0 到 %td；却是 %s"},
                      length, length - 1, in_quotes(field)));
        probe.asker = *asker;
        for (const std::string_view span : split(field.substr(comma + 2), " ")) {
            const std::size_t dash = span.find('-');
            const std::optional<Index> first = position(span.substr(0, dash));
            const std::optional<Index> last =
                dash == span.npos ? std::nullopt : position(span.substr(dash + 1));
            if (!first || !last || *first > *last || *last > *asker)
                wrong(say({"expected positions a-b that the asker, %td, can see; found %s",
                           "应该是提问处（%td）看得见的位置 a-b，却是 %s"},
                          *asker, in_quotes(span)));
            probe.answerer.push_back({*first, *last});
        }
    }

    const std::string origin_;
    Index line_ = 0;
    ProbeFile file_;
    // Names in the comments, by the Chinese name.
    std::map<std::string, std::string, std::less<>> english_;
};

}  // namespace

std::optional<ProbeKind> probe_kind(std::string_view name) {
    const auto found = std::ranges::find(kProbeKinds, name);
    if (found == kProbeKinds.end()) return {};
    return ProbeKind(found - kProbeKinds.begin());
}

ProbeFile parse_probes(std::string content, const std::string& origin) {
    check_text(content, origin);
    normalise(content);
    ProbeReader reader(origin);
    for (const std::string_view line : split(content, "\n")) reader.read(line);
    return reader.finish();
}

ProbeFile read_probes(const std::string& path) { return parse_probes(read_file(path), path); }

// The bytes at which characters begin, and the end.
static List<std::size_t> begins_of(std::string_view text) {
    List<std::size_t> begins{0};
    for (const std::string_view character : utf8::Characters(text))
        begins.push_back(begins.back() + character.size());
    return begins;
}

// Returns the end of the shortest row of tokens from `first` on whose bytes are whole characters.
static Index end_of_character(const Tokenizer& tokenizer, View<const Token> ids, Index first) {
    std::string bytes;
    for (Index t = 0; t < ids.count(); ++t) {
        bytes += tokenizer.bytes(ids[t]);
        if (t >= first && !utf8::first_error(bytes)) return t + 1;
    }
    return ids.count();
}

static Question::Comparison comparison(const Tokenizer& tokenizer, Index text,
                                       const std::vector<Token>& right,
                                       const std::vector<Token>& wrong) {
    const Index same = std::ranges::mismatch(right, wrong).in1 - right.begin();
    const Index end = end_of_character(tokenizer, wrong, same);
    return {text + same,
            text + end_of_character(tokenizer, right, same),
            {wrong.begin() + same, wrong.begin() + end}};
}

// Returns the tokens that hold each byte of the text.
static List<Index> tokens_of_bytes(const Tokenizer& tokenizer, const List<Token>& ids) {
    List<Index> tokens;
    for (Index t = 0; t < ids.count(); ++t)
        tokens.insert(tokens.end(), tokenizer.bytes(ids[t]).size(), t);
    return tokens;
}

static Question question_of(const Probe& probe, const Tokenizer& tokenizer) {
    Question q{probe.rule, probe.kind, tokenizer.encode(probe.text), {}, -1, {}, probe.right};
    if (!probe.answerer.empty()) {
        const List<Index> tokens = tokens_of_bytes(tokenizer, q.ids);
        const List<std::size_t> begins = begins_of(probe.text);
        const auto last = [&](Index character) { return tokens[begins[character + 1] - 1]; };
        q.asker = last(probe.asker);
        for (const Probe::Span& span : probe.answerer)
            for (Index t = tokens[begins[span.first]]; t <= last(span.last); ++t)
                if (std::ranges::find(q.answerer, t) == q.answerer.end()) q.answerer.push_back(t);
    }
    const Index text = std::ssize(q.ids);
    const std::vector<Token> right = tokenizer.encode(probe.right);
    for (const std::string& wrong : probe.wrong)
        q.comparisons.push_back(comparison(tokenizer, text, right, tokenizer.encode(wrong)));
    q.ids.insert(q.ids.end(), right.begin(), right.end());
    return q;
}

// The number of tokens that the model reads: all but the last one that is compared.
static Index length(const Question& q) {
    Index most = 0;
    for (const Question::Comparison& c : q.comparisons)
        most = std::max({most, c.end - 1, c.first + std::ssize(c.wrong) - 1});
    return most;
}

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

std::string too_long_text(const Questions& questions, Index context) {
    if (questions.too_long == 0) return {};
    return say({"%td of %td probes are left out: they are longer than this model's context, %td",
                "有 %td 个测试句（共 %td 个）超过这个模型的上下文长度 %td，没有测"},
               questions.too_long, questions.too_long + std::ssize(questions.all), context);
}

Questions part_of(const Questions& questions, Index most) {
    std::map<std::pair<std::size_t, ProbeKind>, Index> there, met;
    for (const Question& q : questions.all) ++there[{q.rule, q.kind}];
    Questions part{questions.rules, {}, questions.too_long};
    for (const Question& q : questions.all) {
        const Index n = there[{q.rule, q.kind}], i = met[{q.rule, q.kind}]++;
        // of n questions it takes those at which i · most / n becomes a new whole number
        if (n <= most || (i + 1) * most / n > i * most / n) part.all.push_back(q);
    }
    return part;
}

}  // namespace zhuyi
