#include "system/atomic_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <vector>

#include "base/check.h"
#include "support/scratch.h"

using namespace zhuyi;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> names_in(const ScratchFolder& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder.path()))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

template <class Action>
std::string error_of(const Action& action) {
    try {
        action();
    } catch (const Error& failure) {
        return failure.what();
    }
    return "";
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("atomic file: the name appears with the whole file, or not at all") {
    const ScratchFolder folder;
    const std::string path = folder.path("小猫.txt");
    {
        AtomicFile file(path);
        file.write("小猫");
        file.write(std::string(1 << 20, '.'));
        CHECK_FALSE(fs::exists(path));
        file.commit();
    }
    CHECK(read_file(path) == "小猫" + std::string(1 << 20, '.'));
    CHECK(names_in(folder) == Names{"小猫.txt"});
}

TEST_CASE("atomic file: given up, it leaves the old file and nothing else") {
    const ScratchFolder folder;
    const std::string path = folder.write("a", "old");
    {
        AtomicFile file(path);
        file.write("new");
    }
    CHECK(read_file(path) == "old");
    CHECK(names_in(folder) == Names{"a"});
}

TEST_CASE("atomic file: the draft can be read before it counts; the old file keeps a name") {
    const ScratchFolder folder;
    const std::string path = folder.write("a", "old"), previous = folder.path("previous");
    {
        AtomicFile file(path);
        file.write("new");
        CHECK(read_file(file.draft()) == "new");
        CHECK(read_file(path) == "old");
        file.commit(previous);
    }
    CHECK(read_file(path) == "new");
    CHECK(read_file(previous) == "old");
    CHECK(names_in(folder) == Names{"a", "previous"});
    fs::remove(path);
    AtomicFile file(path);
    file.commit(previous);  // there is none to keep
    CHECK(read_file(previous) == "old");
}

TEST_CASE("atomic file: what a killed process left is taken over") {
    const ScratchFolder folder;
    folder.write(".a.partial", "a much longer half of a file");
    write_file(folder.path("a"), "whole");
    CHECK(folder.read("a") == "whole");
    CHECK(names_in(folder) == Names{"a"});
}

TEST_CASE("atomic file: two writers at once, the second is refused") {
    const ScratchFolder folder;
    AtomicFile first(folder.path("a"));
    first.write("first");
    CHECK(error_of([&] { AtomicFile second(folder.path("a")); }) ==
          "cannot write " + folder.path("a") + ": another process is writing it");
    first.commit();
    CHECK(folder.read("a") == "first");
}

TEST_CASE("atomic file: symbolic links are never written through") {
    const ScratchFolder folder;
    const std::string outside = folder.write("outside", "precious");
    SUBCASE("in the place of the file: the link is replaced") {
        fs::create_symlink(outside, folder.path("a"));
        write_file(folder.path("a"), "mine");
        CHECK_FALSE(fs::is_symlink(folder.path("a")));
        CHECK(folder.read("a") == "mine");
    }
    SUBCASE("in the place of the temporary: refused") {
        fs::create_symlink(outside, folder.path(".a.partial"));
        CHECK(error_of([&] { write_file(folder.path("a"), "mine"); }).find("is in the way") !=
              std::string::npos);
        CHECK_FALSE(fs::exists(folder.path("a")));
    }
    SUBCASE("the same with a second name of the file (a hard link)") {
        fs::create_hard_link(outside, folder.path(".a.partial"));
        CHECK(error_of([&] { write_file(folder.path("a"), "mine"); }).find("is in the way") !=
              std::string::npos);
    }
    CHECK(read_file(outside) == "precious");
}

// Not every path that begins with /dev/ is a device: training in memory must be possible.
TEST_CASE("atomic file: /dev/shm is a folder like others") {
    std::string pattern = "/dev/shm/zhuyi XXXXXX";
    if (!mkdtemp(pattern.data())) return;  // not every system has it
    write_file(pattern + "/a", "in memory");
    CHECK(read_file(pattern + "/a") == "in memory");
    fs::remove_all(pattern);
}

TEST_CASE("atomic file: places that hold no file") {
    const ScratchFolder folder;
    CHECK(error_of([&] { write_file(folder.path("no/such"), ""); }) ==
          "cannot write " + folder.path("no/such") + ": No such file or directory");
    CHECK(error_of([&] { write_file(folder.path(), ""); }).find("a folder has that name") !=
          std::string::npos);
    for (const char* path : {"", "/", ".", "..", "a/"}) {
        CAPTURE(path);
        CHECK(error_of([&] { write_file(path, ""); }).find("expected the name of a file") !=
              std::string::npos);
    }
    CHECK(error_of([] { write_file("/dev/null", ""); }).find("no regular file") !=
          std::string::npos);
    mkfifo(folder.path("pipe").c_str(), 0600);
    CHECK(error_of([&] { write_file(folder.path("pipe"), ""); }).find("no regular file") !=
          std::string::npos);
    mkfifo(folder.path(".b.partial").c_str(), 0600);
    CHECK(error_of([&] { write_file(folder.path("b"), ""); }).find("is in the way") !=
          std::string::npos);
}

// Root may write anywhere, so the test becomes the user "nobody" for a moment.
TEST_CASE("atomic file: no permission") {
    const ScratchFolder folder;
    const std::string path = folder.write("a", "old");
    constexpr uid_t kNobody = 65534;
    const uid_t before = geteuid();
    fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
    if (before == 0) REQUIRE(seteuid(kNobody) == 0);
    const std::string error = error_of([&] { write_file(path, "new"); });
    if (before == 0) REQUIRE(seteuid(before) == 0);
    fs::permissions(folder.path(), fs::perms::owner_all);
    CHECK(error == "cannot write " + path + ": Permission denied");
    CHECK(folder.read("a") == "old");
}

// A limit on the size of a file fails a write in the middle, as a full disk does.
TEST_CASE("atomic file: a failing write names the file and leaves the old one") {
    const ScratchFolder folder;
    const std::string path = folder.write("a", "old");
    struct rlimit before = {};
    getrlimit(RLIMIT_FSIZE, &before);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    struct rlimit small = before;
    small.rlim_cur = 300000;
    setrlimit(RLIMIT_FSIZE, &small);
    const std::string error = error_of([&] { write_file(path, std::string(1 << 20, 'x')); });
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);

    CHECK(error == "cannot write " + path + ": File too large");
    CHECK(read_file(path) == "old");
    CHECK(names_in(folder) == Names{"a"});
}

