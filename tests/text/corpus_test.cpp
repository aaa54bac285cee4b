#include "text/corpus.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/check.h"
#include "support/scratch.h"
#include "text/tokenized.h"

using namespace zhuyi;
using namespace std::string_literals;

namespace {

Corpus from(const std::string& content, Documents documents = Documents::blank_line,
            Split split = Split::automatic) {
    return Corpus::from({{"文.txt", content}},
                        {.data = "文.txt", .documents = documents, .split = split});
}

std::vector<std::string> texts_of(const Corpus& corpus) {
    return {corpus.documents().begin(), corpus.documents().end()};
}

std::string joined(const Corpus& corpus, Part part) {
    std::string all;
    for (const Piece& piece : corpus.pieces(part))
        all += std::string(piece.text) + (piece.ends ? "|" : "");
    return all;
}

std::string complaint(const TextOptions& options) {
    try {
        Corpus::read(options);
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was wrong";
}

std::string numbered_documents(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "第" + std::to_string(i) + "篇：猫吃鱼。\n\n";
    return text;
}

}  // namespace

TEST_CASE(
    "blank lines separate documents; lines of white space are blank; ends of lines become one "
    "kind") {
    const Corpus corpus =
        from("\xEF\xBB\xBF\r\n猫吃鱼。\r\n他笑了。\r\n \t　\r\n\r\n  小猫\r苹果\r\r河边");
    CHECK(texts_of(corpus) ==
          std::vector<std::string>{"猫吃鱼。\n他笑了。", "  小猫\n苹果", "河边"});
}

TEST_CASE("documents = file keeps blank lines and the newline at the end") {
    const Corpus corpus = Corpus::from({{"a", "一\n\n二\n"}, {"b", " \n　\n"}, {"c", "三"}},
                                       {.data = "folder", .documents = Documents::file});
    CHECK(texts_of(corpus) == std::vector<std::string>{"一\n\n二\n", "三"});
    CHECK(corpus.files() == 3);
}

TEST_CASE("NUL is a character") {
    const Corpus corpus = from("猫吃鱼猫吃鱼\0他笑了\n"s);
    CHECK(texts_of(corpus) == std::vector<std::string>{"猫吃鱼猫吃鱼\0他笑了"s});
}

TEST_CASE("each document is followed by token 0") {
    const Corpus corpus = from("猫吃\n\n鱼\n\n吃");
    const auto tokenizer = make_tokenizer(corpus, {});
    const std::vector<Token> all = tokenize(corpus.documents(), *tokenizer);
    CHECK(tokenizer->decode(all) == "猫吃鱼吃");
    CHECK(all.size() == 7);
    CHECK(all[2] == kEndOfText);
    CHECK(all[4] == kEndOfText);
    CHECK(all[6] == kEndOfText);
}

TEST_CASE(
    "tail: ten characters, nine to learn from; the cut document ends in the validation part "
    "alone") {
    const Corpus corpus = from("一二三\n\n四五六七\n\n八九十", Documents::blank_line, Split::tail);
    CHECK(corpus.characters() == 10);
    CHECK(joined(corpus, Part::train) == "一二三|四五六七|八九");
    CHECK(joined(corpus, Part::validation) == "十|");
    CHECK(corpus.part(2) == Part::train);  // where it begins
    const auto tokenizer = make_tokenizer(corpus, {});
    const TokenizedText text = tokenize(corpus, *tokenizer);
    CHECK(text.train.size() == 11);
    CHECK(text.train_characters == 11);
    // 十 was never seen in training: three bytes and the end
    CHECK(text.validation.size() == 4);
    CHECK(text.validation_characters == 2);
    CHECK(tokenizer->count(kEndOfText) == 2);
}

TEST_CASE("tail: a cut between two documents cuts none") {
    const Corpus corpus = from("一二三四五六七八九\n\n十", Documents::blank_line, Split::tail);
    CHECK(joined(corpus, Part::train) == "一二三四五六七八九|");
    CHECK(joined(corpus, Part::validation) == "十|");
    CHECK(corpus.part(1) == Part::validation);
}

TEST_CASE("twenty different documents are split by hash, fewer by tail") {
    CHECK(from(numbered_documents(20)).split() == Split::hash);
    CHECK(from(numbered_documents(19)).split() == Split::tail);
    std::string same;
    for (int i = 0; i < 40; ++i) same += "猫吃鱼。\n\n";
    CHECK(from(same).split() == Split::tail);
    CHECK_THROWS_WITH_AS(from(same, Documents::blank_line, Split::hash),
                         doctest::Contains("--split=tail"), Error);
}

TEST_CASE("of documents that are repeated, what is new counts once") {
    // 12 and 9 bytes are new, of 12, 9, 12 and 12.
    CHECK(from("猫吃鱼。\n\n狗跑。\n\n猫吃鱼。\n\n猫吃鱼。").new_share() == 21.0 / 45);
    CHECK(from(numbered_documents(20)).new_share() == 1);
}

TEST_CASE("hash: about a tenth, whole documents, none on both sides") {
    const Corpus corpus = from(numbered_documents(2000));
    const auto train = corpus.pieces(Part::train), validation = corpus.pieces(Part::validation);
    CHECK(train.size() + validation.size() == 2000);
    // binomial: 200 ± 13.4; five deviations
    CHECK(validation.size() > 133);
    CHECK(validation.size() < 267);
    for (const Piece& piece : validation) CHECK(piece.ends);
}

TEST_CASE(
    "hash: exact duplicates fall on one side, and a document keeps its side when others come") {
    std::map<std::string, Part> side;
    const Corpus small = from(numbered_documents(300) + numbered_documents(300));
    for (std::size_t i = 0; i < small.documents().size(); ++i) {
        const auto [at, fresh] = side.emplace(small.documents()[i], small.part(i));
        CHECK(at->second == small.part(i));
        CHECK(fresh == (i < 300));
    }
    const Corpus large = from(numbered_documents(900));
    std::size_t met = 0;
    for (std::size_t i = 0; i < large.documents().size(); ++i) {
        const auto at = side.find(std::string(large.documents()[i]));
        if (at == side.end()) continue;
        ++met;
        CHECK(at->second == large.part(i));
    }
    CHECK(met == 300);
}

TEST_CASE("hash: however few the documents, both parts have one") {
    // Of two documents both fall on the learning side four times out of five, unless one is taken
    // over.
    for (int first = 0; first < 100; ++first) {
        const std::string text = std::to_string(first) + "\n\n" + std::to_string(first + 1000);
        const Corpus corpus = from(text, Documents::blank_line, Split::hash);
        CHECK(corpus.pieces(Part::train).size() == 1);
        CHECK(corpus.pieces(Part::validation).size() == 1);
    }
}

TEST_CASE("both parts together are the whole text, in order") {
    for (const Split split : {Split::hash, Split::tail}) {
        const Corpus corpus = from(numbered_documents(50), Documents::blank_line, split);
        std::size_t size = 0, parts = 0;
        for (std::string_view document : corpus.documents()) size += document.size();
        for (const Part part : {Part::train, Part::validation})
            for (const Piece& piece : corpus.pieces(part)) parts += piece.text.size();
        CHECK(parts == size);
    }
}

TEST_CASE("a character of the validation part alone has no token") {
    const Corpus corpus =
        from(numbered_documents(40) + "龘\n\n", Documents::blank_line, Split::tail);
    const auto tokenizer = make_tokenizer(corpus, {});
    CHECK(tokenizer->encode("龘").size() == 3);
    CHECK(tokenizer->encode("猫")[0] >= 257);
}

TEST_CASE("the hash tells texts apart, and not names or ends of lines") {
    const std::uint64_t hash = from("猫吃鱼\n\n他笑了").hash();
    CHECK(from("猫吃鱼\r\n\r\n\r\n他笑了\r\n").hash() == hash);
    CHECK(Corpus::from({{"b", "猫吃鱼"}, {"c", "他笑了"}}, {}).hash() == hash);
    CHECK(from("猫吃鱼。\n\n他笑了").hash() != hash);
    CHECK(from("他笑了\n\n猫吃鱼").hash() != hash);
    CHECK(from("猫吃\n\n鱼他笑了").hash() != hash);  // a border moved
    CHECK(from("猫吃鱼\n他笑了").hash() != hash);
}

TEST_CASE("a folder: its .txt files, subfolders too, in order of their paths") {
    const ScratchFolder folder;
    std::filesystem::create_directories(folder.path("甲/子"));
    std::filesystem::create_directories(folder.path(".git"));
    folder.write("乙.txt", "三");
    folder.write("甲/子/b.TXT", "四");
    folder.write("a.txt", "一\n\n二\n");
    folder.write("empty.txt", "");
    folder.write("notes.md", "no");
    folder.write(".hidden.txt", "no");
    folder.write(".git/x.txt", "no");
    const Corpus corpus = Corpus::read({.data = folder.path()});
    CHECK(texts_of(corpus) == std::vector<std::string>{"一", "二", "三", "四"});
}

TEST_CASE("a corpus may be moved: its documents stay where they are") {
    std::vector<Corpus> kept;
    for (int i = 0; i < 10; ++i) kept.push_back(from("猫"));  // as short as a string's own buffer
    for (const Corpus& corpus : kept) CHECK(corpus.documents()[0] == "猫");
}

TEST_CASE("what is no text is refused in one line that says where and what next") {
    const ScratchFolder folder;
    std::filesystem::create_directories(folder.path("空"));
    std::filesystem::create_directories(folder.path("图"));
    folder.write("图/a.png", "x");
    const auto said = [&](const std::string& path, const char* words) {
        const std::string message = complaint({.data = path});
        CHECK_MESSAGE(message.find(words) != message.npos, message);
        CHECK_MESSAGE(message.find(path) != message.npos, message);
        CHECK(message.find('\n') == message.npos);
    };
    said(folder.path("没有.txt"), "No such file");
    said(folder.path("空"), "found none among 0");
    said(folder.path("图"), "found none among 1");
    said(folder.write("empty.txt", ""), "an empty file");
    said(folder.write("bom.txt", "\xEF\xBB\xBF"), "an empty file");
    said(folder.write("blank.txt", "\n \r\n　\n"), "nothing but blank lines");
    said(folder.write("bad.txt", "猫\n吃\xFF鱼"), "line 2, byte offset 7: 0xFF");
    said(folder.write("gbk.txt", "\xC4\xE3\xBA\xC3\n"), "iconv -f GB18030 -t UTF-8 '");
    said(folder.write("utf16.txt", "c\0a\0t\0 \0e\0a\0t\0s\0"s), "every 2. byte is 0");
    CHECK_THROWS_AS(Corpus::read({}), UsageError);
}

TEST_CASE(
    "tens of megabytes in one line, and in as many lines as bytes, take no longer than reading") {
    // Quadratic work on these would be 10^15 steps.
    std::string line;
    while (line.size() < (std::size_t(24) << 20)) line += "猫吃鱼，";
    CHECK(from(line).documents().size() == 1);
    CHECK(from(std::string(std::size_t(24) << 20, '\n') + "猫").documents().size() == 1);
    CHECK(from(std::string(std::size_t(24) << 20, ' ') + "猫").documents().size() == 1);
}
