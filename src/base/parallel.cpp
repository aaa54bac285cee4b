#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace zhuyi {
namespace {

thread_local int this_thread_number = 0;
thread_local bool inside_a_loop = false;

inline void pause() {
#if defined(__SSE2__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// The caller and its helpers. One loop runs at a time; which one, and how many of its tasks nobody
// has claimed yet, are one number, so a claim either takes a task of the loop it looked at or
// nothing:
//
//     state_ = loop number · 2^32 + tasks left
//
// A helper that comes late finds another loop's number, or no task left, and has touched nothing. A
// claimed task keeps the loop alive until it is done, for the caller waits until as many are done
// as there were: so what publish() wrote may be read behind a claim.
class Team {
  public:
    ~Team() {
        stopping_.store(true);
        state_.fetch_add(kNextLoop);
        state_.notify_all();
        for (std::thread& helper : helpers_) helper.join();
    }

    int size() const { return size_.load(std::memory_order_relaxed); }

    void resize(int threads) {
        const int most = int(std::max(1u, std::thread::hardware_concurrency()));
        size_.store(threads > 0 ? std::min(threads, int(kMostThreads)) : most);
    }

    void run(Index count, void (*task)(const void*, Index), const void* body) {
        const std::unique_lock alone(one_loop_, std::try_to_lock);
        if (!alone || inside_a_loop) {  // a loop inside a loop, or beside one of another caller
            for (Index i = 0; i < count; ++i) task(body, i);
            return;
        }
        while (int(helpers_.size()) + 1 < size()) add_helper();
        const std::uint64_t loop = publish(count, task, body);
        work(loop);
        // What is claimed is being done. Its thread may have lost its processor: then let it have
        // ours.
        for (int spins = 0; done_.load(std::memory_order_acquire) != count; ++spins)
            if (spins < kCallerSpins)
                pause();
            else
                std::this_thread::yield();
    }

  private:
    static constexpr std::uint64_t kNextLoop = std::uint64_t(1) << 32, kTasks = kNextLoop - 1;
    // How long a helper looks for the next loop before it sleeps: some hundreds of microseconds, longer
    // than it waits for the others at the end of a loop of unequal tasks (to be woken costs about
    // 50 µs, and a step has a hundred loops), shorter than a time slice. And how long the caller looks
    // for the last task before it yields.
    static constexpr int kHelperSpins = 10000, kCallerSpins = 1000;

    std::uint64_t publish(Index count, void (*task)(const void*, Index), const void* body) {
        count_ = count;
        task_ = task;
        body_ = body;
        done_.store(0, std::memory_order_relaxed);
        const std::uint64_t loop = (state_.load(std::memory_order_relaxed) & ~kTasks) + kNextLoop;
        state_.store(loop + std::uint64_t(count));
        if (asleep_.load() > 0) state_.notify_all();
        return loop;
    }

    // Claims and does tasks of this loop until none is left.
    void work(std::uint64_t loop) {
        flush_denormals();
        inside_a_loop = true;
        std::uint64_t state = state_.load(std::memory_order_acquire);
        while ((state & ~kTasks) == loop && (state & kTasks) > 0) {
            if (!state_.compare_exchange_weak(state, state - 1, std::memory_order_acq_rel))
                continue;
            task_(body_, count_ - Index(state & kTasks));
            done_.fetch_add(1, std::memory_order_release);
            state = state_.load(std::memory_order_acquire);
        }
        inside_a_loop = false;
    }

    // Where the system gives no more threads, fewer do the same work to the same bits.
    void add_helper() {
        const int number = int(helpers_.size()) + 1;
        try {
            helpers_.emplace_back([this, number] { help(number); });
        } catch (const std::system_error&) {
            size_.store(number);
        }
    }

    void help(int number) {
        this_thread_number = number;
        std::uint64_t seen = 0;
        for (;;) {
            const std::uint64_t state = next_state(seen);
            if (stopping_.load()) return;
            seen = state & ~kTasks;
            if (number < size()) work(seen);
        }
    }

    // A state of another loop than `seen`.
    std::uint64_t next_state(std::uint64_t seen) {
        for (int spins = 0; spins < kHelperSpins; ++spins, pause())
            if (const std::uint64_t state = state_.load(std::memory_order_acquire);
                (state & ~kTasks) != seen)
                return state;
        asleep_.fetch_add(1);
        std::uint64_t state = state_.load();
        while ((state & ~kTasks) == seen) {
            state_.wait(state);
            state = state_.load();
        }
        asleep_.fetch_sub(1);
        return state;
    }

    std::atomic<int> size_{int(std::max(1u, std::thread::hardware_concurrency()))};
    std::mutex one_loop_;
    std::vector<std::thread> helpers_;
    std::atomic<std::uint64_t> state_{0};
    std::atomic<Index> done_{0};
    std::atomic<int> asleep_{0};
    std::atomic<bool> stopping_{false};
    Index count_ = 0;
    void (*task_)(const void*, Index) = nullptr;
    const void* body_ = nullptr;
};

// Threads belong to the process: one team for all loops.
Team& team() {
    static Team the_team;
    return the_team;
}

}  // namespace

int thread_count() { return team().size(); }
void set_thread_count(int threads) { team().resize(threads); }
int thread_number() { return this_thread_number; }

void run_tasks(Index count, void (*task)(const void* body, Index i), const void* body) {
    team().run(count, task, body);
}

}  // namespace zhuyi
