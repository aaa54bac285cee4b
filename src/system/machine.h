// What this machine can give at this moment, and what it asks for.
#pragma once
#include <optional>
#include <string>

namespace zhuyi {

// Returns how many bytes of memory can be had without taking them from other programs: what the
// system calls available, or less where a limit is set (cgroup, ulimit -v). Returns nothing where
// the system does not say.
std::optional<double> available_memory();

// Returns how many bytes fit on the disk below `path`, which need not exist yet.
std::optional<double> free_disk(const std::string& path);

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
