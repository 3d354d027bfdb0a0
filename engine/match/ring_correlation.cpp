#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "engine/match/panels.h"

namespace flcc::match {

namespace {

using Complex = std::complex<double>;

/// The discrete Fourier transform along one axis by its definition, for lines of any length.
void transformLines(std::vector<Complex>& values, std::int64_t length, std::int64_t stride,
                    const std::stop_token& stop) {
    if (length == 1) {
        return;
    }
    std::vector<Complex> roots;
    for (std::int64_t k = 0; k < length; ++k) {
        roots.push_back(std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) /
                                            static_cast<double>(length)));
    }
    const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
    std::vector<Complex> line(at(length));
    const auto count = static_cast<std::int64_t>(values.size());
    for (std::int64_t block = 0; block < count; block += length * stride) {
        for (std::int64_t first = block; first < block + stride; ++first) {
            if (stop.stop_requested()) {
                return;
            }
            for (std::int64_t k = 0; k < length; ++k) {
                Complex sum = 0;
                std::int64_t turn = 0; // k * i modulo the length
                for (std::int64_t i = 0; i < length; ++i) {
                    const Complex& value = values[at(first + i * stride)];
                    const Complex& root = roots[at(turn)];
                    sum += Complex(value.real() * root.real() - value.imag() * root.imag(),
                                   value.real() * root.imag() + value.imag() * root.real());
                    turn += k;
                    turn -= turn >= length ? length : 0;
                }
                line[at(k)] = sum;
            }
            for (std::int64_t k = 0; k < length; ++k) {
                values[at(first + k * stride)] = line[at(k)];
            }
        }
    }
}

/// The frequency of number `k` of `length`, cycles a voxel, from -1/2 to 1/2.
double frequencyOf(std::int64_t k, std::int64_t length) {
    return static_cast<double>(2 * k > length ? k - length : k) / static_cast<double>(length);
}

std::optional<double> resolutionOf(const RingCorrelation& rings) {
    for (std::size_t r = 1; r < rings.correlation.size(); ++r) {
        const double here = rings.correlation[r];
        if (here < kRingThreshold) {
            const double before = rings.correlation[r - 1];
            const double share =
                r > 1 && before > here ? (before - kRingThreshold) / (before - here) : 1;
            const double step = rings.frequency[r] - rings.frequency[r - 1];
            return 1 / (rings.frequency[r - 1] + std::clamp(share, 0.0, 1.0) * step);
        }
    }
    return {};
}

} // namespace

RingCorrelation ringCorrelation(const base::View<const double>& first,
                                const base::View<const double>& second,
                                const std::stop_token& stop) {
    const base::Extents& n = first.extents();
    // The transform of first + i second holds both: theirs are its parts with each symmetry.
    std::vector<Complex> both;
    both.reserve(static_cast<std::size_t>(base::voxelCount(n)));
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                both.emplace_back(first.at(x, y, z), second.at(x, y, z));
            }
        }
    }
    transformLines(both, n.x, 1, stop);
    transformLines(both, n.y, n.x, stop);
    transformLines(both, n.z, n.x * n.y, stop);

    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t edge : {n.x, n.y, n.z}) {
        least = edge > 1 ? std::min(least, edge) : least;
    }
    if (least == std::numeric_limits<std::int64_t>::max()) {
        least = 1;
    }
    const auto rings = static_cast<std::size_t>(least / 2 + 1);
    std::vector<double> products(rings, 0);
    std::vector<double> firstPower(rings, 0);
    std::vector<double> secondPower(rings, 0);
    const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) -> const Complex& {
        return both[static_cast<std::size_t>((z * n.y + y) * n.x + x)];
    };
    for (std::int64_t z = 0; z < n.z && !stop.stop_requested(); ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                const double frequency =
                    std::hypot(frequencyOf(x, n.x), frequencyOf(y, n.y), frequencyOf(z, n.z));
                const auto ring =
                    static_cast<std::size_t>(std::llround(frequency * static_cast<double>(least)));
                if (ring >= rings) {
                    continue;
                }
                const Complex here = at(x, y, z);
                const Complex mirrored =
                    std::conj(at((n.x - x) % n.x, (n.y - y) % n.y, (n.z - z) % n.z));
                const Complex one = (here + mirrored) / 2.0;
                const Complex other = (here - mirrored) / Complex(0, 2);
                products[ring] += one.real() * other.real() + one.imag() * other.imag();
                firstPower[ring] += std::norm(one);
                secondPower[ring] += std::norm(other);
            }
        }
    }
    RingCorrelation result;
    for (std::size_t r = 0; r < rings; ++r) {
        const double power = std::sqrt(firstPower[r]) * std::sqrt(secondPower[r]);
        result.frequency.push_back(static_cast<double>(r) / static_cast<double>(least));
        result.correlation.push_back(power > 0 ? products[r] / power
                                               : std::numeric_limits<double>::quiet_NaN());
    }
    result.resolution = resolutionOf(result);
    return result;
}

} // namespace flcc::match
