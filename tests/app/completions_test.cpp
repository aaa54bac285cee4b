// What shells complete, and that what they complete can be typed. Each is tried where it is
// installed.
#include <doctest/doctest.h>

#include "support/has.h"
#include "support/hostile.h"

using namespace zhuyi;

namespace {

// "" where the shell is not installed. In the script $file has what `zhuyi completions` printed.
std::string said_by(const std::string& shell, const std::string& script) {
    const Outcome outcome =
        run_shell("command -v " + shell +
                  " >/dev/null || exit 0\nmkdir \"$0.d\"\nfile=\"$0.d/_zhuyi\"\n"
                  "\"$ZHUYI\" completions " +
                  shell + " >\"$file\"\n" + script + "\necho end");
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(outcome.err == "");
    return outcome.out;
}

}  // namespace

TEST_CASE("completions and the page of man come from the one table of options") {
    for (const char* kind : {"bash", "zsh", "fish", "man"})
        for (const char* lang : {"en", "zh"}) {
            CAPTURE(kind);
            const std::string text = run_program({"completions", kind, "--lang", lang}).out;
            for (const char* word : {"train", "neighbors", "history", "muon"})
                CHECK(has(text, word));
            CHECK_FALSE(has(text, "inject"));  // hidden options stay hidden
        }
    CHECK(has(run_program({"completions", "man", "--lang", "zh"}).out, "词表"));
    refused(run_program({"completions", "tcsh"}), "bash, zsh, fish or man");
}

TEST_CASE("completions: bash, also after a = that it takes for a word of its own") {
    const std::string said = said_by("bash", R"(bash -c '. "$0"
words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _zhuyi; echo "${COMPREPLY[@]}"; }
words zhuyi tra; words zhuyi train --position le; words zhuyi train --position =
words zhuyi train --position = si; words zhuyi train --history =; words zhuyi train --history-w
words zhuyi train --history n; words zhuyi train --out = r' "$file")");
    if (!said.empty())
        CHECK(said ==
              "train\nlearned\nnone learned sinusoidal rotary\nsinusoidal\n"
              "yes no\n--history-why\n\n\nend\n");
}

TEST_CASE("completions: fish, where a text is called as another command is") {
    const std::string said = said_by("fish", R"(fish --no-config -c 'source $argv[1]
for line in "zhuyi tra" "zhuyi train --position=le" "zhuyi train --history=" \
        "zhuyi train data --comp" "zhuyi train --position s" "zhuyi train --steps "
    complete -C $line | string replace -r "\t.*" ""
end' "$file")");
    if (!said.empty())
        CHECK(said ==
              "train\n--position=learned\n--history=no\n--history=yes\n"
              "sinusoidal\nend\n");
}

// zsh completes at a terminal only: it gets one of its own, in which zhuyi says what was typed.
TEST_CASE("completions: zsh") {
    const std::string said = said_by("zsh", R"(cat >"$0.zsh" <<'END'
zmodload zsh/zpty
TERM=dumb zpty shell zsh -f -i
zpty -w shell "fpath=(${(q)1:h} \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w shell 'zhuyi() { print -r -- "got": $*.; }'
for line in $'zhuyi tra\t--posi\tle\t' $'zhuyi report --foll\t x' $'zhuyi train --hist\t=n\t'; do
    zpty -w shell $line
    zpty -r -m shell out '*got: *.*' && print -r -- "got: ${${out##*got: }%%.*}"
done
zpty -d shell
END
zsh -f "$0.zsh" "$file")");
    if (!said.empty())
        CHECK(said ==
              "got: train --position=learned\ngot: report --follow x\n"
              "got: train --history=no\nend\n");
}
