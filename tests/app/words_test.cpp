// The words of the program: Chinese of a textbook, and an answer in Chinese to every mistake.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "support/has.h"
#include "support/tiny_run.h"

using namespace zhuyi;

namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return bytes.str();
}

bool is_chinese(std::string_view text) {  // has a character from U+4E00 to U+9FFF
    for (std::size_t i = 0; i + 2 < text.size(); ++i) {
        const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[i + k]); };
        if (byte(0) >= 0xE4 && byte(0) <= 0xE9 && byte(1) >= 0x80 && byte(2) >= 0x80) return true;
    }
    return false;
}

std::vector<fs::path> files_under(const fs::path& folder, std::initializer_list<const char*> ends) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (std::ranges::find(ends, entry.path().extension().string()) != ends.end())
            files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

// A literal of a C++ source, neighbours joined ("a" "b" is one); what stands before it and after.
struct Literal {
    std::string text;
    char before, after;
};

std::vector<Literal> literals(const std::string& source) {
    std::vector<Literal> found;
    char before = ' ';
    for (std::size_t i = 0; i < source.size(); ++i) {
        const char c = source[i];
        if (c == '/' && source.compare(i, 2, "//") == 0) {
            i = std::min(source.find('\n', i), source.size());
            continue;
        }
        const bool in_word = i > 0 && std::isalnum(static_cast<unsigned char>(source[i - 1]));
        if (c == '"' && in_word && source[i - 1] == 'R') {  // R"(…)"
            i = std::min(source.find(")\"", i), source.size());
            continue;
        }
        if (c == '\'' && in_word) continue;  // 10'000
        if (c == '\'') {                     // a character
            i += source[i + 1] == '\\' ? 3u : 2u;
            while (i < source.size() && source[i] != '\'') ++i;
            continue;
        }
        if (c != '"') {
            if (!std::isspace(static_cast<unsigned char>(c))) before = c;
            continue;
        }
        const bool joined = before == '"' && !found.empty();
        if (!joined) found.push_back({"", before, ' '});
        for (++i; i < source.size() && source[i] != '"'; ++i) {
            if (source[i] == '\\') ++i;
            found.back().text += source[i];
        }
        std::size_t next = i + 1;
        while (next < source.size() && std::isspace(static_cast<unsigned char>(source[next])))
            ++next;
        found.back().after = next < source.size() ? source[next] : ' ';
        before = '"';
    }
    return found;
}

// Two words of letters, three or more each: English that somebody reads.
bool is_sentence(const std::string& text) {
    int words = 0, letters = 0;
    for (const char c : text + " ") {
        const bool letter = std::isalpha(static_cast<unsigned char>(c));
        letters = letter ? letters + 1 : 0;
        words += letters == 3;
    }
    return words >= 2;
}

// A word that the course and its textbooks do not use, and the one that stands for it.
constexpr std::pair<const char*, const char*> kForbidden[] = {
    {"词元", "token"},
    {"通道", "嵌入维度"},
    {"块数", "层数"},
    {"第 %td 块", "第 %td 层"},
    {"影片", "训练回放"},
    {"版面", "输出格式"},
    {"抄出", "取出"},
    {"互通", "融合各头信息"},
    {"弯折", "非线性激活"},
    {"奈特每字", "奈特/字符"},
    {"奈特/字，", "奈特/字符"},
    {"比特/字，", "比特/字符"},
    {"单字熵", "一元熵"},
    {"双字熵", "二元条件熵"},
    {"背书", "过拟合"},
    {"输出头", "输出层"},
    {"打分", "注意力分数"},
    {"一无所知", "均匀猜测"},
    {"要胜过", "基线"},
    {"词向量的长度", "嵌入维度"},
    {"梯度的长度", "梯度范数"},
    {"梯度长度", "梯度范数"},
    {"残差流", "残差连接"},
    {"挡住", "遮住"},
    {"探针", "观察句、测试句"},
    {"前馈层", "FFN"},
    {"前馈宽度", "FFN 中间维度"},
    {"学习用的文本", "训练文本"},
    {"优盘", "U 盘"},
    {"「", "“"},
    {"正向", "前向"},
    {"提问的字", "查询"},
    {"每头维数", "每头维度"},
    {"位置向量", "位置编码"},
    {"支路", "分支"},
    {"训练部分", "训练集"},
    {"验证部分", "验证集"},
    {"整个上文", "上下文长度"},
    {"说明一个命令", "用法"},
    {"先大后小", "(a claim that its numbers contradict)"},
    {"渐渐转向", "(a claim that its numbers contradict)"},
    {"谁总看", "(one head, one sentence)"},
    {"键越长分越高", "分数的绝对值越大"},
    {"只知道词表", "均匀猜测"},
    {"绕过分支", "残差连接"},
    {"沿余弦降", "余弦衰减"},
};

void check_words(const std::string& where, const std::string& text) {
    for (const auto& [word, instead] : kForbidden) {
        CAPTURE(where);
        const std::string forbidden = word, better = instead;
        CAPTURE(forbidden);
        CAPTURE(better);
        CHECK(!has(text, forbidden));
    }
}

}  // namespace

