#include <QtTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/cpu/score/edge_sums.h"
#include "engine/cpu/tile/mask_weights.h"
#include "tests/engine/cpu/masks.h"
#include "tests/support/extents_column.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;

namespace {

/// A tile that holds a whole scene, and its sums under a mask along the edges.
class EdgeSums {
  public:
    EdgeSums(const base::AnyImage& scene, const test::Mask& mask)
        : m_mask(mask), m_m(mask.extents()),
          m_n(base::extentsOf(scene)), m_out{m_n.x - m_m.x + 1, m_n.y - m_m.y + 1, m_n.z},
          m_x(m_n, 0.0F),
          m_sums({2 * cpu::simd::sumsRow(m_out.x) * m_out.y * m_out.z, 1, 1}, -7.0) {
        const base::AnyImage shape = test::noise(PixelType::Float32, m_m, 3);
        const method::CanonicalTemplate templ({base::viewOf(shape), mask.view()});
        const cpu::TransformShape points(Extents{64, 64, 1});
        m_weights = cpu::MaskWeights::of(templ, points, points, false);
        const cpu::simd::FloatBox box{m_x.data(), m_n.x, m_n.x * m_n.y};
        const cpu::CentredTile tile =
            cpu::loadCentred(base::viewOf(scene), {{}, m_n}, base::voxelCount(m_m), box);
        m_found = cpu::sumAlongEdges(*m_weights, tile, box, m_m, m_out,
                                     {m_sums.data(), cpu::simd::sumsRow(m_out.x), m_out.y});
    }

    [[nodiscard]] const cpu::MaskedSums& found() const { return m_found; }
    [[nodiscard]] const cpu::MaskEdges& edges() const { return *m_weights->edges(); }

    /// The largest error of D = s2 - s1^2 / W, less its bound.
    [[nodiscard]] double excess() const {
        double most = -1;
        for (std::int64_t i = 0; i < base::voxelCount(m_out); ++i) {
            const Index at{i % m_out.x, i / m_out.x % m_out.y, i / (m_out.x * m_out.y)};
            long double first = 0;
            long double second = 0;
            for (std::int64_t k = 0; k < m_mask.count(); ++k) {
                const long double x = m_x.view().at(at.x + k % m_m.x, at.y + k / m_m.x, at.z);
                first += m_mask.data()[k] != 0 ? x : 0;
                second += m_mask.data()[k] != 0 ? x * x : 0;
            }
            const double* const row =
                m_sums.data() + 2 * (at.z * m_out.y + at.y) * cpu::simd::sumsRow(m_out.x);
            const double s1 = row[at.x];
            const double s2 = row[cpu::simd::sumsRow(m_out.x) + at.x];
            const long double total = m_weights->total();
            const long double expected = second - first * first / total;
            const long double own =
                static_cast<long double>(s2) - static_cast<long double>(s1) * s1 / total;
            const long double bound =
                m_found.one + m_found.root * std::sqrt(s2) + m_found.square * s2;
            const bool exact = !m_found.whole || (first == s1 && second == s2);
            most =
                std::max(most, exact ? static_cast<double>(std::abs(own - expected) - bound) : 1.0);
        }
        return most;
    }

  private:
    const test::Mask& m_mask;
    Extents m_m;
    Extents m_n;
    Extents m_out;
    base::Image<float> m_x;
    base::Image<double> m_sums;
    std::shared_ptr<const cpu::MaskWeights> m_weights;
    cpu::MaskedSums m_found;
};

} // namespace

class EdgesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void sumsAlongEdgesAreThoseOfTheMask_data() {
        QTest::addColumn<Extents>("scene");
        QTest::addColumn<Extents>("templ");
        // One strip, two of different width, slices, fewer rows than are made together.
        for (const auto& [n, m] :
             std::vector<std::pair<Extents, Extents>>{{{60, 41, 1}, {16, 16, 1}},
                                                      {{551, 30, 1}, {29, 27, 1}},
                                                      {{40, 39, 3}, {17, 12, 1}},
                                                      {{25, 21, 1}, {24, 20, 1}},
                                                      {{30, 5, 1}, {9, 4, 1}}}) {
            QTest::newRow((base::toString(m) + " in " + base::toString(n)).c_str()) << n << m;
        }
    }

    void sumsAlongEdgesAreThoseOfTheMask() {
        QFETCH(Extents, scene);
        QFETCH(Extents, templ);
        std::vector<test::NamedMask> masks = test::masksFor(templ);
        masks.pop_back(); // all ones: no mask
        for (const double degrees : {5.0, 30.0, 45.0, 70.0}) {
            masks.push_back({"turned", test::turnedBox(templ, degrees)});
        }
        masks.push_back({"two voxels", test::maskOf(templ, [&](const Index& i) {
                             return i.x + 1 == templ.x && (i.y == 0 || i.y + 1 == templ.y);
                         })});
        for (const test::NamedMask& named : masks) {
            for (const PixelType type : {PixelType::UInt8, PixelType::Float32}) {
                const EdgeSums sums(test::texture(type, scene, 5), named.mask);
                QCOMPARE(sums.found().whole, type == PixelType::UInt8);
                const double excess = sums.excess();
                QVERIFY2(excess <= 0, (named.name + ": " + std::to_string(excess)).c_str());
            }
        }
    }

    // Else sums along edges would take as long as transforms in double.
    void edgesOfTurnedBoxesTakeAFewAdditions() {
        const Extents m{64, 64, 1};
        for (double degrees = 7.5; degrees < 90; degrees += 7.5) {
            const EdgeSums sums(test::noise(PixelType::UInt8, {65, 65, 1}, 1),
                                test::turnedBox(m, degrees));
            QVERIFY(sums.edges().runs() >= 64);
            QVERIFY2(sums.edges().additions() <= 44,
                     std::to_string(sums.edges().additions()).c_str());
        }
    }
};

const flcc::test::TestClass<EdgesTest> kEdgesTest;
#include "edges_test.moc"
