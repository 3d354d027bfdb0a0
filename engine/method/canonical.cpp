#include "engine/method/canonical.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include "engine/base/error.h"
#include "engine/base/finite.h"
#include "engine/method/detail/support_differences.h"
#include "engine/method/detail/support_score.h"
#include "engine/method/detail/voxel.h"

namespace flcc::method {

namespace {

using base::View;

using detail::difference;
using detail::differencesUnder;
using detail::kLanes;
using detail::kUnitRoundoff;
using detail::maySpoilDifferences;
using detail::powerBelow;

template <class T> struct Vector { using Type [[gnu::vector_size(kLanes * sizeof(T))]] = T; };
using Lanes = Vector<double>::Type;

/// The sum of the lanes by one fixed tree of additions.
[[gnu::always_inline]] inline double total(const Lanes& sums) {
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
           ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

/// Eight 8-bit voxels as 32-bit integers. By shifts, since GCC would convert them one by one.
template <class T> [[gnu::always_inline]] inline Vector<std::int32_t>::Type widened(const T* row) {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
    std::uint32_t half[2];
    static_assert(sizeof(half) == kLanes);
    std::memcpy(half, row, sizeof(half));
    const Vector<std::uint32_t>::Type halves{half[0], half[0], half[0], half[0],
                                             half[1], half[1], half[1], half[1]};
    const auto above = halves << Vector<std::uint32_t>::Type{24, 16, 8, 0, 24, 16, 8, 0};
    return std::bit_cast<Vector<std::int32_t>::Type>(
        std::bit_cast<typename Vector<Wide>::Type>(above) >> 24);
}

/// difference() of eight neighbours along x.
template <class T>
[[gnu::always_inline]] inline Lanes differences(const T* row, T reference, double scale) {
    Lanes values;
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
        for (int i = 0; i < kLanes; ++i) {
            values[i] = difference(row[i], reference, scale);
        }
    } else if constexpr (sizeof(T) == 1) {
        values = __builtin_convertvector(widened(row) - std::int32_t{reference}, Lanes);
    } else {
        typename Vector<T>::Type pixels;
        std::memcpy(&pixels, row, sizeof(pixels));
        if constexpr (std::is_integral_v<T> && sizeof(T) < 4) {
            const auto wide = __builtin_convertvector(pixels, Vector<std::int32_t>::Type);
            values = __builtin_convertvector(wide - std::int32_t{reference}, Lanes);
        } else {
            values = __builtin_convertvector(pixels, Lanes);
            values = std::is_same_v<T, double>
                         ? values * scale - static_cast<double>(reference) * scale
                         : values - static_cast<double>(reference);
        }
    }
    return values;
}

/// The last voxels of a row, fewer than kLanes, filled up with `fill`; with the reference as `fill`
/// the added differences are 0.
template <class T> struct CutRow {
    T values[kLanes];
    [[gnu::always_inline]] CutRow(const T* row, std::int64_t count, T fill) {
        for (int i = 0; i < kLanes; ++i) {
            values[i] = i < count ? row[i] : fill;
        }
    }
};

/// The power of two that brings the magnitudes of a double panel near 1, so that no difference
/// or square overflows; 1 for other types.
template <class T> double scaleOf(const View<const T>& panel) {
    double largest = 0;
    if constexpr (std::is_same_v<T, double>) {
        const base::Extents& extents = panel.extents();
        for (std::int64_t z = 0; z < extents.z; ++z) {
            for (std::int64_t y = 0; y < extents.y; ++y) {
                const T* row = panel.row(y, z);
                for (std::int64_t x = 0; x < extents.x; ++x) {
                    largest = base::finite(row[x]) ? std::max(largest, std::abs(row[x])) : largest;
                }
            }
        }
    }
    return powerBelow(largest);
}

/// A `take` of look() that does nothing.
struct Nothing {
    [[gnu::always_inline]] void operator()(const Lanes&, std::int64_t, std::int64_t) const {}
};

/// Sum and largest magnitude of the differences of a panel's voxels to its first one. If a voxel is
/// NaN or Inf, so is the sum.
struct PanelFacts {
    double sum = 0;
    double largest = 0;
};

/// Computes the differences of all voxels to the first one, eight neighbours at a time, and their
/// facts. `take(values, count, from)` gets each eight: only the first `count` of them belong to the
/// row (all, if `count` is above 8), and `from` is the index of the first one, x fastest.
template <class T, class Take>
[[gnu::always_inline]] inline PanelFacts look(const View<const T>& panel, double scale,
                                              const Take& take) {
    const base::Extents& extents = panel.extents();
    const T first = panel.at(0, 0, 0);
    std::int64_t from = 0;
    Lanes sums{};
    Lanes largest{};
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y, from += extents.x) {
            const T* const row = panel.row(y, z);
            for (std::int64_t x = 0; x < extents.x; x += kLanes) {
                const std::int64_t left = extents.x - x;
                const Lanes values =
                    left >= kLanes
                        ? differences(row + x, first, scale)
                        : differences(CutRow<T>(row + x, left, first).values, first, scale);
                take(values, left, from + x);
                sums += values;
                const Lanes magnitudes = values < 0.0 ? -values : values;
                largest = magnitudes > largest ? magnitudes : largest;
            }
        }
    }
    PanelFacts facts{total(sums), 0};
    for (int i = 0; i < kLanes; ++i) {
        facts.largest = std::max(facts.largest, static_cast<double>(largest[i]));
    }
    return facts;
}

