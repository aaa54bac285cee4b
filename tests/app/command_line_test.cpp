#include "app/command.h"

#include <doctest/doctest.h>

#include "base/check.h"
#include "support/has.h"
#include "support/program.h"
#include "support/tiny_run.h"

using namespace zhuyi;

namespace {

// Returns the number of its option as exit code, plus 100 for each word.
class AddCommand : public Command {
  public:
    AddCommand() : Command("add", "WORDS", {"adds", "相加"}) {}

    void declare(Options& options) override {
        options.add("number", number_, "", {"the number", "数"});
        options.add("double", twice_, {"twice", "两倍"});
    }
    void prepare(const std::vector<std::string>& words, Options& options) override {
        if (!words.empty() && words[0] == "seven") options.set("number", "7", "seven");
    }
    int run(const std::vector<std::string>& words, const Options&) override {
        return int(number_) * (twice_ ? 2 : 1) + 100 * int(words.size());
    }

  private:
    Index number_ = 1;
    bool twice_ = false;
};

int run(const std::vector<std::string>& arguments) {
    const std::vector<CommandFactory> commands{
        [] { return std::unique_ptr<Command>(std::make_unique<AddCommand>()); }};
    std::vector<std::string> english{"--lang", "en"};
    english.insert(english.end(), arguments.begin(), arguments.end());
    return run_command_line(english, commands);
}

}  // namespace

TEST_CASE("command line: a command gets its words and its options") {
    CHECK(run({"add"}) == 1);
    CHECK(run({"add", "a", "--number", "5", "b"}) == 205);
    CHECK(run({"add", "--number=5", "--double"}) == 10);
    CHECK(run({"add", "--", "--double"}) == 101);
    CHECK(run({"add", "--lang=zh"}) == 1);
}

TEST_CASE("command line: what prepare() sets are defaults, which options override") {
    CHECK(run({"add", "seven"}) == 107);
    CHECK(run({"add", "--number", "8", "seven"}) == 108);
}

TEST_CASE("command line: what is wrong") {
    CHECK_THROWS_WITH_AS(run({"ad"}), "there is no command \"ad\"; did you mean zhuyi add?",
                         UsageError);
    CHECK_THROWS_WITH_AS(run({"xyzzy"}),
                         "there is no command \"xyzzy\"; zhuyi --help lists all commands",
                         UsageError);
    CHECK_THROWS_WITH_AS(run({"add", "--numbr", "5"}),
                         "--numbr: there is no option \"numbr\"; did you mean number?", UsageError);
    CHECK_THROWS_WITH_AS(run({"add", "--numbr"}),
                         "--numbr: there is no option \"numbr\"; did you mean number?", UsageError);
    CHECK_THROWS_WITH_AS(
        run({"add", "--number", "-5"}),
        "--number: expected a whole number from 0 to 9007199254740992, found \"-5\"", UsageError);
    CHECK_THROWS_AS(run({"--verbose", "add"}), UsageError);
    CHECK_THROWS_AS(run({"add", "--lang", "fr"}), UsageError);
}

TEST_CASE("program: --help and --version go to stdout; no command is wrong usage") {
    const Outcome help = run_program({"--help"});
    CHECK(help.code == 0);
    CHECK(help.out.find("usage: zhuyi COMMAND") != std::string::npos);
    CHECK(help.err == "");
    CHECK(run_program({"help"}).out == help.out);
    CHECK(run_program({"-h"}).out == help.out);
    CHECK(run_program({"--lang", "zh", "--help"}).out.find("用法：zhuyi") != std::string::npos);
    CHECK(run_shell("LC_ALL=zh_CN.UTF-8 \"$ZHUYI\" --help").out.find("用法：zhuyi") !=
          std::string::npos);
    CHECK(run_program({"--version"}).out.starts_with("zhuyi "));

    const Outcome nothing = run_program({});
    CHECK(nothing.code == 2);
    CHECK(nothing.out == "");
    CHECK(nothing.err == help.out);
}

TEST_CASE("program: every command explains itself, in both languages") {
    const std::string list = run_program({"--help"}).out;
    std::size_t at = list.find("\n\n", list.find("usage:")) + 2;
    while (at < list.size() && list.compare(at, 2, "  ") == 0) {
        const std::string name = list.substr(at + 2, list.find(' ', at + 2) - at - 2);
        CAPTURE(name);
        const Outcome english = run_program({name, "--help"});
        CHECK(english.code == 0);
        CHECK(english.out.starts_with("usage: zhuyi " + name + " "));
        CHECK(english.err == "");
        CHECK(run_program({"help", name}).out == english.out);
        CHECK(run_program({name, "--help", "--lang=zh"})
                  .out.starts_with("用法：zhuyi " + name + " "));
        at = list.find('\n', at) + 1;
    }
}

TEST_CASE("program: an error is one line on stderr, and 2 for wrong usage") {
    const Outcome unknown = run_program({"\x1b[2J"});
    CHECK(unknown.code == 2);
    CHECK(unknown.out == "");
    CHECK(unknown.err ==
          "zhuyi: there is no command \"\\x1b[2J\"; zhuyi --help lists all commands\n");
    CHECK(run_program({"--lang", "xx"}).err == "zhuyi: --lang: expected zh|en, found \"xx\"\n");
}

