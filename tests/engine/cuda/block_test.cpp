#include <QtTest>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "engine/cuda/kernels/direct_block.h"
#include "engine/cuda/run/map_parts.h"
#include "engine/method/shared/box_score.h"
#include "engine/reference/exact_lcc.h"
#include "tests/support/oracle.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
namespace shared = method::shared;

namespace {

/// Values about `level` with a spread of `spread`.
std::vector<std::int64_t> integers(std::size_t count, std::int64_t level, std::int64_t spread,
                                   std::uint64_t seed) {
    test::Random random(seed);
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(level + random.below(spread + 1));
    }
    return values;
}

} // namespace

/// The arithmetic of the device methods, function by function.
class BlockTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    // N sum x^2 - (sum x)^2 in 128 bits is the judge.
    void theVarianceOfIntegersHasNoCancellation_data() {
        QTest::addColumn<qint64>("level");
        QTest::addColumn<qint64>("spread");
        for (const qint64 level : {0, 1, -5, 255, 60000, -1000000}) {
            for (const qint64 spread : {0, 1, 2, 100}) {
                QTest::addRow("%lld + 0..%lld", level, spread) << level << spread;
            }
        }
    }

    void theVarianceOfIntegersHasNoCancellation() {
        QFETCH(qint64, level);
        QFETCH(qint64, spread);
        __extension__ using Wide = __int128;
        for (const std::size_t count : {2U, 3U, 49U, 256U, 1000U}) {
            const auto values = integers(count, level, spread, count);
            Wide sum = 0;
            Wide squares = 0;
            for (const std::int64_t value : values) {
                sum += value;
                squares += static_cast<Wide>(value) * value;
            }
            const Wide exact = static_cast<Wide>(count) * squares - sum * sum;
            const double expected = static_cast<double>(exact) / static_cast<double>(count);
            const double found = shared::integerVariance(
                static_cast<double>(sum), static_cast<double>(squares), static_cast<double>(count));
            QCOMPARE(found == 0, exact == 0);
            QVERIFY2(std::abs(found - expected) <= 0x1p-49 * expected,
                     qPrintable(QString::number(found - expected)));
        }
    }

    // One voxel of another count in many is the least that is not flat.
    void oneCountInAllIsNotFlat() {
        const double count = 65536;
        for (const double level : {0.0, 1.0, 60000.0}) {
            const double sum = count * level + 1;
            const double squares = (count - 1) * level * level + (level + 1) * (level + 1);
            const double variance = shared::integerVariance(sum, squares, count);
            QVERIFY(std::abs(variance - (1 - 1 / count)) <= 0x1p-50);
        }
    }

    void aFrameHoldsEveryVoxelOfEveryType() {
        const auto check = [](auto low, auto high) {
            using T = decltype(low);
            shared::VoxelRange range;
            shared::addVoxel(range, low);
            shared::addVoxel(range, high);
            const double pre = std::ldexp(1.0, -shared::preExponent<T>(range));
            const shared::TileFrame frame = shared::frameOf<T>(
                range, static_cast<double>(low) * pre + static_cast<double>(high) * pre, 2, 4);
            const double a = static_cast<double>(shared::centred(low, frame));
            const double b = static_cast<double>(shared::centred(high, frame));
            // 2^e is just above the largest difference: |x| lies within 1/4 and 1 for one of them.
            QVERIFY(std::abs(a) <= 1 && std::abs(b) <= 1);
            QVERIFY(std::max(std::abs(a), std::abs(b)) >= 0.24);
            QVERIFY(b > a);
        };
        check(std::uint8_t{0}, std::uint8_t{255});
        check(std::int8_t{-128}, std::int8_t{127});
        check(std::uint16_t{60000}, std::uint16_t{60001});
        check(std::int32_t{INT32_MIN}, std::int32_t{INT32_MAX});
        check(std::int64_t{INT64_MIN}, std::int64_t{INT64_MAX});
        check(std::uint64_t{0}, std::uint64_t{UINT64_MAX});
        check(-3e38F, 3e38F);
        check(1e-45F, 4e-45F);
        check(-1.7e308, 1.7e308);
        check(1.5e-323, 9e-323);
    }

    void aConstantTileIsKnown() {
        shared::VoxelRange range;
        shared::addVoxel(range, 0.1F);
        shared::addVoxel(range, 0.1F);
        QVERIFY(shared::frameOf<float>(range, 2 * static_cast<double>(0.1F), 2, 4).constant);
        shared::addVoxel(range, std::nanf(""));
        QCOMPARE(range.nonFinite, std::int64_t{1});
        QVERIFY(!shared::frameOf<float>(range, 2 * static_cast<double>(0.1F), 2, 4).constant);
    }

    // Memory that a device copies to the host and nobody wrote is an error of initcheck.
    void aTallyIsWrittenWhole() {
        const auto slots = std::make_unique<cuda::Slots[]>(cuda::VoxelTally::kSlots);
        auto& all = *reinterpret_cast<cuda::Slots(*)[cuda::VoxelTally::kSlots]>(slots.get());
        cuda::BlockTally tally;
        std::memset(static_cast<void*>(&tally), 0xFF, sizeof(tally));
        cuda::VoxelTally::tell(0, all, tally);
        const auto* const bytes = reinterpret_cast<const unsigned char*>(&tally);
        QVERIFY(std::all_of(bytes, bytes + sizeof(tally), [](int byte) { return byte == 0; }));
    }

    // Blocks and pieces: nothing is left out, nothing is taken twice.
    void theBlocksCoverAMapOnce() {
        const Extents map{130, 33, 3};
        const Extents grid = shared::blockGrid(map);
        base::Image<std::uint8_t> covered(map, std::uint8_t{0});
        for (std::int64_t block = 0; block < grid.x * grid.y * grid.z; ++block) {
            const base::Index corner = shared::blockCorner(block, grid);
            for (std::int64_t y = corner.y; y < std::min(map.y, corner.y + shared::kBlockHeight);
                 ++y) {
                for (std::int64_t x = corner.x; x < std::min(map.x, corner.x + shared::kBlockWidth);
                     ++x) {
                    ++covered.view().at(x, y, corner.z);
                }
            }
        }
        QVERIFY(std::all_of(covered.data(), covered.data() + covered.count(),
                            [](std::uint8_t times) { return times == 1; }));
    }

    void windowSumsAreThoseOfTheirVoxels() {
        using Block = cuda::DirectBlock<float, float, 16, false>;
        const auto values = integers(64, -20, 40, 3);
        for (int width = 1; width <= 16; ++width) {
            for (const int count : {1, 5, 16}) {
                std::vector<double> first(static_cast<std::size_t>(count), 0.0);
                std::vector<double> second(static_cast<std::size_t>(count), 0.0);
                int last = 0;
                Block::addWindows(
                    width, count,
                    [&](int i, double& a, double& b) {
                        const auto x = static_cast<double>(values[static_cast<std::size_t>(i)]);
                        a += x;
                        b += x * x;
                        last = std::max(last, i);
                    },
                    [&](int i, double a, double b) {
                        first[static_cast<std::size_t>(i)] += a;
                        second[static_cast<std::size_t>(i)] += b;
                    });
                QVERIFY(last < count + width - 1);
                for (int i = 0; i < count; ++i) {
                    const auto begin = values.begin() + i;
                    QCOMPARE(first[static_cast<std::size_t>(i)],
                             static_cast<double>(std::accumulate(begin, begin + width, 0LL)));
                    QCOMPARE(second[static_cast<std::size_t>(i)],
                             static_cast<double>(
                                 std::inner_product(begin, begin + width, begin, std::int64_t{0})));
                }
            }
        }
    }

    void partsOfAMapBeginWhereBlocksDo() {
        const Extents map{300, 200, 7};
        for (const std::int64_t most : {100'000, 10'000, 2'000, 1}) {
            const Extents part = cuda::largestPart(
                map, [&](const Extents& one) { return one.x * one.y * one.z <= most; });
            QVERIFY(part.x * part.y * part.z <= std::max<std::int64_t>(most, 64 * 16));
            for (const base::Box& box : cuda::mapParts(map, part)) {
                QCOMPARE(box.corner.x % shared::kBlockWidth, std::int64_t{0});
                QCOMPARE(box.corner.y % shared::kBlockHeight, std::int64_t{0});
            }
        }
    }
};

const flcc::test::TestClass<BlockTest> kBlockTest;
#include "block_test.moc"
