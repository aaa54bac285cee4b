// zhuyi sample, as the program that is built.
#include <doctest/doctest.h>

#include <algorithm>

#include "base/utf8.h"
#include "formats/json.h"
#include "support/close.h"
#include "support/has.h"
#include "support/scratch.h"
#include "support/tiny_run.h"
#include "system/printable.h"

using namespace zhuyi;

namespace {

Outcome sample(std::vector<std::string> more) {
    more.insert(more.begin(), {"sample", tiny_run().run, "--threads", "1"});
    return run_program(more);
}

std::string text_of(std::vector<std::string> more) {
    const Outcome outcome = sample(std::move(more));
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
    CHECK((outcome.err == "" || outcome.err.starts_with("zhuyi: never, or hardly ever, in")));
    return outcome.out;
}

}  // namespace

TEST_CASE("sample: one seed, one text; another seed, another text") {
    REQUIRE(tiny_run().training.code == 0);
    const std::string seven = text_of({"--prompt", "小", "--seed", "7"});
    CHECK(seven.starts_with("小"));
    CHECK(seven.ends_with("\n"));
    CHECK((seven == text_of({"--prompt", "小", "--seed", "7"})));
    CHECK((seven != text_of({"--prompt", "小", "--seed", "8"})));
    CHECK((seven == text_of({"--prompt", "小", "--seed", "7", "--threads", "3"})));
}

TEST_CASE("sample: with and without the cache the same text, beyond the context of 16") {
    for (const char* prompt : {"", "小沈阳江西演唱会小沈阳江西演唱会小沈阳江西演唱会"})
        for (const char* seed : {"1", "2"}) {
            const std::vector<std::string> wish{"--prompt", prompt,     "--seed",
                                                seed,       "--tokens", "80"};
            std::vector<std::string> without = wish;
            without.push_back("--cache=no");
            CHECK((text_of(wish) == text_of(without)));
        }
}

TEST_CASE("sample: --count writes so many, each with luck of its own, the first as without") {
    const std::string three = text_of({"--prompt", "小", "--tokens", "12", "--count", "3"});
    const std::size_t second = three.find("\n[2]\n"), third = three.find("\n[3]\n");
    REQUIRE(three.starts_with("[1]\n小"));
    REQUIRE(second != three.npos);
    REQUIRE(third != three.npos);
    CHECK((three.substr(4, second - 4) == text_of({"--prompt", "小", "--tokens", "12"})));
    CHECK((three.substr(4, second - 4) != three.substr(second + 5, third - second - 5)));
}

TEST_CASE("sample: temperature 0 takes the most likely and knows no luck") {
    const std::string text = text_of({"--temperature", "0", "--prompt", "雨", "--tokens", "30"});
    CHECK(
        (text == text_of({"--temperature=0", "--prompt", "雨", "--tokens", "30", "--seed", "9"})));
    CHECK((text == text_of({"--top-k", "1", "--prompt", "雨", "--tokens", "30", "--seed", "5"})));
}

TEST_CASE("sample: no prompt, or an empty one, begins where a document begins") {
    const std::string text = text_of({"--tokens", "20"});
    CHECK((text == text_of({"--tokens", "20", "--prompt", ""})));
    CHECK(text.size() > 1);
    CHECK_FALSE(has(text, "endoftext"));
    CHECK(text_of({"--prompt", "小猫", "--tokens", "0"}) == "小猫\n");
}

TEST_CASE("sample: characters the model never saw are read as bytes and stand as they were") {
    for (const char* prompt : {"😀麒麟", "naïve\t<b>", "<|endoftext|>", "%s%n"}) {
        const std::string text = text_of({"--prompt", prompt, "--tokens", "10"});
        CHECK(text.starts_with(prompt));
        CHECK_FALSE(utf8::first_error(text));
    }
}

// Bytes 0 ended the text that C functions saw. (Control characters go out as symbols, into a pipe
// too: sooner or later somebody looks at it on a terminal.)
TEST_CASE("sample: every byte may come, and what is written is UTF-8") {
    bool zero = false;
    for (const char* seed : {"1", "2", "3", "4"}) {
        const std::string text =
            text_of({"--seed", seed, "--tokens", "300", "--temperature", "3", "--count", "4"});
        CHECK_FALSE(utf8::first_error(text));
        zero = zero || has(text, "␀");
        CHECK_FALSE(has(text, std::string(1, '\0')));
    }
    CHECK(zero);
}

