#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_set>

#include "engine/base/error.h"
#include "engine/features/detail/levels.h"

namespace flcc::features::detail {

namespace {

constexpr std::int64_t kRowsATile = 4 * kLines;

/// Extremes of a part of the image, and the first voxel without a finite value.
struct Found {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    std::int64_t row = std::numeric_limits<std::int64_t>::max();
    std::int64_t x = 0;
    std::int64_t bad = 0;
};

void look(const double* values, std::int64_t count, std::int64_t row, Found& found) {
    for (std::int64_t x = 0; x < count; ++x) {
        const double value = values[x];
        if (!std::isfinite(value)) {
            ++found.bad;
            if (row < found.row) {
                found.row = row;
                found.x = x;
            }
            continue;
        }
        found.low = std::min(found.low, value);
        found.high = std::max(found.high, value);
    }
}

[[noreturn]] void refuseNonFinite(const Found& found, const base::Extents& n) {
    const base::Index at{found.x, found.row % n.y, found.row / n.y};
    throw base::Error(
        base::ErrorCode::Problem,
        std::to_string(found.bad) + " voxels of the image are NaN or infinite, the first at " +
            base::toString(at) + "; features needs finite values everywhere, replace them first");
}

/// Calls `look(values, row, found)` for every row of a channel. False if cancelled.
template <class Part, class Look>
bool forRows(const ChannelImage& image, int channel, base::TilePool& pool,
             const std::stop_token& stop, std::vector<Part>& parts, const Look& look_) {
    const base::Extents n = image.extents();
    const std::int64_t rows = n.y * n.z;
    const auto threads = static_cast<std::size_t>(pool.threads());
    std::vector<std::vector<double>> buffers(threads,
                                             std::vector<double>(static_cast<std::size_t>(n.x)));
    parts.resize(threads);
    return pool.run((rows + kRowsATile - 1) / kRowsATile,
                    [&](std::int64_t tile, int worker) {
                        const auto own = static_cast<std::size_t>(worker);
                        for (std::int64_t row = tile * kRowsATile;
                             row < std::min(rows, (tile + 1) * kRowsATile); ++row) {
                            image.row(channel, row % n.y, row / n.y, buffers[own].data());
                            look_(buffers[own].data(), row, parts[own]);
                        }
                    },
                    stop);
}

/// The bits of a number as an integer of the same order.
std::uint64_t keyOf(double value) {
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
    const auto bits = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

double valueOf(std::uint64_t key) {
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
    return std::bit_cast<double>((key & kSign) != 0 ? key & ~kSign : ~key);
}

/// Finds the values of two ranks, digit by digit of their keys. They do not depend on the order of
/// the voxels.
class Quantiles {
  public:
    Quantiles(std::int64_t low, std::int64_t high) : m_rank{low, high} {}

    [[nodiscard]] bool find(const ChannelImage& image, int channel, base::TilePool& pool,
                            const std::stop_token& stop) {
        for (int shift = 64 - kBits; shift > -kBits; shift -= kBits) {
            const int by = std::max(shift, 0);
            const int taken = shift + kBits; // bits below those that are known
            std::vector<Counts> parts;
            if (!forRows(image, channel, pool, stop, parts,
                         [&](const double* values, std::int64_t, Counts& counts) {
                             count(values, image.extents().x, by, taken, counts);
                         })) {
                return false;
            }
            for (std::size_t side = 0; side < 2; ++side) {
                choose(parts, side, by, taken);
            }
        }
        return true;
    }
    [[nodiscard]] double low() const { return valueOf(m_key[0]); }
    [[nodiscard]] double high() const { return valueOf(m_key[1]); }

  private:
    static constexpr int kBits = 11;
    static constexpr std::size_t kDigits = std::size_t{1} << kBits;
    struct Counts {
        std::array<std::vector<std::int64_t>, 2> of;
    };

    static std::uint64_t above(std::uint64_t key, int bits) { return bits >= 64 ? 0 : key >> bits; }
    static std::size_t digit(std::uint64_t key, int by, int taken) {
        return static_cast<std::size_t>((key >> by) & ((std::uint64_t{1} << (taken - by)) - 1));
    }

    void count(const double* values, std::int64_t length, int by, int taken, Counts& to) const {
        for (std::vector<std::int64_t>& counts : to.of) {
            counts.resize(kDigits);
        }
        for (std::int64_t x = 0; x < length; ++x) {
            const std::uint64_t key = keyOf(values[x]);
            for (std::size_t side = 0; side < 2; ++side) {
                if (above(key, taken) == above(m_key[side], taken)) {
                    ++to.of[side][digit(key, by, taken)];
                }
            }
        }
    }

    void choose(const std::vector<Counts>& parts, std::size_t side, int by, int taken) {
        std::size_t at = 0;
        for (; at + 1 < (std::size_t{1} << (taken - by)); ++at) {
            std::int64_t here = 0;
            for (const Counts& part : parts) {
                here += part.of[side].empty() ? 0 : part.of[side][at];
            }
            if (m_rank[side] < here) {
                break;
            }
            m_rank[side] -= here;
        }
        m_key[side] |= static_cast<std::uint64_t>(at) << by;
    }

    std::array<std::int64_t, 2> m_rank;
    std::array<std::uint64_t, 2> m_key{};
};

/// A voxel beyond a limit.
struct Outlier {
    std::int64_t place = 0; ///< x + nx (y + ny z)
    double value = 0;
};

/// The value that is farthest out among the voxels that have two neighbours of their kind, if at
/// least `fewest` have; else `limit`. `sign`: 1 above, -1 below the limit.
double endOf(const std::vector<Outlier>& outliers, const base::Extents& n, double fewest,
             double limit, double sign) {
    std::unordered_set<std::int64_t> places;
    for (const Outlier& one : outliers) {
        places.insert(one.place);
    }
    const auto isNear = [&](const base::Index& at) {
        return at.x >= 0 && at.x < n.x && at.y >= 0 && at.y < n.y && at.z >= 0 && at.z < n.z &&
               places.contains(at.x + n.x * (at.y + n.y * at.z));
    };
    std::int64_t supported = 0;
    double end = limit;
    for (const Outlier& one : outliers) {
        const base::Index at{one.place % n.x, one.place / n.x % n.y, one.place / (n.x * n.y)};
        int near = -1; // without itself
        for (std::int64_t z = -1; z <= 1; ++z) {
            for (std::int64_t y = -1; y <= 1; ++y) {
                for (std::int64_t x = -1; x <= 1; ++x) {
                    near += isNear({at.x + x, at.y + y, at.z + z}) ? 1 : 0;
                }
            }
        }
        if (near >= 2) {
            ++supported;
            end = sign * one.value > sign * end ? one.value : end;
        }
    }
    return static_cast<double>(supported) >= fewest ? end : limit;
}

/// Replaces the extremes by those without outliers. False if cancelled.
bool trim(const ChannelImage& image, int channel, double fewest, base::TilePool& pool,
          const std::stop_token& stop, double& low, double& high) {
    const base::Extents n = image.extents();
    const std::int64_t count = base::voxelCount(n);
    // A few outliers of a small image are more than a thousandth.
    const std::int64_t rank = std::max(count / 1000, std::min<std::int64_t>(4, count / 16));
    Quantiles quantiles(rank, count - 1 - rank);
    if (!quantiles.find(image, channel, pool, stop)) {
        return false;
    }
    // Halves, as the distance of two finite values may not be finite.
    const double half = quantiles.high() / 2 - quantiles.low() / 2;
    if (!(half > 0)) {
        return true; // nearly all voxels have one value; nothing tells outliers from blobs
    }
    constexpr double kMost = std::numeric_limits<double>::max();
    const double least = std::max(2 * (quantiles.low() / 2 - half), -kMost);
    const double most = std::min(2 * (quantiles.high() / 2 + half), kMost);
    if (least <= low && most >= high) {
        return true;
    }
    struct Sides {
        std::vector<Outlier> below;
        std::vector<Outlier> above;
    };
    std::vector<Sides> parts;
    if (!forRows(image, channel, pool, stop, parts,
                 [&](const double* values, std::int64_t row, Sides& to) {
                     for (std::int64_t x = 0; x < n.x; ++x) {
                         if (values[x] < least) {
                             to.below.push_back({row * n.x + x, values[x]});
                         } else if (values[x] > most) {
                             to.above.push_back({row * n.x + x, values[x]});
                         }
                     }
                 })) {
        return false;
    }
    Sides all;
    for (const Sides& part : parts) {
        all.below.insert(all.below.end(), part.below.begin(), part.below.end());
        all.above.insert(all.above.end(), part.above.begin(), part.above.end());
    }
    if (least > low) {
        low = endOf(all.below, n, fewest, least, -1);
    }
    if (most < high) {
        high = endOf(all.above, n, fewest, most, 1);
    }
    return true;
}

} // namespace

bool findRange(const ChannelImage& image, int channel, int levels, double fewest,
               base::TilePool& pool, const std::stop_token& stop, LevelRange& range) {
    const base::Extents n = image.extents();
    std::vector<Found> parts;
    if (!forRows(image, channel, pool, stop, parts,
                 [&](const double* values, std::int64_t row, Found& found) {
                     look(values, n.x, row, found);
                 })) {
        return false;
    }
    Found all;
    for (const Found& part : parts) {
        all.low = std::min(all.low, part.low);
        all.high = std::max(all.high, part.high);
        all.bad += part.bad;
        if (part.row < all.row) {
            all.row = part.row;
            all.x = part.x;
        }
    }
    if (all.bad > 0) {
        refuseNonFinite(all, n);
    }
    range = {};
    range.minimum = all.low;
    range.maximum = all.high;
    const ChannelImage::Range nominal = image.nominalRange(channel);
    if (nominal.low < nominal.high) {
        all.low = nominal.low;
        all.high = nominal.high;
    } else if (!image.isEightBit() &&
               !trim(image, channel, fewest, pool, stop, all.low, all.high)) {
        return false;
    }
    if (all.low > range.minimum || all.high < range.maximum) {
        std::vector<std::int64_t> counts;
        if (!forRows(image, channel, pool, stop, counts,
                     [&](const double* values, std::int64_t, std::int64_t& count) {
                         count += std::count_if(values, values + n.x, [&](double value) {
                             return value < all.low || value > all.high;
                         });
                     })) {
            return false;
        }
        for (const std::int64_t count : counts) {
            range.beyond += count;
        }
    }
    // Usual values stay as they are.
    const double largest = std::max(std::abs(all.low), std::abs(all.high));
    constexpr double kUsual = 0x1p300;
    if (largest > kUsual || (largest > 0 && all.high / 2 - all.low / 2 < 1 / kUsual)) {
        range.exponent =
            std::ilogb(all.high / 2 - all.low / 2 > 0 ? all.high / 2 - all.low / 2 : largest) + 1;
        range.exponent = std::clamp(range.exponent, -1000, 1000);
    }
    range.low = std::ldexp(all.low, -range.exponent);
    range.high = std::ldexp(all.high, -range.exponent);
    range.step = (range.high - range.low) / levels;
    return true;
}

} // namespace flcc::features::detail
