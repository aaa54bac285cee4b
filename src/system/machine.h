// What this machine can give at this moment, and what it asks for.
#pragma once
#include <optional>
#include <string>

namespace zhuyi {

// Bytes of memory that can be had without taking it from other programs: what the system calls
// available, or less where a limit is set (cgroup, ulimit -v). Nothing where the system does not
// say.
std::optional<double> available_memory();

// Bytes that fit on the disk below `path`, which need not exist yet.
std::optional<double> free_disk(const std::string& path);

// ---- Ctrl-C

// It is a request: the program finishes its step, saves the run and ends. A second Ctrl-C ends it
// at once. A closed terminal (SIGHUP) asks for the same, unless nohup has it ignored. Listens for
// SIGINT, SIGTERM and SIGHUP while it lives.
class InterruptListener {
  public:
    InterruptListener();
    ~InterruptListener();
    InterruptListener(const InterruptListener&) = delete;
    InterruptListener& operator=(const InterruptListener&) = delete;
    bool requested() const { return signal() != 0; }
    int signal() const;  // that asked; 0 if none did
};

}  // namespace zhuyi
