// Ctrl-C as a request: the program finishes its step, saves the run and ends. A second Ctrl-C ends
// it at once.
#pragma once

namespace zhuyi {

// Listens for SIGINT and SIGTERM while it lives.
class InterruptListener {
  public:
    InterruptListener();
    ~InterruptListener();
    InterruptListener(const InterruptListener&) = delete;
    InterruptListener& operator=(const InterruptListener&) = delete;
    bool requested() const;
};

}  // namespace zhuyi
