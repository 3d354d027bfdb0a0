#include "engine/method/operation_template.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "engine/base/error.h"
#include "engine/base/finite.h"
#include "engine/method/canonical.h"

namespace flcc::method {

namespace {

__extension__ using Int128 = __int128;

constexpr double kRealUnit = 0x1p-53;
/// Of long double, which has 64 bits here.
constexpr double kLongUnit = 0x1p-64;
static_assert(std::numeric_limits<long double>::digits == 64);

template <class T> constexpr bool kShortInteger = std::is_integral_v<T> && sizeof(T) <= 4;

bool isShortInteger(base::PixelType type) {
    using enum base::PixelType;
    return type != Float32 && type != Float64 && type != Int64 && type != UInt64;
}

/// A whole number, rounded once.
Bounded whole(Int128 value) {
    const auto nearest = static_cast<double>(value);
    // A number of 96 bits or more would not come back; its rounding is below one unit.
    const bool returns = std::abs(nearest) < 0x1p120;
    const Int128 back = returns ? static_cast<Int128>(nearest) : value;
    const Int128 lost = back > value ? back - value : value - back;
    return {nearest, returns ? static_cast<double>(lost) : std::abs(nearest) * kRealUnit};
}

/// The sums of whole numbers. `Sum` holds them exactly.
template <class Sum> struct WholeSums {
    Sum panel = 0;
    Sum templ = 0;
    Sum products = 0;
    Sum panelSquares = 0;
    Sum templSquares = 0;
    Sum squared = 0;
    Sum absolute = 0;
    std::int64_t count = 0;

    void add(std::int64_t p, std::int64_t t) {
        const Sum wide = p;
        const Sum other = t;
        const Sum difference = wide - other;
        panel += wide;
        templ += other;
        products += wide * other;
        panelSquares += wide * wide;
        templSquares += other * other;
        squared += difference * difference;
        absolute += difference < 0 ? -difference : difference;
        ++count;
    }

    [[nodiscard]] Quantities quantities() const {
        const Int128 n = count;
        const Bounded number = whole(n);
        const auto central = [&](Int128 of, Int128 a, Int128 b) {
            return whole(n * of - a * b) / number;
        };
        return {.products = whole(products),
                .panelSquares = whole(panelSquares),
                .templSquares = whole(templSquares),
                .covariance = central(products, panel, templ),
                .panelVariance = central(panelSquares, panel, panel),
                .templVariance = central(templSquares, templ, templ),
                .squaredDifferences = whole(squared),
                .absoluteDifferences = whole(absolute)};
    }
    /// Sum |P| + |T|, at least.
    [[nodiscard]] double magnitudes() const {
        const auto n = static_cast<double>(count);
        return std::sqrt(n * static_cast<double>(panelSquares)) +
               std::sqrt(n * static_cast<double>(templSquares));
    }
};

/// A sum in long double of terms that have up to three roundings of their own.
struct RealSum {
    long double value = 0;
    long double magnitude = 0;