TEST_CASE("program: an error is written in the language of the command line, wherever it stands") {
    CHECK(run_program({"--lang", "zh", "trian"}).err ==
          "zhuyi：没有命令 “trian”；是不是 zhuyi train？\n");
    CHECK(run_program({"train", "--prompt", "--lang=zh"}).err ==
          "zhuyi：--prompt 后面要有一个值；以 -- 开头的值写成 --prompt=值\n");
    CHECK(run_program({"sample", "runs/a", "runs/b", "--lang", "zh"}).err.starts_with("zhuyi："));
    CHECK(run_shell("LC_ALL=zh_CN.UTF-8 \"$ZHUYI\" -x").err.starts_with("zhuyi：没有选项"));
    CHECK(run_program({"-x", "--", "--lang", "zh"}).err.starts_with("zhuyi: unknown option"));
}

TEST_CASE("program: standard output that is full, closed, or read no further") {
    const Outcome full = run_shell("\"$ZHUYI\" --help >/dev/full");
    if (std::filesystem::exists("/dev/full")) {
        CHECK(full.code == 1);
        CHECK(full.err == "zhuyi: cannot write to standard output: No space left on device\n");
    }
    const Outcome closed = run_shell("\"$ZHUYI\" --help >&-");
    CHECK(closed.code == 1);
    CHECK(closed.err == "zhuyi: cannot write to standard output: Bad file descriptor\n");
    // The reader is gone before the writer begins: no message, and no death by SIGPIPE.
    const Outcome pipe = run_shell("{ sleep 0.2; \"$ZHUYI\" --help; echo $? >&2; } | true");
    CHECK(pipe.err == "1\n");
    CHECK(run_shell("\"$ZHUYI\" --version <&- 2>&-").code == 0);
}

TEST_CASE("mistakes: each refusal names the next step") {
    const ScratchFolder folder;
    const std::string run = tiny_run().run;
    const std::string picture = folder.write("p.txt", "\x89PNG\r\n\x1A\n");
    folder.write("village.txt", "小猫\n");
    const std::string text = tiny_run().text, other = tiny_run().folder.path("nothing");
    const std::tuple<std::vector<std::string>, const char*> mistakes[] = {
        {{"sample", run, "--tokens", "２０"}, "请用半角字符：20"},
        {{"sample", run, "—tokens", "5"}, "选项以两个半角减号开头：--tokens"},
        {{"sample", run, "－－tokens", "5"}, "选项以两个半角减号开头：--tokens"},
        {{"watch", run, "--token", "龘"}, "训练文本里没有或极少见：“龘”；模型不认识，请换一个字"},
        {{"data", folder.write("program",
                               "\x7f"
                               "ELF\x02\x01\x01")},
         "却是程序；请把里面的文字"},
        {{"data", picture}, "却是图片（PNG）；请把里面的文字另存为 .txt 文件"},
        {{"data", folder.path("vilage.txt")}, "是不是 village.txt？"},
        {{"sample", tiny_run().folder.path("runn")}, "这里有 "},
        {{"sample", folder.path("nothing")}, "make demo"},
        {{"sample", run + "/best.safetensors"}, "--checkpoint best"},
        {{"params", folder.path("village.txt")}, "zhuyi train "},
        {{"attend", run, "--text", ""}, "例如 --text 小猫"},
        {{"tokens", run, ""}, "zhuyi tokens RUN 小猫"},
        {{"attend", run, "--text", "小猫", "--layer", "一"}, "层的编号，0 到 1"},
        {{"explain", run, "--text", "小猫", "--layer", "一"}, "层的编号，0 到 1"},
        {{"explain", run, "--text", "小猫", "--head", "一"}, "头的编号，0 到 1"},
        {{"sample", run, "--temperature", "一"}, "0 到 100 之间的数"},
        {{"train", text, "--steps", "many"}, "0 到 9007199254740992 之间的整数"},
        {{"train", text, "--batch-size", "4"}, "是不是想写 batch？"},
        {{"train", folder.path("zzzzzzzz.txt")}, "这里有 empty.txt, p.txt, village.txt"},
        {{"train", "--resume", other}, "这里有 "},
        {{"verify", other}, "这里有 "},
        {{"runs", other}, "这里有 "},
        {{"sample", run, "--checkpoint", "frist"}, "--checkpoint=last|best|first|文件"},
        {{"data", folder.write("empty.txt", "")}, "请换一个有文字的文件"},
        {{"neighbors", run, "小猫"}, "请只写其中一个"},
        {{"neighbors", run}, "zhuyi neighbors runs/village 小"},
        {{"attend", run, "小猫"}, "zhuyi attend runs/village --text "},
        {{"sample", run, "小猫"}, "zhuyi sample runs/village --prompt "},
        {{"watch", run, "小"}, "zhuyi watch runs/village --token "},
        {{"course", "第9章"}, "9.4"},
    };
    for (auto [command, next_step] : mistakes) {
        command.insert(command.end(), {"--lang", "zh"});
        const Outcome outcome = run_program(command);
        CAPTURE(outcome.err);
        CHECK(outcome.code != 0);
        CHECK(outcome.out == "");
        CHECK(has(outcome.err, next_step));
    }
}
