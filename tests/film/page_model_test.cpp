// The page runs the model in JavaScript (page/model.js, why.js, tokenizer.js): here its numbers are
// held against those of this program, on the same rounded weights. Needs node; without it the
// cases say so and pass.
#include "film/page_data.h"

#include <doctest/doctest.h>

#include <cstdlib>

#include "explain/forward.h"
#include "film/stream_list.h"
#include "probe/ask.h"
#include "support/close.h"
#include "support/scratch.h"
#include "support/tiny_gpt.h"
#include "system/embedded.h"
#include "text/byte_pair.h"
#include "train/update.h"

using namespace zhuyi;

namespace {

constexpr std::string_view kTexts[] = {"小猫吃鱼，小猫睡觉。小狗吃鱼，it's 12 fish.",
                                       "小猫吃鱼。小猫吃鱼。Good fish. Good fish."};

// A film of one frame with a snapshot of a model that was never trained, its weights rounded as the
// snapshot has them.
struct PageModel {
    Film film;
    TinyGpt tiny;
    std::vector<Token> ids;

    PageModel(GptConfig config, std::unique_ptr<Tokenizer> tokenizer)
        : film{"toy", "toy.txt", {}, {}, std::move(tokenizer), {}},
          tiny(with_vocabulary(config, film.tokenizer->size())),
          ids(film.tokenizer->encode("小猫睡觉，小")) {
        film.model = tiny.config;
        ids.resize(std::min(ids.size(), std::size_t(tiny.config.context)));
        History& history = film.history;
        const std::vector<Parameter>& table = tiny.parameters.table();
        for (const Parameter& p : table) history.parameters.push_back(row_of(p));
        Recorded recorded{0, 0, 0, {std::ssize(ids)}, tiny.config.layers, tiny.config.heads};
        recorded.weights = count(table), recorded.vocabulary = tiny.config.vocabulary;
        for (const HistoryStream& stream : stream_list(recorded, {0}))
            if (stream.name == kSnapshot || stream.name.starts_with("sentence.0"))
                history.streams.push_back(stream);
        Frame frame;
        for (const HistoryStream& stream : history.streams) {
            const std::vector<double> values = values_of(stream);
            history.start.data.push_back(stream.once() ? stream.encoded(values) : "");
            frame.data.push_back(stream.once() ? "" : stream.encoded(values));
        }
        complete(history);
        history.frames.push_back(frame);
    }
    static GptConfig with_vocabulary(GptConfig config, Index vocabulary) {
        config.vocabulary = vocabulary;
        return config;
    }
    // The snapshot comes last: but the logits are of rounded weights, so it is rounded first.
    std::vector<double> values_of(const HistoryStream& stream) {
        std::vector<double> values;
        if (stream.name == "sentence.0") {
            values.assign(ids.begin(), ids.end());
        } else if (stream.name == kSnapshot) {
            round_weights(stream);
            for (const Parameter& p : tiny.parameters.table())
                for (const Real w : tiny.parameters.value(p)) values.push_back(double(w));
        } else if (stream.name == "sentence.0.logits") {
            const HistoryStream bf16{"", "bf16", {}};
            round_weights(bf16);
            values = logits(ids, nullptr);
            values.erase(values.begin(), values.end() - tiny.config.vocabulary);
        } else {
            values.assign(std::size_t(stream.size()), 0);
        }
        return values;
    }
    void round_weights(HistoryStream stream) {
        for (const Parameter& p : tiny.parameters.table())
            for (Real& w : tiny.parameters.value(p)) {
                stream.shape = {1};
                w = Real(HistoryNumbers(stream, stream.encoded({double(w)}))[0]);
            }
    }
    std::vector<double> logits(std::span<const Token> text, Watcher* watcher) {
        Tape tape(false);
        std::vector<Watcher*> watchers;
        if (watcher) watchers.push_back(watcher);
        const Watching watching(tape, watchers);
        const Tensor z = tiny.model.logits(tape, text, 1, {});
        return {z.values().begin(), z.values().end()};
    }
    WorkedModel worked() { return {tiny.model, tiny.parameters, *film.tokenizer}; }

