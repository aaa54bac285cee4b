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
}

InterruptListener::~InterruptListener() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
}

bool InterruptListener::requested() const { return requested_signal != 0; }

}  // namespace zhuyi