// `dd` takes what one write() brought: a character is never torn in two.
TEST_CASE("sample: streams whole characters") {
    const Outcome chunks = run_shell(
        "\"$ZHUYI\" sample " + shell_quoted(tiny_run().run) +
        " --prompt 小 --tokens 60 --temperature 2 --seed 3 | (i=0; while [ $i -lt 30 ]; do"
        " dd bs=4096 count=1 2>/dev/null; printf '|CHUNK|'; i=$((i + 1)); done)");
    CHECK(chunks.code == 0);
    std::string rest = chunks.out;
    for (std::size_t end; (end = rest.find("|CHUNK|")) != rest.npos; rest = rest.substr(end + 7))
        CHECK_FALSE(utf8::first_error(rest.substr(0, end)));
    CHECK(rest == "");
}

TEST_CASE("sample: --interactive continues line after line, and survives one that is no text") {
    const std::string run =
        "\"$ZHUYI\" sample " + shell_quoted(tiny_run().run) + " --interactive --tokens 5 --seed 7";
    const Outcome talk = run_shell("printf '小猫\\n\\377\\n月亮\\n' | " + run);
    CHECK(talk.code == 0);
    CHECK(talk.out.starts_with("小猫"));
    CHECK(has(talk.out, "月亮"));
    CHECK(talk.err == "this line is not UTF-8\n");
    CHECK((talk.out.substr(0, talk.out.find("月亮")) ==
           text_of({"--prompt", "小猫", "--tokens", "5", "--seed", "7"})));
    const Outcome ended = run_shell("printf '小猫\\n\\n月亮\\n' | " + run);
    CHECK(ended.code == 0);
    CHECK_FALSE(has(ended.out, "月亮"));                             // an empty line ends it
    CHECK(run_shell("printf '雨' | " + run).out.starts_with("雨"));  // no newline at the end
}

TEST_CASE("sample: a reader who leaves ends it at once, without a word") {
    const std::string run = "\"$ZHUYI\" sample " + shell_quoted(tiny_run().run) + " --prompt 小";
    const Outcome endless =
        run_shell(run + " --tokens 1000000000000 --count 1000000 | head -c 20 | wc -c | tr -d ' '");
    CHECK(endless.code == 0);
    CHECK(endless.out == "20\n");
    CHECK(endless.err == "");
    const Outcome closed = run_shell(run + " --tokens 3 >&-");
    CHECK(closed.code == 1);
    CHECK(has(closed.err, "cannot write to standard output"));
}

TEST_CASE("sample: what it cannot do says why in one line") {
    const auto refused = [](const Outcome& outcome, int code, const std::string& part) {
        CAPTURE(outcome.err);
        CHECK(outcome.code == code);
        CHECK(outcome.out == "");
        CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
        CHECK(has(outcome.err, part));
    };
    refused(run_program({"sample"}), 2, "sample takes one RUN");
    refused(run_program({"sample", "no such run"}), 1, "no such run");
    refused(run_program({"sample", tiny_run().folder.path()}), 1, "run.conf");
    refused(sample({"--prompt", "小\xff"}), 2, "byte 3");
    refused(sample({"--temperature", "-1"}), 2, "temperature");
    refused(sample({"--top-p", "1.5"}), 2, "from 0 to 1");
    refused(sample({"--tokns", "5"}), 2, "did you mean tokens?");
    refused(sample({"--checkpoint", "nowhere"}), 1, "no such checkpoint");
    const std::string cut = tiny_run().folder.write(
        "cut.safetensors", tiny_run().folder.read("run/best.safetensors").substr(0, 5000));
    refused(sample({"--checkpoint", cut}), 1, "cut.safetensors");
}

TEST_CASE("sample --novelty: how much is copied, beside the validation part") {
    const Outcome outcome = run_program({"sample", tiny_run().run, "--novelty", "--tokens", "20"});
    CHECK(outcome.code == 0);
    CHECK(has(outcome.out, "20 samples"));
    CHECK(has(outcome.out, "validation part"));
    CHECK(std::count(outcome.out.begin(), outcome.out.end(), '\n') == 3);
}

TEST_CASE("sample --stop: the text ends before the first of them") {
    const std::string whole = text_of({"--prompt", "小", "--tokens", "40", "--temperature", "0"});
    const auto is_begin = [](char byte) { return (byte & 0xC0) != 0x80; };
    std::size_t at = 9;  // a character in the middle, and where it first stands after the prompt
    while (!is_begin(whole[at])) ++at;
    std::size_t end = at + 1;
    while (!is_begin(whole[end])) ++end;
    const std::string stop = whole.substr(at, end - at);
    const std::string cut = whole.substr(0, whole.find(stop, 3)) + "\n";
    CHECK((text_of({"--prompt", "小", "--tokens", "40", "--temperature", "0", "--stop", stop,
                    "--stop", "never there"}) == cut));
}

