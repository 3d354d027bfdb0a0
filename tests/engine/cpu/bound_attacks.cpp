#include "tests/engine/cpu/bound_attacks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "engine/cpu/simd/beam.h"
#include "engine/method/shared/fourier_bound.h"

namespace flcc::test {

namespace {

using namespace cpu::beam;
using base::Extents;
using method::shared::TileEnergy;

/// A value for each line of a beam.
using Values = std::array<double, kLines>;

constexpr std::int64_t kRows = 512;
constexpr std::int64_t kColumns = 8; // of the tile of one

Extents extentsOf(Along along, std::int64_t length) {
    return along == Along::X ? Extents{length, 1, 1} : Extents{1, length, 1};
}

/// kLines lines, what their transforms in float round off, and how far that is from the bound when
/// it is the template.
class Roundings {
  public:
    Roundings(Along along, std::int64_t length, std::int64_t window)
        : m_along(along), m_length(length), m_window(window), m_plan(length), m_exactPlan(length),
          m_line(size(), 0), m_single(size(), 0), m_exact(size(), 0), m_errors(size(), 0),
          m_templ(size(), 0), m_conjugates(size(), 0), m_spectrum(size(), 0), m_floats(size(), 0) {}

    void set(std::int64_t line, const std::vector<double>& values) {
        for (std::int64_t k = 0; k < m_length; ++k) {
            const double value = values[static_cast<std::size_t>(k)];
            m_line.data()[k * kElement + line] = value;
            // A single column is both halves of its beam; rows of spectra are real here.
            m_line.data()[k * kElement + kLines + line] = m_along == Along::Y ? value : 0;
        }
    }

    void transform() {
        copy(m_line, m_single);
        copy(m_line, m_exact);
        forward(m_plan, m_single.data(), kElement);
        forward(m_exactPlan, m_exact.data(), kElement);
        for (std::int64_t i = 0; i < m_exact.count(); ++i) {
            const auto single = static_cast<double>(m_single.data()[i]);
            m_errors.data()[i] = (single - m_exact.data()[i]) / static_cast<double>(m_length);
        }
        backward(m_exactPlan, m_errors.data(), kElement);
    }

    /// What is rounded off of a line at a point, after transform().
    [[nodiscard]] double at(std::int64_t line, std::int64_t point) const {
        return m_errors.data()[place(line, point)];
    }

    /// Of the correlation of every line with what is rounded off of it from `from` on: the error
    /// there, over its bound.
    [[nodiscard]] Values shares(std::int64_t from) {
        m_templ.fill(0);
        for (std::int64_t line = 0; line < kLines; ++line) {
            double sum = 0;
            double squares = 0;
            for (std::int64_t k = from; k < from + m_window; ++k) {
                sum += at(line, k);
                squares += at(line, k) * at(line, k);
            }
            const double mean = sum / static_cast<double>(m_window);
            const double norm = std::sqrt(squares - mean * sum);
            for (std::int64_t k = 0; k < m_window; ++k) {
                m_templ.data()[k * kElement + line] = (at(line, from + k) - mean) / norm;
            }
        }
        forwardConjugates(m_exactPlan, m_templ.data(), 1 / static_cast<double>(m_length),
                          m_conjugates.data());
        copy(m_conjugates, m_spectrum);
        backwardProduct(m_plan, m_single.data(), m_spectrum.data(), m_floats.data());
        backwardProduct(m_exactPlan, m_exact.data(), m_conjugates.data(), m_templ.data());
        Values shares{};
        for (std::int64_t line = 0; line < kLines; ++line) {
            const std::int64_t i = place(line, from);
            const double error =
                std::fabs(static_cast<double>(m_floats.data()[i]) - m_templ.data()[i]);
            shares[static_cast<std::size_t>(line)] =
                error /
                method::shared::fourierBound(m_along == Along::X ? Extents{m_length, kRows, 1}
                                                                 : Extents{kColumns, m_length, 1},
                                             extentsOf(m_along, m_window), energyOf(m_line, line),
                                             energyOf(m_templ, line), {})
                    .typical;
        }
        return shares;
    }

  private:
    template <class From, class To>
    static void copy(const base::Image<From>& from, base::Image<To>& to) {
        std::transform(from.data(), from.data() + from.count(), to.data(),
                       [](From value) { return static_cast<To>(value); });
    }

    [[nodiscard]] Extents size() const { return {m_length * kElement, 1, 1}; }
    [[nodiscard]] std::int64_t place(std::int64_t line, std::int64_t point) const {
        return point * kElement + (m_along == Along::Y ? kLines : 0) + line;
    }

