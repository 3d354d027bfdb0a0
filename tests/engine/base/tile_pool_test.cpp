#include <QtTest>

#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/tile_pool.h"
#include "tests/support/test_class.h"

using namespace flcc::base;

namespace {

/// Work that takes long enough for every worker to get some.
void dawdle() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }

} // namespace

// Shared variables without a lock or an atomic are deliberate: the thread sanitizer then proves
// that the pool orders what it promises to order.
class TilePoolTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyTileIsDoneOnce_data() {
        QTest::addColumn<int>("threads");
        for (const int threads : {1, 2, 3, 4, 7, 16}) {
            QTest::newRow(std::to_string(threads).c_str()) << threads;
        }
    }

    void everyTileIsDoneOnce() {
        QFETCH(int, threads);
        TilePool pool(threads);
        QCOMPARE(pool.threads(), threads);
        for (const std::int64_t count : {0, 1, 2, 5, 64, 1000}) {
            std::vector<int> times(static_cast<std::size_t>(count), 0);
            QVERIFY(pool.run(
                count, [&](std::int64_t tile, int) { ++times[static_cast<std::size_t>(tile)]; }));
            QCOMPARE(times, std::vector<int>(static_cast<std::size_t>(count), 1));
        }
    }

    void whatATileWroteIsSeenByTheCallerAndByTheNextRun() {
        TilePool pool(4);
        std::vector<std::int64_t> values(257, 0);
        for (int round = 0; round < 50; ++round) {
            pool.run(257, [&](std::int64_t tile, int) {
                // A neighbour's value of the last round may have come from another thread.
                values[static_cast<std::size_t>(tile)] += 1;
            });
            QCOMPARE(std::accumulate(values.begin(), values.end(), std::int64_t{0}),
                     std::int64_t{257} * (round + 1));
        }
    }

    void tilesAreStartedInAscendingOrder() {
        TilePool single(1);
        std::vector<std::int64_t> order;
        single.run(20, [&](std::int64_t tile, int) { order.push_back(tile); });
        std::vector<std::int64_t> ascending(20);
        std::iota(ascending.begin(), ascending.end(), 0);
        QCOMPARE(order, ascending);

        // With several threads a tile may start late by no more than the tiles under way.
        TilePool several(4);
        std::mutex mutex;
        std::int64_t started = 0;
        bool inOrder = true;
        several.run(400, [&](std::int64_t tile, int) {
            const std::lock_guard lock(mutex);
            inOrder = inOrder && tile < started + 4;
            ++started;
        });
        QVERIFY(inOrder);
    }

    void aWorkerNumberIsNeverInUseTwice() {
        TilePool pool(4);
        std::vector<int> scratch(4, 0); // unguarded: two tiles with one number would race
        std::mutex mutex;
        std::set<std::thread::id> threads;
        pool.run(200, [&](std::int64_t, int worker) {
            int& mine = scratch.at(static_cast<std::size_t>(worker));
            const int before = mine;
            dawdle();
            mine = before + 1;
            const std::lock_guard lock(mutex);
            threads.insert(std::this_thread::get_id());
        });
        QCOMPARE(std::accumulate(scratch.begin(), scratch.end(), 0), 200);
        QVERIFY(threads.size() > 1);
        QVERIFY(threads.size() <= 4);
    }

    void workersMayRunWhereTheirCallerMay() {
        TilePool pool(2);
        cpu_set_t own;
        QCOMPARE(sched_getaffinity(0, sizeof(own), &own), 0);
        for (int round = 0; round < 3; ++round) {
            std::atomic<int> started = 0;
            cpu_set_t workers;
            CPU_ZERO(&workers);
            // Neither tile ends before both workers have one.
            pool.run(2, [&](std::int64_t, int worker) {
                ++started;
                while (started < 2) {
                    std::this_thread::yield();
                }
                if (worker == 1) {
                    (void)sched_getaffinity(0, sizeof(workers), &workers);
                }
            });
            QVERIFY(CPU_EQUAL(&workers, &own));
            std::this_thread::sleep_for(std::chrono::milliseconds(5)); // workers fall asleep
        }
    }

    void progressCountsUpToTheLastTileOneCallAtATime() {
        for (const int threads : {1, 4}) {
            TilePool pool(threads);
            std::vector<std::int64_t> seen; // unguarded: calls must not overlap
            QVERIFY(pool.run(
                100, [](std::int64_t, int) { dawdle(); }, {},
                [&](std::int64_t done) { seen.push_back(done); }));
            std::vector<std::int64_t> expected(100);
            std::iota(expected.begin(), expected.end(), 1);
            QCOMPARE(seen, expected);
        }
    }

    void aStopThatCameFirstStartsNothing() {
        for (const int threads : {1, 4}) {
            TilePool pool(threads);
            std::stop_source source;
            source.request_stop();
            std::atomic<int> done = 0;
            QVERIFY(!pool.run(
                10, [&](std::int64_t, int) { ++done; }, source.get_token()));
            QCOMPARE(done.load(), 0);
        }
    }

    void aStopEndsTheRunAfterTheTilesUnderWay() {
        for (const int threads : {1, 3}) {
            TilePool pool(threads);
            std::stop_source source;
            std::atomic<std::int64_t> started = 0;
            std::atomic<std::int64_t> finished = 0;
            std::int64_t reported = 0;
            const bool complete = pool.run(
                100000,
                [&](std::int64_t tile, int) {
                    ++started;
                    if (tile == 50) {
                        source.request_stop();
                    }
                    dawdle();
                    ++finished;
                },
                source.get_token(), [&](std::int64_t done) { reported = done; });
            QVERIFY(!complete);
            QCOMPARE(finished.load(), started.load());
            QCOMPARE(reported, finished.load());
            QVERIFY(finished >= 51 && finished < 50000);
        }
    }

    void aStopDuringTheLastTileIsACompleteRun() {
        TilePool pool(2);
        std::stop_source source;
        QVERIFY(pool.run(
            8,
            [&](std::int64_t tile, int) {
                if (tile == 7) {
                    source.request_stop();
                }
            },
            source.get_token()));
    }

    void anExceptionOfATileReachesTheCaller() {
        for (const int threads : {1, 2, 4}) {
            TilePool pool(threads);
            std::atomic<std::int64_t> done = 0;
            std::string caught;
            try {
                pool.run(100000, [&](std::int64_t tile, int) {
                    if (tile == 20) {
                        throw std::runtime_error("tile 20 failed");
                    }
                    dawdle();
                    ++done;
                });
            } catch (const std::runtime_error& error) {
                caught = error.what();
            }
            QCOMPARE(caught, std::string("tile 20 failed"));
            QVERIFY(done < 50000); // the others were not all done first
        }
    }

    void oneOfManyExceptionsReachesTheCaller() {
        TilePool pool(4);
        QVERIFY_EXCEPTION_THROWN(
            pool.run(100,
                     [](std::int64_t tile, int) { throw std::out_of_range(std::to_string(tile)); }),
            std::out_of_range);
    }

    void anExceptionOfTheProgressReachesTheCaller() {
        TilePool pool(3);
        QVERIFY_EXCEPTION_THROWN(pool.run(
                                     100, [](std::int64_t, int) {}, {},
                                     [](std::int64_t done) {
                                         if (done == 10) {
                                             throw std::runtime_error("nobody listens");
                                         }
                                     }),
                                 std::runtime_error);
    }

    void aPoolWorksAgainAfterAnExceptionAndAStop() {
        TilePool pool(3);
        for (int round = 0; round < 20; ++round) {
            QVERIFY_EXCEPTION_THROWN(
                pool.run(10, [](std::int64_t, int) { throw std::runtime_error("no"); }),
                std::runtime_error);
            std::stop_source source;
            QVERIFY(!pool.run(
                1000, [&](std::int64_t, int) { source.request_stop(); }, source.get_token()));
            std::atomic<int> done = 0;
            QVERIFY(pool.run(30, [&](std::int64_t, int) { ++done; }));
            QCOMPARE(done.load(), 30);
        }
    }

    void aSecondCallerWaits() {
        TilePool pool(2);
        int unguarded = 0; // the runs must not overlap
        const auto call = [&] {
            for (int i = 0; i < 50; ++i) {
                pool.run(1, [&](std::int64_t, int) { ++unguarded; });
            }
        };
        {
            const std::jthread other(call);
            call();
        }
        QCOMPARE(unguarded, 100);
    }

    void poolsComeAndGo() {
        for (int i = 0; i < 100; ++i) {
            TilePool pool(1 + i % 5);
            if (i % 2 == 0) {
                pool.run(3, [](std::int64_t, int) {});
            }
        }
    }

    void aPoolWithoutThreadsIsRefused() {
        for (const int threads : {0, -1}) {
            try {
                TilePool pool(threads);
                QFAIL("made");
            } catch (const Error& error) {
                QVERIFY(error.code() == ErrorCode::CommandLine);
            }
        }
    }

    void thisProcessMayRunAtLeastOneThread() { QVERIFY(availableThreads() >= 1); }
};

const flcc::test::TestClass<TilePoolTest> kTilePoolTest;
#include "tile_pool_test.moc"