TEST_CASE("read_file: whole contents, clear errors") {
    const ScratchFolder folder;
    const std::string bytes("a\0\xFF\n", 4);
    CHECK(read_file(folder.write("bytes", bytes)) == bytes);
    CHECK(read_file(folder.write("empty", "")).empty());
    CHECK(error_of([] { read_file("/dev/null"); }).find("expected a regular file") !=
          std::string::npos);
    CHECK(read_stream("/dev/null").empty());
    CHECK(error_of([&] { read_file(folder.path("none")); }) ==
          "cannot read " + folder.path("none") + ": No such file or directory");
    CHECK(error_of([&] { read_file(folder.path()); }) ==
          "cannot read " + folder.path() + ": it is a folder, not a file");
    CHECK(error_of([] { read_file(""); }) == "cannot read a file without a name");
    CHECK(error_of([&] { read_file(folder.path("bytes"), 3); }).find("is too large") !=
          std::string::npos);
    REQUIRE(mkfifo(folder.path("pipe").c_str(), 0600) == 0);  // which nobody writes
    CHECK(error_of([&] { read_file(folder.path("pipe")); }).find("expected a regular file") !=
          std::string::npos);
}

TEST_CASE("read_stream: a pipe has no size, and is read all the same") {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const std::string bytes(10000, 'p');
    REQUIRE(write(ends[1], bytes.data(), bytes.size()) == 10000);
    close(ends[1]);
    CHECK(read_stream("/dev/fd/" + std::to_string(ends[0])) == bytes);
    close(ends[0]);
}

TEST_CASE("input file: reads at places, never past the end") {
    const ScratchFolder folder;
    const InputFile file(folder.write("a", "0123456789"));
    CHECK(file.size() == 10);
    std::string part(4, ' ');
    file.read(3, std::as_writable_bytes(std::span(part)));
    CHECK(part == "3456");
    CHECK(error_of([&] {
              file.read(8, std::as_writable_bytes(std::span(part)));
          }).find("it ends at byte 10, 2 more were expected") != std::string::npos);
    CHECK(error_of([] { InputFile("/dev/null"); }).find("expected a regular file") !=
          std::string::npos);
}