TEST_CASE("sample --json: a line a text, whose tokens and log-probabilities are the model's") {
    const std::string lines =
        text_of({"--prompt", "小", "--tokens", "6", "--count", "2", "--json", "--seed", "3"});
    const std::size_t first = lines.find('\n');
    REQUIRE(std::ranges::count(lines, '\n') == 2);
    const Json one = parse_json(lines.substr(0, first), "--json");
    CHECK(one.at("prompt").text() == "小");
    std::string joined;
    for (const Json& token : one.at("tokens").items()) {
        joined += token.at("text").text();
        CHECK(token.at("log_probability").number() < 0);
        CHECK(token.at("log_probability").number() > -20);
    }
    CHECK(one.at("end").text() == "tokens");
    CHECK(("小" + one.at("text").text() + "\n" ==
           text_of({"--prompt", "小", "--tokens", "6", "--seed", "3"})));
    if (!has(joined, "⟨")) CHECK(joined == one.at("text").text());
    CHECK(parse_json(lines.substr(first + 1), "--json").at("tokens").items().size() == 6);
}

TEST_CASE("sample --prompt-file: the beginning is read from a file, once") {
    const ScratchFolder scratch;
    const std::string file = scratch.write("begin.txt", "小猫\n");
    CHECK((text_of({"--prompt-file", file, "--tokens", "9"}) ==
           text_of({"--prompt", "小猫", "--tokens", "9"})));
    CHECK(has(sample({"--prompt-file", file, "--prompt", "小"}).err, "both given"));
    CHECK(sample({"--prompt-file", scratch.write("bad.txt", "\xff")}).code == 2);
}

TEST_CASE("sample: the penalties reach the text") {
    const auto greedy = [](const char* option, const char* value) {
        return text_of({"--prompt", "小", "--tokens", "60", "--temperature", "0", option, value});
    };
    const std::string plain = greedy("--seed", "1");
    const std::string without = greedy("--no-repeat", "2");
    CHECK((plain != without));
    CHECK((plain != greedy("--frequency-penalty", "5")));
    CHECK((plain != greedy("--repetition-penalty", "50")));
    CHECK((plain == greedy("--min-p", "0.5")));  // the most likely one stays
}

TEST_CASE("sample --precision bf16: one text with every option beside it") {
    const auto bf16 = [](std::vector<std::string> more) {
        more.insert(more.begin(), {"--prompt", "小", "--tokens", "40", "--precision", "bf16"});
        return text_of(more);
    };
    const std::string text = bf16({"--seed", "3"});
    CHECK(text == bf16({"--seed", "3", "--cache=no"}));
    CHECK(text == bf16({"--seed", "3", "--threads", "3"}));
    CHECK(has(bf16({"--seed", "3", "--count", "4"}), text));
    const auto greedy = [&](const char* option, const char* value) {
        return bf16({"--temperature", "0", option, value});
    };
    const std::string plain = greedy("--seed", "1");
    for (const auto& [option, value] : {std::pair{"--no-repeat", "2"},
                                        {"--frequency-penalty", "5"},
                                        {"--repetition-penalty", "50"}})
        CHECK((plain != greedy(option, value)));
    for (const auto& [option, value] :
         {std::pair{"--min-p", "0.5"}, {"--top-p", "0.5"}, {"--top-k", "1"}})
        CHECK((plain == greedy(option, value)));
    const std::string stop = plain.substr(plain.size() - 4, 3);  // its last character
    CHECK(greedy("--stop", stop.c_str()).size() < plain.size());

    const auto chances = [&](const char* precision) {
        std::vector<double> found;
        const Json written = parse_json(text_of({"--prompt", "小", "--tokens", "6", "--top-k", "1",
                                                 "--json", "--precision", precision}),
                                        "--json");
        for (const Json& token : written.at("tokens").items())
            found.push_back(token.at("log_probability").number());
        return found;
    };
    const auto exact = chances("fp32"), rounded = chances("bf16");
    CHECK(exact != rounded);
    CHECK(close(rounded.at(0), exact.at(0), 2e-2));
    CHECK(has(sample({"--precision", "fp16"}).err, "precision"));
}

TEST_CASE("sample: of a beginning of 900,000 characters only what the model still sees is read") {
    const ScratchFolder folder;
    std::string prompt;
    for (int i = 0; i < 300000; ++i) prompt += "小猫，";
    folder.write("long.txt", prompt);
    const Outcome outcome =
        run_shell("timeout 20 \"$ZHUYI\" sample " + shell_quoted(tiny_run().run) +
                  " --tokens 2 --prompt-file " + shell_quoted(folder.path("long.txt")));
    CHECK(outcome.code == 0);
    CHECK(outcome.out.starts_with(prompt));
}
