#include "base/parallel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "base/arena.h"
#include "base/check.h"

using namespace zhuyi;

namespace {

constexpr double kCostly = 1e9;  // every loop is worth all threads

struct Threads {
    explicit Threads(int count) { set_thread_count(count); }
    ~Threads() { set_thread_count(0); }
};

}  // namespace

TEST_CASE("parallel: every task is done once, however many threads and tasks there are") {
    for (int threads : {1, 2, 3, 8}) {
        const Threads set(threads);
        for (Index count : {0, 1, 2, 3, 7, 100, 1000}) {
            std::vector<int> done(std::size_t(count), 0);
            for (int again = 0; again < 50; ++again)
                parallel_for(count, kCostly, [&](Index i) { ++done[std::size_t(i)]; });
            for (int times : done) CHECK(times == 50);
        }
    }
}

TEST_CASE("parallel: what a loop wrote is there for the one after it") {
    const Threads set(4);
    std::vector<Index> values(64, 0);
    for (Index round = 1; round <= 2000; ++round)
        parallel_for(64, kCostly, [&](Index i) {
            // each task reads its neighbour's value of the round before
            if (values[std::size_t(i)] != round - 1) values[0] = -1000000;
            values[std::size_t(i)] = round;
        });
    for (Index value : values) CHECK(value == 2000);
}

TEST_CASE("parallel: thread numbers are below the thread count and no two threads share one") {
    const Threads set(3);
    std::vector<std::atomic<int>> inside(3);
    std::atomic<bool> shared{false}, outside{false};
    parallel_for(500, kCostly, [&](Index) {
        const int number = thread_number();
        if (number < 0 || number >= 3) {
            outside = true;
            return;
        }
        if (inside[std::size_t(number)].fetch_add(1) != 0) shared = true;
        std::this_thread::yield();
        inside[std::size_t(number)].fetch_sub(1);
    });
    CHECK_FALSE(shared);
    CHECK_FALSE(outside);
    CHECK(thread_number() == 0);
}

TEST_CASE("parallel: a loop inside a loop stays on its thread") {
    const Threads set(4);
    std::atomic<int> elsewhere{0}, done{0};
    parallel_for(20, kCostly, [&](Index) {
        const int outer = thread_number();
        parallel_for(20, kCostly, [&](Index) {
            if (thread_number() != outer) ++elsewhere;
            ++done;
        });
    });
    CHECK(done == 400);
    CHECK(elsewhere == 0);
}

// A loop inside a loop used to try the lock that its own thread held, which the standard leaves
// undefined. So it does not ask, and neither does a loop beside one of another caller wait.
TEST_CASE("parallel: loops inside loops and beside each other do every task once") {
    const Threads set(3);
    std::vector<std::atomic<int>> done(2 * 8 * 8 * 8);
    const auto nested = [&](Index half) {
        parallel_for(8, kCostly, [&, half](Index i) {
            parallel_for(8, kCostly, [&, i](Index j) {
                parallel_for(8, kCostly, [&, i, j](Index k) {
                    ++done[std::size_t(((half * 8 + i) * 8 + j) * 8 + k)];
                });
            });
        });
    };
    std::thread beside([&] { nested(1); });
    nested(0);
    beside.join();
    CHECK_FALSE(inside_parallel_loop());
    for (const auto& times : done) CHECK(times == 1);
}

TEST_CASE("workspace: inside a parallel loop a thread gets its own memory and no other") {
    const Threads set(2);
    Workspace workspace;
    workspace.shared(8);  // outside a loop anything goes
    workspace.local(1, 8);
    std::atomic<int> own{0}, refused{0}, made_here{0};
    const auto refuses = [&](const auto& ask) {
        try {
            ask();
        } catch (const Error&) {
            ++refused;
        }
    };
    parallel_for(2, kCostly, [&](Index) {
        if (workspace.local(thread_number(), 8)) ++own;
        refuses([&] { workspace.shared(8); });
        refuses([&] { workspace.local(1 - thread_number(), 8); });
        Workspace of_this_task;
        if (of_this_task.shared(8)) ++made_here;
    });
    CHECK(own == 2);
    CHECK(refused == 4);
    CHECK(made_here == 2);
}

TEST_CASE("parallel: numbers below 2^-126 count as zero on every thread") {
    const Threads set(4);
    std::atomic<int> kept{0};
    const volatile float least = 1.2e-38f;  // just above 2^-126
    parallel_for(200, kCostly, [&](Index) {
        const volatile float half = least / 4;
        if (half != 0) ++kept;
        std::this_thread::yield();
    });
    CHECK(kept == 0);
}

// Every loop gives a thread the same stretch first, so it finds what it left in its own cache; only
// who has nothing left takes from the others.
TEST_CASE("parallel: a thread goes through its own stretch, then through another's from the end") {
    constexpr Index kEach = 50;
    const Threads set(2);
    for (int again = 0; again < 20; ++again) {
        std::vector<std::vector<Index>> done(2);
        parallel_for(2 * kEach, kCostly, [&](Index i) {
            done[std::size_t(thread_number())].push_back(i);
            if (i % 7 == again % 7) std::this_thread::yield();
        });
        for (const Index thread : {0, 1}) {
            const auto& tasks = done[std::size_t(thread)];
            const auto own = [&](Index i) { return i / kEach == thread; };
            const auto others = std::find_if_not(tasks.begin(), tasks.end(), own);
            CHECK(std::none_of(others, tasks.end(), own));
            CHECK(std::is_sorted(tasks.begin(), others));
            CHECK(std::is_sorted(others, tasks.end(), std::greater<>()));
        }
    }
}

TEST_CASE("parallel: more tasks than a share can count") {
    const Threads set(2);
    const Index count = (Index(1) << 24) + 5;
    std::vector<unsigned char> done(std::size_t(count), 0);
    parallel_for(count, kCostly, [&](Index i) { ++done[std::size_t(i)]; });
    CHECK(std::count(done.begin(), done.end(), 1) == count);
}
