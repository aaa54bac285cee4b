// Whatever a text, a name or a model holds, no command sends a control character to the terminal.
#include <algorithm>
#include <filesystem>

#include "support/hostile.h"

using namespace zhuyi;

namespace {

// Clears the screen, sets the title, rings, goes back, and U+009B, another ESC [.
constexpr const char* kEvil = "\x1b[2J\x1b]0;title\x07\b\r\x7f\xc2\x9b";

bool obeyed(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F) return true;
        const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0u;
        if (c == 0xC2 && next >= 0x80 && next < 0xA0) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("no command's output has a byte below 0x20 other than newline and tab") {
    const ScratchFolder folder;
    std::string lines;
    for (int i = 0; i < 40; ++i)
        lines += "小猫" + std::string(kEvil) + std::to_string(i) + "吃鱼。\n\n";
    const std::string name = std::string("r\x1b[2J\x07") + "x";
    const std::string text = folder.write(name + ".txt", lines), run = folder.path(name);
    const std::string probes =
        folder.write("probes.txt", "# " + std::string("甲\x1b[2J") + " = first\x1b[2J\n" +
                                       "甲\x1b[2J | new | 小 | 猫 | 鱼\n");
    const auto clean = [&](const std::vector<std::string>& words, int code) {
        CAPTURE(words[0]);
        CAPTURE(words.back());
        for (const char* lang : {"en", "zh"}) {
            std::vector<std::string> line = words;
            line.insert(line.end(), {"--lang", lang});
            const Outcome outcome = run_program(line);
            CAPTURE(outcome.err);
            if (code >= 0) CHECK(outcome.code == code);
            CHECK_FALSE(obeyed(outcome.out));
            CHECK_FALSE(obeyed(outcome.err));
        }
    };
    const Outcome training = run_program({"train",
                                          text,
                                          "--out",
                                          run,
                                          "--steps",
                                          "3",
                                          "--context",
                                          "16",
                                          "--channels",
                                          "16",
                                          "--heads",
                                          "2",
                                          "--layers",
                                          "1",
                                          "--batch",
                                          "2",
                                          "--prompt",
                                          kEvil,
                                          "--probes",
                                          probes,
                                          "--history-sentences",
                                          std::string("猫\x1b[2J")});
    CAPTURE(training.err);
    REQUIRE(training.code == 0);
    CHECK_FALSE(obeyed(training.err));
    const std::string evil = "猫" + std::string("\x1b[2J");
    for (const char* format : {"terminal", "html", "markdown", "json", "csv"}) {
        clean({"step", run, "--format", format}, 0);
        clean({"explain", run, "--text", evil, "--format", format}, 0);
        clean({"probe", run, "--format", format}, 0);
        clean({"runs", run, "--format", format}, 0);
    }
    for (const char* format : {"terminal", "html", "svg", "json", "csv"})
        clean({"attend", run, "--text", evil, "--format", format}, 0);
    clean({"sample", run, "--prompt", evil, "--tokens", "300"}, 0);
    clean({"eval", run}, 0);
    clean({"eval", run, "--json"}, 0);
    clean({"probe", run}, 0);
    clean({"probe", run, "--json"}, 0);
    clean({"params", run}, 0);
    clean({"tokens", run, evil}, 0);
    clean({"data", text}, 0);
    clean({"data", text, "--json"}, 0);
    clean({"neighbors", run, "猫"}, 0);
    clean({"watch", run, "--token", "猫"}, 0);
    clean({"report", run}, 0);
    clean({"verify", run}, 0);
    clean({"train", "--resume", run, "--steps", "4"}, 0);
    clean({"train", run}, 2);
    clean({"export", run, "--to", "gguf", folder.path(name + ".gguf"), "--force"}, 0);
    clean({"import", folder.path(name + ".none"), folder.path("again")}, 1);
    clean({kEvil}, 2);
    clean({"sample", folder.path(name + "none")}, 1);
}