    // What a script gives for these data, run after the worker's scripts in node.
    Json run(const std::string& script, Json given) {
        const ScratchFolder folder;
        std::string program = "const self = {}, shown = {};\n";
        for (const char* name :
             {"numbers.js", "tokenizer.js", "gemm.js", "products.js", "model.js", "why.js",
              "train.js", "optimizer.js", "lesson.js", "learn.js", "worker.js"})
            program += page_script(name);
        std::string bytes;
        Json data = film_data(film, {}, 9'000'000, bytes);
        data.set("snapshots", gathered(page_model(film, -1), bytes));
        given.set("film", std::move(data)).set("bytes", dense_text(bytes));
        folder.write("given.json", given.write());
        folder.write("page.js",
                     program +
                         "const given = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n"
                         "const all = (job) => { const parts = []; for (;;) {"
                         " const {value, done} = job.next();"
                         " if (done) return {parts, final: value}; parts.push(value); } };\n"
                         "given.film.bytes = bytesOf(given.bytes);\n"
                         "const opened = all(start(given.film)).final;\n" +
                         script +
                         "\nconsole.log(JSON.stringify(answer));\n"
                         // The worker's channel would keep node waiting for its next message.
                         "process.exit();\n");
        const std::string in = "'" + folder.path("given.json") + "'";
        const std::string out = folder.path("out.json");
        const std::string line = "node '" + folder.path("page.js") + "' <" + in + " >'" + out + "'";
        REQUIRE(std::system(line.c_str()) == 0);
        return parse_json(folder.read("out.json"), "node");
    }
};

bool node_is_here() {
    const bool here = std::system("command -v node >/dev/null 2>&1") == 0;
    if (!here) MESSAGE("skipped: there is no node");
    return here;
}

std::unique_ptr<Tokenizer> characters() {
    return std::make_unique<CharacterTokenizer>(CharacterTokenizer::from_texts(kTexts, 1, 1));
}

GptConfig model_of(Position position, Activation activation, bool tied) {
    GptConfig config = tiny_config();
    config.position = position, config.activation = activation, config.tied = tied;
    return config;
}

// One of each position encoding; among them both forms of GELU, and tied and untied ones.
std::vector<GptConfig> models() {
    std::vector<GptConfig> all;
    for (const Position position : kPositions)
        all.push_back(model_of(
            position, position == Position::sinusoidal ? Activation::gelu : Activation::gelu_new,
            position == Position::learned));
    return all;
}

void check_close(const Json& shown, const std::vector<double>& expected, double within) {
    REQUIRE(shown.items().size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK(close(shown.items()[i].number(), expected[i], within));
}

}  // namespace

TEST_CASE("page: its model gives the logits of this one, whole, and one token after the other") {
    if (!node_is_here()) return;
    for (const GptConfig& config : models()) {
        PageModel page(config, characters());
        CAPTURE(encoding_of(config.position).name);
        const Json answer = page.run(
            "const gpt = modelAt(0), whole = gpt.pass(given.ids);\n"
            "let past = kNoPast, last;\n"
            "for (const id of given.ids) ({logits: last, past} = gpt.pass([id], {past}));\n"
            "const answer = {difference: opened.difference, whole: [...whole.logits],"
            " last: [...last]};",
            Json().set("ids", Json::Array(page.ids.begin(), page.ids.end())));
        const std::vector<double> logits = page.logits(page.ids, nullptr);
        check_close(answer.at("whole"), logits, 1e-3);
        check_close(answer.at("last"), {logits.end() - page.tiny.config.vocabulary, logits.end()},
                    1e-3);
        CHECK(answer.at("difference").number() < 1e-3);
    }
}

TEST_CASE("page: a head and an FFN switched off") {
    if (!node_is_here()) return;
    PageModel page(models()[0], characters());
    const Json answer = page.run(
        "const off = [{block: 1, part: 'head', head: 0}, {block: 0, part: 'ffn'}];\n"
        "const watch = silencing(off);\n"
        "const answer = [...modelAt(0).pass(given.ids, {watch}).logits];",
        Json().set("ids", Json::Array(page.ids.begin(), page.ids.end())));
    Silence silence({{1, 0}, {0, std::nullopt}}, page.tiny.config);
    check_close(answer, page.logits(page.ids, &silence), 1e-3);
}

TEST_CASE("page: why, as `zhuyi explain --why` says it") {
    if (!node_is_here()) return;
    for (const GptConfig& config : models()) {
        PageModel page(config, characters());
        CAPTURE(encoding_of(config.position).name);
        const Sheet why = why_sheet(page.worked(), page.ids, {}, -1);
        const Json answer = page.run(
            "const answer = all(jobs.why({ids: given.ids, snapshot: 0, answer: -1})).parts;",
            Json().set("ids", Json::Array(page.ids.begin(), page.ids.end())));
        const Json& whole = answer.items()[0];
        const Numbers logits = read(page.worked(), page.ids, {}).at_query("logits");
        CHECK(whole.at("token").integer() == largest(logits));
        CHECK(close(whole.at("answer").at("logit").number(), logits[largest(logits)], 1e-3));
        Numbers parts{why.table("parts", "sum").row("embedding").number()};
        for (const double part : why.table("parts").grid().values) parts.push_back(part);
        parts.push_back(why.table("parts", "sum").row("β").number());
        REQUIRE(whole.at("parts").items().size() == parts.size());
        for (std::size_t i = 0; i < parts.size(); ++i)
            CHECK(close(whole.at("parts").items()[i].at("logit").number(), parts[i], 1e-3));
        const Sheet::Table& lens = why.table("lens");  // the likeliest, p of the answer, its rank
        REQUIRE(whole.at("lens").items().size() == lens.rows.size());
        for (Index i = 0; i < std::ssize(lens.rows); ++i) {
            const Json& guess = whole.at("lens").items()[std::size_t(i)].at("answer");
            CHECK(close(guess.at("probability").number(), lens.row(i).number(1), 1e-4));
            CHECK(std::to_string(guess.at("rank").integer()) == lens.row(i).words(2));
        }
        const Sheet::Table& effects = why.table("effects");
        REQUIRE(answer.items().size() == 1 + effects.rows.size());
        for (Index i = 1; i <= std::ssize(effects.rows); ++i) {  // from the last character on
            const Json& effect = answer.items()[std::size_t(i)];
            const Sheet::Row& expected = effects.row(-i);
            CHECK(std::to_string(effect.at("position").integer()) == expected.label);
            CHECK(close(effect.at("replaced").number(), expected.number(1), 1e-3));
            if (i > 1) CHECK(close(effect.at("cut").number(), expected.number(2), 1e-3));
        }
    }
}

TEST_CASE("page: a text falls into the same tokens") {
    if (!node_is_here()) return;
    const std::string_view typed[] = {
        "小猫吃鱼，小狗",    "龙🐉é\n\t▁小",   "It's  Good fish, isn't it?  ", "", "12 fish 3４",
        " \n fish　鱼 Good", "小猫吃鱼。小猫"};
    for (const bool byte_pairs : {false, true}) {
        std::unique_ptr<Tokenizer> tokenizer = characters();
        if (byte_pairs)
            tokenizer = std::make_unique<BytePairTokenizer>(train_byte_pairs(kTexts, 257 + 20, 1));
        PageModel page(models()[0], std::move(tokenizer));
        const Json answer = page.run(
            "const answer = given.texts.map((text) => film.tokenizer.encode(text));\n"
            "given.texts.forEach((text, i) => {"
            " if (film.tokenizer.decode(answer[i]) !== text) throw text; });",
            Json().set("texts", Json::Array(std::begin(typed), std::end(typed))));
        for (std::size_t i = 0; i < std::size(typed); ++i) {
            CAPTURE(typed[i]);
            std::vector<Token> tokens;
            for (const Json& token : answer.items()[i].items())
                tokens.push_back(Token(token.integer()));
            CHECK(tokens == page.film.tokenizer->encode(typed[i]));
        }
    }
}

TEST_CASE("page: from step 0 it draws the batches of the program, in either order") {
    if (!node_is_here()) return;
    PageModel page(models()[0], characters());
    TrainConfig config;
    config.batch = 3, config.accumulate = 2, config.seed = 5;
    std::vector<Token> text;
    for (Token token = 0; token < 100; ++token) text.push_back(token);
    for (const WindowOrder order : {WindowOrder::random, WindowOrder::shuffled}) {
        const Json answer = page.run(
            "const how = {seed: 5, batch: 3, accumulate: 2, order: given.order};\n"
            "const text = Int32Array.from({length: 100}, (_, i) => i), steps = [...'012345678'];\n"
            "const answer = steps.flatMap((step) => drawnBatch(text, 4, how, Number(step)));",
            Json().set("order", name_of(config.order = order)));
        Batches batches(text, config, 4);
        for (Index n = 0; n < 9 * 6; ++n)
            CHECK(answer.items()[std::size_t(n)].items()[0].integer() ==
                  batches.of_step(n / 6)(n / 3 % 2).ids[std::size_t(n % 3 * 4)]);
    }
}

TEST_CASE("page: it holds as many snapshots as one asks for, the last among them") {
    PageModel page(models()[0], characters());
    for (Index i = 1; i < 5; ++i) {
        page.film.history.frames.push_back(page.film.history.frames[0]);
        page.film.history.frames.back().step = 10 * i;
    }
    const auto steps = [&](Index most) {
        std::vector<Index> found;
        const Json model = page_model(page.film, most);
        if (model.is_null()) return found;
        for (const Json& step : model.at("steps").items()) found.push_back(step.integer());
        CHECK(found.size() == model.at("weights").items().size());
        return found;
    };
    CHECK(steps(-1) == std::vector<Index>{0, 10, 20, 30, 40});
    CHECK(steps(3) == std::vector<Index>{0, 20, 40});
    CHECK(steps(1) == std::vector<Index>{40});
    CHECK(steps(0).empty());
    const auto size = [&](Index most) { return film_page(page.film, {}, {0, most}).size(); };
    CHECK(size(1) > size(0));
    CHECK(size(-1) > size(1));
}
