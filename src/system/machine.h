// What this machine can give at this moment, what it is called, and what it asks for. Each system
// has its own answers: machine_posix.cpp, machine_windows.cpp.
#pragma once
#include <ctime>
#include <optional>
#include <string>

#include "base/language.h"
#include "base/real.h"

namespace zhuyi {

// Returns how many bytes of memory can be had without taking them from other programs: what the
// system calls available, or less where a limit is set (cgroup, ulimit -v). Returns nothing where
// the system does not say.
std::optional<double> available_memory();

// From here on a large block of memory goes back to the system as soon as it is freed. glibc would
// keep more and more of them, so that a training took a tenth more, and nothing could foretell how
// much. Call it before any thread is started.
void return_freed_memory();

// Returns how many bytes fit on the disk below `path`, which need not exist yet.
std::optional<double> free_disk(const std::string& path);

// Returns the bytes of this process in memory, and the largest number that it ever had; where the
// system does not say the former, both are the latter.
double resident_bytes();
double peak_bytes();

// Returns "Intel(R) Xeon(R) …": Linux on x86-64 names the model; other systems name only the kind.
std::string processor_name();

// ---- this process, this host, this moment

std::string host_name();
Index process_id();
bool is_running(Index process);  // of this host
std::tm local_time(std::time_t seconds);
std::tm universal_time(std::time_t seconds);

// ---- the terminal, for terminal.h. A file is 0, 1 or 2.

// What must stand before the first word is read or written; see prepare_streams().
void open_streams();
bool is_terminal(int file);
bool is_pipe(int file);
int columns_of(int file);     // 0: not known
const char* terminal_type();  // as TERM says it: "xterm-256color"; nullptr: not known
// Of the person at this machine; nothing where only the variables of the environment say it.
std::optional<Language> language_of_system();

// ---- Ctrl-C

// It is a request: the program finishes its step, saves the run and ends. A second Ctrl-C ends it
// at once. A closed terminal (SIGHUP) asks for the same, unless nohup has it ignored. Listens for
// SIGINT, SIGTERM and SIGHUP while it lives.
class Interrupt {
  public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;
    bool requested() const { return signal() != 0; }
    int signal() const;  // the one that asked, or 0
};

}  // namespace zhuyi