/// The canonical value of a panel that is a box inside the scene; NaN if it is FLAT or a voxel is
/// not finite.
template <class T>
[[gnu::always_inline]] inline double scoreBody(const View<const T>& panel,
                                               const View<const double>& that) {
    const base::Extents& extents = panel.extents();
    const double count = static_cast<double>(extents.x * extents.y * extents.z);
    const double scale = scaleOf(panel);
    const T first = panel.at(0, 0, 0);
    const PanelFacts facts = look(panel, scale, Nothing{});
    if (!(facts.largest > 0) || !std::isfinite(facts.sum)) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    // Differences may be far below the values of a double panel, so that their squares would
    // vanish. Scaling by a power of two is exact.
    const double zoom = std::is_same_v<T, double>
                            ? std::ldexp(1.0, std::min(1022, -std::ilogb(facts.largest)))
                            : 1.0;
    const double mean = facts.sum / count;
    Lanes inside{};
    for (int i = 0; i < kLanes; ++i) {
        inside[i] = i < extents.x % kLanes ? 1.0 : 0.0;
    }
    Lanes numerator{};
    Lanes squares{};
    Lanes rest{};
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            const T* const row = panel.row(y, z);
            const double* const weights = that.row(y, z);
            std::int64_t x = 0;
            for (; x + kLanes <= extents.x; x += kLanes) {
                Lanes weight;
                std::memcpy(&weight, weights + x, sizeof(weight));
                const Lanes values = (differences(row + x, first, scale) - mean) * zoom;
                rest += values;
                numerator += values * weight;
                squares += values * values;
            }
            if (x < extents.x) {
                Lanes weight;
                const CutRow<double> cut(weights + x, extents.x - x, 0.0);
                std::memcpy(&weight, cut.values, sizeof(weight));
                const Lanes values =
                    (differences(CutRow<T>(row + x, extents.x - x, first).values, first, scale) -
                     mean) *
                    zoom * inside;
                rest += values;
                numerator += values * weight;
                squares += values * values;
            }
        }
    }
    const double remainder = total(rest);
    const double variance = total(squares) - remainder * remainder / count;
    if (!(variance > 0)) {
        return 0;
    }
    return std::clamp(total(numerator) / std::sqrt(variance), -1.0, 1.0);
}

