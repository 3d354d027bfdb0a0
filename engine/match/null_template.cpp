#include "engine/match/null_template.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>
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
    constexpr std::array<std::string_view, 4> kNames{"none", "mirror", "phase", "sphere"};
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

namespace {

base::Image<float> ballOf(const base::Extents& extents, const base::Point& centre,
                          const base::Point& edges, double radius, bool slices) {
    base::Image<float> made(extents);
    for (std::int64_t z = 0; z < extents.z; ++z) {
        const double dz = slices ? 0 : (static_cast<double>(z) - centre[2]) * edges[2];
        for (std::int64_t y = 0; y < extents.y; ++y) {
            const double dy = (static_cast<double>(y) - centre[1]) * edges[1];
            for (std::int64_t x = 0; x < extents.x; ++x) {
                const double dx = (static_cast<double>(x) - centre[0]) * edges[0];
                const double inside = radius + 0.5 - std::sqrt(dx * dx + dy * dy + dz * dz);
                made.view().at(x, y, z) = static_cast<float>(std::clamp(inside, 0.0, 1.0));
            }
        }
    }
    return made;
}

/// Calls `take` with the place of every voxel of a support.
template <class Take>
void forSupport(const base::Extents& n, const base::View<const std::uint8_t>& support,
                const Take& take) {
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                if (support.data() == nullptr || support.at(x, y, z) != 0) {
                    take(x, y, z);
                }
            }
        }
    }
}

/// Of the squared differences from the mean under the support.
base::Point massCentre(const base::View<const double>& image,
                       const base::View<const std::uint8_t>& support) {
    const base::Extents& n = image.extents();
    double count = 0;
    double total = 0;
    forSupport(n, support, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        count += 1;
        total += image.at(x, y, z);
    });
    double mass = 0;
    base::Point sum{0, 0, 0};
    forSupport(n, support, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        const double off = image.at(x, y, z) - total / count;
        mass += off * off;
        sum[0] += off * off * static_cast<double>(x);
        sum[1] += off * off * static_cast<double>(y);
        sum[2] += off * off * static_cast<double>(z);
    });
    if (mass > 0) {
        return {sum[0] / mass, sum[1] / mass, sum[2] / mass};
    }
    return {static_cast<double>(n.x - 1) / 2, static_cast<double>(n.y - 1) / 2,
            static_cast<double>(n.z - 1) / 2};
}

} // namespace

Ball ballLike(const base::View<const double>& image, const base::View<const std::uint8_t>& support,
              const base::Point& edges, bool slices) {
    const base::Extents& n = image.extents();
    const base::Point middle{static_cast<double>(n.x - 1) / 2, static_cast<double>(n.y - 1) / 2,
                             static_cast<double>(n.z - 1) / 2};
    const double longest =
        std::max({static_cast<double>(n.x) * edges[0], static_cast<double>(n.y) * edges[1],
                  slices ? 0 : static_cast<double>(n.z) * edges[2]});
    Ball best;
    for (const base::Point& centre : {middle, massCentre(image, support)}) {
        for (double radius = 0.5; radius <= longest / 2; radius += 0.5) {
            base::Image<float> ball = ballOf(n, centre, edges, radius, slices);
            base::Image<double> values(n);
            std::copy(ball.data(), ball.data() + ball.count(), values.data());
            const double alike = correlation(image, values.view(), support);
            if (std::abs(alike) > std::abs(best.correlation) || best.image.count() == 0) {
                best = {std::move(ball), radius, alike};
            }
        }
    }
    return best;
}

double correlation(const base::View<const double>& a, const base::View<const double>& b,
                   const base::View<const std::uint8_t>& support) {
    double n = 0, sumA = 0, sumB = 0;
    forSupport(a.extents(), support, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        n += 1;
        sumA += a.at(x, y, z);
        sumB += b.at(x, y, z);
    });
    double squaresA = 0, squaresB = 0, products = 0;
    forSupport(a.extents(), support, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        const double p = a.at(x, y, z) - sumA / n;
        const double q = b.at(x, y, z) - sumB / n;
        squaresA += p * p;
        squaresB += q * q;
        products += p * q;
    });
    const double norm = std::sqrt(squaresA * squaresB);
    return norm > 0 ? products / norm : 0;
}

} // namespace flcc::match
