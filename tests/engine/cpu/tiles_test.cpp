#include <QtTest>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "engine/cpu/simd/kernels.h"
#include "engine/plan/planner.h"
#include "tests/engine/cpu/harness.h"
#include "tests/support/comparison.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;
using base::Status;

namespace {

struct Forced {
    Extents scene;
    Extents templ;
    Extents tile;
};

const std::vector<Forced> kForced{
    {{100, 90, 1}, {5, 4, 1}, {16, 16, 1}},   {{100, 90, 1}, {5, 4, 1}, {32, 16, 1}},
    {{100, 90, 1}, {5, 4, 1}, {16, 32, 1}},   {{100, 90, 1}, {9, 9, 1}, {24, 20, 1}},
    {{100, 90, 1}, {16, 16, 1}, {32, 32, 1}}, {{100, 90, 1}, {16, 15, 1}, {18, 16, 1}},
    {{100, 90, 1}, {7, 3, 1}, {64, 64, 1}},   {{100, 90, 1}, {7, 3, 1}, {128, 128, 1}},
    {{100, 90, 1}, {7, 3, 1}, {100, 90, 1}},  {{101, 97, 1}, {8, 8, 1}, {30, 42, 1}},
    {{200, 7, 1}, {5, 4, 1}, {32, 8, 1}},     {{300, 1, 1}, {9, 1, 1}, {32, 1, 1}},
    {{30, 28, 26}, {4, 3, 5}, {8, 8, 8}},     {{30, 28, 26}, {4, 3, 5}, {16, 8, 12}},
    {{30, 28, 26}, {4, 3, 5}, {16, 16, 16}},  {{30, 28, 26}, {7, 6, 5}, {30, 28, 26}},
    {{30, 28, 26}, {7, 6, 5}, {10, 9, 8}},    {{9, 60, 9}, {3, 3, 3}, {9, 16, 9}}};

/// The names of the methods that accepted.
std::set<std::string> methodsOf(const std::vector<test::Way>& ways) {
    std::set<std::string> names;
    for (const test::Way& way : ways) {
        names.insert(way.candidate.method);
    }
    return names;
}

} // namespace

class TilesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aForcedTileIsTheTileThatRuns() {
        const base::AnyImage scene = test::noise(PixelType::Float32, {200, 180, 1}, 1);
        const base::AnyImage templ = test::noise(PixelType::Float32, {9, 9, 1}, 2);
        const Extents tile{64, 48, 1};
        const std::vector<test::Way> ways = test::waysFor(scene, templ, tile);
        QVERIFY(methodsOf(ways).contains("tiled"));
        for (const test::Way& way : ways) {
            QVERIFY2(way.candidate.tile == tile, way.words().c_str());
        }
    }

    void noTileLosesOrDoublesAVoxel_data() {
        QTest::addColumn<int>("row");
        test::Thinned rows(2);
        for (std::size_t i = 0; i < kForced.size(); ++i) {
            if (!rows.next()) {
                continue;
            }
            QTest::newRow((base::toString(kForced[i].templ) + " in " +
                           base::toString(kForced[i].scene) + " tile " +
                           base::toString(kForced[i].tile))
                              .c_str())
                << static_cast<int>(i);
        }
    }

    // Every voxel is judged, with copies of the template planted all over the seams.
    void noTileLosesOrDoublesAVoxel() {
        QFETCH(int, row);
        const Forced& forced = kForced.at(static_cast<std::size_t>(row));
        for (const PixelType type : {PixelType::UInt8, PixelType::UInt16, PixelType::Float32}) {
            base::AnyImage scene = test::noise(type, forced.scene, 1);
            const base::AnyImage templ = test::texture(type, forced.templ, 2);
            const Extents map = base::validExtents(forced.scene, forced.templ);
            std::vector<Index> copies;
            for (std::int64_t i = 0; i < 400; ++i) {
                // Strides without a common divisor with the tile reach every offset to a seam.
                const Index at{i * (forced.templ.x + 1) % map.x, i * 13 % map.y, i * 7 % map.z};
                const bool free = std::none_of(copies.begin(), copies.end(), [&](const Index& c) {
                    return std::abs(c.x - at.x) < forced.templ.x &&
                           std::abs(c.y - at.y) < forced.templ.y &&
                           std::abs(c.z - at.z) < forced.templ.z;
                });
                if (free) {
                    test::paste(scene, templ, at);
                    copies.push_back(at);
                }
            }
            QVERIFY(!copies.empty());
            const std::vector<test::Way> ways = test::waysFor(scene, templ, forced.tile);
            const reference::ScoreMap expected = test::judged(scene, templ);
            for (const test::Way& way : ways) {
                const std::string fault = test::judge(way, scene, templ, expected);
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }

    // The same pixels through views with strides; what lies around the map must not be touched.
    void stridedViewsGiveTheSameBitsAndNothingElseIsWritten() {
        for (const PixelType type : {PixelType::UInt8, PixelType::Float32, PixelType::Float64}) {
            const base::AnyImage large = test::noise(type, {97, 70, 12}, 5);
            const base::AnyImage largeTempl = test::noise(type, {20, 20, 9}, 6);
            const base::AnyView scene = base::partOf(base::viewOf(large), {{5, 3, 2}, {81, 59, 7}});
            const base::AnyView templ =
                base::partOf(base::viewOf(largeTempl), {{1, 2, 3}, {6, 5, 3}});
            const base::AnyImage sceneCopy = base::copyOf(scene);
            const base::AnyImage templCopy = base::copyOf(templ);
            for (const test::Way& way : test::waysFor(sceneCopy, templCopy)) {
                const test::MethodRun plain =
                    test::runMethod(way, base::viewOf(sceneCopy), base::viewOf(templCopy));
                judgeStrided(way, scene, templ, plain.map);
            }
        }
    }

    // Scratch is made for whole tiles, and tiles at the edges are cut.
    void scoringACutTileStaysInItsScratch_data() {
        QTest::addColumn<Extents>("templ");
        QTest::addColumn<Extents>("tile");
        for (const std::int64_t width : {64, 170, 253, 330, 500}) {
            for (const std::int64_t m : {1, 2, 3, 8, 17}) {
                const std::string name = std::to_string(width) + " by " + std::to_string(m);
                QTest::newRow(name.c_str()) << Extents{m + 1, m, 1} << Extents{width, 24, 1};
            }
        }
        QTest::newRow("volume") << Extents{3, 4, 5} << Extents{40, 30, 12};
        QTest::newRow("flat in z") << Extents{3, 4, 1} << Extents{40, 30, 3};
    }

    void scoringACutTileStaysInItsScratch() {
        QFETCH(Extents, templ);
        QFETCH(Extents, tile);
        const auto size = static_cast<std::size_t>(cpu::simd::scoreScratch(templ, tile));
        constexpr double kUntouched = -12345.75;
        constexpr std::size_t kGuard = 8192;
        const std::int64_t row = tile.x + templ.x + cpu::simd::kSlack;
        const std::int64_t slice = row * (tile.y + templ.y);
        const auto voxels = static_cast<std::size_t>(slice * (tile.z + templ.z));
        std::vector<float> x(voxels);
        std::vector<float> num(voxels, 0.0F);
        test::Random random(7);
        std::generate(x.begin(), x.end(), [&] { return static_cast<float>(random.normal()); });
        std::vector<float> value(voxels);
        std::vector<std::uint8_t> status(voxels);
        std::vector<float> bounds(static_cast<std::size_t>(row));
        for (std::int64_t width = 1; width <= tile.x; width += width < 40 ? 1 : 7) {
            std::vector<double> scratch(size + kGuard, kUntouched);
            cpu::simd::ScoreArguments<float> arguments;
            arguments.x = {x.data(), row, slice};
            arguments.num = {num.data(), row, slice};
            arguments.m = templ;
            arguments.out = {width, tile.y, tile.z};
            arguments.tile = tile;
            arguments.value = value.data();
            arguments.status = status.data();
            arguments.mapRowStride = row;
            arguments.mapSliceStride = slice;
            arguments.bounds = bounds.data();
            arguments.scratch = scratch.data();
            (void)cpu::simd::scoreTile(arguments, {});
            QVERIFY2(std::all_of(scratch.begin() + static_cast<std::ptrdiff_t>(size), scratch.end(),
                                 [](double v) { return v == kUntouched; }),
                     std::to_string(width).c_str());
        }
    }

  private:
    static void judgeStrided(const test::Way& way, const base::AnyView& scene,
                             const base::AnyView& templ, const method::MatchMap& plain) {
        const method::Problem problem = way.of(test::problemOf(scene, templ));
        const Extents map = method::mapExtents(problem);
        const base::Box inner{{3, 2, 1}, map};
        method::MatchMap frame(Extents{map.x + 7, map.y + 5, map.z + 3});
        frame.value.fill(7.0F);
        frame.status.fill(Status::Partial);
        const method::MapView view{
            frame.value.view().part(inner), frame.status.view().part(inner), {}};
        base::TilePool pool(2);
        const auto prepared = way.method->prepare(problem, way.candidate, templ, pool);
        const auto workspace = way.method->makeWorkspace(problem, way.candidate);
        (void)way.method->execute(problem, way.candidate, *prepared, scene, *workspace,
                                  {pool, {}, {}}, view);
        method::MatchMap expected(frame.value.extents());
        expected.value.fill(7.0F);
        expected.status.fill(Status::Partial);
        for (std::int64_t z = 0; z < map.z; ++z) {
            for (std::int64_t y = 0; y < map.y; ++y) {
                for (std::int64_t x = 0; x < map.x; ++x) {
                    expected.value.view().part(inner).at(x, y, z) = plain.value.view().at(x, y, z);
                    expected.status.view().part(inner).at(x, y, z) =
                        plain.status.view().at(x, y, z);
                }
            }
        }
        const std::string difference = test::firstDifferentBit(frame, expected);
        QVERIFY2(difference.empty(), (way.words() + difference).c_str());
    }
};

const flcc::test::TestClass<TilesTest> kTilesTest;
#include "tiles_test.moc"
