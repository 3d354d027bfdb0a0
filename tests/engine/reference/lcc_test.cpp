#include <QtTest>

#include <cmath>
#include <limits>
#include <vector>

#include "engine/base/error.h"
#include "engine/method/canonical.h"
#include "engine/reference/lcc.h"
#include "tests/support/oracle.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using base::Status;

namespace {

base::AnyImage row(PixelType type, const std::vector<double>& values) {
    return test::makeScene(
        type, {static_cast<std::int64_t>(values.size()), 1, 1},
        [&](const base::Index& i) { return values[static_cast<std::size_t>(i.x)]; });
}

std::vector<double> scoresOf(const base::AnyImage& scene, const base::AnyImage& templ) {
    const reference::ScoreMap map = reference::Lcc(base::viewOf(templ)).map(base::viewOf(scene));
    return {map.value.data(), map.value.data() + map.value.count()};
}

bool isProblem(const base::AnyImage& templ) {
    try {
        const reference::Lcc judge(base::viewOf(templ));
    } catch (const base::Error& error) {
        return error.code() == base::ErrorCode::Problem;
    }
    return false;
}

} // namespace

class LccTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    // By hand: P = 0 1 1 and T = 0 0 1 have products 3/9 and squared norms 6/9 each.
    void smallScoresAreThoseOfTheFormula() {
        const base::AnyImage templ = row(PixelType::UInt8, {0, 0, 1});
        const std::vector<double> scores =
            scoresOf(row(PixelType::UInt8, {0, 1, 1, 0, 0, 5}), templ);
        QCOMPARE(scores.size(), std::size_t{4});
        const double bound = method::canonicalBound(3);
        QVERIFY(std::fabs(scores[0] - 0.5) <= bound);
        QVERIFY(std::fabs(scores[1] + 1.0) <= bound); // 1 1 0 against 0 0 1
        QVERIFY(std::fabs(scores[2] + 0.5) <= bound);
        QVERIFY(std::fabs(scores[3] - 1.0) <= bound);
    }

    void everyPixelTypeAgreesWithExactRationals_data() {
        QTest::addColumn<int>("type");
        for (int type = 0; type < 10; ++type) {
            QTest::newRow(std::string(base::name(static_cast<PixelType>(type))).c_str()) << type;
        }
    }

    void everyPixelTypeAgreesWithExactRationals() {
        QFETCH(int, type);
        const auto pixel = static_cast<PixelType>(type);
        for (const Extents& m : {Extents{2, 1, 1}, Extents{1, 3, 1}, Extents{5, 4, 1},
                                 Extents{1, 1, 4}, Extents{3, 4, 5}}) {
            const base::AnyImage scene = test::noise(pixel, {11, 9, m.z > 1 ? 7 : 1}, 3);
            const base::AnyImage templ = test::noise(pixel, m, 4);
            const test::Oracle oracle(base::viewOf(templ));
            const reference::Lcc judge(base::viewOf(templ));
            const reference::ScoreMap map = judge.map(base::viewOf(scene));
            const double bound = method::canonicalBound(base::voxelCount(m));
            const Extents extents = map.value.extents();
            for (std::int64_t z = 0; z < extents.z; ++z) {
                for (std::int64_t y = 0; y < extents.y; ++y) {
                    for (std::int64_t x = 0; x < extents.x; ++x) {
                        const reference::Score exact = oracle.at(base::viewOf(scene), {x, y, z});
                        QCOMPARE(map.status.view().at(x, y, z), exact.status);
                        QVERIFY(std::fabs(map.value.view().at(x, y, z) - exact.value) <= bound);
                    }
                }
            }
        }
    }

    void contrastFarBelowTheLevelIsKept_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<qint64>("offset");
        QTest::newRow("int64") << static_cast<int>(PixelType::Int64) << (qint64{1} << 60);
        QTest::newRow("uint64") << static_cast<int>(PixelType::UInt64)
                                << std::numeric_limits<qint64>::max();
        QTest::newRow("int32") << static_cast<int>(PixelType::Int32) << (qint64{1} << 30);
        QTest::newRow("float32") << static_cast<int>(PixelType::Float32) << (qint64{1} << 23);
        QTest::newRow("float64") << static_cast<int>(PixelType::Float64) << (qint64{1} << 52);
    }

    void contrastFarBelowTheLevelIsKept() {
        QFETCH(int, type);
        QFETCH(qint64, offset);
        const auto pixel = static_cast<PixelType>(type);
        const base::AnyImage scene = test::oneCountOver(pixel, {20, 20, 1}, offset, 7);
        const base::AnyImage templ = test::crop(scene, {{8, 5, 0}, {6, 5, 1}});
        const test::Oracle oracle(base::viewOf(templ));
        const reference::Lcc judge(base::viewOf(templ));
        const double bound = method::canonicalBound(30);
        QVERIFY(std::fabs(judge.at(base::viewOf(scene), {8, 5, 0}).value - 1) <= bound);
        for (std::int64_t y = 0; y < 16; ++y) {
            for (std::int64_t x = 0; x < 15; ++x) {
                const double exact = oracle.at(base::viewOf(scene), {x, y, 0}).value;
                QVERIFY(std::fabs(judge.at(base::viewOf(scene), {x, y, 0}).value - exact) <= bound);
            }
        }
    }

    void aPowerOfTwoChangesNoBit() {
        const base::AnyImage templ = test::noise(PixelType::Float64, {4, 4, 1}, 1);
        const base::AnyImage scene = test::noise(PixelType::Float64, {12, 12, 1}, 2);
        const std::vector<double> expected = scoresOf(scene, templ);
        for (const int power : {-1000, -700, -1, 1, 700, 1000}) {
            const auto scaled = [power](double value) { return std::scalbn(value, power); };
            const base::AnyImage other = test::mapped(scene, PixelType::Float64, scaled);
            QCOMPARE(scoresOf(other, templ), expected);
            QCOMPARE(scoresOf(scene, test::mapped(templ, PixelType::Float64, scaled)), expected);
        }
    }

    void subnormalsAreNotFlat() {
        const double tiny = std::numeric_limits<double>::denorm_min();
        const base::AnyImage templ = row(PixelType::Float64, {0, 0, 1});
        const std::vector<double> scores =
            scoresOf(row(PixelType::Float64, {0, tiny, tiny, 0, 0, tiny}), templ);
        QVERIFY(std::fabs(scores[0] - 0.5) <= method::canonicalBound(3));
        QVERIFY(std::fabs(scores[3] - 1.0) <= method::canonicalBound(3));
    }

    void theExtremesOfDoubleAreStillFinite() {
        const double huge = std::numeric_limits<double>::max();
        const base::AnyImage templ = row(PixelType::Float64, {0, 0, 1});
        const std::vector<double> scores =
            scoresOf(row(PixelType::Float64, {-huge, huge, huge}), templ);
        QVERIFY(std::fabs(scores[0] - 0.5) <= method::canonicalBound(3));
    }

    void aConstantPanelIsFlatWhateverItsValue() {
        for (const double value : {0.0, 0.1, -7.3e300, 1e-310}) {
            const base::AnyImage templ = test::noise(PixelType::Float64, {3, 3, 1}, 1);
            base::AnyImage scene =
                test::makeScene(PixelType::Float64, {3, 3, 1}, [&](const auto&) { return value; });
            const reference::Lcc judge(base::viewOf(templ));
            QCOMPARE(judge.at(base::viewOf(scene), {0, 0, 0}).status, Status::Flat);
            QCOMPARE(judge.at(base::viewOf(scene), {0, 0, 0}).value, 0.0);
            test::setVoxel(scene, {2, 2, 0}, std::nextafter(value, HUGE_VAL));
            QCOMPARE(judge.at(base::viewOf(scene), {0, 0, 0}).status, Status::Ok);
        }
    }

    void bothZerosAreOneValue() {
        const base::AnyImage templ = row(PixelType::Float32, {0, 1, 2});
        const base::AnyImage scene = row(PixelType::Float32, {0.0, -0.0, 0.0});
        QCOMPARE(reference::Lcc(base::viewOf(templ)).at(base::viewOf(scene), {0, 0, 0}).status,
                 Status::Flat);
    }

    void exactlyThePanelsThatTouchNanAreMarked() {
        for (const double bad :
             {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
              -std::numeric_limits<double>::infinity()}) {
            base::AnyImage scene = test::noise(PixelType::Float32, {10, 9, 1}, 5);
            test::setVoxel(scene, {4, 3, 0}, bad);
            const base::AnyImage templ = test::noise(PixelType::Float32, {3, 2, 1}, 6);
            const reference::ScoreMap map =
                reference::Lcc(base::viewOf(templ)).map(base::viewOf(scene));
            for (std::int64_t y = 0; y < 8; ++y) {
                for (std::int64_t x = 0; x < 8; ++x) {
                    const bool touches = x >= 2 && x <= 4 && y >= 2 && y <= 3;
                    QCOMPARE(map.status.view().at(x, y, 0),
                             touches ? Status::NonFinite : Status::Ok);
                    QVERIFY(!touches || map.value.view().at(x, y, 0) == 0);
                }
            }
        }
    }

    void nanOutranksFlat() {
        const base::AnyImage templ = row(PixelType::Float32, {0, 1, 2});
        const base::AnyImage scene =
            row(PixelType::Float32, {5, 5, std::numeric_limits<double>::quiet_NaN()});
        QCOMPARE(reference::Lcc(base::viewOf(templ)).at(base::viewOf(scene), {0, 0, 0}).status,
                 Status::NonFinite);
    }

    void correlationDoesNotFlip() {
        const base::AnyImage scene = test::noise(PixelType::Int16, {9, 8, 7}, 11);
        const base::AnyImage templ = test::crop(scene, {{3, 2, 1}, {4, 3, 2}});
        const double bound = method::canonicalBound(24);
        const reference::Lcc judge(base::viewOf(templ));
        QVERIFY(std::fabs(judge.at(base::viewOf(scene), {3, 2, 1}).value - 1) <= bound);
        for (const auto& [x, y, z] :
             {std::array{true, false, false}, std::array{false, true, false},
              std::array{false, false, true}, std::array{true, true, true}}) {
            const base::AnyImage other = test::flipped(templ, x, y, z);
            QVERIFY(reference::Lcc(base::viewOf(other)).at(base::viewOf(scene), {3, 2, 1}).value <
                    0.9);
        }
    }

    void anImpossibleTemplateIsAProblem() {
        QVERIFY(isProblem(row(PixelType::UInt8, {7})));
        QVERIFY(isProblem(row(PixelType::UInt8, {7, 7, 7})));
        QVERIFY(isProblem(row(PixelType::Float64, {0.1, 0.1})));
        QVERIFY(isProblem(row(PixelType::Float32, {1, std::nan(""), 2})));
        QVERIFY(isProblem(row(PixelType::Float32, {1, INFINITY, 2})));
        QVERIFY(!isProblem(row(PixelType::UInt8, {7, 8})));
    }

    void aTemplateLargerThanTheSceneIsAnError() {
        const base::AnyImage scene = test::noise(PixelType::UInt8, {5, 2, 1}, 1);
        const base::AnyImage templ = test::noise(PixelType::UInt8, {3, 3, 1}, 2);
        const reference::Lcc judge(templ);
        QVERIFY_EXCEPTION_THROWN((void)judge.map(scene), base::Error);
        QVERIFY_EXCEPTION_THROWN((void)judge.map(scene, method::Extent::Full), base::Error);
    }

    void aPlacementBesideTheSceneHasNoScore() {
        const base::AnyImage scene = test::noise(PixelType::UInt8, {5, 5, 1}, 1);
        const base::AnyImage templ = test::noise(PixelType::UInt8, {3, 3, 1}, 2);
        const reference::Lcc judge(templ);
        QVERIFY(judge.at(scene, {3, 0, 0}).status == Status::Partial);
        QVERIFY(judge.at(scene, {5, 0, 0}).status == Status::NotComputed);
        QVERIFY(judge.at(scene, {0, -3, 0}).status == Status::NotComputed);
    }
};

const flcc::test::TestClass<LccTest> kLccTest;
#include "lcc_test.moc"
