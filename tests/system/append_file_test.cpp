#include "system/append_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/check.h"
#include "support/scratch.h"

using namespace zhuyi;

namespace {

// A process that was killed after its checkpoint: the state covers "小猫\n", but not "小".
struct Diary {
    ScratchFolder folder;
    std::string path = folder.path("diary.txt"), state;
    Diary() {
        AppendFile file(path);
        file.cut_back("");
        file.append("小");
        file.append("猫\n");
        state = file.state();
        file.append("小");
    }
};

}  // namespace

TEST_CASE("append file: cut back to a state and written on, it is the file that never stopped") {
    const Diary diary;
    {
        AppendFile again(diary.path);
        again.cut_back(diary.state);
        again.append("睡觉\n");
        CHECK(again.state() == "14 " + hash_text(hash_of("小猫\n睡觉\n")));
    }
    CHECK(diary.folder.read("diary.txt") == "小猫\n睡觉\n");
}

TEST_CASE("append file: \"length hash\" is its state, of all bytes however they came") {
    const Diary diary;
    CHECK(diary.state == "7 " + hash_text(hash_of("小猫\n")));
    CHECK(bytes_at(diary.state + " 3 words of another", "小猫\n小", "") == "小猫\n");
}

TEST_CASE("append file: shorter than its state, or with other bytes, it is refused and stays") {
    const Diary diary;
    std::string bytes;
    SUBCASE("shorter") { bytes = "小猫"; }
    SUBCASE("another letter in the same place") { bytes = "小狗\n小"; }
    diary.folder.write("diary.txt", bytes);
    AppendFile file(diary.path);
    CHECK_THROWS_WITH_AS(file.cut_back(diary.state), doctest::Contains("the checkpoint knows"),
                         Error);
    CHECK(diary.folder.read("diary.txt") == bytes);
    CHECK_THROWS_AS(file.cut_back("no number"), Error);
}

TEST_CASE("append file: a state of an older version is a length alone") {
    const Diary diary;
    AppendFile file(diary.path);
    file.cut_back("7");
    CHECK(file.state() == diary.state);
}

TEST_CASE("append file: a pipe in its place has no end, which is an error and no length") {
    const ScratchFolder folder;
    REQUIRE(mkfifo(folder.path("pipe").c_str(), 0600) == 0);
    AppendFile pipe(folder.path("pipe"));
    CHECK_THROWS_WITH_AS(pipe.size(), doctest::Contains("cannot find its end"), Error);
}
