#include <QtTest>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/cpu/simd/kernels.h"
#include "tests/engine/cpu/harness.h"
#include "tests/support/effort.h"
#include "tests/support/extents_column.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using cpu::simd::ScoreArguments;
using cpu::simd::ScoreConstants;
namespace {

/// A tile whose every panel has numerators of which the score is 1/2, but where it is flat.
template <class Real = float> class Tile {
  public:
    Tile(const Extents& m, const Extents& out, const std::function<double(const Index&)>& voxel)
        : m_m(m), m_out(out), m_row(out.x + m.x - 1 + cpu::simd::kSlack),
          m_slice(m_row * (out.y + m.y - 1)) {
        const auto voxels = static_cast<std::size_t>(m_slice * (out.z + m.z - 1)) + 64;
        m_x.resize(voxels);
        m_num.resize(voxels);
        m_value.resize(voxels);
        m_status.resize(voxels);
        m_bounds.resize(static_cast<std::size_t>(m_row));
        forBox({out.x + m.x - 1, out.y + m.y - 1, out.z + m.z - 1},
               [&](const Index& at) { m_x[place(at)] = static_cast<Real>(voxel(at)); });
        forBox(out, [&](const Index& at) {
            m_num[place(at)] = static_cast<Real>(0.5 * std::sqrt(variance(at)));
        });
    }

    /// In two passes.
    [[nodiscard]] double variance(const Index& corner) const {
        long double sum = 0;
        forBox(m_m, [&](const Index& k) { sum += m_x[place(moved(corner, k))]; });
        const long double mean = sum / static_cast<long double>(base::voxelCount(m_m));
        long double squares = 0;
        forBox(m_m, [&](const Index& k) {
            const long double of = m_x[place(moved(corner, k))] - mean;
            squares += of * of;
        });
        return static_cast<double>(squares);
    }

    /// Empty when every score is right, and `isFlat` says which ones are not to have one.
    [[nodiscard]] std::string judge(const ScoreConstants& constants, std::uint8_t flat,
                                    const std::function<bool(const Index&)>& isFlat) {
        std::vector<double> scratch(static_cast<std::size_t>(cpu::simd::scoreScratch(m_m, m_out)));
        ScoreArguments<Real> arguments;
        arguments.x = {m_x.data(), m_row, m_slice};
        arguments.num = {m_num.data(), m_row, m_slice};
        arguments.m = m_m;
        arguments.out = arguments.tile = m_out;
        arguments.value = m_value.data();
        arguments.status = m_status.data();
        arguments.mapRowStride = m_row;
        arguments.mapSliceStride = m_slice;
        arguments.bounds = m_bounds.data();
        arguments.scratch = scratch.data();
        const cpu::simd::ScoreTally tally = cpu::simd::scoreTile(arguments, constants);
        std::string fault;
        std::int64_t marked = 0;
        forBox(m_out, [&](const Index& at) {
            const std::uint8_t status = m_status[place(at)];
            const double score = static_cast<double>(m_value[place(at)]);
            marked += status != 0 ? 1 : 0;
            const bool right =
                isFlat(at) ? status == flat : status == 0 && std::abs(score - 0.5) <= kRoundings;
            if (!right && fault.empty()) {
                fault = std::to_string(at.x) + "," + std::to_string(at.y) + "," +
                        std::to_string(at.z) + ": status " + std::to_string(status) + ", score " +
                        std::to_string(score);
            }
        });
        return fault.empty() && marked != tally.marked ? "marks are counted wrongly" : fault;
    }

  private:
    /// Of the numerator, the root, the product and the score.
    static constexpr double kRoundings = 4 * 0x1p-24;

    template <class Use> static void forBox(const Extents& extents, Use&& use) {
        for (std::int64_t z = 0; z < extents.z; ++z) {
            for (std::int64_t y = 0; y < extents.y; ++y) {
                for (std::int64_t x = 0; x < extents.x; ++x) {
                    use(Index{x, y, z});
                }
            }
        }
    }
    static Index moved(const Index& a, const Index& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    [[nodiscard]] std::size_t place(const Index& at) const {
        return static_cast<std::size_t>(at.z * m_slice + at.y * m_row + at.x);
    }

    Extents m_m;
    Extents m_out;
    std::int64_t m_row;
    std::int64_t m_slice;
    std::vector<Real> m_x;
    std::vector<Real> m_num;
    std::vector<float> m_value;
    std::vector<std::uint8_t> m_status;
    std::vector<float> m_bounds;
};

ScoreConstants constantsFor(const Extents& m) {
    ScoreConstants constants;
    constants.count = static_cast<double>(base::voxelCount(m));
    constants.suspicious = 4 * (16 + static_cast<double>(m.y + (m.z > 1 ? m.z : 0))) * 0x1p-53;
    constants.boundWorst = HUGE_VAL;
    constants.boundConstant = 4 * 0x1p-24;
    return constants;
}

/// The part of a tile that is dark or flat, from (40, 20) on, in volumes from (40, 20, 9).
bool inQuietPart(const Index& at, bool volume) {
    return at.x >= 40 && at.y >= 20 && (!volume || at.z >= 9);
}

} // namespace

/// Window sums run on from panel to panel; what they carry along must not show anywhere.
class SumsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    // Before the rows of the next function are made, which are for all sets.
    void cleanup() { cpu::simd::forceInstructionSet(""); }

