#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/cpu/score/tile_scorer.h"
#include "engine/cpu/simd/kernels.h"
#include "tests/engine/cpu/harness.h"
#include "tests/support/effort.h"
#include "tests/support/extents_column.h"
#include "tests/support/oracle.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;
using base::Status;
namespace simd = cpu::simd;
namespace {

/// Placements beside what is bright, and how much darker they are.
constexpr std::int64_t kDarkFrom = 30;

bool isDark(const Index& at) { return at.x >= kDarkFrom; }

/// A tile with numerators as wrong as transforms make them beside bright voxels: scores of the
/// bright part keep the promise, those of the dark part do not.
class Tile {
  public:
    static constexpr double kWrong = 2e-5; ///< numerators are off by up to this

    Tile(base::AnyImage scene, const base::AnyImage& templ)
        : m_scene(std::move(scene)), m_view(base::viewOf(m_scene)), m_templ(base::viewOf(templ)),
          m_problem(test::problemOf(m_view, base::viewOf(templ))),
          m_out(method::mapExtents(m_problem)), m_scorer(m_problem.templ, m_out), m_map(m_out),
          m_x(rows(m_problem.scene), std::nanf("")), m_numerators(rows(m_out), 0.0F),
          m_oracle(base::viewOf(templ)),
          m_integers(cpu::IntegerTemplate::of(m_problem, base::viewOf(templ))),
          m_steps(static_cast<std::size_t>(cpu::AgainInput::stepsRoom(m_problem.templ, m_out)),
                  kUntouched) {
        const simd::FloatBox x = boxOf(m_x);
        m_centred = cpu::loadCentred(m_view.pixels, {{0, 0, 0}, m_problem.scene},
                                     base::voxelCount(m_problem.templ), x);
        const Extents& m = m_problem.templ;
        const simd::FloatBox numerators = boxOf(m_numerators);
        test::Random random(7);
        forMap([&](const Index& at) {
            double sum = 0;
            for (std::int64_t k = 0; k < m.z; ++k) {
                for (std::int64_t j = 0; j < m.y; ++j) {
                    for (std::int64_t i = 0; i < m.x; ++i) {
                        sum += m_templ.values().view().at(i, j, k) *
                               static_cast<double>(x.data[(at.z + k) * x.sliceStride +
                                                          (at.y + j) * x.rowStride + at.x + i]);
                    }
                }
            }
            numerators.data[at.z * numerators.sliceStride + at.y * numerators.rowStride + at.x] =
                static_cast<float>(sum + kWrong * (2 * random.uniform() - 1));
        });
    }

    method::Problem& problem() { return m_problem; }
    const cpu::CentredTile& centred() const { return m_centred; }

    cpu::TileResult score() {
        cpu::BoundTerms terms;
        terms.numerator = kWrong;
        terms.worst = HUGE_VAL;
        terms.panel = m_centred.exact ? 0 : cpu::kUnitSingle;
        return m_scorer.score(m_problem, m_view.pixels, {{0, 0, 0}, m_out}, boxOf(m_x),
                              boxOf(m_numerators), m_centred, terms, m_templ,
                              method::viewOf(m_map));
    }
    void again(cpu::TileResult& result, double doubleNs = HUGE_VAL) {
        m_scorer.scoreAgain(
            m_problem, {boxOf(m_x), m_templ, m_integers ? &*m_integers : nullptr, m_steps.data()},
            method::viewOf(m_map), doubleNs, result);
    }
    bool integerTemplate() const { return m_integers.has_value(); }
    /// Whether the last numerators were made in integers.
    bool inIntegers() const {
        return std::any_of(m_steps.begin(), m_steps.end(),
                           [](std::int16_t step) { return step != kUntouched; });
    }
    method::MapFacts finish(const cpu::TileResult& result) {
        cpu::FactsCollector collector;
        m_scorer.finish(m_problem, m_view.pixels, {{0, 0, 0}, m_out}, m_templ, result,
                        method::viewOf(m_map), collector);
        return collector.facts();
    }

