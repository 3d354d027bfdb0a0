#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/tile_scorer.h"
#include "tests/engine/cpu/harness.h"
#include "tests/support/oracle.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;
using base::Status;
namespace simd = cpu::simd;
Q_DECLARE_METATYPE(flcc::base::Extents)

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
          m_oracle(base::viewOf(templ)) {
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
                              boxOf(m_numerators), m_centred, terms, method::viewOf(m_map));
    }
    void again(cpu::TileResult& result, double twofoldNs = HUGE_VAL) {
        m_scorer.scoreAgain(m_problem, {boxOf(m_x), m_templ}, method::viewOf(m_map), twofoldNs,
                            result);
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
};

/// Noise, from `kDarkFrom` on `darkness` times darker and on a level of its own; of integers where
/// `step` is 1, else with all the bits of floats.
base::AnyImage halfDark(const Extents& extents, double brightness, double darkness, double step) {
    test::Random random(3);
    return test::makeScene(PixelType::Float32, extents, [&](const Index& at) {
        const double noise = brightness * (2 * random.uniform() - 1);
        const double value = isDark(at) ? noise / darkness : noise;
        return step > 0 ? step * std::round(value / step) : value;
    });
}

base::AnyImage templateOf(const Extents& m) { return test::noise(PixelType::Float32, m, 11); }

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

QTEST_APPLESS_MAIN(AgainTest)
#include "again_test.moc"