    void darkPanelsAreScoredAsIfAlone_data() { addSetsAndExtents(); }

    /// Beside bright noise, noise 2^-8 to 2^-20 times as bright.
    void darkPanelsAreScoredAsIfAlone() {
        QFETCH(QString, set);
        QFETCH(Extents, m);
        QFETCH(Extents, out);
        cpu::simd::forceInstructionSet(set.toStdString());
        for (const int darkness : {8, 14, 20}) {
            test::Random random(static_cast<std::uint64_t>(darkness));
            Tile tile(m, out, [&](const Index& at) {
                const double noise = 2 * random.uniform() - 1;
                return inQuietPart(at, m.z > 1) ? std::ldexp(noise, -darkness) : noise;
            });
            const std::string fault =
                tile.judge(constantsFor(m), 0, [](const Index&) { return false; });
            QVERIFY2(fault.empty(), (std::to_string(darkness) + ": " + fault).c_str());
        }
    }

    void flatPanelsAreSuspiciousAsIfAlone_data() { addSetsAndExtents(); }

    void flatPanelsAreSuspiciousAsIfAlone() {
        QFETCH(QString, set);
        QFETCH(Extents, m);
        QFETCH(Extents, out);
        cpu::simd::forceInstructionSet(set.toStdString());
        test::Random random(5);
        Tile tile(m, out, [&](const Index& at) {
            const double noise = 2 * random.uniform() - 1;
            return inQuietPart(at, m.z > 1) ? 0.3 : noise;
        });
        const std::string fault =
            tile.judge(constantsFor(m), cpu::simd::kSuspicious,
                       [&](const Index& at) { return inQuietPart(at, m.z > 1); });
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void flatPanelsOfExactSumsAreFlat_data() { addSetsAndExtents(); }

    /// With so many digits, too, that sums of a row would not be exact any more; and panels of
    /// which one voxel is one step off are not flat.
    void flatPanelsOfExactSumsAreFlat() {
        QFETCH(QString, set);
        QFETCH(Extents, m);
        QFETCH(Extents, out);
        cpu::simd::forceInstructionSet(set.toStdString());
        const auto count = static_cast<double>(base::voxelCount(m));
        const int most = static_cast<int>(std::floor((53 - std::log2(count)) / 2));
        test::Thinned some(2);
        for (const int digits : {7, 15, most}) {
            if (!some.next()) {
                continue;
            }
            for (const bool nearly : {false, true}) {
                test::Random random(static_cast<std::uint64_t>(digits));
                const double unit = std::ldexp(1.0, digits);
                Tile tile(m, out, [&](const Index& at) {
                    const double noise = 2 * random.uniform() - 1;
                    const bool off =
                        nearly && at.x % m.x == 0 && at.y % m.y == 0 && at.z % m.z == 0;
                    return inQuietPart(at, m.z > 1) ? (unit - (off ? 2 : 1)) / unit
                                                    : std::nearbyint(noise * unit) / unit;
                });
                ScoreConstants constants = constantsFor(m);
                constants.exactSums = true;
                constants.exactVariance = count * count * unit * unit < 0x1p53;
                constants.unit = unit;
                constants.suspicious = 0x1p-20;
                const std::string fault = tile.judge(
                    constants, static_cast<std::uint8_t>(base::Status::Flat),
                    [&](const Index& at) { return !nearly && inQuietPart(at, m.z > 1); });
                QVERIFY2(fault.empty(), (std::to_string(digits) + ": " + fault).c_str());
            }
        }
    }

    void sumsOfOneColumnAreExact_data() { addSets(); }

    /// A window and the row that comes next have more counts than a double holds.
    void sumsOfOneColumnAreExact() {
        QFETCH(QString, set);
        cpu::simd::forceInstructionSet(set.toStdString());
        const Extents m{1, 1, 31};
        const double unit = 0x1p24;
        const auto isFlat = [](const Index& at) { return at.y == 4 || at.y == 7; };
        test::Random random(3);
        Tile tile(m, {1, 12, 9}, [&](const Index& at) {
            const double count = unit - 1 - static_cast<double>(random.below(2));
            const double sign = random.below(2) == 0 ? -1 : 1;
            return (isFlat(at) ? unit - 1 : sign * count) / unit;
        });
        ScoreConstants constants = constantsFor(m);
        constants.exactSums = true;
        constants.unit = unit;
        constants.suspicious = 0x1p-20;
        const std::string fault =
            tile.judge(constants, static_cast<std::uint8_t>(base::Status::Flat), isFlat);
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void aSmallPromiseIsKept_data() { addSets(); }

    /// One that doubles keep, but not what sums may carry along.
    void aSmallPromiseIsKept() {
        QFETCH(QString, set);
        cpu::simd::forceInstructionSet(set.toStdString());
        const Extents m{16, 16, 1};
        test::Random random(6);
        Tile<double> tile(m, {60, 40, 1}, [&](const Index&) { return 2 * random.uniform() - 1; });
        ScoreConstants constants = constantsFor(m);
        constants.boundConstant = 0x1p-24;
        constants.promise = 1e-7;
        const std::string fault = tile.judge(constants, 0, [](const Index&) { return false; });
        QVERIFY2(fault.empty(), fault.c_str());
    }

  private:
    static void addSets() {
        QTest::addColumn<QString>("set");
        for (const std::string& set : cpu::simd::instructionSets()) {
            QTest::newRow(set.c_str()) << QString::fromStdString(set);
        }
    }

    static void addSetsAndExtents() {
        QTest::addColumn<QString>("set");
        QTest::addColumn<Extents>("m");
        QTest::addColumn<Extents>("out");
        for (const std::string& set : cpu::simd::instructionSets()) {
            for (const auto& [m, out] :
                 std::vector<std::pair<Extents, Extents>>{{{16, 16, 1}, {150, 70, 1}},
                                                          {{3, 5, 1}, {67, 41, 1}},
                                                          {{1, 4, 1}, {131, 33, 1}},
                                                          {{4, 1, 1}, {131, 33, 1}},
                                                          {{5, 6, 7}, {55, 37, 21}},
                                                          {{9, 4, 1}, {51, 31, 2}}}) {
                const std::string name =
                    set + " " + base::toString(m) + " in " + base::toString(out);
                QTest::newRow(name.c_str()) << QString::fromStdString(set) << m << out;
            }
        }
    }
};

const flcc::test::TestClass<SumsTest> kSumsTest;
#include "sums_test.moc"
