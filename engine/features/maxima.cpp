#include "engine/features/detail/maxima.h"

#include <algorithm>
#include <cmath>

namespace flcc::features::detail {

namespace {

/// The largest ratio of two principal curvatures of a blob: beyond it, the place is part of an edge
/// or a line. **Source**: Lowe, "Distinctive image features from scale-invariant keypoints", 2004.
constexpr double kMostRatio = 10;
/// Curvatures below this share of the response are rounding.
constexpr double kLeastCurvature = 1e-9;
constexpr double kPositionUnit = 65536;

/// The neighbourhood of a voxel in one response.
class Around {
  public:
    Around(const double* centre, std::int64_t rowStride, std::int64_t sliceStride,
           const base::Point& edges)
        : m_centre(centre), m_y(rowStride), m_z(sliceStride), m_edges(&edges) {}

    [[nodiscard]] double at(int x, int y, int z) const { return m_centre[x + y * m_y + z * m_z]; }
    [[nodiscard]] double along(int axis, int by) const {
        return at(axis == 0 ? by : 0, axis == 1 ? by : 0, axis == 2 ? by : 0);
    }
    /// Minus the second derivative along an axis, in space.
    [[nodiscard]] double curvature(int axis) const {
        return (2 * at(0, 0, 0) - (along(axis, 1) + along(axis, -1))) / (edge(axis) * edge(axis));
    }
    /// Minus the mixed derivative of two axes, in space.
    [[nodiscard]] double mixed(int a, int b) const {
        const auto corner = [&](int da, int db) {
            std::array<int, 3> i{0, 0, 0};
            i[static_cast<std::size_t>(a)] = da;
            i[static_cast<std::size_t>(b)] = db;
            return at(i[0], i[1], i[2]);
        };
        return ((corner(1, -1) + corner(-1, 1)) - (corner(1, 1) + corner(-1, -1))) /
               (4 * edge(a) * edge(b));
    }

  private:
    [[nodiscard]] double edge(int axis) const { return (*m_edges)[static_cast<std::size_t>(axis)]; }

