#include "base/parallel.h"

#include <algorithm>
#include <array>
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

// The caller and its helpers. One loop runs at a time. Each thread has a share of its tasks, a
// stretch of neighbours, and takes them from the front; a thread that has done its own takes from
// the ends of the others. So as long as no thread is held up, each comes back in every loop to the
// same part of the data, which its cache may still hold.
//
// A share is one number, so that a claim either takes a task of the loop it meant or nothing:
//
//     loop number mod 2^16 | first task left (24 bits) | one after the last (24 bits)
//
// A helper that comes late finds shares of another loop, or empty ones, and has touched nothing. A
// claimed task keeps the loop alive until it is done, for the caller waits until as many are done
// as there were: so what publish() wrote may be read after a claim.
class Team {
  public:
    ~Team() {
        stopping_.store(true);
        loop_.fetch_add(1);
        loop_.notify_all();
        for (std::thread& helper : helpers_) helper.join();
    }

    int size() const { return size_.load(std::memory_order_relaxed); }

    void resize(int threads) {
        const int most = int(std::max(1u, std::thread::hardware_concurrency()));
        size_.store(threads > 0 ? std::min(threads, int(kMostThreads)) : most);
    }

    void run(Index count, void (*task)(const void*, Index), const void* body) {
        const auto alone_on_this_thread = [&] {
            for (Index i = 0; i < count; ++i) task(body, i);
        };
        // A loop inside a loop. Asked first: this thread may hold the mutex already, and a thread
        // must not try to lock a mutex twice.
        if (inside_a_loop) return alone_on_this_thread();
        const std::unique_lock lock(one_loop_, std::try_to_lock);
        if (!lock) return alone_on_this_thread();  // beside a loop of another caller
        while (int(helpers_.size()) + 1 < size()) add_helper();
        task_ = task, body_ = body;
        for (first_ = 0; first_ < count; first_ += kMostTasks)
            run_together(std::min(count - first_, kMostTasks));
    }

  private:
    struct alignas(64) Share {
        std::atomic<std::uint64_t> left{0};
    };
    static constexpr int kBits = 24;
    static constexpr Index kMostTasks = (Index(1) << kBits) - 1;
    // How long a helper looks for the next loop before it sleeps: some hundreds of microseconds,
    // longer than it waits for the others at the end of a loop of unequal tasks (to be woken costs
    // about 50 µs, and a step has a hundred loops), shorter than a time slice. And how long the
    // caller looks for the last task before it yields.
    static constexpr int kHelperSpins = 10000, kCallerSpins = 1000;

    void run_together(Index count) {
        work(publish(count));
        // What is claimed is being done. Its thread may have lost its processor: then let it have
        // ours.
        for (int spins = 0; done_.load(std::memory_order_acquire) != count; ++spins)
            if (spins < kCallerSpins)
                pause();
            else
                std::this_thread::yield();
    }

    std::uint64_t publish(Index count) {
        done_.store(0, std::memory_order_relaxed);
        const std::uint64_t loop = loop_.load(std::memory_order_relaxed) + 1;
        const auto border = [&](Index k) { return std::uint64_t(count * k / size()); };
        for (int k = 0; k < size(); ++k)
            shares_[std::size_t(k)].left.store(
                loop << 2 * kBits | border(k) << kBits | border(k + 1), std::memory_order_release);
        loop_.store(loop);
        if (asleep_.load() > 0) loop_.notify_all();
        return loop;
    }

    // Returns a task of this loop from the front or the end of a share, or -1 if none is left.
    static Index claim(Share& share, std::uint64_t loop, bool front) {
        constexpr std::uint64_t kMask = kMostTasks;
        std::uint64_t left = share.left.load(std::memory_order_acquire);
        for (;;) {
            const std::uint64_t first = left >> kBits & kMask, end = left & kMask;
            if (left >> 2 * kBits != (loop & 0xffff) || first >= end) return -1;
            const std::uint64_t rest = front ? left + (std::uint64_t(1) << kBits) : left - 1;
            if (share.left.compare_exchange_weak(left, rest, std::memory_order_acq_rel))
                return Index(front ? first : end - 1);
        }
    }

    void work(std::uint64_t loop) {
        flush_denormals();
        inside_a_loop = true;
        Index done = 0;
        for (int all = size(), k = 0; k < all; ++k) {
            Share& share = shares_[std::size_t((this_thread_number + k) % all)];
            for (Index i; (i = claim(share, loop, k == 0)) >= 0; ++done) task_(body_, first_ + i);
        }
        if (done > 0) done_.fetch_add(done, std::memory_order_release);
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
            seen = next_loop(seen);
            if (stopping_.load()) return;
            if (number < size()) work(seen);
        }
    }

    // The number of another loop than `seen`.
    std::uint64_t next_loop(std::uint64_t seen) {
        for (int spins = 0; spins < kHelperSpins; ++spins, pause())
            if (const std::uint64_t loop = loop_.load(std::memory_order_acquire); loop != seen)
                return loop;
        asleep_.fetch_add(1);
        std::uint64_t loop = loop_.load();
        for (; loop == seen; loop = loop_.load()) loop_.wait(seen);
        asleep_.fetch_sub(1);
        return loop;
    }

    std::atomic<int> size_{int(std::max(1u, std::thread::hardware_concurrency()))};
    std::mutex one_loop_;
    std::vector<std::thread> helpers_;
    std::array<Share, kMostThreads> shares_;
    std::atomic<std::uint64_t> loop_{0};
    std::atomic<Index> done_{0};
    std::atomic<int> asleep_{0};
    std::atomic<bool> stopping_{false};
    Index first_ = 0;
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
bool inside_parallel_loop() { return inside_a_loop; }

void run_tasks(Index count, void (*task)(const void* body, Index i), const void* body) {
    team().run(count, task, body);
}

}  // namespace zhuyi