    [[nodiscard]] TileEnergy energyOf(const base::Image<double>& beam, std::int64_t line) const {
        double total = 0;
        double largest = 0;
        for (std::int64_t k = 0; k < m_length; ++k) {
            const double square = std::pow(beam.data()[place(line, k)], 2);
            total += square;
            largest = std::max(largest, square);
        }
        TileEnergy energy = m_along == Along::X ? TileEnergy::ofLines(kRows, largest, total)
                                                : TileEnergy::ofLines(m_length, total, total);
        energy.countCrossing(m_along == Along::X ? m_length : kColumns,
                             m_along == Along::X ? total : largest);
        return energy;
    }

    Along m_along;
    std::int64_t m_length;
    std::int64_t m_window;
    Plan<float> m_plan;
    Plan<double> m_exactPlan;
    base::Image<double> m_line;
    base::Image<float> m_single; ///< spectra
    base::Image<double> m_exact;
    base::Image<double> m_errors;
    base::Image<double> m_templ;
    base::Image<double> m_conjugates;
    base::Image<float> m_spectrum;
    base::Image<float> m_floats;
};

/// Levels that repeat, times another height from one point on.
struct Stripes {
    std::vector<double> levels;
    std::int64_t step = 0;
    double height = 1;
};

class Climb {
  public:
    Climb(Along along, std::int64_t length, std::int64_t window, std::uint64_t seed)
        : m_random(seed), m_length(length), m_window(window), m_roundings(along, length, window) {
        const std::int64_t weak = std::min(2 * window, length / 2);
        for (std::int64_t i = 0; i < weak; ++i) {
            m_weak.push_back(std::round(100 * m_random.normal()));
        }
        m_best.levels.resize(static_cast<std::size_t>(2 + m_random.below(3)));
        std::generate(m_best.levels.begin(), m_best.levels.end(), [this] { return level(); });
    }

    void step() {
        std::vector<Stripes> candidates;
        for (std::int64_t i = 0; i < kLines; ++i) {
            candidates.push_back(i == 0 ? m_best : changed(m_best));
            m_roundings.set(i, line(candidates.back()));
        }
        m_roundings.transform();
        const Values shares = m_roundings.shares(window());
        const auto most = std::max_element(shares.begin(), shares.end());
        if (*most > m_most) {
            m_most = *most;
            m_best = candidates[static_cast<std::size_t>(most - shares.begin())];
        }
    }

    [[nodiscard]] std::vector<double> best() const { return line(m_best); }
    /// The first point of the window, in the middle.
    [[nodiscard]] std::int64_t window() const { return (m_length - m_window) / 2; }

  private:
    double level() {
        const auto size = static_cast<double>(20000 + m_random.below(45535));
        return m_random.below(2) == 0 ? -size : size;
    }

    Stripes changed(Stripes stripes) {
        for (std::int64_t changes = 1 + m_random.below(2); changes > 0; --changes) {
            double& any = stripes.levels[static_cast<std::size_t>(
                m_random.below(static_cast<std::int64_t>(stripes.levels.size())))];
            switch (m_random.below(8)) {
            case 0:
                stripes.step = m_random.below(m_length);
                break;
            case 1:
                stripes.height = 2 * m_random.uniform() - 1;
                break;
            case 2:
            case 3:
                any = level();
                break;
            default:
                any += static_cast<double>(m_random.below(401) - 200);
                break;
            }
        }
        return stripes;
    }

    /// Integers of mean 0, which nothing is taken off of.
    [[nodiscard]] std::vector<double> line(const Stripes& stripes) const {
        std::vector<double> made(static_cast<std::size_t>(m_length));
        const auto step = static_cast<std::size_t>(stripes.step);
        for (std::size_t i = 0, at = 0; i < made.size(); ++i) {
            made[i] = std::round((i < step ? 1 : stripes.height) * stripes.levels[at]);
            at = at + 1 < stripes.levels.size() ? at + 1 : 0;
        }
        const auto weak = static_cast<std::int64_t>(m_weak.size());
        const auto from = made.begin() + (m_length - weak) / 2;
        std::copy(m_weak.begin(), m_weak.end(), from);
        const double sum = std::accumulate(made.begin(), made.end(), 0.0);
        const double mean = std::round(sum / static_cast<double>(m_length - weak));
        const auto center = [mean](double value) { return value - mean; };
        std::transform(made.begin(), from, made.begin(), center);
        std::transform(from + weak, made.end(), from + weak, center);
        return made;
    }

