// What the machine can give, by POSIX, and by the files below /proc where it has them.
#include "system/machine.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#ifdef __GLIBC__
#    include <malloc.h>
#endif
#ifdef __APPLE__
#    include <mach/mach.h>
#    include <sys/sysctl.h>
#endif

#include "base/check.h"
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

// Returns what is free, or becomes free when it is asked for, in bytes; if the system does not say
// it, all there is.
std::optional<double> free_memory() {
#ifdef __APPLE__
    vm_statistics64_data_t pages = {};
    mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
    if (host_statistics64(mach_host_self(), HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&pages),
                          &count) == KERN_SUCCESS)
        return (double(pages.free_count) + double(pages.inactive_count)) *
               double(sysconf(_SC_PAGESIZE));
#else
    if (const auto kilobytes = number_after("/proc/meminfo", "MemAvailable:"))
        return 1024 * *kilobytes;
#endif
    const long all = sysconf(_SC_PHYS_PAGES);
    if (all <= 0) return {};
    return double(all) * double(sysconf(_SC_PAGESIZE));
}

}  // namespace

std::optional<double> available_memory() {
    std::optional<double> available = free_memory();
    for (const auto& limit : {room_in_groups(), address_space_left()})
        if (limit) available = std::max(0.0, std::min(available.value_or(*limit), *limit));
    return available;
}

void return_freed_memory() {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 256 * 1024);  // and no longer as large as the largest freed block
#endif
}

std::optional<double> free_disk(const std::string& path) {
    std::error_code ignored;
    fs::path there = fs::absolute(path, ignored);
    while (!fs::exists(there, ignored) && there.has_relative_path()) there = there.parent_path();
    struct statvfs disk = {};
    if (statvfs(there.c_str(), &disk) != 0) return {};
    return double(disk.f_bavail) * double(disk.f_frsize);
}

double resident_bytes() {
    std::ifstream statistics("/proc/self/statm");
    double all = 0, resident = 0;
    if (statistics >> all >> resident) return resident * double(sysconf(_SC_PAGESIZE));
    return peak_bytes();
}

double peak_bytes() {
    if (const auto kilobytes = number_after("/proc/self/status", "VmHWM:"))
        return 1024 * *kilobytes;
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
#if defined(__APPLE__)
    return double(usage.ru_maxrss);
#else
    return double(usage.ru_maxrss) * 1024;
#endif
}

std::string processor_name() {
#ifdef __APPLE__
    char brand[128] = {};
    std::size_t size = sizeof brand - 1;
    if (sysctlbyname("machdep.cpu.brand_string", brand, &size, nullptr, 0) == 0) return brand;
#endif
    // On ARM the kernel names the board at most, or the firmware does.
    std::ifstream information("/proc/cpuinfo"), firmware("/sys/firmware/devicetree/base/model");
    for (std::string line; std::getline(information, line);)
        if ((line.starts_with("model name") || line.starts_with("Model")) &&
            line.find(": ") != line.npos)
            return line.substr(line.find(": ") + 2);
    if (std::string board; std::getline(firmware, board, '\0') && !board.empty()) return board;
    utsname system = {};
    return uname(&system) == 0 ? format("%s %s", system.sysname, system.machine) : "?";
}

std::string host_name() {
    utsname name = {};
    return uname(&name) == 0 && name.nodename[0] ? name.nodename : "unknown";
}

Index process_id() { return getpid(); }
bool is_running(Index process) { return kill(pid_t(process), 0) == 0 || errno != ESRCH; }

std::tm local_time(std::time_t seconds) {
    std::tm time = {};
    localtime_r(&seconds, &time);
    return time;
}
std::tm universal_time(std::time_t seconds) {
    std::tm time = {};
    gmtime_r(&seconds, &time);
    return time;
}

void open_streams() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    // For reading only, so that writing to a closed standard output still fails.
    for (int file = 0; file <= 2; ++file)
        if (fcntl(file, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != file)
            fail({"cannot open /dev/null", "无法打开 /dev/null"});
}

bool is_terminal(int file) { return isatty(file); }

bool is_pipe(int file) {
    struct stat status = {};
    return fstat(file, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

int columns_of(int file) {
    winsize size = {};
    return ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

const char* terminal_type() { return std::getenv("TERM"); }
std::optional<Language> language_of_system() { return {}; }

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
