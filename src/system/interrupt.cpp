#include "system/interrupt.h"

#include <csignal>

namespace zhuyi {
namespace {

// Global, because a signal handler can reach nothing else.
volatile std::sig_atomic_t requested_signal = 0;

void note(int signal) {
    requested_signal = signal;
    std::signal(signal, SIG_DFL);  // the next signal ends the program
}

}  // namespace

InterruptListener::InterruptListener() {
    requested_signal = 0;
    std::signal(SIGINT, note);
    std::signal(SIGTERM, note);
    if (std::signal(SIGHUP, note) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

InterruptListener::~InterruptListener() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    if (std::signal(SIGHUP, SIG_DFL) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

int InterruptListener::signal() const { return requested_signal; }

}  // namespace zhuyi
