#include <QtTest>

#include <cmath>
#include <limits>
#include <string>

#include "engine/base/error.h"
#include "engine/reference/exact_lcc.h"
#include "tests/support/oracle.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using base::Status;

namespace {

// 2^-50 of the judge and one unit in the last place of the oracle.
constexpr double kBound = 0x1p-50 + 0x1p-52;

bool isProblem(const std::function<void()>& call) {
    try {
        call();
    } catch (const base::Error& error) {
        return error.code() == base::ErrorCode::Problem;
    }
    return false;
}

/// Largest difference from the oracle; -1 where a status differs.
double largestError(const base::AnyImage& scene, const base::AnyImage& templ) {
    const test::Oracle oracle(base::viewOf(templ));
    const reference::ScoreMap map =
        reference::ExactLcc(base::viewOf(templ)).map(base::viewOf(scene));
    const Extents extents = map.value.extents();
    double largest = 0;
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            for (std::int64_t x = 0; x < extents.x; ++x) {
                const reference::Score exact = oracle.at(base::viewOf(scene), {x, y, z});
                if (exact.status != map.status.view().at(x, y, z)) {
                    return -1;
                }
                largest = std::max(largest, std::fabs(map.value.view().at(x, y, z) - exact.value));
            }
        }
    }
    return largest;
}

} // namespace

class ExactLccTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyIntegerTypeAgreesWithExactRationals() {
        for (int type = 0; type < 8; ++type) {
            const auto pixel = static_cast<PixelType>(type);
            for (const Extents& m : {Extents{2, 1, 1}, Extents{1, 3, 1}, Extents{5, 4, 1},
                                     Extents{1, 1, 4}, Extents{3, 4, 5}}) {
                const Extents n{11, 9, m.z > 1 ? 7 : 1};
                const double error =
                    largestError(test::noise(pixel, n, 3), test::noise(pixel, m, 4));
                QVERIFY(error >= 0 && error <= kBound);
            }
        }
    }

    void theWidestPixelsAreExact() {
        for (const auto& [type, low, high] :
             {std::tuple{PixelType::UInt16, 0.0, 65535.0},
              std::tuple{PixelType::Int32, -2147483648.0, 2147483647.0},
              std::tuple{PixelType::UInt32, 0.0, 4294967295.0},
              std::tuple{PixelType::Int64, -0x1p50, 0x1p50}}) {
            test::Random random(9);
            const auto chessboard = [&](const Extents& extents) {
                return test::makeScene(type, extents, [&](const base::Index& i) {
                    const bool flip = random.below(16) == 0;
                    return ((i.x + i.y) % 2 == 0) != flip ? low : high;
                });
            };
            const double error = largestError(chessboard({17, 17, 1}), chessboard({6, 7, 1}));
            QVERIFY(error >= 0 && error <= kBound);
        }
    }

    void oneCountOverAHighLevelIsExact() {
        for (const auto& [type, offset] :
             {std::pair{PixelType::UInt16, std::int64_t{60000}},
              std::pair{PixelType::Int64, std::numeric_limits<std::int64_t>::max() - 1},
              std::pair{PixelType::Int64, std::numeric_limits<std::int64_t>::min()}}) {
            const base::AnyImage scene = test::oneCountOver(type, {24, 24, 1}, offset, 7);
            const base::AnyImage templ = test::crop(scene, {{8, 5, 0}, {6, 5, 1}});
            const double error = largestError(scene, templ);
            QVERIFY(error >= 0 && error <= kBound);
            QVERIFY(std::fabs(reference::ExactLcc(base::viewOf(templ))
                                  .at(base::viewOf(scene), {8, 5, 0})
                                  .value -
                              1) <= kBound);
        }
    }

    void aConstantPanelIsFlat() {
        const base::AnyImage scene = test::makeScene(
            PixelType::UInt8, {6, 6, 1}, [](const base::Index& i) { return i.x == 5 ? 78 : 77; });
        const base::AnyImage templ = test::noise(PixelType::UInt8, {3, 3, 1}, 2);
        const reference::ScoreMap map =
            reference::ExactLcc(base::viewOf(templ)).map(base::viewOf(scene));
        for (std::int64_t x = 0; x < 4; ++x) {
            QCOMPARE(map.status.view().at(x, 1, 0), x == 3 ? Status::Ok : Status::Flat);
        }
    }

    void sumsThatNeedMoreThanTheRoomAreRefused() {
        const auto wide = [](const base::Index& i) { return i.x % 2 == 0 ? -0x1p62 : 0x1p62; };
        const base::AnyImage scene = test::makeScene(PixelType::Int64, {8, 8, 1}, wide);
        const base::AnyImage templ = test::noise(PixelType::Int64, {4, 4, 1}, 1);
        QVERIFY(isProblem([&] { const reference::ExactLcc judge(base::viewOf(scene)); }));
        const reference::ExactLcc judge(base::viewOf(templ));
        QVERIFY(isProblem([&] { (void)judge.at(base::viewOf(scene), {0, 0, 0}); }));
    }

    void floatsAndImpossibleTemplatesAreRefused() {
        const base::AnyImage integers = test::noise(PixelType::Int32, {4, 4, 1}, 1);
        const base::AnyImage floats = test::noise(PixelType::Float32, {4, 4, 1}, 1);
        QVERIFY(isProblem([&] { const reference::ExactLcc judge(base::viewOf(floats)); }));
        const reference::ExactLcc judge(base::viewOf(integers));
        QVERIFY(isProblem([&] { (void)judge.at(base::viewOf(floats), {0, 0, 0}); }));
        const base::AnyImage constant =
            test::makeScene(PixelType::Int32, {4, 4, 1}, [](const base::Index&) { return 3; });
        QVERIFY(isProblem([&] { const reference::ExactLcc other(base::viewOf(constant)); }));
        QVERIFY(isProblem([&] {
            const reference::ExactLcc other(
                base::viewOf(test::crop(integers, {{0, 0, 0}, {1, 1, 1}})));
        }));
    }
};

const flcc::test::TestClass<ExactLccTest> kExactLccTest;
#include "exact_lcc_test.moc"