    /// How many voxels have a status; in the dark part, or in all of the map.
    std::int64_t count(Status status, bool dark) const {
        std::int64_t count = 0;
        forMap([&](const Index& at) {
            count += m_map.status.view().at(at) == status && (!dark || isDark(at)) ? 1 : 0;
        });
        return count;
    }
    std::int64_t darkPlacements() const { return (m_out.x - kDarkFrom) * m_out.y * m_out.z; }

    /// Empty when every OK voxel is within `bound` of the exact score.
    std::string judge(double bound) const {
        std::string fault;
        forMap([&](const Index& at) {
            const double error = std::abs(static_cast<double>(m_map.value.view().at(at)) -
                                          m_oracle.at(m_view, at).value);
            if (m_map.status.view().at(at) == Status::Ok && !(error <= bound) && fault.empty()) {
                fault = std::to_string(at.x) + "," + std::to_string(at.y) + "," +
                        std::to_string(at.z) + ": off by " + std::to_string(error);
            }
        });
        return fault;
    }

  private:
    using FloatImage = base::Image<float>;
    static constexpr std::int16_t kUntouched = 0x5a5a;

    /// Rows with slack, which the scorers ask for.
    static Extents rows(const Extents& extents) {
        return {extents.x + simd::kSlack, extents.y, extents.z + 1};
    }
    static simd::FloatBox boxOf(FloatImage& image) {
        return {image.data(), image.extents().x, image.extents().x * image.extents().y};
    }
    template <class Use> void forMap(Use&& use) const {
        for (std::int64_t z = 0; z < m_out.z; ++z) {
            for (std::int64_t y = 0; y < m_out.y; ++y) {
                for (std::int64_t x = 0; x < m_out.x; ++x) {
                    use(Index{x, y, z});
                }
            }
        }
    }

    base::AnyImage m_scene;
    method::MaskedView m_view;
    method::CanonicalTemplate m_templ;
    method::Problem m_problem;
    Extents m_out;
    cpu::TileScorer m_scorer;
    method::MatchMap m_map;
    FloatImage m_x;
    FloatImage m_numerators;
    cpu::CentredTile m_centred;
    test::Oracle m_oracle;
    std::optional<cpu::IntegerTemplate> m_integers;
    std::vector<std::int16_t> m_steps;
};

/// Noise, from `kDarkFrom` on `darkness` times darker and on a level of its own; of integers where
/// `step` is 1, else with all the bits of floats.
base::AnyImage halfDark(const Extents& extents, double brightness, double darkness, double step,
                        double level = 0) {
    test::Random random(3);
    return test::makeScene(PixelType::Float32, extents, [&](const Index& at) {
        const double noise = brightness * (2 * random.uniform() - 1);
        const double value = isDark(at) ? noise / darkness + level : noise;
        return step > 0 ? step * std::round(value / step) : value;
    });
}

base::AnyImage templateOf(const Extents& m) { return test::noise(PixelType::Float32, m, 11); }

/// Whole numbers up to `most` in magnitude, whose mean is none.
base::AnyImage wholeTemplate(const Extents& m, double most) {
    test::Random random(11);
    return test::makeScene(PixelType::Float32, m, [&](const Index& at) {
        return at.x + at.y + at.z == 0 ? most : std::round(most * (2 * random.uniform() - 1));
    });
}

} // namespace