TEST_CASE("words: no Chinese text of the program uses a word that the course does not") {
    std::size_t texts = 0;
    for (const fs::path& path : files_under("src", {".cpp", ".h"}))
        for (const Literal& literal : literals(contents(path)))
            if (is_chinese(literal.text)) check_words(path.string(), literal.text), ++texts;
    CHECK(texts > 1000);
    for (const fs::path& path : files_under("src/film/page", {".html", ".js"}))
        check_words(path.string(), contents(path));
    for (const char* document :
         {"README.md", "configs/README.md", "data/README.md", "src/run/README.md", "src/README.md",
          "src/files.md", "data/course.zh.md"})
        check_words(document, contents(document));
}

TEST_CASE("words: every text that is said in English is said in Chinese beside it") {
    // {"english …", "中文 …"}: of fail(), fail_usage(), require(), say(), Words, of each option
    std::size_t pairs = 0;
    for (const fs::path& path : files_under("src", {".cpp", ".h"})) {
        const std::vector<Literal> all = literals(contents(path));
        for (std::size_t i = 0; i + 1 < all.size(); ++i) {
            const Literal &one = all[i], &other = all[i + 1];
            const bool pair = (one.before == '{' || one.before == '(') && one.after == ',' &&
                              other.before == ',' && (other.after == '}' || other.after == ')');
            if (!pair || !is_sentence(one.text) || !is_chinese(one.text + other.text)) continue;
            if (has(one.text, "{run}") || has(one.text, "{head")) continue;  // a command
            CAPTURE(path.string());
            CAPTURE(one.text);
            CAPTURE(other.text);
            CHECK(is_chinese(other.text));
            ++pairs;
        }
    }
    CHECK(pairs > 600);
}

TEST_CASE("words: every error of the sources has a Chinese half") {
    std::size_t errors = 0;
    for (const fs::path& path : files_under("src", {".cpp", ".h"})) {
        const std::string source = contents(path);
        for (const char* call : {"fail({", "fail_usage({", "fail(\n", "fail_usage(\n"})
            for (std::size_t at = source.find(call); at != source.npos;
                 at = source.find(call, at + 1)) {
                const std::vector<Literal> all = literals(source.substr(at, 2000));
                REQUIRE(all.size() >= 2);
                if (all[0].before != '{') continue;  // the words come from elsewhere
                CAPTURE(path.string());
                CAPTURE(all[0].text);
                // "%s: %s" alone hands on what has its own Chinese
                CHECK((is_chinese(all[1].text) || !is_sentence(all[0].text)));
                ++errors;
            }
    }
    CHECK(errors > 150);
}

TEST_CASE("--lang zh: 23 mistakes are answered in Chinese") {
    REQUIRE(tiny_run().training.code == 0);
    const std::string run = "'" + tiny_run().run + "'", text = "'" + tiny_run().text + "'";
    const std::string mistakes[] = {
        "",
        "trian",
        "train",
        "train nothing.txt",
        "train " + text + " --chanels 8",
        "train " + text + " --channels 7 --heads 2",
        "train " + text + " --steps many",
        "train " + text + " --dropout 2",
        "train " + text + " --out " + run,
        "train --resume nowhere",
        "sample nowhere",
        "sample " + run + " --temperature -1",
        "attend " + run,
        "attend " + run + " --text 小 --layer 9",
        "attend " + run + " --text 小 --head 9",
        "attend " + run + " --text 小 --step 77",
        "explain " + run + " --text 小猫 --query 7",
        "explain " + run + " --text 小 --backward --target 龘",
        "explain --example max",
        "neighbors " + run + " 龘",
        "watch " + run + " --token 龘",
        "probe " + run + " --step 3",
        "params nothing.conf",
        "eval " + run + " --data nothing.txt",
        "tokens nowhere 小",
        "export " + run + " --to abc x",
        "report nowhere",
        "verify nowhere",
        "step nowhere",
        "course 3 --run " + run,
        "data nothing.txt",
    };
    for (const std::string& mistake : mistakes) {
        const Outcome outcome = run_shell("\"$ZHUYI\" " + mistake + " --lang zh");
        CAPTURE(mistake);
        CAPTURE(outcome.err);
        CHECK(outcome.code != 0);
        CHECK(is_chinese(outcome.err));
        std::string english = outcome.err;  // apart from names of options and files
        for (const char* word :
             {" the ", " there ", " expected ", " found ", " cannot ", " must ", " is "})
            CHECK(!has(english, word));
    }
}

TEST_CASE("--help --lang zh: a switch that is shown switched off says what that does") {
    for (const char* command : {"train", "sample", "attend", "probe", "eval", "params", "tokens",
                                "data", "course", "explain", "neighbors", "watch", "report", "step",
                                "verify", "export", "import", "bench"}) {
        const Outcome help = run_program({command, "--help", "--lang", "zh"});
        std::istringstream lines(help.out);
        for (std::string line; std::getline(lines, line);) {
            for (const char* unit : {" steps）", " tokens）", " evaluations）", " times）"})
                CHECK(!has(line, unit));
            if (!has(line, "=no ")) continue;
            CAPTURE(line);
            CHECK((has(line, "不") || has(line, "各") || has(line, "关")));
        }
    }
}