    const double* m_centre;
    std::int64_t m_y;
    std::int64_t m_z;
    const base::Point* m_edges;
};

/// True if `value` is above all neighbours; of equal ones the first counts. `depth`: 1 in volumes.
/// `own`: the response that holds `value`; `later`: of two equal values, this response comes later.
bool isLargest(double value, const Around& around, int depth, bool own, bool later) {
    for (int z = -depth; z <= depth; ++z) {
        for (int y = -1; y <= 1; ++y) {
            for (int x = -1; x <= 1; ++x) {
                const int order = x + 3 * y + 9 * z;
                if (own && order == 0) {
                    continue;
                }
                const double other = around.at(x, y, z);
                const bool tieWins = own ? order > 0 : later;
                if (other > value || (other == value && !tieWins)) {
                    return false;
                }
            }
        }
    }
    return true;
}

bool isRound(const Around& around, bool volume) {
    const double least = kLeastCurvature * around.at(0, 0, 0);
    const double xx = around.curvature(0);
    const double yy = around.curvature(1);
    if (!(xx > least && yy > least)) {
        return false;
    }
    const double xy = around.mixed(0, 1);
    const double minor = xx * yy - xy * xy;
    if (!volume) {
        const double trace = xx + yy;
        return minor > 0 &&
               trace * trace * kMostRatio <= (kMostRatio + 1) * (kMostRatio + 1) * minor;
    }
    const double zz = around.curvature(2);
    if (!(zz > least)) {
        return false;
    }
    const double xz = around.mixed(0, 2);
    const double yz = around.mixed(1, 2);
    const double determinant =
        xx * yy * zz + 2 * xy * xz * yz - (xx * yz * yz + yy * xz * xz + zz * xy * xy);
    const double trace = xx + yy + zz;
    // One curvature ten times smaller than two equal ones.
    const double limit =
        (2 + 1 / kMostRatio) * (2 + 1 / kMostRatio) * (2 + 1 / kMostRatio) * kMostRatio;
    return minor > 0 && determinant > 0 && trace * trace * trace <= limit * determinant;
}

/// The maximum of the parabola through three neighbours: its place, and how far it rises above the
/// middle one.
struct Top {
    double shift = 0;
    double rise = 0;
};

Top topOf(double before, double middle, double after) {
    const double curvature = 2 * middle - (before + after);
    const double slope = (after - before) / 2;
    if (!(curvature > 0)) {
        return {};
    }
    const double shift = std::clamp(slope / curvature, -0.5, 0.5);
    return {shift, slope * shift - curvature * shift * shift / 2};
}

Blob fit(const base::Index& voxel, const std::array<Around, 3>& around, const base::Point& edges,
         const ScaleTriple& scales, bool volume) {
    const auto value = [&](std::size_t scale) { return around[scale].at(0, 0, 0); };
    const ScaleFit best = fitScale(scales.sigma, {value(0), value(1), value(2)});
    Blob blob{.strength = best.response,
              .voxel = voxel,
              .sigma = best.sigma,
              .radius = std::sqrt(volume ? 3.0 : 2.0) * best.sigma,
              .edges = edges};
    const std::array<std::int64_t, 3> at{voxel.x, voxel.y, voxel.z};
    std::array<double, 3> rise{};
    for (int axis = 0; axis < (volume ? 3 : 2); ++axis) {
        const auto i = static_cast<std::size_t>(axis);
        const Top top = topOf(around[1].along(axis, -1), value(1), around[1].along(axis, 1));
        // Multiples of a power of two: mirrored positions are exact too.
        blob.centre[i] =
            static_cast<double>(at[i]) + std::round(top.shift * kPositionUnit) / kPositionUnit;
        rise[i] = top.rise;
    }
    std::sort(rise.begin(), rise.end()); // the same sum for every order of the axes
    blob.strength += rise[0] + rise[1] + rise[2];
    return blob;
}

} // namespace

ScaleFit fitScale(const std::array<double, 3>& sigma, const std::array<double, 3>& response) {
    // A response of 0 has no logarithm; one this small is far from the maximum.
    constexpr double kLeast = 1e-6;
    std::array<double, 3> s{};
    std::array<double, 3> logs{};
    std::array<double, 3> logR{};
    for (std::size_t i = 0; i < 3; ++i) {
        s[i] = sigma[1] * sigma[1] / (sigma[i] * sigma[i]); // 1 at the middle
        logs[i] = std::log(s[i]);
        logR[i] = std::log(std::max(response[i] / response[1], kLeast));
    }
    // b log s_i - c (s_i - 1) = log R_i for both neighbours.
    const double determinant = -logs[0] * (s[2] - 1) + logs[2] * (s[0] - 1);
    const double b = (-logR[0] * (s[2] - 1) + logR[2] * (s[0] - 1)) / determinant;
    const double c = (logs[0] * logR[2] - logs[2] * logR[0]) / determinant;
    const double top = b / c;
    if (!(b > 0 && c > 0 && top <= s[0] && top >= s[2])) {
        return {sigma[1], response[1]};
    }
    return {sigma[1] / std::sqrt(top), response[1] * std::exp(b * std::log(top) - c * (top - 1))};
}

bool findMaxima(const Grid& grid, const base::Point& edges, const ScaleTriple& scales,
                double minStrength, base::TilePool& pool, const std::stop_token& stop,
                std::vector<Blob>& to) {
    const base::Extents& n = grid.extents;
    const bool volume = n.z > 1;
    const int depth = volume ? 1 : 0;
    const std::int64_t slice = grid.stride * n.y;
    const std::int64_t rows = n.y * n.z;
    std::vector<std::vector<Blob>> found(static_cast<std::size_t>(rows));
    const auto work = [&](std::int64_t row, int) {
        const std::int64_t y = row % n.y;
        const std::int64_t z = row / n.y;
        if (y < 1 || y + 1 >= n.y || z < depth || z + depth >= n.z) {
            return;
        }
        for (std::int64_t x = 1; x + 1 < n.x; ++x) {
            const std::int64_t at = row * grid.stride + x;
            const double value = scales.response[1][at];
            // The cheapest comparisons first: few voxels pass them.
            if (!(value >= minStrength) || !(value > 0) || scales.response[0][at] >= value ||
                scales.response[2][at] > value) {
                continue;
            }
            const auto around = [&](std::size_t scale) {
                return Around(scales.response[scale] + at, grid.stride, slice, edges);
            };
            const std::array<Around, 3> all{around(0), around(1), around(2)};
            if (isLargest(value, all[1], depth, true, false) &&
                isLargest(value, all[0], depth, false, false) &&
                isLargest(value, all[2], depth, false, true) && isRound(all[1], volume)) {
                found[static_cast<std::size_t>(row)].push_back(
                    fit({x, y, z}, all, edges, scales, volume));
            }
        }
    };
    if (!pool.run(rows, work, stop)) {
        return false;
    }
    for (const std::vector<Blob>& part : found) {
        to.insert(to.end(), part.begin(), part.end());
    }
    return true;
}

} // namespace flcc::features::detail
