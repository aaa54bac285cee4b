// Ctrl-C as a request: the program finishes its step, saves the run and ends. A second Ctrl-C ends
// it at once. A closed terminal (SIGHUP) asks for the same, unless nohup has it ignored.
#pragma once

namespace zhuyi {

// Listens for SIGINT, SIGTERM and SIGHUP while it lives.
class InterruptListener {
  public:
    InterruptListener();
    ~InterruptListener();
    InterruptListener(const InterruptListener&) = delete;
    InterruptListener& operator=(const InterruptListener&) = delete;
    bool requested() const { return signal() != 0; }
    int signal() const;  // that asked; 0: none
};

}  // namespace zhuyi
