#include <QtTest>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "engine/cuda/again.h"
#include "engine/cuda/part_queue.h"
#include "engine/method/match_map.h"
#include "tests/engine/cpu/harness.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using base::Status;

namespace {

/// Voxels from the first to the last held unit of each row of units, `wide` voxels of it at a time.
std::int64_t voxelsBetween(const cuda::AgainUnits& units, const Extents& part, const Extents& unit,
                           std::int64_t wide) {
    std::int64_t all = 0;
    for (std::int64_t z = 0; z < part.z; ++z) { // units of one slice
        for (std::int64_t y = 0; y < part.y; ++y) {
            for (std::int64_t from = 0; from < part.x; from += wide) {
                std::int64_t begin = part.x;
                std::int64_t end = 0;
                for (std::int64_t x = from; x < std::min(from + wide, part.x); x += unit.x) {
                    if (units.hold({x, y, z})) {
                        begin = std::min(begin, x);
                        end = std::min(x + unit.x, part.x);
                    }
                }
                all += std::max(end - begin, std::int64_t{0});
            }
        }
    }
    return all;
}

} // namespace

/// What decides which LOWCONF voxels a device computes again, and in which pieces.
class AgainUnitsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    // Tiles lie across blocks: those that a tile meets tell how many it may have at most.
    void blocksTellWhetherUnitsMayBeHeld() {
        const cuda::AgainRule rule{{100, 20, 1}, 10, {}, {100, 20, 1}, 0};
        const Extents part{200, 40, 2};
        std::vector<cuda::BlockTally> told(4 * 3 * 2);
        const auto mayHold = [&] { return cuda::mayHoldUnits(rule, told.data(), part); };
        QVERIFY(!mayHold());
        told[1].lowConf = 6;  // x 64 to 127, y 0 to 15
        told[8].lowConf = 6;  // x 0 to 63, y 32 to 39: with other tiles
        told[13].lowConf = 6; // another slice
        QVERIFY(!mayHold());
        told[4].lowConf = 4; // x 0 to 63, y 16 to 31: with two tiles
        QVERIFY(!mayHold());
        told[4].lowConf = 5;
        QVERIFY(mayHold());
        told[4].lowConf = 0;
        told[23].lowConf = 11; // the last one
        QVERIFY(mayHold());
    }

    void unitsAreFoundWhereTheyLie() {
        const cuda::AgainRule rule{{10, 8, 2}, 3, {}, {10, 4, 2}, 0};
        method::MatchMap map({25, 20, 3});
        const auto low = [&](const base::Index& at, int voxels) {
            for (int i = 0; i < voxels; ++i) {
                map.status.view().at(at.x + i % 2, at.y + i / 2, at.z) = Status::LowConf;
            }
        };
        low({12, 9, 1}, 4);
        low({0, 0, 0}, 3); // no more than canonical values are for
        low({23, 18, 2}, 4);
        base::TilePool pool(2);
        const cuda::AgainUnits units(rule, map.status.view(), pool);
        QVERIFY(units.any());
        QVERIFY(units.hold({10, 8, 0}) && units.hold({19, 15, 1}) && units.hold({24, 19, 2}));
        QVERIFY(!units.hold({0, 0, 0}) && !units.hold({9, 8, 0}) && !units.hold({10, 8, 2}));
        const std::vector<base::Box> pieces = units.pieces(rule, {100, 200, 300});
        QCOMPARE(pieces.size(), std::size_t{3});
        QVERIFY(pieces[0].corner == (base::Index{110, 208, 300}));
        QVERIFY(pieces[0].extents == (Extents{10, 4, 2}));
        QVERIFY(pieces[1].corner == (base::Index{110, 212, 300}));
        QVERIFY(pieces[2].corner == (base::Index{120, 216, 302}));
        QVERIFY(pieces[2].extents == (Extents{5, 4, 1}));
        QVERIFY(!cuda::AgainUnits().any() && !cuda::AgainUnits().hold({0, 0, 0}));
        // Of parts of several units those alone are done.
        const cuda::AgainRule wide{{10, 8, 2}, 3, {}, {30, 16, 2}, 0};
        const std::vector<base::Box> cut = units.pieces(wide, {0, 0, 0});
        QCOMPARE(cut.size(), std::size_t{2});
        QVERIFY(cut[0].corner == (base::Index{10, 8, 0}) && cut[0].extents == (Extents{10, 8, 2}));
        QVERIFY(cut[1].corner == (base::Index{20, 16, 2}) && cut[1].extents == (Extents{5, 4, 1}));
    }

    void piecesHoldEveryUnitOnce_data() {
        QTest::addColumn<double>("share");
        for (const double share : {0.0, 0.01, 0.1, 0.5, 1.0}) {
            QTest::addRow("%g", share) << share;
        }
    }

    // In parts of four units each way, which are cut at the border of the part.
    void piecesHoldEveryUnitOnce() {
        QFETCH(double, share);
        const Extents unit{4, 2, 1};
        const Extents part{38, 17, 6};
        base::TilePool pool(1);
        test::Random random(9);
        method::MatchMap map(part);
        for (std::int64_t z = 0; z < part.z; ++z) {
            for (std::int64_t y = 0; y < part.y; y += unit.y) {
                for (std::int64_t x = 0; x < part.x; x += unit.x) {
                    map.status.view().at(x, y, z) =
                        random.uniform() < share ? Status::LowConf : Status::Ok;
                }
            }
        }
        std::size_t fewest = 0;
        for (const std::int64_t filling : {40, 3, 0}) {
            const cuda::AgainRule rule{unit, 0, {}, {16, 8, 3}, 0, filling};
            const cuda::AgainUnits units(rule, map.status.view(), pool);
            const std::vector<base::Box> pieces = units.pieces(rule, {0, 0, 0});
            QVERIFY(pieces.size() >= fewest);
            fewest = pieces.size();
            base::Image<std::uint8_t> times(part, std::uint8_t{0});
            for (const base::Box& piece : pieces) {
                const base::Index& at = piece.corner;
                const Extents& own = piece.extents;
                QVERIFY(own.x <= 16 && own.y <= 8 && own.z <= 3);
                QVERIFY(at.x % unit.x == 0 && at.y % unit.y == 0 && base::contains(part, piece));
                for (std::int64_t i = 0; i < base::voxelCount(own); ++i) {
                    ++times.view().at(at.x + i % own.x, at.y + i / own.x % own.y,
                                      at.z + i / (own.x * own.y));
                }
            }
            std::int64_t held = 0;
            std::int64_t done = 0;
            for (std::int64_t i = 0; i < times.count(); ++i) {
                const bool holds =
                    units.hold({i % part.x, i / part.x % part.y, i / (part.x * part.y)});
                QVERIFY(times.data()[i] <= 1 && times.data()[i] >= (holds ? 1 : 0));
                held += holds ? 1 : 0;
                done += times.data()[i];
            }
            QCOMPARE(done > 0, share > 0);
            QVERIFY(done >= held);
            if (filling == 0) { // what lies between held units of a row of a part, nothing else
                QCOMPARE(done, voxelsBetween(units, part, unit, 16));
            }
            if (share == 1) { // no more than whole parts
                QCOMPARE(pieces.size(), std::size_t{3 * 3 * 2});
            }
        }
    }

    // A box of one slice that lies beside another one is not made to hold more slices, where it
    // might meet that.
    void piecesDoNotMeet() {
        const Extents part{10, 2, 2};
        method::MatchMap map(part);
        for (const base::Index& at :
             std::vector<base::Index>{{0, 0, 0}, {9, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 1}}) {
            map.status.view().at(at) = Status::LowConf;
        }
        base::TilePool pool(1);
        const cuda::AgainRule rule{{1, 1, 1}, 0, {}, part, 0, 3};
        const std::vector<base::Box> pieces =
            cuda::AgainUnits(rule, map.status.view(), pool).pieces(rule, {0, 0, 0});
        QCOMPARE(pieces.size(), std::size_t{3});
        QVERIFY(pieces[0].corner == (base::Index{0, 0, 0}) &&
                pieces[0].extents == (Extents{10, 1, 1}));
        QVERIFY(pieces[1].corner == (base::Index{0, 1, 0}) &&
                pieces[1].extents == (Extents{1, 1, 1}));
        QVERIFY(pieces[2].corner == (base::Index{0, 0, 1}) &&
                pieces[2].extents == (Extents{1, 2, 1}));
    }

    // Whatever fails between the last piece of a part and the end of the part.
    void theLastPieceMayBeDoneTwice() {
        base::TilePool pool(1);
        std::int64_t told = 0;
        bool fails = false;
        const method::Execution execution{pool, {}, [&](const base::Box&) {
                                              ++told;
                                              if (fails) {
                                                  throw std::runtime_error("a sink that fails");
                                              }
                                          }};
        cuda::PartQueue parts({20, 10, 1}, {20, 10, 1}, execution);
        const base::Box part = parts.take(true)->box;
        cuda::BlockTally block;
        block.ok = 190;
        block.lowConf = 10;
        parts.leaveOpen(part, {block}, 0, {{{0, 0, 0}, {10, 10, 1}}, {{10, 0, 0}, {10, 10, 1}}});
        const auto first = *parts.take(true, true);
        const auto last = *parts.take(true, true);
        QVERIFY(!parts.replaced(first, 1e-6));
        const std::vector<cuda::BlockRepair> repaired{{10, 0, 2e-6}};
        for (const bool sink : {false, true}) {
            QVERIFY(parts.replaced(last, 2e-6));
            fails = sink;
            if (sink) {
                QVERIFY_THROWS_EXCEPTION(std::runtime_error,
                                         parts.finished(last, {&block, repaired}));
            }
            parts.giveBack(last);
            QVERIFY(!parts.isDone() && parts.open().size() == 1);
            QVERIFY(parts.take(true, true)->box.corner == last.box.corner);
        }
        fails = false;
        QVERIFY(parts.replaced(last, 2e-6));
        parts.finished(last, {&block, repaired});
        QVERIFY(parts.isDone() && parts.open().empty());
        QCOMPARE(told, std::int64_t{2});
        QVERIFY(!parts.take(true, true));
        const method::MapFacts facts = parts.facts();
        QCOMPARE(facts.statusCounts[static_cast<std::size_t>(Status::Ok)], std::int64_t{200});
        QCOMPARE(facts.recomputed, std::int64_t{10});
        QCOMPARE(facts.largestBound, 2e-6);
    }

    void littleIsLeftToCanonicalValues() {
        const method::Problem small = test::problemOf(test::noise(PixelType::UInt8, {99, 99, 1}, 1),
                                                      test::noise(PixelType::UInt8, {4, 4, 1}, 1));
        method::Problem large = small;
        large.templ = {64, 64, 1};
        const Extents unit{100, 100, 1};
        QVERIFY(cuda::mostByVoxels(large, unit, 1e6) < cuda::mostByVoxels(small, unit, 1e6));
        QVERIFY(cuda::mostByVoxels(large, unit, 1e5) < cuda::mostByVoxels(large, unit, 1e6));
        QVERIFY(cuda::mostByVoxels(large, unit, 1e300) > 0);
    }
};

const flcc::test::TestClass<AgainUnitsTest> kTests;
#include "again_units_test.moc"
