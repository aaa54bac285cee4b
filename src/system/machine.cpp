#include "system/machine.h"

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/format.h"

namespace zhuyi {

namespace {

namespace fs = std::filesystem;

// The number after `name` in lines like "MemAvailable:  123 kB" or "inactive_file 123".
std::optional<double> number_after(const fs::path& file, const std::string& name) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string word;
        double number;
        if (words >> word && word == name && words >> number) return number;
    }
    return {};
}

// Returns the one number that a file holds, or nothing: "max" is no number.
std::optional<double> number_in(const fs::path& file) {
    std::string word;
    std::ifstream(file) >> word;
    return parse_number(word);
}

// Returns what a control group may still take. Pages of files, which it can drop, count as free.
std::optional<double> room_in_group(const fs::path& group, const char* limit, const char* usage) {
    const auto most = number_in(group / limit), now = number_in(group / usage);
    if (!most || !now) return {};
    return *most - *now + number_after(group / "memory.stat", "inactive_file").value_or(0);
}

// Returns the least that any group of this process, from its own up to the root, may still take.
std::optional<double> room_in_groups() {
    std::optional<double> least;
    const auto narrow = [&](std::optional<double> room) {
        if (room) least = std::min(least.value_or(*room), *room);
    };
    std::ifstream lines("/proc/self/cgroup");
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("0::/")) continue;
        const fs::path root = "/sys/fs/cgroup";
        for (fs::path group = root / line.substr(4);; group = group.parent_path()) {
            narrow(room_in_group(group, "memory.max", "memory.current"));
            if (group == root || !group.has_relative_path()) break;
        }
    }
    narrow(
        room_in_group("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"));
    return least;
}

// Returns three quarters of what `ulimit -v` leaves: stacks, and what malloc reserves for each
// thread, take addresses but no memory.
std::optional<double> address_space_left() {
    rlimit limit = {};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
    const auto pages = number_in("/proc/self/statm");
    return 0.75 * (double(limit.rlim_cur) - pages.value_or(0) * double(sysconf(_SC_PAGESIZE)));
}

}  // namespace

std::optional<double> available_memory() {
    std::optional<double> available = number_after("/proc/meminfo", "MemAvailable:");
    if (available)
        *available *= 1024;
    else if (const long pages = sysconf(_SC_PHYS_PAGES); pages > 0)
        available = double(pages) * double(sysconf(_SC_PAGESIZE));  // all there is
    for (const auto& limit : {room_in_groups(), address_space_left()})
        if (limit) available = std::max(0.0, std::min(available.value_or(*limit), *limit));
    return available;
}

std::optional<double> free_disk(const std::string& path) {
    std::error_code ignored;
    fs::path there = fs::absolute(path, ignored);
    while (!fs::exists(there, ignored) && there.has_relative_path()) there = there.parent_path();
    struct statvfs disk = {};
    if (statvfs(there.c_str(), &disk) != 0) return {};
    return double(disk.f_bavail) * double(disk.f_frsize);
}

// Global, because a signal handler can reach nothing else.
static volatile std::sig_atomic_t requested_signal = 0;

static void note(int signal) {
    requested_signal = signal;
    std::signal(signal, SIG_DFL);  // the next signal ends the program
}

Interrupt::Interrupt() {
    requested_signal = 0;
    std::signal(SIGINT, note);
    std::signal(SIGTERM, note);
    if (std::signal(SIGHUP, note) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

Interrupt::~Interrupt() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    if (std::signal(SIGHUP, SIG_DFL) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

int Interrupt::signal() const { return requested_signal; }

}  // namespace zhuyi