    void add(long double term) {
        value += term;
        magnitude += std::abs(term);
    }
    /// The sum, rounded to double.
    [[nodiscard]] Bounded bounded(double count) const {
        const auto nearest = static_cast<double>(value);
        return {nearest, static_cast<double>(std::abs(value - static_cast<long double>(nearest)) +
                                             (count + 4) * kLongUnit * magnitude)};
    }
};

/// The mean, from the sum and the number of values or the sum of their weights. That of equal
/// values is exact, so that they have no variance: sums alone cannot tell them from a very low
/// contrast.
long double meanOf(const std::vector<long double>& values, const RealSum& sum, long double total) {
    const bool equal = std::all_of(values.begin(), values.end(),
                                   [&](long double one) { return one == values.front(); });
    return equal ? values.front() : sum.value / total;
}

/// The most that the exponents of both sides may differ in squares that are compared.
constexpr int kMostApart = 900;

/// Divides both sides by powers of two, so that their quantities are far from the limits of double.
ValueUnit scaled(Operation operation, std::vector<long double>& panel,
                 std::vector<long double>& templ) {
    const OperationTraits& traits = operation.traits();
    if (traits.byDefinition) {
        return {};
    }
    const auto exponentOf = [](const std::vector<long double>& values) {
        long double largest = 0;
        for (const long double value : values) {
            largest = std::max(largest, std::abs(value));
        }
        return unitExponent(largest);
    };
    int own = exponentOf(panel);
    int other = exponentOf(templ);
    int more = traits.isPure() ? 0 : own + other; // of the value
    if (traits.comparesSides) {
        // Beside a side that much larger, the other one only divides.
        const int apart = own - other;
        const int kept = std::clamp(apart, -kMostApart, kMostApart);
        const int common = commonExponent(operation, own, other);
        more = traits.isPure() ? std::abs(apart - kept) : 2 * common;
        const int divided = traits.isPure() ? apart - kept : 0;
        own = common + divided / 2;
        other = own - divided;
    }
    for (long double& value : panel) {
        value = std::ldexp(value, -own);
    }
    for (long double& value : templ) {
        value = std::ldexp(value, -other);
    }
    return ValueUnit::of(more);
}

/// Quantities of values that are no short integers, or have weights. `weights` is empty if all are
/// 1.
Quantities realQuantities(const std::vector<long double>& panel,
                          const std::vector<long double>& templ,
                          const std::vector<long double>& weights, double& magnitudes) {
    const bool weighted = !weights.empty();
    // The product with a weight is one more rounding.
    const double n = static_cast<double>(panel.size()) + (weighted ? 1 : 0);
    RealSum total;
    RealSum products;
    RealSum panelSquares;
    RealSum templSquares;
    RealSum squared;
    RealSum absolute;
    RealSum panels;
    RealSum templs;
    for (std::size_t i = 0; i < panel.size(); ++i) {
        const long double p = panel[i];
        const long double t = templ[i];
        const long double w = weighted ? weights[i] : 1;
        total.add(w);
        panels.add(w * p);
        templs.add(w * t);
        products.add(w * (p * t));
        panelSquares.add(w * (p * p));
        templSquares.add(w * (t * t));
        squared.add(w * ((p - t) * (p - t)));
        absolute.add(w * std::abs(p - t));
    }
    const long double panelMean = meanOf(panel, panels, total.value);
    const long double templMean = meanOf(templ, templs, total.value);
    RealSum covariance;
    RealSum panelVariance;
    RealSum templVariance;
    RealSum restOfPanel;
    RealSum restOfTempl;
    for (std::size_t i = 0; i < panel.size(); ++i) {
        const long double p = panel[i] - panelMean;
        const long double t = templ[i] - templMean;
        const long double w = weighted ? weights[i] : 1;
        restOfPanel.add(w * p);
        restOfTempl.add(w * t);
        covariance.add(w * (p * t));
        panelVariance.add(w * (p * p));
        templVariance.add(w * (t * t));
    }
    // The means are rounded; what that leaves is taken off.
    const Bounded p = restOfPanel.bounded(n);
    const Bounded t = restOfTempl.bounded(n);
    const Bounded count = weighted ? total.bounded(n) : Bounded{n, 0};
    magnitudes = static_cast<double>(panels.magnitude + templs.magnitude);
    return {.products = products.bounded(n),
            .panelSquares = panelSquares.bounded(n),
            .templSquares = templSquares.bounded(n),
            .covariance = covariance.bounded(n) - p * t / count,
            .panelVariance = panelVariance.bounded(n) - p * p / count,
            .templVariance = templVariance.bounded(n) - t * t / count,
            .squaredDifferences = squared.bounded(n),
            .absoluteDifferences = absolute.bounded(n)};
}

} // namespace

OperationTemplate::OperationTemplate(const MaskedView& templ, Operation operation)
    : m_extents(templ.extents()), m_type(base::pixelType(templ.pixels)) {
    requireUsableTemplate(templ, operation);
    const bool weighted = hasWeights(templ);
    std::visit(
        [&](const auto& pixels) {
            using T = std::remove_cvref_t<decltype(pixels.at(0, 0, 0))>;
            for (std::int64_t z = 0; z < m_extents.z; ++z) {
                for (std::int64_t y = 0; y < m_extents.y; ++y) {
                    for (std::int64_t x = 0; x < m_extents.x; ++x) {
                        if (templ.mask.data() != nullptr && templ.mask.at(x, y, z) == 0) {
                            continue;
                        }
                        m_support.push_back({x, y, z});
                        if (weighted) {
                            m_weights.push_back(templ.weights.at(x, y, z));
                        }
                        if constexpr (kShortInteger<T>) {
                            m_whole.push_back(pixels.at(x, y, z));
                        }
                        m_values.push_back(static_cast<long double>(pixels.at(x, y, z)));
                    }
                }
            }
        },
        templ.pixels);
}

bool OperationTemplate::isInteger(base::PixelType scene) const {
    return isShortInteger(scene) && isShortInteger(m_type) && !weighted();
}

double OperationTemplate::magnitude() const {
    long double sum = 0;
    for (std::size_t i = 0; i < m_values.size(); ++i) {
        sum += weight(i) * std::abs(m_values[i]);
    }
    return static_cast<double>(sum);
}

std::int64_t OperationTemplate::bytes(const base::Extents& templ, bool weighted) {
    return base::byteCount(templ, weighted ? 64 : 48);
}

OperationValue OperationTemplate::finish(Operation operation, const Quantities& of, bool isWhole,
                                         const ValueUnit& unit, double magnitudes) {
    const OperationTraits& traits = operation.traits();
    const Bounded found = traits.finish(of);
    OperationValue result;
    if (std::isnan(found.value)) {
        result.status = base::Status::Flat;
        return result;
    }
    constexpr double kMost = std::numeric_limits<double>::max();
    const bool pure = traits.isPure();
    const double value = unit.times(std::clamp(found.value, traits.lowest, traits.highest));
    const double scale = traits.byDefinition    ? magnitudes
                         : traits.comparesSides ? meanSquares(of)
                                                : productOfNorms(of);
    result.value = std::clamp(value, -kMost, kMost);
    result.bound = std::isfinite(value) ? unit.timesBound(boundOf(found)) : HUGE_VAL;
    result.scale = !std::isfinite(value) ? 0
                   : pure                ? std::max(1.0, std::abs(value))
                                         : std::min(unit.times(scale), kMost);
    result.status = isWhole ? base::Status::Ok : base::Status::Partial;
    return result;
}

template <class T>
OperationValue OperationTemplate::valueIn(Operation operation, const base::View<const T>& pixels,
                                          const MaskedView& scene, const base::Index& corner,
                                          Outside outside, double minOverlap) const {
    const base::Extents& n = pixels.extents();
    const bool within = base::contains(n, {corner, m_extents}) && scene.mask.data() == nullptr;
    const auto isInside = [&](const base::Index& at) {
        return within || (at.x >= 0 && at.x < n.x && at.y >= 0 && at.y < n.y && at.z >= 0 &&
                          at.z < n.z && (scene.mask.data() == nullptr || scene.mask.at(at) != 0));
    };
    std::int64_t inside = 0;
    bool finite = true;
    /// Calls `take(i, value)` for every voxel that counts.
    const auto visit = [&](const auto& take) {
        for (std::size_t i = 0; i < m_support.size(); ++i) {
            const base::Index at{corner.x + m_support[i].x, corner.y + m_support[i].y,
                                 corner.z + m_support[i].z};
            if (isInside(at)) {
                const T value = pixels.at(at);
                finite = finite && base::finite(value);
                ++inside;
                take(i, value);
            } else if (outside != Outside::Overlap) {
                take(i, T{0});
            }
        }
    };
    Quantities of;
    ValueUnit unit;
    double magnitudes = 0;
    bool known = false;
    if constexpr (kShortInteger<T>) {
        if (!m_whole.empty() && !weighted()) {
            // Products of 16-bit numbers have 32 bits; 2^29 of them fit into 64.
            const bool small = sizeof(T) <= 2 && base::bytesPerVoxel(m_type) <= 2 &&
                               count() < (std::int64_t{1} << 29);
            const auto sum = [&]<class Sum>(WholeSums<Sum> sums) {
                visit([&](std::size_t i, T value) { sums.add(value, m_whole[i]); });
                of = sums.quantities();
                magnitudes = sums.magnitudes();
            };
            small ? sum(WholeSums<std::int64_t>{}) : sum(WholeSums<Int128>{});
            known = true;
        }
    }
    if (!known) {
        thread_local std::vector<long double> panel;
        thread_local std::vector<long double> templ;
        thread_local std::vector<long double> weights;
        panel.clear();
        templ.clear();
        weights.clear();
        visit([&](std::size_t i, T value) {
            panel.push_back(static_cast<long double>(value));
            templ.push_back(m_values[i]);
            if (weighted()) {
                weights.push_back(m_weights[i]);
            }
        });
        if (finite && !panel.empty()) {
            unit = scaled(operation, panel, templ);
            of = realQuantities(panel, templ, weights, magnitudes);
        }
    }
    OperationValue result;
    if (!isScored(static_cast<double>(inside), static_cast<double>(count()), outside, minOverlap)) {
        result.status = base::Status::NotComputed;
        return result;
    }
    if (!finite) {
        result.status = base::Status::NonFinite;
        return result;
    }
    return finish(operation, of, inside == count(), unit, magnitudes);
}

OperationValue OperationTemplate::value(Operation operation, const MaskedView& scene,
                                        const base::Index& corner, Outside outside,
                                        double minOverlap) const {
    return std::visit(
        [&](const auto& pixels) {
            return valueIn(operation, pixels, scene, corner, outside, minOverlap);
        },
        scene.pixels);
}

} // namespace flcc::method