/// Calls `body` compiled for the widest vector registers of the machine. The arithmetic, and so the
/// result, is the same with each of them.
template <class Body>
[[gnu::target("avx512f,avx512dq,avx512vl")]] auto callAvx512(const Body& body) {
    return body();
}
template <class Body> [[gnu::target("avx2")]] auto callAvx2(const Body& body) { return body(); }
template <class Body> auto callWidest(const Body& body) {
    static const bool wide = __builtin_cpu_supports("avx512f") != 0 &&
                             __builtin_cpu_supports("avx512dq") != 0 &&
                             __builtin_cpu_supports("avx512vl") != 0;
    static const bool medium = __builtin_cpu_supports("avx2") != 0;
    return wide ? callAvx512(body) : medium ? callAvx2(body) : body();
}

template <class T> struct Scoring {
    View<const T> panel;
    View<const double> that;
    [[gnu::always_inline]] double operator()() const { return scoreBody(panel, that); }
};

/// Writes the differences of all voxels of a template to its first voxel to `values`.
template <class T> struct Differing {
    View<const T> templ;
    double* values;

    struct Store {
        double* to;
        [[gnu::always_inline]] void operator()(const Lanes& lanes, std::int64_t count,
                                               std::int64_t from) const {
            if (count >= kLanes) {
                std::memcpy(to + from, &lanes, sizeof(lanes));
                return;
            }
            for (std::int64_t i = 0; i < count; ++i) {
                to[from + i] = lanes[i];
            }
        }
    };
    [[gnu::always_inline]] PanelFacts operator()() const {
        return look(templ, scaleOf(templ), Store{values});
    }
};

/// The values of a template and its support, visited row by row in the fixed lanes.
struct Counted {
    base::Image<double>& values;
    const base::Image<std::uint8_t>& support; ///< empty: all values count

    /// Calls `use(lanes, at, count)` for each group of up to eight neighbours along x. `lanes`
    /// holds their values minus `less`, 0 outside the support; `at` is the index of the first one,
    /// `count` the number of them in the row.
    template <class Use> [[gnu::always_inline]] void forLanes(double less, const Use& use) const {
        const std::int64_t width = values.extents().x;
        for (std::int64_t start = 0; start < values.count(); start += width) {
            const double* const row = values.data() + start;
            const std::uint8_t* const inside = support.empty() ? nullptr : support.data() + start;
            for (std::int64_t x = 0; x < width; x += kLanes) {
                const std::int64_t count = std::min<std::int64_t>(kLanes, width - x);
                Lanes lanes{};
                if (count == kLanes && inside == nullptr) {
                    std::memcpy(&lanes, row + x, sizeof(lanes));
                    lanes -= less;
                } else {
                    for (std::int64_t i = 0; i < count; ++i) {
                        lanes[i] = inside == nullptr || inside[x + i] != 0 ? row[x + i] - less : 0;
                    }
                }
                use(lanes, start + x, count);
            }
        }
    }
};

/// A compensated sum: groups of kShort additions are joined with their rounding errors kept.
/// Without it, striped templates, which put values of one sign into a lane, would get a wrong mean.
class LongSum {
  public:
    [[gnu::always_inline]] void add(const Lanes& lanes) {
        m_short += lanes;
        if (++m_count == kShort) {
            join();
        }
    }
    [[gnu::always_inline]] double value() {
        join();
        return total(m_sums) + total(m_errors);
    }

  private:
    static constexpr int kShort = 8; // shared::kTemplateError counts the roundings of such a group
    Lanes m_short{};
    Lanes m_sums{};
    Lanes m_errors{};
    int m_count = 0;

    [[gnu::always_inline]] void join() {
        const Lanes sums = m_sums + m_short;
        const Lanes added = sums - m_sums;
        m_errors += (m_sums - (sums - added)) + (m_short - added);
        m_sums = sums;
        m_short = Lanes{};
        m_count = 0;
    }
};

struct Sums {
    double values = 0;
    double squares = 0;
};

/// Computes the sums of (value - less) and of its square over the support.
struct Summing {
    Counted counted;
    double less;

    [[gnu::always_inline]] Sums operator()() const {
        LongSum values;
        LongSum squares;
        counted.forLanes(less, [&](const Lanes& lanes, std::int64_t, std::int64_t) {
            values.add(lanes);
            squares.add(lanes * lanes);
        });
        return {values.value(), squares.value()};
    }
};

