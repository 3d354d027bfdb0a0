#include "engine/match/place.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "engine/match/detail/alignment.h"

namespace flcc::match {

namespace {

using Axes = std::array<bool, 3>;

base::Index along(std::size_t axis, std::int64_t by) {
    std::array<std::int64_t, 3> at{};
    at[axis] = by;
    return {at[0], at[1], at[2]};
}

/// The top of the quadratic surface nearest to the scores of all voxels within one of the middle,
/// by least squares, over the free axes. Empty where it has no top within a voxel.
std::optional<base::Point> topOfSurface(const Axes& free, double score, const ScoreBeside& beside) {
    std::array<double, 3> slope{};
    std::array<std::array<double, 3>, 3> bend{};
    const auto reach = [&free](std::size_t axis) -> std::int64_t { return free[axis] ? 1 : 0; };
    double sum = 0;
    double count = 0;
    std::array<double, 3> squares{}; // sum of (x^2 - 2/3) score
    for (std::int64_t z = -reach(2); z <= reach(2); ++z) {
        for (std::int64_t y = -reach(1); y <= reach(1); ++y) {
            for (std::int64_t x = -reach(0); x <= reach(0); ++x) {
                const bool middle = x == 0 && y == 0 && z == 0;
                const auto found = middle ? std::optional(score) : beside({x, y, z});
                if (!found) {
                    return std::nullopt;
                }
                const std::array at{static_cast<double>(x), static_cast<double>(y),
                                    static_cast<double>(z)};
                sum += *found;
                count += 1;
                for (std::size_t i = 0; i < 3; ++i) {
                    slope[i] += at[i] * *found;
                    squares[i] += (at[i] * at[i] - 2.0 / 3) * *found;
                    for (std::size_t j = 0; j < i; ++j) {
                        bend[i][j] += at[i] * at[j] * *found;
                    }
                }
            }
        }
    }
    // On this grid 1, x, x^2 - 2/3 and x y are orthogonal: of 3^d voxels, the squares of these add
    // up to 2/3, 2/9 and 4/9 of their count.
    for (std::size_t i = 0; i < 3; ++i) {
        slope[i] /= count * 2 / 3;
        bend[i][i] = 2 * squares[i] / (count * 2 / 9);
        for (std::size_t j = 0; j < i; ++j) {
            bend[i][j] /= count * 4 / 9;
            bend[j][i] = bend[i][j];
        }
        if (!free[i]) {
            bend[i][i] = -1;
        }
    }
    // Newton's step -bend^-1 slope by elimination; a top has only negative pivots.
    std::array<double, 3> by = slope;
    for (std::size_t i = 0; i < 3; ++i) {
        if (!(bend[i][i] < 0)) {
            return std::nullopt;
        }
        for (std::size_t j = i + 1; j < 3; ++j) {
            const double share = bend[j][i] / bend[i][i];
            for (std::size_t k = i; k < 3; ++k) {
                bend[j][k] -= share * bend[i][k];
            }
            by[j] -= share * by[i];
        }
    }
    base::Point top{0, 0, 0};
    for (std::size_t i = 3; i-- > 0;) {
        double rest = by[i];
        for (std::size_t k = i + 1; k < 3; ++k) {
            rest += bend[i][k] * top[k];
        }
        top[i] = free[i] ? -rest / bend[i][i] : 0;
        if (!(std::abs(top[i]) <= 1)) {
            return std::nullopt;
        }
    }
    return top;
}

std::optional<Place> byPixels(const method::MaskedView& scene,
                              const method::CanonicalTemplate& templ, const base::Index& corner,
                              const Axes& free) {
    constexpr int kSteps = 20;
    const base::Extents& n = templ.extents();
    const base::Point middle{static_cast<double>(n.x - 1) / 2, static_cast<double>(n.y - 1) / 2,
                             static_cast<double>(n.z - 1) / 2};
    const detail::Lie start{.centre = {static_cast<double>(corner.x) + middle[0],
                                       static_cast<double>(corner.y) + middle[1],
                                       static_cast<double>(corner.z) + middle[2]}};
    detail::Alignment alignment(
        scene, templ, middle, {.place = free}, {.place = 1}, start,
        [](const rotation::Pose&) { return rotation::Matrix{1, 0, 0, 0, 1, 0, 0, 0, 1}; });
    const auto found = alignment.run(kSteps);
    if (!found) {
        return std::nullopt;
    }
    Place place{.error = found->place, .by = PlacedBy::Pixels};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        place.shift[axis] = found->lie.centre[axis] - start.centre[axis];
    }
    return place;
}

} // namespace

std::string_view name(PlacedBy placedBy) {
    constexpr std::array<std::string_view, 4> kNames{"pixels", "surface", "axes", "voxel"};
    return kNames[static_cast<std::size_t>(placedBy)];
}

Place placeOf(const method::MaskedView& scene, const method::CanonicalTemplate& templ,
              const base::Index& corner, double score, const ScoreBeside& beside, bool usesPixels) {
    Place place;
    Axes free{};
    base::Point vertex{0, 0, 0};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto before = beside(along(axis, -1));
        const auto behind = before ? beside(along(axis, 1)) : std::nullopt;
        if (!behind) {
            continue;
        }
        const double second = *before - 2 * score + *behind;
        place.curvature[axis] = second;
        if (second < 0) {
            free[axis] = true;
            vertex[axis] = std::clamp(0.5 * (*before - *behind) / second, -0.5, 0.5);
        }
    }
    if (!free[0] && !free[1] && !free[2]) {
        return place;
    }
    if (usesPixels) {
        if (const auto found = byPixels(scene, templ, corner, free)) {
            place.shift = found->shift;
            place.error = found->error;
            place.by = found->by;
            return place;
        }
    }
    const auto top = topOfSurface(free, score, beside);
    place.shift = top.value_or(vertex);
    place.by = top ? PlacedBy::Surface : PlacedBy::Axes;
    return place;
}

} // namespace flcc::match
