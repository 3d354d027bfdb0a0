#include "engine/match/null_template.h"

#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "engine/base/random.h"

namespace flcc::match {

namespace {

using Spectrum = std::vector<std::complex<double>>;

/// The discrete Fourier transform of all lines of one axis, by its definition; sign = -1 forward.
void transform(Spectrum& data, std::int64_t length, std::int64_t step, double sign) {
    if (length == 1) {
        return;
    }
    const auto n = static_cast<std::size_t>(length);
    const auto by = static_cast<std::size_t>(step);
    Spectrum roots(n);
    for (std::size_t i = 0; i < n; ++i) {
        roots[i] = std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(i) /
                                       static_cast<double>(n));
    }
    Spectrum line(n);
    for (std::size_t block = 0; block < data.size(); block += n * by) {
        for (std::size_t first = block; first < block + by; ++first) {
            for (std::size_t k = 0; k < n; ++k) {
                std::complex<double> sum = 0;
                for (std::size_t i = 0; i < n; ++i) {
                    sum += data[first + i * by] * roots[i * k % n];
                }
                line[k] = sum;
            }
            for (std::size_t k = 0; k < n; ++k) {
                data[first + k * by] = line[k];
            }
        }
    }
}

void transform(Spectrum& data, const base::Extents& extents, double sign) {
    transform(data, extents.x, 1, sign);
    transform(data, extents.y, extents.x, sign);
    transform(data, extents.z, extents.x * extents.y, sign);
}

/// The phases of the spectrum of real noise, so that the result is real.
void scramble(Spectrum& data, const base::Extents& extents, base::Random& random) {
    Spectrum noise(data.size());
    for (std::complex<double>& value : noise) {
        value = random.normal();
    }
    transform(noise, extents, -1);
    transform(data, extents, -1);
    for (std::size_t i = 1; i < data.size(); ++i) { // 0 is the sum, which stays
        const double size = std::abs(noise[i]);
        data[i] = size > 0 ? std::abs(data[i]) * noise[i] / size : std::abs(data[i]);
    }
    transform(data, extents, 1);
}

} // namespace

std::string_view name(NullTemplate null) {
    constexpr std::array<std::string_view, 3> kNames{"none", "mirror", "phase"};
    return kNames[static_cast<std::size_t>(null)];
}

base::Image<float> phaseScrambled(const base::View<const double>& image, std::uint64_t seed,
                                  bool slices) {
    const base::Extents& all = image.extents();
    const base::Extents part{all.x, all.y, slices ? 1 : all.z};
    base::Image<float> made(all);
    base::Random random(seed);
    for (std::int64_t from = 0; from < all.z; from += part.z) {
        Spectrum data;
        for (std::int64_t z = from; z < from + part.z; ++z) {
            for (std::int64_t y = 0; y < all.y; ++y) {
                for (std::int64_t x = 0; x < all.x; ++x) {
                    data.emplace_back(image.at(x, y, z));
                }
            }
        }
        scramble(data, part, random);
        float* const out = made.data() + from * all.x * all.y;
        for (std::size_t i = 0; i < data.size(); ++i) {
            out[i] = static_cast<float>(data[i].real() / static_cast<double>(data.size()));
        }
    }
    return made;
}

double correlation(const base::View<const double>& a, const base::View<const double>& b,
                   const base::View<const std::uint8_t>& support) {
    double n = 0, sumA = 0, sumB = 0;
    const base::Extents& extents = a.extents();
    const auto each = [&](const auto& take) {
        for (std::int64_t z = 0; z < extents.z; ++z) {
            for (std::int64_t y = 0; y < extents.y; ++y) {
                for (std::int64_t x = 0; x < extents.x; ++x) {
                    if (support.data() == nullptr || support.at(x, y, z) != 0) {
                        take(a.at(x, y, z), b.at(x, y, z));
                    }
                }
            }
        }
    };
    each([&](double p, double q) {
        n += 1;
        sumA += p;
        sumB += q;
    });
    double squaresA = 0, squaresB = 0, products = 0;
    each([&](double p, double q) {
        squaresA += (p - sumA / n) * (p - sumA / n);
        squaresB += (q - sumB / n) * (q - sumB / n);
        products += (p - sumA / n) * (q - sumB / n);
    });
    const double norm = std::sqrt(squaresA * squaresB);
    return norm > 0 ? products / norm : 0;
}

} // namespace flcc::match