/// Replaces every value of the support by (value - less - rest) * scale.
struct Normalising {
    Counted counted;
    double less;
    double rest;
    double scale;

    [[gnu::always_inline]] void operator()() const {
        counted.forLanes(less, [&](const Lanes& lanes, std::int64_t at, std::int64_t count) {
            const Lanes values = (lanes - rest) * scale;
            double* const to = counted.values.data() + at;
            if (count == kLanes && counted.support.empty()) {
                std::memcpy(to, &values, sizeof(values));
                return;
            }
            for (std::int64_t i = 0; i < count; ++i) {
                if (counted.support.empty() || counted.support.data()[at + i] != 0) {
                    to[i] = values[i];
                }
            }
        });
    }
};

/// True if an operation divides by a sum that is 0 for a template of zeros, or for a constant one.
bool isUndefinedFor(Operation operation, bool zeros) {
    Quantities of;
    of.panelSquares = of.panelVariance = of.squaredDifferences = {1, 0};
    of.products = of.templSquares = {zeros ? 0.0 : 1.0, 0};
    return std::isnan(operation.traits().finish(of).value);
}

} // namespace

void requireUsableTemplate(const MaskedView& templ, Operation operation) {
    using base::Error;
    using base::ErrorCode;
    const base::Extents extents = templ.extents();
    const bool masked = isMasked(templ);
    const std::string under = masked ? " under its mask" : "";
    if (const std::int64_t count = supportCount(templ); count < 2) {
        throw Error(ErrorCode::Problem, "template " + base::toString(extents) + " has " +
                                            (count == 0 ? "no voxel" : "one voxel") + under +
                                            "; a score needs at least two");
    }
    std::visit(
        [&](const auto& view) {
            auto first = view.at(0, 0, 0);
            bool any = !masked;
            bool differs = false;
            const auto look = [&](const auto* row, std::int64_t y, std::int64_t z, auto&& counts) {
                bool usable = true;
                bool other = false;
                const auto known = first; // a local copy, which the compiler can keep in a register
                for (std::int64_t x = 0; x < extents.x; ++x) {
                    usable &= !counts(x) || base::finite(row[x]);
                    other |= counts(x) && row[x] != known;
                }
                differs = differs || other;
                for (std::int64_t x = 0; !usable && x < extents.x; ++x) {
                    if (counts(x) && !base::finite(row[x])) {
                        throw Error(ErrorCode::Problem,
                                    "template holds a NaN or infinite value at voxel " +
                                        base::toString(base::Index{x, y, z}));
                    }
                }
            };
            for (std::int64_t z = 0; z < extents.z; ++z) {
                for (std::int64_t y = 0; y < extents.y; ++y) {
                    const auto* const row = view.row(y, z);
                    if (!masked) {
                        look(row, y, z, [](std::int64_t) { return true; });
                        continue;
                    }
                    const std::uint8_t* const mask = templ.mask.row(y, z);
                    for (std::int64_t x = 0; !any && x < extents.x; ++x) {
                        any = mask[x] != 0;
                        first = any ? row[x] : first;
                    }
                    look(row, y, z, [&](std::int64_t x) { return mask[x] != 0; });
                }
            }
            if (!differs && !operation.traits().hasRowScorer) {
                const bool ever = isUndefinedFor(operation, false);
                if (ever || (first == 0 && isUndefinedFor(operation, true))) {
                    throw Error(ErrorCode::Problem,
                                "template " + base::toString(extents) +
                                    (ever ? " is constant" : " is 0 everywhere") + under +
                                    ", so operation " + std::string(name(operation)) +
                                    " has no value; choose another place or operation");
                }
            } else if (!differs) {
                throw Error(ErrorCode::Problem, "template " + base::toString(extents) +
                                                    " is constant" + under + " (value " +
                                                    std::to_string(static_cast<double>(first)) +
                                                    "); choose a place with contrast");
            }
        },
        templ.pixels);
}

