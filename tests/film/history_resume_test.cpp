#include <doctest/doctest.h>

#include "base/check.h"
#include "base/hash.h"
#include "model/parameters.h"
#include "support/recorded_training.h"
#include "system/input_file.h"
#include "system/machine.h"
#include "text/tokenizer.h"
#include "train/config.h"
#include "train/optimizer.h"
#include "train/trainer.h"
#include "train/update.h"

using namespace zhuyi;

TEST_CASE("film: a run that stopped and went on leaves the same bytes") {
    const ScratchFolder whole_folder, broken_folder;
    RecordedTraining whole(whole_folder, 9);
    whole.run();
    {
        RecordedTraining first(broken_folder, 9);
        StopAt stop(6);
        first.trainer.listen(stop);
        first.run();
        CHECK(first.trainer.progress().step == 6);
    }
    // Killed a little later: after the checkpoint more was recorded, the last of it torn.
    std::ofstream(broken_folder.path("history.bin"), std::ios::app | std::ios::binary) << "torn";
    RecordedTraining second(broken_folder, 9);
    second.trainer.resume();
    second.run();
    CHECK(broken_folder.read("history.bin") == whole_folder.read("history.bin"));
    CHECK(broken_folder.read("last.safetensors") == whole_folder.read("last.safetensors"));
    CHECK(second.pushes.state() == whole.pushes.state());  // which words pushed 猫, bit for bit
    CHECK(second.pushes.state().size() > 1000);
}

TEST_CASE("film: recording that is switched on at a resume begins there, and says so") {
    const ScratchFolder folder;
    {
        RecordedTraining plain(folder, 9, false);
        StopAt stop(5);
        plain.trainer.listen(stop);
        plain.run();
    }
    RecordedTraining recorded(folder, 9);
    recorded.trainer.resume();
    recorded.run();
    const History film = recorded.film();
    CHECK(film.start.step == 5);
    REQUIRE(film.frames.size() == 5);
    CHECK(film.frames[0].step == 5);
    // How far each weight is from step 0 is known all the same.
    CHECK(film.numbers(film.frames[0], "parameter.from_start")[0] > 0);
    CHECK(film.numbers(film.frames[0], "watched.from_start")[0] > 0);
    CHECK(film.numbers(film.frames[0], "parameter.ratio")[0] == 0);
    CHECK(film.numbers(film.frames[1], "parameter.ratio")[0] > 0);
}

TEST_CASE("film: another film is set aside at resume, and one that is gone begins anew") {
    const ScratchFolder folder;
    {
        RecordedTraining first(folder, 9);
        StopAt stop(6);
        first.trainer.listen(stop);
        first.run();
    }
    std::string film = folder.read("history.bin");
    SUBCASE("one with another bit") { film[film.size() / 2] ^= 1; }
    SUBCASE("one of another version") { film = "zhuyi history 1\n" + film.substr(16); }
    folder.write("history.bin", film);
    RecordedTraining changed(folder, 9);
    const FoundCheckpoint found = changed.trainer.resume();
    REQUIRE(found.set_aside.size() == 1);
    CHECK(found.set_aside[0].kept == folder.path("history.bin.damaged"));
    CHECK((folder.read("history.bin.damaged") == film));
    folder.write("history.bin", "");
    RecordedTraining gone(folder, 9);
    REQUIRE(gone.trainer.resume().set_aside.size() == 1);
    CHECK(gone.trainer.progress().step == 6);
}

TEST_CASE(
    "film: a training that is longer than planned goes on with the streams of its beginning") {
    const ScratchFolder folder;
    RecordedTraining(folder, 5).run();
    RecordedTraining longer(folder, 8);
    longer.trainer.resume();
    longer.run();
    const History film = longer.film();
    CHECK(film.frames.back().step == 8);
    CHECK(film.stream("snapshot")->steps.back() == 5);
    // The snapshot that was the last one stays; the new end has its own.
    std::vector<Index> snapshots;
    for (const Frame& frame : film.frames)
        if (film.carries(frame, "snapshot")) snapshots.push_back(frame.step);
    CHECK(snapshots == std::vector<Index>{0, 1, 2, 5, 8});
}