/// LOWCONF voxels that are scored again by the definition.
class AgainTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    // Before the rows of the next function are made, which are for all sets.
    void cleanup() { simd::forceInstructionSet(""); }

    void productsAreThoseOfTheDefinition_data() {
        QTest::addColumn<QString>("set");
        QTest::addColumn<Extents>("m");
        for (const std::string& set : simd::instructionSets()) {
            for (const Extents& m :
                 {Extents{1, 1, 1}, Extents{1, 2, 1}, Extents{3, 2, 1}, Extents{8, 5, 1},
                  Extents{17, 4, 3}, Extents{24, 3, 2}, Extents{31, 1, 5}}) {
                QTest::addRow("%s %s", set.c_str(), base::toString(m).c_str())
                    << QString::fromStdString(set) << m;
            }
        }
    }

    /// What lies behind a row counts for nothing, whatever it is; nothing is read behind weights.
    void productsAreThoseOfTheDefinition() {
        QFETCH(QString, set);
        QFETCH(Extents, m);
        simd::forceInstructionSet(set.toStdString());
        constexpr std::int64_t kAhead = 5;
        const std::int64_t row = kAhead + m.x + simd::kSlack;
        const std::int64_t slice = row * (m.y + kAhead);
        std::vector<float> x(static_cast<std::size_t>(slice * (m.z + kAhead)), std::nanf(""));
        std::array<std::int64_t, simd::kPanels> at{};
        test::Random random(5);
        for (std::size_t p = 0; p < at.size(); ++p) {
            const auto shift = static_cast<std::int64_t>(p) % kAhead;
            at[p] = shift * slice + (kAhead - 1 - shift) * row + shift;
            for (std::int64_t line = 0; line < m.y * m.z; ++line) {
                float* const to = x.data() + at[p] + line / m.y * slice + line % m.y * row;
                for (std::int64_t i = 0; i < m.x; ++i) {
                    to[i] = std::isnan(to[i]) ? static_cast<float>(random.normal()) : to[i];
                }
            }
        }
        std::vector<double> weights(static_cast<std::size_t>(base::voxelCount(m)) + 16,
                                    std::nan(""));
        std::generate_n(weights.begin(), base::voxelCount(m), [&] { return random.normal(); });
        std::array<double, simd::kPanels> found{};
        simd::panelProducts({x.data(), row, slice}, at, weights.data(), m, found);
        for (std::size_t p = 0; p < at.size(); ++p) {
            long double sum = 0;
            long double magnitudes = 0;
            for (std::int64_t i = 0; i < base::voxelCount(m); ++i) {
                const std::int64_t line = i / m.x;
                const auto product =
                    static_cast<long double>(weights[static_cast<std::size_t>(i)]) *
                    static_cast<long double>(x[static_cast<std::size_t>(
                        at[p] + line / m.y * slice + line % m.y * row + i % m.x)]);
                sum += product;
                magnitudes += std::abs(product);
            }
            const long double off = std::abs(static_cast<long double>(found[p]) - sum);
            const auto chain = static_cast<long double>(base::voxelCount(m) + 3);
            QVERIFY2(off <= chain * 0x1p-53L * magnitudes, std::to_string(p).c_str());
        }
    }

    void integerProductsAreExact_data() {
        QTest::addColumn<QString>("set");
        QTest::addColumn<Extents>("m");
        for (const std::string& set : simd::instructionSets()) {
            for (std::int64_t width = 1; width <= 40; ++width) {
                for (const Extents& m : {Extents{width, 3, 1}, Extents{width, 2, 3}}) {
                    QTest::addRow("%s %s", set.c_str(), base::toString(m).c_str())
                        << QString::fromStdString(set) << m;
                }
            }
            for (const std::int64_t width : {63, 64, 65, 130}) {
                QTest::addRow("%s %d", set.c_str(), static_cast<int>(width))
                    << QString::fromStdString(set) << Extents{width, 2, 1};
            }
        }
    }

    /// The largest sums of 32 bits, of either sign; whatever lies behind rows of voxels and behind
    /// the last weights counts for nothing.
    void integerProductsAreExact() {
        QFETCH(QString, set);
        QFETCH(Extents, m);
        simd::forceInstructionSet(set.toStdString());
        constexpr std::int64_t kAhead = 5;
        const std::int64_t row = kAhead + m.x;
        const std::int64_t slice = row * (m.y + kAhead);
        const std::int64_t count = base::voxelCount(m);
        const std::int64_t weight = 100;
        const std::int64_t most = std::min<std::int64_t>(32767, 0x7fffffff / (count * weight));
        test::Random random(5);
        for (const double randomness : {0.0, 1.0}) {
            // One after the other, so that what lies behind their rows is as bad as can be.
            std::array<std::int64_t, simd::kPanels> at{};
            for (std::size_t p = 0; p < at.size(); ++p) {
                const auto shift = static_cast<std::int64_t>(p) % kAhead;
                at[p] = shift * slice + (kAhead - 1 - shift) * row + shift;
            }
            const std::int64_t width = (m.x + 1) / 2;
            std::vector<std::int32_t> pairs(
                static_cast<std::size_t>(width * m.y * m.z + simd::kSlack), 0x7fff7fff);
            const auto weightAt = [&](std::int64_t i) {
                return static_cast<std::int16_t>(
                    static_cast<std::uint32_t>(
                        pairs[static_cast<std::size_t>(i / m.x * width + i % m.x / 2)]) >>
                    (i % m.x % 2 == 0 ? 0U : 16U));
            };
            for (std::int64_t i = 0; i < width * m.y * m.z; ++i) {
                const auto draw = [&] {
                    const double value = randomness > 0 ? 2 * random.uniform() - 1 : -1.0;
                    return static_cast<std::uint32_t>(
                        static_cast<std::int32_t>(std::round(static_cast<double>(weight) * value)));
                };
                const bool odd = i % width == width - 1 && m.x % 2 == 1;
                pairs[static_cast<std::size_t>(i)] =
                    static_cast<std::int32_t>((draw() & 0xffffU) | (odd ? 0U : draw() << 16U));
            }
            for (std::size_t p = 0; p < at.size(); ++p) {
                // Of this panel alone the voxels are small enough.
                std::vector<std::int16_t> x(
                    static_cast<std::size_t>(slice * (m.z + kAhead) + simd::kSlack),
                    std::numeric_limits<std::int16_t>::min());
                const auto voxel = [&](std::int64_t i) -> std::int16_t& {
                    const std::int64_t line = i / m.x;
                    return x[static_cast<std::size_t>(at[p] + line / m.y * slice +
                                                      line % m.y * row + i % m.x)];
                };
                std::int64_t sum = 0;
                for (std::int64_t i = 0; i < count; ++i) {
                    const double value = randomness > 0 ? 2 * random.uniform() - 1
                                         : p % 2 == 0   ? 1.0
                                                        : -1.0;
                    voxel(i) =
                        static_cast<std::int16_t>(std::round(static_cast<double>(most) * value));
                    sum += std::int64_t{voxel(i)} * weightAt(i);
                }
                std::array<double, simd::kPanels> found{};
                simd::panelProducts(simd::StepBox{x.data(), row, slice}, at, pairs.data(), m,
                                    found);
                QCOMPARE(found[p], static_cast<double>(sum));
            }
        }
    }

    void stepsAreThoseOfTheVoxels() {
        for (const std::string& set : simd::instructionSets()) {
            simd::forceInstructionSet(set);
            for (std::int64_t count = 1; count <= 40; ++count) {
                constexpr std::int16_t kMark = 0x1234;
                std::vector<float> x(static_cast<std::size_t>(count + simd::kSlack / 2),
                                     std::nanf(""));
                std::vector<std::int16_t> steps(static_cast<std::size_t>(count + simd::kSlack),
                                                kMark);
                const auto stepAt = [&](std::int64_t i) {
                    return i % 3 == 0 ? 32767 : i % 3 == 1 ? -32767 : static_cast<int>(7 * i - 100);
                };
                for (std::int64_t i = 0; i < count; ++i) {
                    x[static_cast<std::size_t>(i)] = static_cast<float>(stepAt(i)) * 0x1p-15F;
                }
                simd::loadSteps(x.data(), count, 0x1p15F, steps.data());
                for (std::int64_t i = 0; i < count; ++i) {
                    QCOMPARE(static_cast<int>(steps[static_cast<std::size_t>(i)]), stepAt(i));
                }
                QVERIFY(std::all_of(steps.begin() + count + simd::kSlack / 2, steps.end(),
                                    [](std::int16_t step) { return step == kMark; }));
            }
        }
    }

    void whatBreaksThePromiseIsPutRightInIntegers_data() {
        QTest::addColumn<QString>("set");
        QTest::addColumn<Extents>("m");
        for (const std::string& set : simd::instructionSets()) {
            for (const Extents& m : {Extents{5, 7, 1}, Extents{6, 3, 4}, Extents{13, 3, 1},
                                     Extents{17, 4, 3}, Extents{33, 5, 1}, Extents{40, 2, 2}}) {
                QTest::addRow("%s %s", set.c_str(), base::toString(m).c_str())
                    << QString::fromStdString(set) << m;
            }
        }
    }
    /// On a level far from the mean of the tile, so that the sum of the template matters.
    void whatBreaksThePromiseIsPutRightInIntegers() {
        QFETCH(QString, set);
        QFETCH(Extents, m);
        simd::forceInstructionSet(set.toStdString());
        const Extents extents{56 + m.x, 16 + m.y, m.z > 1 ? 5 + m.z : 1};
        Tile tile(halfDark(extents, 4000, 100, 1, 1500), wholeTemplate(m, 300));
        tile.problem().promise = 2e-6;
        cpu::TileResult result = tile.score();
        const std::int64_t all = tile.count(Status::LowConf, false);
        QVERIFY(tile.count(Status::LowConf, true) > tile.darkPlacements() * 9 / 10);
        tile.again(result);
        QVERIFY(tile.inIntegers());
        QCOMPARE(tile.count(Status::LowConf, false), std::int64_t{0});
        QCOMPARE(result.again, all);
        QVERIFY(result.tally.largestBound <= tile.problem().promise);
        // Numerators are exact: what is left are the roundings of scores in float.
        const std::string fault = tile.judge(result.tally.largestBound);
        QVERIFY2(fault.empty(), fault.c_str());
        QVERIFY(result.tally.largestBound < 4.5 * 0x1p-24);
        QCOMPARE(tile.finish(result).overRange, std::int64_t{0});
    }

    /// LOWCONF voxels that lie away from every border of the tile but one.
    void panelsInsideATileAreScoredInIntegers() {
        if (test::kSanitized) {
            QSKIP("numbers only; the other tests make the same reads and writes");
        }
        test::Random random(3);
        const Extents extents{62, 40, 26};
        base::AnyImage scene = test::makeScene(PixelType::Float32, extents, [&](const Index& at) {
            const bool dark = isDark(at) && at.y >= 14 && at.z >= 9;
            const double noise = 4000 * (2 * random.uniform() - 1);
            return std::round(dark ? noise / 100 + 1500 : noise);
        });
        Tile tile(std::move(scene), wholeTemplate({6, 3, 4}, 300));
        cpu::TileResult result = tile.score();
        const std::int64_t all = result.lowConf;
        QVERIFY(all > 1000);
        tile.again(result);
        QVERIFY(tile.inIntegers());
        QCOMPARE(result.again, all);
        const std::string fault = tile.judge(result.tally.largestBound);
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void whatIntegersDoNotHoldIsScoredInDouble_data() {
        QTest::addColumn<Extents>("m");
        QTest::addColumn<double>("most");
        QTest::addColumn<double>("step");
        QTest::addColumn<bool>("integerTemplate");
        QTest::addColumn<bool>("inIntegers");
        QTest::newRow("sums of 32 bits") << Extents{10, 10, 1} << 4000.0 << 1.0 << true << true;
        QTest::newRow("more than 32 bits") << Extents{12, 12, 1} << 4000.0 << 1.0 << true << false;
        QTest::newRow("template of more than 16 bits")
            << Extents{5, 7, 1} << 40000.0 << 1.0 << false << false;
        QTest::newRow("scene on no grid") << Extents{5, 7, 1} << 300.0 << 0.0 << true << false;
    }
    void whatIntegersDoNotHoldIsScoredInDouble() {
        QFETCH(Extents, m);
        QFETCH(double, most);
        QFETCH(double, step);
        QFETCH(bool, integerTemplate);
        QFETCH(bool, inIntegers);
        Tile tile(halfDark({56 + m.x, 16 + m.y, 1}, 4000, 100, step, 1500), wholeTemplate(m, most));
        QCOMPARE(tile.integerTemplate(), integerTemplate);
        cpu::TileResult result = tile.score();
        QVERIFY(tile.count(Status::LowConf, true) > tile.darkPlacements() * 9 / 10);
        tile.again(result);
        QCOMPARE(tile.inIntegers(), inIntegers);
        QCOMPARE(tile.count(Status::LowConf, false), std::int64_t{0});
        const std::string fault = tile.judge(tile.problem().promise);
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void aFloatTemplateIsNoneInIntegers() {
        Tile tile(halfDark({61, 23, 1}, 4000, 100, 1), templateOf({5, 7, 1}));
        QVERIFY(!tile.integerTemplate());
    }

    /// The tile is not brought into steps for a few panels.
    void fewVoxelsAreScoredInDouble() {
        Tile tile(halfDark({kDarkFrom + 5, 8, 1}, 4000, 100, 1, 1500),
                  wholeTemplate({5, 7, 1}, 300));
        cpu::TileResult result = tile.score();
        QVERIFY(result.lowConf > 0);
        tile.again(result);
        QVERIFY(!tile.inIntegers());
        QCOMPARE(result.lowConf, std::int64_t{0});
        const std::string fault = tile.judge(tile.problem().promise);
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void everyMethodPutsDarknessRight_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<Extents>("extents");
        QTest::addColumn<Extents>("m");
        for (const PixelType type : {PixelType::Float32, PixelType::Int16}) {
            QTest::addRow("%s picture", base::name(type).data())
                << static_cast<int>(type) << Extents{150, 130, 1} << Extents{17, 15, 1};
            QTest::addRow("%s volume", base::name(type).data())
                << static_cast<int>(type)
                << (test::kSanitized ? Extents{44, 30, 16} : Extents{44, 40, 36})
                << Extents{9, 7, 5};
        }
    }
    /// Whole numbers, a corner of them a thousand times darker and on a level of its own, in floats
    /// with a NaN in it.
    void everyMethodPutsDarknessRight() {
        QFETCH(int, type);
        QFETCH(Extents, extents);
        QFETCH(Extents, m);
        test::Random random(3);
        base::AnyImage scene =
            test::makeScene(static_cast<PixelType>(type), extents, [&](const Index& at) {
                const bool dark = 3 * at.x < 2 * extents.x && 3 * at.y < 2 * extents.y;
                const double noise = 2 * random.uniform() - 1;
                return std::round(dark ? 4 * noise + 1500 : 4000 * noise);
            });
        if (static_cast<PixelType>(type) == PixelType::Float32) {
            test::setVoxel(scene, {extents.x / 2, extents.y / 2, extents.z / 3}, std::nan(""));
        }
        const base::AnyImage templ = wholeTemplate(m, 100);
        bool some = false;
        for (const test::Way& way : test::waysFor(base::viewOf(scene), base::viewOf(templ))) {
            const method::MapFacts facts =
                test::runMethod(way, base::viewOf(scene), base::viewOf(templ)).outcome.facts;
            some = some || facts.recomputed > 0;
        }
        QVERIFY(some);
        const std::string fault = test::judgeAll(base::viewOf(scene), base::viewOf(templ));
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void whatBreaksThePromiseIsPutRight_data() {
        QTest::addColumn<QString>("set");
        QTest::addColumn<Extents>("m");
        QTest::addColumn<bool>("integers");
        for (const std::string& set : simd::instructionSets()) {
            for (const Extents& m : {Extents{5, 7, 1}, Extents{6, 3, 4}}) {
                for (const bool integers : {true, false}) {
                    QTest::addRow("%s %s %s", set.c_str(), base::toString(m).c_str(),
                                  integers ? "integers" : "floats")
                        << QString::fromStdString(set) << m << integers;
                }
            }
        }
    }
    void whatBreaksThePromiseIsPutRight() {
        QFETCH(QString, set);
        QFETCH(Extents, m);
        QFETCH(bool, integers);
        simd::forceInstructionSet(set.toStdString());
        const Extents extents{61, 23, m.z > 1 ? 9 : 1};
        Tile tile(halfDark(extents, 4000, 100, integers ? 1 : 0), templateOf(m));
        QCOMPARE(tile.centred().exactSums, integers);
        cpu::TileResult result = tile.score();
        const std::int64_t low = tile.count(Status::LowConf, true);
        QVERIFY(low > tile.darkPlacements() * 9 / 10);
        const std::int64_t all = tile.count(Status::LowConf, false);
        QCOMPARE(result.lowConf, all);
        tile.again(result);
        QCOMPARE(tile.count(Status::LowConf, false), std::int64_t{0});
        QCOMPARE(result.again, all);
        QCOMPARE(result.lowConf, std::int64_t{0});
        QVERIFY(result.tally.largestBound <= tile.problem().promise);
        // All that is in doubt about a score in float from exact numerators.
        const std::string fault = tile.judge(tile.problem().promise);
        QVERIFY2(fault.empty(), fault.c_str());
        const method::MapFacts facts = tile.finish(result);
        QCOMPARE(facts.recomputed, all);
        QCOMPARE(facts.statusCounts[static_cast<std::size_t>(Status::Ok)],
                 tile.count(Status::Ok, false));
        QCOMPARE(facts.largestLowConf, 0.0);
        QCOMPARE(facts.overRange, std::int64_t{0});
    }

    /// The scores are as good as their bounds, which are far below the promise.
    void boundsAreThoseOfScoresInFloat() {
        Tile tile(halfDark({61, 23, 1}, 4000, 100, 1), templateOf({5, 7, 1}));
        tile.problem().promise = 2e-6;
        cpu::TileResult result = tile.score();
        QVERIFY(result.lowConf > 0);
        tile.again(result);
        QCOMPARE(result.lowConf, std::int64_t{0});
        const std::string fault = tile.judge(4.5 * 0x1p-24);
        QVERIFY2(fault.empty(), fault.c_str());
    }

    /// Voxels that were rounded when they were loaded, in panels 2^-18 times as bright: only the
    /// pixels tell their scores.
    void whatCannotBeHelpedStays() {
        Tile tile(halfDark({61, 23, 1}, 4000, 0x1p18, 0), templateOf({5, 7, 1}));
        cpu::TileResult result = tile.score();
        const std::int64_t before = tile.count(Status::LowConf, true);
        QVERIFY(before > tile.darkPlacements() / 2);
        tile.again(result);
        QVERIFY(tile.count(Status::LowConf, true) > before / 2);
        QCOMPARE(result.lowConf, tile.count(Status::LowConf, false));
        QVERIFY(result.tally.largestLowConf > tile.problem().promise);
        const std::string fault = tile.judge(tile.problem().promise);
        QVERIFY2(fault.empty(), fault.c_str());
        const std::int64_t left = result.lowConf;
        const method::MapFacts facts = tile.finish(result);
        QCOMPARE(facts.recomputed, result.again + left);
        QCOMPARE(tile.count(Status::LowConf, false), std::int64_t{0});
        const std::string after = tile.judge(tile.problem().promise);
        QVERIFY2(after.empty(), after.c_str());
    }

    void nothingIsScoredAgainThatNobodyAskedFor() {
        Tile tile(halfDark({61, 23, 1}, 4000, 100, 1), templateOf({5, 7, 1}));
        cpu::TileResult result = tile.score();
        const std::int64_t low = result.lowConf;
        tile.again(result, 0); // the tile in double is for nothing
        QCOMPARE(result.lowConf, low);
        tile.problem().recompute = false;
        result = tile.score();
        tile.again(result);
        QCOMPARE(result.lowConf, low);
        QCOMPARE(tile.count(Status::LowConf, false), low);
    }
};

const flcc::test::TestClass<AgainTest> kAgainTest;
#include "again_test.moc"
