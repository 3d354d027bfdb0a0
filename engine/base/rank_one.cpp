#include "engine/base/rank_one.h"

#include <cmath>
#include <cstddef>

namespace flcc::base {

namespace {

template <class Use> void forWeights(const View<const double>& weights, Use&& use) {
    const Extents& m = weights.extents();
    for (std::int64_t z = 0; z < m.z; ++z) {
        for (std::int64_t y = 0; y < m.y; ++y) {
            const double* const row = weights.row(y, z);
            for (std::int64_t x = 0; x < m.x; ++x) {
                use(static_cast<std::size_t>(x), static_cast<std::size_t>(y),
                    static_cast<std::size_t>(z), row[x]);
            }
        }
    }
}

double squareOf(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) {
        sum += value * value;
    }
    return sum;
}

} // namespace

RankOne rankOne(const View<const double>& weights, int rounds) {
    const Extents& m = weights.extents();
    RankOne fit;
    double largest = 0;
    Index at;
    forWeights(weights, [&](std::size_t x, std::size_t y, std::size_t z, double weight) {
        if (std::abs(weight) > largest) {
            largest = std::abs(weight);
            at = {static_cast<std::int64_t>(x), static_cast<std::int64_t>(y),
                  static_cast<std::int64_t>(z)};
        }
    });
    // In units of a power of two, so that squares neither overflow nor vanish.
    const double unit = std::exp2(std::ilogb(largest));
    std::vector<double>& a = fit.factors[0];
    std::vector<double>& b = fit.factors[1];
    std::vector<double>& c = fit.factors[2];
    for (std::int64_t x = 0; x < m.x; ++x) {
        a.push_back(weights.at(x, at.y, at.z) / unit);
    }
    for (std::int64_t y = 0; y < m.y; ++y) {
        b.push_back(weights.at(at.x, y, at.z) / weights.at(at));
    }
    for (std::int64_t z = 0; z < m.z; ++z) {
        c.push_back(weights.at(at.x, at.y, z) / weights.at(at));
    }
    // Exact products of small integers stay as they are: rounds would only round them.
    const auto measure = [&] {
        double difference = 0;
        double total = 0;
        fit.residualSum = 0;
        forWeights(weights, [&](std::size_t x, std::size_t y, std::size_t z, double weight) {
            const double miss = weight / unit - a[x] * b[y] * c[z];
            difference += miss * miss;
            total += weight / unit * (weight / unit);
            fit.residualSum += std::abs(miss);
        });
        fit.residual = std::sqrt(difference / total);
        fit.residualSum *= unit;
    };
    measure();
    for (int round = 0; round < rounds && fit.residual > 0x1p-53; ++round) {
        const RankOne before = fit;
        std::vector<double> next(a.size(), 0.0);
        forWeights(weights, [&](std::size_t x, std::size_t y, std::size_t z, double weight) {
            next[x] += weight / unit * b[y] * c[z];
        });
        for (double& value : next) {
            value /= squareOf(b) * squareOf(c);
        }
        a = next;
        next.assign(b.size(), 0.0);
        forWeights(weights, [&](std::size_t x, std::size_t y, std::size_t z, double weight) {
            next[y] += weight / unit * a[x] * c[z];
        });
        for (double& value : next) {
            value /= squareOf(a) * squareOf(c);
        }
        b = next;
        next.assign(c.size(), 0.0);
        forWeights(weights, [&](std::size_t x, std::size_t y, std::size_t z, double weight) {
            next[z] += weight / unit * a[x] * b[y];
        });
        for (double& value : next) {
            value /= squareOf(a) * squareOf(b);
        }
        c = next;
        measure();
        if (!(fit.residual < before.residual)) {
            fit = before;
            break;
        }
    }
    for (double& value : a) {
        value *= unit;
    }
    return fit;
}

} // namespace flcc::base