    Random m_random;
    std::int64_t m_length;
    std::int64_t m_window;
    Roundings m_roundings;
    std::vector<double> m_weak;
    Stripes m_best;
    double m_most = 0;
};

/// What a bright point at each point of a line leaves at `target` when it is transformed in float
/// forward and back, in the mean over many phases.
std::vector<double> ghostsAt(std::int64_t length, std::int64_t target) {
    constexpr int kTurns = 8;
    const Plan<float> plan(length);
    base::Image<float> beam({length * kElement, 1, 1});
    base::Image<float> templ({length * kElement, 1, 1});
    Random random(5);
    std::vector<double> ghosts;
    for (std::int64_t x = 0; x < length; ++x) {
        double sum = 0;
        for (int turn = 0; turn < kTurns; ++turn) {
            beam.fill(0);
            std::array<std::complex<double>, kLines> phases;
            for (std::size_t i = 0; i < kLines; ++i) {
                const auto phase = [&] {
                    return std::polar(1.0, 2 * std::numbers::pi * random.uniform());
                };
                const std::complex<float> bright(phase());
                phases.at(i) = phase();
                const std::complex<float> factor(phases.at(i) / std::complex<double>(bright) /
                                                 static_cast<double>(length));
                float* const at = beam.data() + x * kElement + i;
                at[0] = bright.real();
                at[kLines] = bright.imag();
                for (std::int64_t k = 0; k < length; ++k) {
                    templ.data()[k * kElement + static_cast<std::int64_t>(i)] = factor.real();
                    templ.data()[k * kElement + kLines + static_cast<std::int64_t>(i)] =
                        factor.imag();
                }
            }
            correlate(plan, beam.data(), templ.data());
            for (std::size_t i = 0; i < kLines; ++i) {
                const float* const at = beam.data() + target * kElement + i;
                const std::complex<double> ghost(static_cast<double>(at[0]),
                                                 static_cast<double>(at[kLines]));
                sum += (ghost * std::conj(phases.at(i))).real();
            }
        }
        ghosts.push_back(sum);
    }
    return ghosts;
}

} // namespace

Submitted problemOfRoundings(Along along, const std::vector<double>& line, std::int64_t from,
                             std::int64_t to) {
    const auto length = static_cast<std::int64_t>(line.size());
    Roundings roundings(along, length, to - from);
    roundings.set(0, line);
    roundings.transform();
    const bool row = along == Along::X;
    const auto pointOf = [row](const base::Index& i) { return row ? i.x : i.y; };
    constexpr auto kType = base::PixelType::Float32;
    return {makeScene(kType, row ? Extents{length, kRows, 1} : Extents{1, length, 1},
                      [&](const base::Index& i) {
                          return row && i.y > 0 ? 0.0 : line[static_cast<std::size_t>(pointOf(i))];
                      }),
            makeScene(kType, extentsOf(along, to - from), [&](const base::Index& i) {
                return 0x1p10 * roundings.at(0, from + pointOf(i));
            })};
}

Submitted problemClimbed(Along along, std::int64_t length, std::int64_t window, int steps,
                         std::uint64_t seed) {
    Climb climb(along, length, window, seed);
    for (int i = 0; i < steps; ++i) {
        climb.step();
    }
    return problemOfRoundings(along, climb.best(), climb.window(), climb.window() + window);
}

Submitted problemOfGhosts(const base::Extents& extents, std::int64_t target) {
    constexpr std::uint32_t kSequence = 0x1D08F6DC; // hardly like itself when it is moved
    constexpr std::int64_t kLength = 32;
    constexpr std::int64_t kMargin = 4;
    const auto sequence = [](std::int64_t i) {
        return i >= 0 && i < kLength ? 2.0 * ((kSequence >> i) & 1U) - 1 : 0.0;
    };
    const std::vector<double> ghosts = ghostsAt(extents.x, target);
    const std::int64_t row = 2 * extents.y / 3;
    Random random(1);
    constexpr auto kType = base::PixelType::Float32;
    return {makeScene(kType, extents,
                      [&](const base::Index& i) {
                          const double match = 65535 * sequence(i.y - row);
                          const std::int64_t from = row - kMargin;
                          if (i.x != target) {
                              return ghosts[static_cast<std::size_t>(i.x)] > 0 ? match : -match;
                          }
                          return i.y >= from && i.y < from + kLength + 2 * kMargin
                                     ? std::round(500 * (random.uniform() - 0.5))
                                     : 0.0;
                      }),
            makeScene(kType, {1, kLength + 2 * kMargin, 1},
                      [&](const base::Index& i) { return sequence(i.y - kMargin); })};
}

} // namespace flcc::test
