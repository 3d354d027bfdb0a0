#include <QtTest>

#include <algorithm>
#include <array>
#include <complex>
#include <numbers>
#include <vector>

#include "engine/base/random.h"
#include "engine/method/shared/fourier_bound.h"

using namespace flcc;
using base::Extents;

namespace {

using Line = std::vector<std::complex<double>>;

double energyOf(const Line& line) {
    double sum = 0;
    for (const std::complex<double>& value : line) {
        sum += std::norm(value);
    }
    return sum;
}

Line spectrumOf(const Line& line) {
    Line spectrum(line.size());
    for (std::size_t k = 0; k < line.size(); ++k) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            const double turn = static_cast<double>(k * i) / static_cast<double>(line.size());
            spectrum[k] += line[i] * std::polar(1.0, -2 * std::numbers::pi * turn);
        }
    }
    return spectrum;
}

/// Values of a box, x fastest, line by line.
class Box {
  public:
    explicit Box(const Extents& extents)
        : m_lengths{static_cast<std::size_t>(extents.x), static_cast<std::size_t>(extents.y),
                    static_cast<std::size_t>(extents.z)},
          m_values(m_lengths[0] * m_lengths[1] * m_lengths[2]) {}

    std::complex<double>& at(const std::array<std::size_t, 3>& i) {
        return m_values[(i[2] * m_lengths[1] + i[1]) * m_lengths[0] + i[0]];
    }
    [[nodiscard]] std::size_t length(std::size_t axis) const { return m_lengths.at(axis); }
    [[nodiscard]] double energy() const { return energyOf(m_values); }

    /// line = use(line) of all that are parallel to an axis.
    template <class Use> void forLines(std::size_t axis, Use&& use) {
        const std::size_t step =
            axis == 0 ? 1 : (axis == 1 ? m_lengths[0] : m_lengths[0] * m_lengths[1]);
        for (std::size_t first = 0; first < m_values.size(); ++first) {
            if (first / step % length(axis) == 0) {
                Line line;
                for (std::size_t k = 0; k < length(axis); ++k) {
                    line.push_back(m_values[first + k * step]);
                }
                line = use(line);
                for (std::size_t k = 0; k < length(axis); ++k) {
                    m_values[first + k * step] = line[k];
                }
            }
        }
    }

  private:
    std::array<std::size_t, 3> m_lengths;
    Line m_values;
};

/// A template in a box of zeros, which varies along one axis, or along all for 3.
Box templateIn(const Extents& points, const Extents& m, std::size_t axis, base::Random& random) {
    Box box(points);
    std::vector<double> levels(static_cast<std::size_t>(std::max({m.x, m.y, m.z})));
    std::generate(levels.begin(), levels.end(), [&] { return random.uniform(-1.0, 1.0); });
    for (std::size_t z = 0; z < static_cast<std::size_t>(m.z); ++z) {
        for (std::size_t y = 0; y < static_cast<std::size_t>(m.y); ++y) {
            for (std::size_t x = 0; x < static_cast<std::size_t>(m.x); ++x) {
                const std::array<std::size_t, 3> at{x, y, z};
                box.at(at) = axis < 3 ? levels[at.at(axis)] : random.uniform(-1.0, 1.0);
            }
        }
    }
    return box;
}

/// The most energy that a line of the spectrum has, over the line's length and the energy of all.
double brightestLine(Box box) {
    const double norm2 = box.energy();
    for (std::size_t axis = 0; axis < 3; ++axis) {
        box.forLines(axis, spectrumOf);
    }
    double brightest = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        box.forLines(axis, [&](const Line& line) {
            if (line.size() > 1) {
                brightest =
                    std::max(brightest, energyOf(line) / static_cast<double>(line.size()) / norm2);
            }
            return line;
        });
    }
    return brightest;
}

} // namespace

class FourierBoundTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    // One of a template that varies along its shortest axis alone is as bright.
    void noLineOfATemplatesSpectrumIsBrighterThanTheGain() {
        constexpr std::array<Extents, 5> kTemplates{
            {{5, 4, 3}, {7, 1, 2}, {2, 6, 1}, {9, 1, 1}, {1, 5, 4}}};
        base::Random random(5);
        for (const Extents& m : kTemplates) {
            const Extents points{m.x + 3, m.y + 2, m.z > 1 ? m.z + 4 : 1};
            const double gain = method::shared::largestGain(points, m);
            double brightest = 0;
            for (std::size_t axis = 0; axis < 4; ++axis) {
                brightest = std::max(brightest, brightestLine(templateIn(points, m, axis, random)));
            }
            QVERIFY(brightest <= gain * gain * (1 + 1e-12));
            QVERIFY(brightest >= gain * gain * (1 - 1e-12));
        }
    }

    // A tile of bright voxels on few lines errs on these; where the template may see single lines
    // of the spectrum, all of the tile counts by as much.
    void boundsFollowTheBrighterOfLinesAndGain() {
        const Extents points{16, 8, 4};
        const auto of = [&](const Extents& m, double meanSquare, double total) {
            return method::shared::fourierBound(points, m, {meanSquare, total}, {}, {1, 1}).typical;
        };
        const double root = 3; // of log2 of 512
        QCOMPARE(of({2, 2, 2}, 1, 512), 8 * root);
        QCOMPARE(of({2, 2, 2}, 4, 512), 16 * root);
        QCOMPARE(of({8, 8, 4}, 1, 512), 8 * root * 4); // half of the root of 64
        QCOMPARE(of({8, 8, 4}, 100, 512), 80 * root);
    }
};

QTEST_APPLESS_MAIN(FourierBoundTest)
#include "fourier_bound_test.moc"
