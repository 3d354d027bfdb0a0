#include <QtTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/engine/cpu/bound_attacks.h"
#include "tests/engine/cpu/bound_checks.h"
#include "tests/engine/cpu/harness.h"
#include "tests/engine/cpu/kinds.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;

namespace {

/// The whole of a case whose sample runs every time.
class Turn {
  public:
    [[nodiscard]] PixelType next() {
        return test::kernelTypes().at(m_turn++ % test::kernelTypes().size());
    }

  private:
    std::size_t m_turn = 0;
};

} // namespace

class SlowTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void boundsHoldBesideGhostsOfARow() {
        const Extents extents{2187, 1024, 1};
        test::BoundSearch search;
        test::searchWholeMaps(test::problemOfGhosts(extents, 862), search, "fourier", 1.1);
        QVERIFY2(search.fault.empty(), search.fault.c_str());
    }

    void allImagesUpToTwentyFourWithEveryTemplateAgree() {
        Turn turn;
        test::Random random(1);
        for (std::int64_t ny = 1; ny <= 24; ++ny) {
            for (std::int64_t nx = 1; nx <= 24; ++nx) {
                for (std::int64_t my = 1; my <= ny; ++my) {
                    for (std::int64_t mx = my == 1 ? 2 : 1; mx <= nx; ++mx) {
                        judge({nx, ny, 1}, {mx, my, 1}, turn.next(), random);
                    }
                }
            }
        }
    }

    void allVolumesUpToTwelveWithEveryTemplateAgree() {
        Turn turn;
        test::Random random(2);
        for (std::int64_t nz = 2; nz <= 12; ++nz) {
            for (std::int64_t ny = 1; ny <= 12; ++ny) {
                for (std::int64_t nx = 1; nx <= 12; ++nx) {
                    judgeTemplates({nx, ny, nz}, turn, random);
                }
            }
        }
    }

    void primesAgree() {
        const auto verify = [](const Extents& n, const Extents& m, PixelType type) {
            const std::string fault =
                test::judgeSampled(test::noise(type, n, 3), test::noise(type, m, 4), {}, 20000);
            QVERIFY2(fault.empty(), fault.c_str());
        };
        verify({997, 1009, 1}, {31, 37, 1}, PixelType::UInt8);
        verify({997, 1009, 1}, {31, 37, 1}, PixelType::Float32);
        verify({101, 103, 107}, {11, 13, 17}, PixelType::UInt16);
    }

    void linesOfAMillionAgree() {
        test::Random random(4);
        judge({1000000, 1, 1}, {17, 1, 1}, PixelType::Float32, random);
        judge({1, 1000000, 1}, {1, 17, 1}, PixelType::UInt8, random);
        judge({1, 1, 1000000}, {1, 1, 17}, PixelType::Int16, random);
        judge({1000000, 1, 1}, {2, 1, 1}, PixelType::UInt16, random);
    }

    void oneCountOverAHighLevelIsExact() {
        const base::AnyImage image =
            test::oneCountOver(PixelType::UInt16, {4096, 4096, 1}, 60000, 1);
        const base::AnyImage patch = test::crop(image, {{3000, 2170, 0}, {31, 31, 1}});
        std::string fault = test::judgeSampled(image, patch, {{3000, 2170, 0}}, 10000);
        QVERIFY2(fault.empty(), fault.c_str());
        const base::AnyImage volume =
            test::oneCountOver(PixelType::UInt16, {256, 256, 256}, 60000, 2);
        const base::AnyImage block = test::crop(volume, {{130, 121, 77}, {9, 9, 9}});
        fault = test::judgeSampled(volume, block, {{130, 121, 77}}, 10000);
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void aCheckerOfSixteenMillionVoxelsIsExact() {
        test::Random random(5);
        const base::AnyImage scene =
            test::makeScene(PixelType::UInt16, {4100, 4099, 1}, [&](const Index& i) {
                return ((i.x + i.y) % 2 == 0) != (random.below(64) == 0) ? 65535.0 : 0.0;
            });
        const base::AnyImage templ = test::crop(scene, {{2, 1, 0}, {4096, 4096, 1}});
        const std::string fault = test::judgeSampled(scene, templ, {{2, 1, 0}}, 3);
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void boundsHoldOnManyScenesOfEveryKind_data() {
        QTest::addColumn<int>("kind");
        for (int kind = 0; kind < test::kKinds; ++kind) {
            QTest::newRow(std::to_string(kind).c_str()) << kind;
        }
    }

    void boundsHoldOnManyScenesOfEveryKind() {
        QFETCH(int, kind);
        for (std::uint64_t seed = 100; seed < 160; ++seed) {
            const std::string fault = test::judgeKind(kind, seed);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void boundsHoldOnTheWorstStripesFound() {
        const auto stripes = [](const Extents& extents, double frequency) {
            return test::makeScene(PixelType::Float32, extents, [&](const Index& i) {
                return std::sin(frequency * static_cast<double>(i.y));
            });
        };
        for (const double frequency : {0.05, 0.31, 1.1, 2.9}) {
            const std::string fault = test::judgeSampled(
                stripes({512, 512, 1}, 0.7), stripes({209, 209, 1}, frequency), {}, 1000);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void noBoundIsExceededOnAMillionVoxelsOfAnOracle() {
        test::BoundSearch search;
        for (std::uint64_t seed = 10000; search.voxels < 1000000 && search.fault.empty(); ++seed) {
            test::searchBeyondBounds(test::problemForBounds(seed), 1500, seed, search);
        }
        qInfo("%lld voxels, largest error over its bound (within a step of promises) %.3f",
              static_cast<long long>(search.voxels), search.worst);
        QVERIFY2(search.fault.empty(), search.fault.c_str());
    }

    void climbedProblemsKeepTheirBounds() {
        test::BoundSearch search;
        for (const test::Along along : {test::Along::X, test::Along::Y}) {
            for (const std::int64_t length : {720, 1024, 2205, 2401, 3125}) {
                for (const std::int64_t window : {40, 100, 400}) {
                    const auto seed = static_cast<std::uint64_t>(length + window);
                    const double before = search.worst;
                    test::searchWholeMaps(test::problemClimbed(along, length, window, 4000, seed),
                                          search, "fourier");
                    if (search.worst > before) {
                        qInfo("%lld points, %lld of them weak, along %s: largest error over its "
                              "bound (within a step of promises) %.3f",
                              static_cast<long long>(length), static_cast<long long>(window),
                              along == test::Along::X ? "x" : "y", search.worst);
                    }
                    QVERIFY2(search.fault.empty(), search.fault.c_str());
                }
            }
        }
    }

    void randomProblemsAreRightOrMarked() {
        searchFaults([](std::uint64_t seed) { return test::judgeRandom(seed); });
    }

    void patternsKeepTheirBounds() {
        test::BoundSearch search;
        double worst = 0;
        searchFaults([&](std::uint64_t seed) {
            const test::Submitted submitted = test::problemOfPatterns(seed);
            if (seed % 5 == 0) {
                test::searchBeyondBounds(submitted, 40, seed, search);
            } else {
                test::searchWholeMaps(submitted, search);
            }
            if (search.worst > worst) {
                worst = search.worst;
                qInfo(
                    "seed %llu: largest error over its bound (within a step of promises) %.3f, %s",
                    static_cast<unsigned long long>(seed), worst, search.worstWay.c_str());
            }
            return std::exchange(search.fault, std::string());
        });
    }

  private:
    /// Judges problems by their seeds: FLCC_RANDOM_SECONDS says for how long, FLCC_RANDOM_SEED
    /// where it begins.
    template <class JudgeSeed> static void searchFaults(JudgeSeed&& judgeSeed) {
        const int seconds = qEnvironmentVariableIsSet("FLCC_RANDOM_SECONDS")
                                ? qEnvironmentVariableIntValue("FLCC_RANDOM_SECONDS")
                                : 60;
        const auto first = static_cast<std::uint64_t>(
            std::max(1, qEnvironmentVariableIntValue("FLCC_RANDOM_SEED")));
        QElapsedTimer timer;
        timer.start();
        std::uint64_t seed = first;
        int faults = 0;
        for (; timer.elapsed() < seconds * 1000LL && faults < 20; ++seed) {
            const std::string fault = judgeSeed(seed);
            if (!fault.empty()) {
                qWarning("seed %llu: %s", static_cast<unsigned long long>(seed), fault.c_str());
                ++faults;
            }
        }
        qInfo("%llu problems from seed %llu on", static_cast<unsigned long long>(seed - first),
              static_cast<unsigned long long>(first));
        QCOMPARE(faults, 0);
    }

    static void judge(const Extents& n, const Extents& m, PixelType type, test::Random& random) {
        if (QTest::currentTestFailed()) {
            return;
        }
        const base::AnyImage scene = test::noise(type, n, random.bits());
        base::AnyImage templ = test::noise(type, m, random.bits());
        while (isConstant(templ)) { // as two voxels of 121 levels may be
            templ = test::noise(type, m, random.bits());
        }
        const std::string fault = test::judgeAll(scene, templ);
        QVERIFY2(fault.empty(), fault.c_str());
    }

    static bool isConstant(const base::AnyImage& image) {
        return std::visit(
            [](const auto& pixels) {
                const auto* const first = pixels.data();
                return std::all_of(first, first + pixels.count(),
                                   [&](auto value) { return value == *first; });
            },
            image);
    }

    static void judgeTemplates(const Extents& n, Turn& turn, test::Random& random) {
        for (std::int64_t mz = 1; mz <= n.z; ++mz) {
            for (std::int64_t my = 1; my <= n.y; ++my) {
                for (std::int64_t mx = 1; mx <= n.x; ++mx) {
                    if (mx * my * mz >= 2) {
                        judge(n, {mx, my, mz}, turn.next(), random);
                    }
                }
            }
        }
    }
};

const flcc::test::TestClass<SlowTest> kSlowTest;
#include "slow_test.moc"
