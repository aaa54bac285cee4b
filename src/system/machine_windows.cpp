// What the machine can give, by the calls of Windows.
#include "system/machine.h"

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

// After windows.h
#include <fcntl.h>
#include <io.h>
#include <psapi.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "base/check.h"

namespace zhuyi {

namespace fs = std::filesystem;

// As on POSIX: what can be had without a swap file, and no more than this process may commit.
std::optional<double> available_memory() {
    MEMORYSTATUSEX memory = {};
    memory.dwLength = sizeof memory;
    if (!GlobalMemoryStatusEx(&memory)) return {};
    return double(std::min({memory.ullAvailPhys, memory.ullAvailPageFile, memory.ullAvailVirtual}));
}

void return_freed_memory() {}  // its allocator does

std::optional<double> free_disk(const std::string& path) {
    std::error_code ignored;
    fs::path there = fs::absolute(path, ignored);
    while (!fs::exists(there, ignored) && there.has_relative_path()) there = there.parent_path();
    ULARGE_INTEGER bytes = {};
    if (!GetDiskFreeSpaceExW(there.c_str(), &bytes, nullptr, nullptr)) return {};
    return double(bytes.QuadPart);
}

static PROCESS_MEMORY_COUNTERS memory_of_process() {
    PROCESS_MEMORY_COUNTERS memory = {};
    K32GetProcessMemoryInfo(GetCurrentProcess(), &memory, sizeof memory);
    return memory;
}
double resident_bytes() { return double(memory_of_process().WorkingSetSize); }
double peak_bytes() { return double(memory_of_process().PeakWorkingSetSize); }

std::string processor_name() {
    char name[128] = "";
    DWORD size = sizeof name;
    const LSTATUS known =
        RegGetValueA(HKEY_LOCAL_MACHINE, "HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0",
                     "ProcessorNameString", RRF_RT_REG_SZ, nullptr, name, &size);
    return known == ERROR_SUCCESS && name[0] ? name : "Windows";
}

std::string host_name() {
    const char* name = std::getenv("COMPUTERNAME");
    return name && *name ? name : "unknown";
}

Index process_id() { return Index(GetCurrentProcessId()); }

bool is_running(Index process) {
    const HANDLE opened = OpenProcess(SYNCHRONIZE, FALSE, DWORD(process));
    if (!opened) return GetLastError() != ERROR_INVALID_PARAMETER;
    const bool runs = WaitForSingleObject(opened, 0) == WAIT_TIMEOUT;
    CloseHandle(opened);
    return runs;
}

std::tm local_time(std::time_t seconds) {
    std::tm time = {};
    localtime_s(&time, &seconds);
    return time;
}
std::tm universal_time(std::time_t seconds) {
    std::tm time = {};
    gmtime_s(&time, &seconds);
    return time;
}

// ---- the terminal

namespace {

// The console belongs to whoever called us: it gets its code page and its modes back.
struct Console {
    UINT page = 0;
    DWORD modes[2] = {};
    bool colours = false;
};

}  // namespace

static Console& console() {
    static Console found;
    return found;
}

static HANDLE stream(int file) { return reinterpret_cast<HANDLE>(_get_osfhandle(file)); }

static void give_back() {
    for (int file = 1; file <= 2; ++file)
        if (const DWORD mode = console().modes[file - 1]) SetConsoleMode(stream(file), mode);
    if (console().page) SetConsoleOutputCP(console().page);
}

void open_streams() {
    if (GetACP() != CP_UTF8)
        fail({"this needs Windows 10 of May 2019 (1903) or newer: older ones know no UTF-8 names",
              "需要 Windows 10 的 2019 年 5 月版（1903）或更新的版本：更旧的不支持 UTF-8 文件名"});
    for (int file = 0; file <= 2; ++file) _setmode(file, _O_BINARY);
    console().page = GetConsoleOutputCP();
    SetConsoleOutputCP(CP_UTF8);
    for (int file = 1; file <= 2; ++file) {
        DWORD& mode = console().modes[file - 1];
        if (!GetConsoleMode(stream(file), &mode)) mode = 0;
        if (mode && SetConsoleMode(stream(file), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING))
            console().colours = true;
    }
    std::atexit(give_back);
}

bool is_terminal(int file) {
    DWORD mode = 0;
    return GetConsoleMode(stream(file), &mode);
}

bool is_pipe(int file) { return GetFileType(stream(file)) == FILE_TYPE_PIPE; }

int columns_of(int file) {
    CONSOLE_SCREEN_BUFFER_INFO screen = {};
    if (!GetConsoleScreenBufferInfo(stream(file), &screen)) return 0;
    return screen.srWindow.Right - screen.srWindow.Left + 1;
}

const char* terminal_type() {
    const char* named = std::getenv("TERM");
    return named || !console().colours ? named : "xterm-direct";
}

std::optional<Language> language_of_system() {
    return PRIMARYLANGID(GetUserDefaultUILanguage()) == LANG_CHINESE ? Language::chinese
                                                                     : Language::english;
}

// ---- Ctrl-C

// Global, because the handlers can reach nothing else. They run in threads of their own.
static volatile std::sig_atomic_t requested_signal = 0;

// Ctrl-C and Ctrl-Break. The C library has forgotten this handler when it calls it, so the next one
// ends the program.
static void note(int signal) { requested_signal = signal == SIGBREAK ? SIGINT : signal; }

static BOOL WINAPI note_end(DWORD event) {
    if (event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT) return FALSE;
    requested_signal = SIGTERM;
    // A window that is closed, a logoff: the system ends the process when this returns, or after
    // some seconds. Until then the training can save.
    Sleep(INFINITE);
    return TRUE;
}

Interrupt::Interrupt() {
    requested_signal = 0;
    SetConsoleCtrlHandler(note_end, TRUE);
    for (const int signal : {SIGINT, SIGBREAK, SIGTERM}) std::signal(signal, note);
}

Interrupt::~Interrupt() {
    SetConsoleCtrlHandler(note_end, FALSE);
    for (const int signal : {SIGINT, SIGBREAK, SIGTERM}) std::signal(signal, SIG_DFL);
}

int Interrupt::signal() const { return requested_signal; }

}  // namespace zhuyi
