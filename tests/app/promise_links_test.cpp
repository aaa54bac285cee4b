// zhuyi verify promises only what --resume then does: links, edited options, a disk that fails.
#include <filesystem>

#include "run/run_files.h"
#include "support/hostile.h"

using namespace zhuyi;

namespace fs = std::filesystem;

TEST_CASE("verify promises only what --resume then does: a link in the place of every file") {
    const TinyRun tiny;
    const fs::path here = tiny.folder.path("here");
    const std::string run = shell_quoted(here.string());
    for (const RunFile& row : run_files())
        for (const char* target : {"a file", "nothing", "a folder"}) {
            const fs::path file = row.name;
            CAPTURE(row.name);
            CAPTURE(target);
            fs::remove_all(here);
            fs::remove_all(tiny.folder.path("elsewhere"));
            fs::copy(tiny.run, here);
            const fs::path elsewhere = tiny.folder.path("elsewhere");
            if (target == std::string("a file") && exists(here / file))
                fs::copy(here / file, elsewhere);
            if (target == std::string("a folder")) fs::create_directory(elsewhere);
            fs::remove(here / file);
            fs::create_symlink(elsewhere, here / file);
            const Outcome verified = run_shell("timeout 60 \"$ZHUYI\" verify " + run);
            const bool promised = has(verified.out, "zhuyi train --resume ");
            const std::string before =
                exists(elsewhere) && !is_directory(elsewhere) ? tiny.folder.read("elsewhere") : "";
            const Outcome deed = run_shell("timeout 60 \"$ZHUYI\" train --steps 3 --resume " + run);
            CAPTURE(verified.out);
            CAPTURE(deed.err);
            CHECK(deed.code <= 2);
            CHECK((deed.code == 0) == promised);
            if (!before.empty()) CHECK(tiny.folder.read("elsewhere") == before);
        }
}

TEST_CASE("verify and --resume name each edited option, and go on naming it until a step is made") {
    const TinyRun tiny;
    const auto edit = [&](const std::string& name, const std::string& value) {
        std::string conf = tiny.folder.read("run/run.conf");
        const std::size_t at = conf.find("\n" + name + " = ");
        REQUIRE(at != conf.npos);
        conf.replace(at, conf.find('\n', at + 1) - at, "\n" + name + " = " + value);
        tiny.folder.write("run/run.conf", conf);
    };
    for (const auto& [name, value] :
         {std::pair{"eval_every", "7"}, {"history", "no"}, {"probes", "\"\""}}) {
        edit(name, value);
        CHECK(has(run_program({"verify", tiny.run}).out, name));
        // A log that is set aside makes a checkpoint, but no step.
        tiny.folder.write("run/metrics.csv", "damaged");
        const Outcome again = run_program({"train", "--resume", tiny.run});
        CHECK(has(again.err, name));
        CHECK(has(run_program({"verify", tiny.run}).out, name));
    }
    // What the command line changes is no edit.
    const TinyRun other;
    REQUIRE(run_program({"train", "--resume", other.run, "--eval-every", "7"}).code == 0);
    CHECK(run_program({"verify", other.run}).code == 0);
}

TEST_CASE("a disk that cannot be read is no damage: nothing is set aside, later all goes on") {
    const TinyRun tiny;
    int refused = 0;
    for (int call = 1; call < 60; ++call) {
        const Outcome outcome = run_program({"train", "--resume", tiny.run, "--steps", "3",
                                             "--inject", "unreadable@" + std::to_string(call)});
        if (outcome.code == 0) break;
        ++refused;
        CAPTURE(outcome.err);
        CHECK(outcome.code == 1);
        for (const auto& entry : fs::directory_iterator(tiny.run))
            CHECK_FALSE(has(entry.path().filename().string(), "damaged"));
    }
    CHECK(refused > 5);
    CHECK(run_program({"train", "--resume", tiny.run, "--steps", "3"}).code == 0);
}