CanonicalTemplate::CanonicalTemplate(const MaskedView& templ) {
    const bool masked = isMasked(templ);
    m_values = base::Image<double>(templ.extents());
    PanelFacts facts;
    if (!masked) {
        facts = std::visit(
            [&](const auto& view) {
                using T = std::remove_cvref_t<decltype(view.at(0, 0, 0))>;
                return callWidest(Differing<T>{view, m_values.data()});
            },
            templ.pixels);
    }
    if (!(facts.largest > 0) || !std::isfinite(facts.sum)) { // masked, or not usable
        requireUsableTemplate(templ);
    }
    m_count = supportCount(templ);
    const Counted counted{m_values, m_support};
    double* const values = m_values.data();
    double* const end = values + m_values.count();
    const auto differ = [&](double by) {
        std::visit([&](const auto& view) { differencesUnder(view, m_support, by, m_values); },
                   templ.pixels);
    };
    if (masked && hasWeights(templ)) {
        setSupport(templ);
        setWeighted(templ);
        return;
    }
    if (masked) {
        setSupport(templ);
        differ(0);
        facts.sum = callWidest(Summing{counted, 0}).values;
    }
    // Double differences may be so small that their squares would vanish; other types cannot.
    const auto enlarge = [&] {
        double largest = 0;
        std::for_each(values, end, [&](double v) { largest = std::max(largest, std::abs(v)); });
        const double scale = std::ldexp(1.0, std::min(1022, -std::ilogb(largest)));
        std::for_each(values, end, [&](double& v) { v *= scale; });
        return scale;
    };
    const base::PixelType type = base::pixelType(templ.pixels);
    const double scale = type == base::PixelType::Float64 ? enlarge() : 1.0;
    // The mean is subtracted twice: the first one has a rounding error, which the second removes.
    const auto count = static_cast<double>(m_count);
    double mean = facts.sum * scale / count;
    Sums sums = callWidest(Summing{counted, mean});
    if (mean * mean * count > 15 * sums.squares && maySpoilDifferences(type)) {
        // The first voxel is far from the others, so the differences to it have large rounding
        // errors. Take differences to a value near the mean instead.
        differ(mean / scale);
        if (type == base::PixelType::Float64) {
            enlarge();
        }
        mean = callWidest(Summing{counted, 0}).values / count;
        sums = callWidest(Summing{counted, mean});
    }
    const double rest = sums.values / count;
    const double norm = std::sqrt(sums.squares - sums.values * rest);
    callWidest(Normalising{counted, mean, rest, 1 / norm});
}

void CanonicalTemplate::setSupport(const MaskedView& templ) {
    m_support = base::Image<std::uint8_t>(templ.extents());
    const base::Extents& extents = templ.mask.extents();
    for (std::int64_t row = 0, at = 0; at < m_support.count(); ++row, at += extents.x) {
        const std::uint8_t* const mask = templ.mask.row(row % extents.y, row / extents.y);
        std::transform(mask, mask + extents.x, m_support.data() + at,
                       [](std::uint8_t inside) { return inside != 0 ? 1 : 0; });
    }
}

double canonicalScore(const MaskedView& scene, const CanonicalTemplate& templ,
                      const base::Index& corner, Outside outside) {
    return canonicalValue(scene, templ, corner, outside).score;
}

CanonicalValue canonicalValue(const MaskedView& scene, const CanonicalTemplate& templ,
                              const base::Index& corner, Outside outside) {
    if (!detail::isWholeBox(scene, templ, corner)) {
        return detail::supportValue(scene, templ, corner, outside);
    }
    const double score = std::visit(
        [&](const auto& view) {
            using T = std::remove_cvref_t<decltype(view.at(0, 0, 0))>;
            return callWidest(
                Scoring<T>{view.part({corner, templ.extents()}), templ.values().view()});
        },
        scene.pixels);
    const bool scored = !std::isnan(score);
    return {scored ? score : 0.0, canonicalBound(templ.count()), scored};
}

double canonicalBound(std::int64_t count) {
    return (2.0 * static_cast<double>(count) + 16.0) * kUnitRoundoff;
}

} // namespace flcc::method
