#include <QtTest>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/tile_pool.h"
#include "engine/method/canonical.h"
#include "engine/method/shared/template_error.h"
#include "tests/support/oracle.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;

namespace {

std::uint64_t bitsOf(const base::AnyImage& scene, const method::CanonicalTemplate& templ,
                     const Index& corner) {
    return std::bit_cast<std::uint64_t>(method::canonicalScore(base::viewOf(scene), templ, corner));
}

/// Error over bound at `count` seeded placements; the largest.
double worstShare(const base::AnyImage& scene, const base::AnyImage& templ, int count,
                  std::uint64_t seed) {
    const test::Oracle oracle(base::viewOf(templ));
    const method::CanonicalTemplate ready(base::viewOf(templ));
    const Extents m = base::extentsOf(templ);
    // The oracle itself is off by a unit in the last place.
    const double bound = method::canonicalBound(base::voxelCount(m)) + 0x1p-52;
    test::Random random(seed);
    double worst = 0;
    for (int i = 0; i < count; ++i) {
        const Index corner = random.corner(base::extentsOf(scene), m);
        const double exact = oracle.at(base::viewOf(scene), corner).value;
        const double score = method::canonicalScore(base::viewOf(scene), ready, corner);
        worst = std::max(worst, std::fabs(score - exact) / bound);
    }
    return worst;
}

std::string problemOf(const base::AnyImage& templ) {
    try {
        method::requireUsableTemplate(base::viewOf(templ));
    } catch (const base::Error& error) {
        return error.code() == base::ErrorCode::Problem ? error.what() : "wrong code";
    }
    return "";
}

base::AnyImage uniform(PixelType type, const Extents& extents, double value) {
    return test::makeScene(type, extents, [value](const Index&) { return value; });
}

} // namespace

class CanonicalTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void scoresStayWithinTheirBound_data() {
        QTest::addColumn<int>("type");
        for (int type = 0; type < 10; ++type) {
            QTest::newRow(std::string(base::name(static_cast<PixelType>(type))).c_str()) << type;
        }
    }

    void scoresStayWithinTheirBound() {
        QFETCH(int, type);
        const auto pixel = static_cast<PixelType>(type);
        for (const Extents& m :
             {Extents{2, 1, 1}, Extents{1, 2, 1}, Extents{1, 1, 2}, Extents{3, 1, 1},
              Extents{7, 1, 1}, Extents{8, 1, 1}, Extents{9, 1, 1}, Extents{5, 3, 1},
              Extents{17, 16, 1}, Extents{4, 5, 6}, Extents{1, 9, 3}}) {
            const Extents n{m.x + 7, m.y + 6, m.z > 1 ? m.z + 5 : 1};
            QVERIFY(worstShare(test::noise(pixel, n, 1), test::noise(pixel, m, 2), 40, 3) <= 1);
            const base::AnyImage scene = test::texture(pixel, n, 4);
            QVERIFY(worstShare(scene, test::noise(pixel, m, 5), 40, 6) <= 1);
        }
    }

    /// No float holds the weights: read as floats they would be off by 1e-8.
    void weightsInDoubleStayWithinTheBound() {
        for (const Extents& m : {Extents{5, 3, 1}, Extents{17, 16, 1}, Extents{4, 5, 6}}) {
            const Extents n{m.x + 7, m.y + 6, m.z + 5};
            const base::AnyImage scene = test::noise(PixelType::Float64, n, 1);
            const base::AnyImage templ = test::noise(PixelType::Float64, m, 2);
            base::Image<std::uint8_t> support(m, std::uint8_t{1});
            base::Image<double> weights(m);
            test::Random random(7);
            for (std::int64_t i = 0; i < weights.count(); ++i) {
                // A third of 1, and some small ones, down to a float's smallest.
                weights.data()[i] = i % 5 == 0 ? std::pow(2.0, -126 * random.uniform())
                                               : (random.uniform() + 1e-3) / 3;
            }
            const method::CanonicalTemplate ready(
                {base::viewOf(templ), support.view(), weights.view()});
            for (const Index& corner : {Index{0, 0, 0}, Index{3, 2, 1}, Index{7, 6, 5}}) {
                const auto each = [&](const auto& use) {
                    for (std::int64_t i = 0; i < weights.count(); ++i) {
                        const Index at{i % m.x, i / m.x % m.y, i / (m.x * m.y)};
                        use(static_cast<long double>(weights.data()[i]),
                            static_cast<long double>(base::valueAt(base::viewOf(templ), at)),
                            static_cast<long double>(base::valueAt(
                                base::viewOf(scene),
                                {corner.x + at.x, corner.y + at.y, corner.z + at.z})));
                    }
                };
                long double total = 0;
                long double t = 0;
                long double s = 0;
                each([&](long double w, long double a, long double b) {
                    total += w;
                    t += w * a;
                    s += w * b;
                });
                long double tt = 0;
                long double ss = 0;
                long double ts = 0;
                each([&](long double w, long double a, long double b) {
                    tt += w * (a - t / total) * (a - t / total);
                    ss += w * (b - s / total) * (b - s / total);
                    ts += w * (a - t / total) * (b - s / total);
                });
                const auto right = static_cast<double>(ts / std::sqrt(tt * ss));
                const auto value = method::canonicalValue({base::viewOf(scene)}, ready, corner,
                                                          method::Outside::Zero);
                QVERIFY2(std::abs(value.score - right) <= value.bound && value.bound < 1e-12,
                         qPrintable(QString("%1 for %2, bound %3")
                                        .arg(value.score, 0, 'g', 17)
                                        .arg(right, 0, 'g', 17)
                                        .arg(value.bound)));
            }
        }
    }

    void aSupportInsideASceneScoresAsUnderAMask_data() { scoresStayWithinTheirBound_data(); }

    /// A mask that leaves nothing out takes the path voxel by voxel: the bits must be the same.
    void aSupportInsideASceneScoresAsUnderAMask() {
        QFETCH(int, type);
        const auto pixel = static_cast<PixelType>(type);
        for (const Extents& m : {Extents{3, 2, 1}, Extents{19, 13, 1}, Extents{9, 8, 5}}) {
            const Extents n{m.x + 20, m.y + 3, m.z + 2};
            const base::AnyImage templ = test::noise(pixel, m, 2);
            base::Image<std::uint8_t> support(m, 0);
            test::Random random(5);
            for (std::int64_t i = 0; i < support.count(); ++i) {
                support.data()[i] = i % 7 == 1 || random.below(3) > 0 ? 1 : 0;
            }
            support.data()[0] = 0; // the first one that counts is another
            const method::CanonicalTemplate ready({base::viewOf(templ), support.view()});
            const base::Image<std::uint8_t> all(n, 1);
            const bool isReal = pixel == PixelType::Float32 || pixel == PixelType::Float64;
            for (int kind = 0; kind < (isReal ? 4 : 2); ++kind) {
                base::AnyImage scene = kind == 1 ? uniform(pixel, n, 3) : test::noise(pixel, n, 1);
                if (kind == 2) {
                    test::setVoxel(scene, {10, 2, 1}, std::numeric_limits<double>::quiet_NaN());
                } else if (kind == 3) {
                    test::setVoxel(scene, {10, 2, 1}, std::numeric_limits<double>::infinity());
                }
                for (std::int64_t x = 0; x <= n.x - m.x; ++x) {
                    const Index corner{x, x % 4, x % 3};
                    const method::CanonicalValue whole = method::canonicalValue(
                        {base::viewOf(scene)}, ready, corner, method::Outside::Zero);
                    const method::CanonicalValue masked = method::canonicalValue(
                        {base::viewOf(scene), all.view()}, ready, corner, method::Outside::Zero);
                    QCOMPARE(std::bit_cast<std::uint64_t>(whole.score),
                             std::bit_cast<std::uint64_t>(masked.score));
                    QCOMPARE(whole.bound, masked.bound);
                    QCOMPARE(whole.scored, masked.scored);
                    QCOMPARE(whole.scored, masked.scored && kind != 1);
                }
            }
        }
    }

    void hardScenesStayWithinTheBound() {
        // One hot pixel beside a texture: panels with it and without it.
        base::AnyImage hot = test::noise(PixelType::Float32, {40, 40, 1}, 1);
        test::setVoxel(hot, {20, 20, 0}, 1e6);
        const base::AnyImage templ = test::noise(PixelType::Float32, {11, 11, 1}, 2);
        QVERIFY(worstShare(hot, templ, 300, 3) <= 1);
        QVERIFY(worstShare(hot, test::crop(hot, {{15, 15, 0}, {11, 11, 1}}), 300, 4) <= 1);

        const base::AnyImage ramp = test::ramp(PixelType::Float64, {40, 40, 1}, 0, 0x1p20);
        QVERIFY(worstShare(ramp, test::crop(ramp, {{3, 4, 0}, {9, 9, 1}}), 100, 5) <= 1);
        QVERIFY(worstShare(ramp, templ, 100, 6) <= 1);

        // Values of the whole range of double in one panel.
        test::Random random(7);
        const base::AnyImage wild =
            test::makeScene(PixelType::Float64, {30, 30, 1}, [&](const Index&) {
                return std::scalbn(random.normal(), static_cast<int>(random.below(1800)) - 900);
            });
        QVERIFY(worstShare(wild, test::crop(wild, {{3, 4, 0}, {5, 5, 1}}), 200, 8) <= 1);
    }

    void contrastFarBelowTheLevelStaysWithinTheBound() {
        for (const auto& [type, offset] :
             {std::pair{PixelType::UInt16, std::int64_t{60000}},
              std::pair{PixelType::Int32, std::int64_t{1} << 30},
              std::pair{PixelType::Int64, std::int64_t{1} << 60},
              std::pair{PixelType::UInt64, std::numeric_limits<std::int64_t>::max()},
              std::pair{PixelType::Float32, std::int64_t{1} << 23},
              std::pair{PixelType::Float64, std::int64_t{1} << 52}}) {
            const base::AnyImage scene = test::oneCountOver(type, {40, 40, 1}, offset, 1);
            const base::AnyImage templ = test::crop(scene, {{5, 6, 0}, {12, 13, 1}});
            QVERIFY2(worstShare(scene, templ, 200, 2) <= 1, std::string(base::name(type)).c_str());
        }
    }

    void aCopyScoresOneAndItsNegativeMinusOne() {
        const base::AnyImage scene = test::noise(PixelType::Int16, {30, 20, 9}, 1);
        const base::AnyImage templ = test::crop(scene, {{11, 7, 3}, {9, 8, 4}});
        const auto negative = test::mapped(templ, PixelType::Int16, [](double v) { return -v; });
        const double bound = method::canonicalBound(9 * 8 * 4);
        const method::CanonicalTemplate ready(base::viewOf(templ));
        const method::CanonicalTemplate opposite(base::viewOf(negative));
        QVERIFY(1 - method::canonicalScore(base::viewOf(scene), ready, {11, 7, 3}) <= bound);
        QVERIFY(1 + method::canonicalScore(base::viewOf(scene), opposite, {11, 7, 3}) <= bound);
    }

    void aPowerOfTwoChangesNoBit() {
        const auto check = [](PixelType type, const std::vector<int>& powers) {
            const base::AnyImage scene = test::noise(type, {20, 20, 1}, 1);
            const base::AnyImage templ = test::noise(type, {7, 6, 1}, 2);
            const method::CanonicalTemplate ready(base::viewOf(templ));
            for (const int power : powers) {
                const auto scale = [power](double v) { return std::scalbn(v, power); };
                const base::AnyImage scaled = test::mapped(scene, type, scale);
                const base::AnyImage other = test::mapped(templ, type, scale);
                const method::CanonicalTemplate otherReady(base::viewOf(other));
                for (std::int64_t y = 0; y < 15; ++y) {
                    for (std::int64_t x = 0; x < 14; ++x) {
                        const std::uint64_t bits = bitsOf(scene, ready, {x, y, 0});
                        QCOMPARE(bitsOf(scaled, ready, {x, y, 0}), bits);
                        QCOMPARE(bitsOf(scene, otherReady, {x, y, 0}), bits);
                    }
                }
            }
        };
        check(PixelType::Float32, {-100, -1, 1, 100});
        check(PixelType::Float64, {-900, -700, -1, 1, 700, 1000});
    }

    void thePanelAloneDecidesTheBits() {
        const base::AnyImage patch = test::noise(PixelType::Float64, {9, 7, 1}, 1);
        const base::AnyImage templ = test::noise(PixelType::Float64, {9, 7, 1}, 2);
        const method::CanonicalTemplate ready(base::viewOf(templ));
        const std::uint64_t alone = bitsOf(patch, ready, {0, 0, 0});
        for (std::int64_t shift = 0; shift < 17; ++shift) {
            base::AnyImage scene = test::noise(PixelType::Float64, {40, 30, 2}, 3);
            test::setVoxel(scene, {0, 29, 1}, 1e9);
            test::paste(scene, patch, {shift, shift, 1});
            QCOMPARE(bitsOf(scene, ready, {shift, shift, 1}), alone);
        }
    }

    void aLevelAndAWiderTypeChangeNoBit() {
        const base::AnyImage scene = test::noise(PixelType::UInt8, {20, 20, 1}, 1);
        const base::AnyImage templ = test::noise(PixelType::UInt8, {8, 6, 1}, 2);
        const method::CanonicalTemplate ready(base::viewOf(templ));
        for (const auto& [type, level] :
             {std::pair{PixelType::UInt16, 60000.0}, std::pair{PixelType::Int32, -2e9},
              std::pair{PixelType::Int64, 0x1p52}, std::pair{PixelType::Float32, 0x1p22},
              std::pair{PixelType::Float64, -0x1p50}}) {
            const auto raise = [level = level](double v) { return v + level; };
            const base::AnyImage raised = test::mapped(scene, type, raise);
            for (std::int64_t i = 0; i < 12; ++i) {
                QCOMPARE(bitsOf(raised, ready, {i, i, 0}), bitsOf(scene, ready, {i, i, 0}));
            }
        }
    }

    void everyThreadGetsTheSameBits() {
        const base::AnyImage scene = test::noise(PixelType::Float32, {60, 60, 1}, 1);
        const base::AnyImage templ = test::noise(PixelType::Float32, {9, 9, 1}, 2);
        const base::AnyImage wide = test::noise(PixelType::Float32, {33, 3, 1}, 2);
        const method::CanonicalTemplate ready(base::viewOf(templ));
        const method::CanonicalTemplate wideReady(base::viewOf(wide)); // other scratch between
        std::vector<std::uint64_t> expected;
        for (std::int64_t i = 0; i < 50; ++i) {
            expected.push_back(bitsOf(scene, ready, {i, 51 - i, 0}));
        }
        base::TilePool pool(4);
        std::atomic<int> wrong = 0;
        pool.run(500, [&](std::int64_t tile, int) {
            const std::int64_t i = tile % 50;
            (void)bitsOf(scene, wideReady, {i % 20, i, 0});
            wrong += bitsOf(scene, ready, {i, 51 - i, 0}) != expected[static_cast<std::size_t>(i)];
        });
        QCOMPARE(wrong.load(), 0);
    }

    void aPanelWithoutContrastOrWithNanScoresZero() {
        const base::AnyImage templ = test::noise(PixelType::Float32, {4, 4, 1}, 1);
        const method::CanonicalTemplate ready(base::viewOf(templ));
        base::AnyImage scene = uniform(PixelType::Float32, {4, 4, 1}, 0.1);
        QCOMPARE(method::canonicalScore(base::viewOf(scene), ready, {0, 0, 0}), 0.0);
        for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
            scene = test::noise(PixelType::Float32, {4, 4, 1}, 2);
            QVERIFY(method::canonicalScore(base::viewOf(scene), ready, {0, 0, 0}) != 0.0);
            test::setVoxel(scene, {3, 3, 0}, bad);
            QCOMPARE(method::canonicalScore(base::viewOf(scene), ready, {0, 0, 0}), 0.0);
        }
    }

    void aPanelWithoutAScoreSaysSo() {
        base::AnyImage scene = test::noise(PixelType::Float32, {12, 9, 1}, 3);
        const base::AnyImage templ = test::noise(PixelType::Float32, {4, 3, 1}, 4);
        for (std::int64_t i = 0; i < 12; ++i) {
            test::setVoxel(scene, {i % 4, i / 4, 0}, 7);
        }
        test::setVoxel(scene, {11, 8, 0}, std::nan(""));
        const method::CanonicalTemplate ready(base::viewOf(templ));
        const auto scored = [&](const base::Index& corner) {
            return method::canonicalValue(base::viewOf(scene), ready, corner, method::Outside::Zero)
                .scored;
        };
        QVERIFY(!scored({0, 0, 0}));  // constant
        QVERIFY(!scored({8, 6, 0}));  // NaN
        QVERIFY(!scored({10, 7, 0})); // NaN, beyond the scene
        QVERIFY(!scored({-5, 0, 0})); // nothing inside
        QVERIFY(scored({1, 0, 0}) && scored({7, 6, 0}) && scored({-3, 0, 0}));
    }

    void aTemplateThatIsConstantOnAnOverlapHasNoScore() {
        const base::AnyImage scene = test::noise(PixelType::UInt8, {12, 9, 1}, 3);
        const base::AnyImage noise = test::noise(PixelType::UInt8, {7, 5, 1}, 4);
        for (int level = 0; level < 50; ++level) {
            const base::AnyImage templ =
                test::makeScene(PixelType::UInt8, {7, 5, 1}, [&](const base::Index& at) {
                    return at.x < 3 ? level : base::valueAt(base::viewOf(noise), at);
                });
            const method::CanonicalTemplate ready(base::viewOf(templ));
            const auto value = [&](std::int64_t x, method::Outside outside) {
                return method::canonicalValue(base::viewOf(scene), ready, {x, 1, 0}, outside);
            };
            for (std::int64_t x = 9; x < 12; ++x) {
                const method::CanonicalValue overlap = value(x, method::Outside::Overlap);
                QVERIFY(!overlap.scored && overlap.score == 0);
                // As what is constant only once rounded: then no such value takes a score's place.
                QVERIFY(overlap.bound >= 1);
                QVERIFY(value(x, method::Outside::Zero).scored);
            }
            QVERIFY(value(8, method::Outside::Overlap).scored);
        }
    }

    void supportsAreTheSameWhereTheSameVoxelsCount() {
        const base::AnyImage image = test::noise(PixelType::UInt8, {5, 4, 3}, 1);
        const auto masked = [&](const base::Image<std::uint8_t>& mask) {
            return method::MaskedView(base::viewOf(image), mask.view());
        };
        const base::Image<std::uint8_t> ones({5, 4, 3}, std::uint8_t{1});
        const base::Image<std::uint8_t> more({5, 4, 3}, std::uint8_t{255});
        const method::MaskedView plain(base::viewOf(image));
        QVERIFY(method::sameSupport(plain, plain));
        QVERIFY(method::sameSupport(masked(ones), masked(more)));
        QVERIFY(method::sameSupport(masked(ones), plain) &&
                method::sameSupport(plain, masked(more)));
        for (std::int64_t i = 0; i < ones.count(); ++i) {
            base::Image<std::uint8_t> some({5, 4, 3}, std::uint8_t{7});
            some.data()[i] = 0;
            QVERIFY(!method::sameSupport(masked(some), masked(ones)));
            QVERIFY(!method::sameSupport(plain, masked(some)));
            QVERIFY(method::sameSupport(masked(some), masked(some)));
        }
    }

    void theReadyTemplateHasZeroMeanAndUnitNorm() {
        for (const double level : {0.0, 1e6, 1e15}) {
            const base::AnyImage noise = test::noise(PixelType::Float64, {13, 11, 3}, 1);
            const base::AnyImage templ =
                test::mapped(noise, PixelType::Float64, [level](double v) { return level + v; });
            const method::CanonicalTemplate ready(base::viewOf(templ));
            long double sum = 0;
            long double squares = 0;
            for (std::int64_t i = 0; i < ready.values().count(); ++i) {
                const long double value = ready.values().data()[i];
                sum += value;
                squares += value * value;
            }
            const double bound = method::canonicalBound(ready.values().count());
            QVERIFY(std::fabs(static_cast<double>(sum)) <= bound);
            QVERIFY(std::fabs(static_cast<double>(squares - 1)) <= bound);
        }
    }

    // Of the template whose differences to the first voxel are large, those to the mean are not; of
    // stripes all in one lane have one sign.
    void neitherMeanNorNormLeavesARest() {
        const base::AnyImage noise = test::noise(PixelType::Float32, {301, 299, 1}, 2);
        base::AnyImage spike =
            test::mapped(noise, PixelType::Float32, [](double v) { return 1e6 + std::fabs(v); });
        std::get<base::Image<float>>(spike).data()[0] = 0;
        std::vector<base::AnyImage> templates;
        templates.push_back(std::move(spike));
        for (const double high : {60.0, 64.0, 67.0, 90.0, 240.0}) {
            templates.push_back(
                test::makeScene(PixelType::UInt8, {233, 124, 1},
                                [high](const Index& i) { return i.x % 2 == 0 ? high : 27.0; }));
        }
        for (const base::AnyImage& templ : templates) {
            const method::CanonicalTemplate ready(base::viewOf(templ));
            long double sum = 0;
            long double magnitudes = 0;
            long double squares = 0;
            for (std::int64_t i = 0; i < ready.values().count(); ++i) {
                const long double value = ready.values().data()[i];
                sum += value;
                magnitudes += std::fabs(value);
                squares += value * value;
            }
            QVERIFY(std::fabs(sum) <=
                    magnitudes * static_cast<long double>(method::shared::kTemplateError));
            QVERIFY(std::fabs(squares - 1) <=
                    2 * static_cast<long double>(method::shared::kNormedError));
        }
    }

    void nothingIsLeftOutsideTheSupport() {
        const base::AnyImage templ = test::noise(PixelType::Float32, {21, 9, 2}, 3);
        base::Image<std::uint8_t> mask({21, 9, 2}, 0);
        for (std::int64_t i = 0; i < mask.count(); i += i % 5 == 0 ? 1 : 2) {
            mask.data()[i] = 1;
        }
        const method::CanonicalTemplate ready({base::viewOf(templ), mask.view()});
        for (std::int64_t i = 0; i < mask.count(); ++i) {
            QVERIFY(mask.data()[i] != 0 || ready.values().data()[i] == 0);
            QVERIFY(mask.data()[i] == 0 || ready.values().data()[i] != 0);
        }
    }

    void anImpossibleTemplateIsAProblemThatSaysWhy() {
        QVERIFY(problemOf(uniform(PixelType::UInt8, {1, 1, 1}, 7)).find("one voxel") !=
                std::string::npos);
        for (const PixelType type : {PixelType::UInt8, PixelType::Float32, PixelType::Float64}) {
            QVERIFY(problemOf(uniform(type, {31, 31, 1}, 0.1)).find("constant") !=
                    std::string::npos);
        }
        for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
            for (const PixelType type : {PixelType::Float32, PixelType::Float64}) {
                base::AnyImage templ = test::noise(type, {5, 4, 3}, 1);
                test::setVoxel(templ, {4, 3, 2}, bad);
                QVERIFY(problemOf(templ).find("4,3,2") != std::string::npos);
                QVERIFY_EXCEPTION_THROWN(method::CanonicalTemplate(base::viewOf(templ)),
                                         base::Error);
            }
        }
        QVERIFY(!problemOf(uniform(PixelType::Float64, {3, 3, 1}, std::nan(""))).empty());
    }

    void theLeastContrastIsEnough() {
        base::AnyImage templ = uniform(PixelType::Float64, {31, 31, 1}, 0.1);
        test::setVoxel(templ, {30, 30, 0}, std::nextafter(0.1, 1.0));
        QCOMPARE(problemOf(templ), std::string());
        const double bound = method::canonicalBound(961);
        const method::CanonicalTemplate ready(base::viewOf(templ));
        QVERIFY(std::fabs(method::canonicalScore(base::viewOf(templ), ready, {0, 0, 0}) - 1) <=
                bound);
        QCOMPARE(
            problemOf(test::oneCountOver(PixelType::Int64, {4, 4, 1}, std::int64_t{1} << 60, 1)),
            std::string());
    }

    // What the table says of an operation is true of its values.
    void contrastCountsUnlessTheTableSaysOtherwise() {
        const base::AnyImage scene = test::noise(PixelType::Float64, {16, 12, 1}, 31);
        const base::AnyImage templ = test::noise(PixelType::Float64, {5, 4, 1}, 32);
        const auto other = [](const base::AnyImage& image, double factor, double added) {
            base::AnyImage made = base::copyOf(base::viewOf(image));
            auto& pixels = std::get<base::Image<double>>(made);
            for (std::int64_t i = 0; i < pixels.count(); ++i) {
                pixels.data()[i] = factor * pixels.data()[i] + added;
            }
            return made;
        };
        const base::AnyImage scene2 = other(scene, 3, 700);
        const base::AnyImage templ2 = other(templ, 0.5, -200);
        for (std::size_t row = 0; row < method::operationTable().size(); ++row) {
            const method::Operation operation(row);
            const method::OperationTraits& traits = operation.traits();
            double farthest = 0;
            double largest = 0;
            for (const Index& at : {Index{0, 0, 0}, Index{3, 7, 0}, Index{11, 8, 0}}) {
                const auto valueOf = [&](const base::AnyImage& in, const base::AnyImage& of) {
                    const method::CanonicalTemplate ready(base::viewOf(of), operation);
                    return method::canonicalValue(operation, base::viewOf(in), ready, at,
                                                  method::Outside::Zero, 0.5);
                };
                const method::OperationValue value = valueOf(scene, templ);
                QCOMPARE(value.status, base::Status::Ok);
                farthest =
                    std::max(farthest, std::abs(valueOf(scene2, templ2).value - value.value));
                largest = std::max(largest, std::abs(value.value));
                if (traits.absolutePromise) {
                    QCOMPARE(value.scale, 1.0);
                    QVERIFY(std::abs(value.value) <= 1);
                }
            }
            QVERIFY2((farthest <= 1e-12 * largest) == traits.ignoresContrast, traits.name.data());
            QCOMPARE(traits.finish == nullptr, traits.hasRowScorer);
            QVERIFY(!traits.hasLaw || traits.hasThreshold());
        }
    }
};

const flcc::test::TestClass<CanonicalTest> kCanonicalTest;
#include "canonical_test.moc"
