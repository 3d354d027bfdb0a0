#include <QtTest>

#include <cstring>
#include <numeric>
#include <vector>

#include "engine/cuda/run/staging.h"
#include "tests/engine/cuda/device_double.h"
#include "tests/support/test_class.h"

using namespace flcc;
using cuda::Staging;
using test::Order;

/// Copies through a few pieces of pinned memory, on a device that is stood in for.
class StagingTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { test::deviceDouble().reset(); }

    void everyRowArrivesOnce_data() {
        QTest::addColumn<std::int64_t>("rows");
        QTest::addColumn<std::int64_t>("rowBytes");
        constexpr std::int64_t kPiece = Staging::kPieceBytes;
        for (const auto& [rows, bytes] : std::vector<std::pair<std::int64_t, std::int64_t>>{
                 {1, 1},
                 {5, 24},
                 {2, kPiece / 2},
                 {7, kPiece / 2 - 8},
                 {11, kPiece / 2 + 8}, // one row a piece
                 {4, kPiece + 8},      // a row is longer than a piece
                 {3001, 4000}}) {      // the last piece is not full
            QTest::addRow("%lld rows of %lld bytes", static_cast<long long>(rows),
                          static_cast<long long>(bytes))
                << rows << bytes;
        }
    }

    void everyRowArrivesOnce() {
        QFETCH(std::int64_t, rows);
        QFETCH(std::int64_t, rowBytes);
        std::vector<std::byte> sent(static_cast<std::size_t>(rows * rowBytes));
        std::uint32_t value = 1;
        for (std::byte& byte : sent) {
            value = value * 1664525U + 1013904223U;
            byte = static_cast<std::byte>(value >> 24U);
        }
        for (const Order order : {Order::AtOnce, Order::Late, Order::Ahead}) {
            test::deviceDouble().reset();
            test::deviceDouble().order = order;
            cuda::Engine engine(&test::doubleTable());
            {
                const cuda::Stream up(engine, 0);
                const cuda::Stream down(engine, 0);
                cuda::DeviceBuffer<std::byte> memory(engine, 0);
                std::byte* const there = memory.room(rows * rowBytes);
                Staging toDevice(engine, 0);
                Staging fromDevice(engine, 0);
                const cuda::StreamDrain drain{up};
                std::int64_t filled = 0;
                toDevice.upload(up, there, rows, rowBytes,
                                [&](std::int64_t first, std::int64_t count, std::byte* to) {
                                    QCOMPARE(first, filled);
                                    std::copy_n(sent.data() + first * rowBytes, count * rowBytes,
                                                to);
                                    filled += count;
                                });
                QCOMPARE(filled, rows);
                QVERIFY(toDevice.takeMs() > 0);
                QCOMPARE(std::memcmp(there, sent.data(), sent.size()), 0);
                std::vector<std::byte> back(sent.size());
                fromDevice.download(
                    down, there, rows, rowBytes,
                    [&](std::int64_t first, std::int64_t count, const std::byte* from) {
                        std::copy_n(from, count * rowBytes, back.data() + first * rowBytes);
                    });
                QVERIFY(back == sent);
                QVERIFY(fromDevice.takeMs() > 0);
                QCOMPARE(fromDevice.takeMs(), 0.0);
                QVERIFY(test::deviceDouble().pinnedBytes <= 2 * Staging::bytesFor(rows, rowBytes));
                QCOMPARE(test::deviceDouble().loose, std::int64_t{0});
            }
            QCOMPARE(test::deviceDouble().pinnedBlocks, std::int64_t{0});
        }
    }
};

const flcc::test::TestClass<StagingTest> kStagingTest;
#include "staging_test.moc"
