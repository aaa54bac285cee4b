// Ctrl-C as a request: the step is finished, the run saved, the program ends. A second one ends it
// at once.
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
