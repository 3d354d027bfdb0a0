#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>

#include "engine/features/detail/maxima.h"

namespace flcc::features::detail {

namespace {

/// Of the blobs of one image, in space.
double distance(const Blob& a, const Blob& b) {
    return std::hypot(a.edges[0] * (a.centre[0] - b.centre[0]),
                      a.edges[1] * (a.centre[1] - b.centre[1]),
                      a.edges[2] * (a.centre[2] - b.centre[2]));
}

/// In space, in shortest edges of a voxel.
base::Point placeOf(const Blob& blob) {
    return {blob.edges[0] * blob.centre[0], blob.edges[1] * blob.centre[1],
            blob.edges[2] * blob.centre[2]};
}

/// The area of the intersection of two discs that cut each other at distance d.
double lens(double r, double s, double d) {
    const auto part = [d](double own, double other) {
        const double cosine = (d * d + own * own - other * other) / (2 * d * own);
        const double angle = std::acos(std::clamp(cosine, -1.0, 1.0));
        return own * own * (angle - std::sin(angle) * std::cos(angle));
    };
    return part(r, s) + part(s, r);
}

/// The volume of the intersection of two balls that cut each other at distance d.
double ballLens(double r, double s, double d) {
    const double gap = r + s - d;
    return std::numbers::pi * gap * gap * (d * d + 2 * d * (r + s) - 3 * (r - s) * (r - s)) /
           (12 * d);
}

/// Blobs that were kept, in cells of a size that suits their radius.
class KeptBlobs {
  public:
    void add(const Blob& blob) {
        const int octave = octaveOf(blob.radius);
        m_octaves[octave][cellOf(placeOf(blob), octave)].push_back(blob);
    }

    template <class Test> [[nodiscard]] bool any(const Blob& near, const Test& test) const {
        const base::Point place = placeOf(near);
        return std::any_of(m_octaves.begin(), m_octaves.end(), [&](const auto& octave) {
            const double reach = near.radius + std::ldexp(1.0, octave.first + 1);
            Cell low{};
            Cell high{};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                low[axis] = cellOf(place[axis] - reach, octave.first);
                high[axis] = cellOf(place[axis] + reach, octave.first);
            }
            return anyInside(octave.second, low, high, test);
        });
    }

  private:
    using Cell = std::array<std::int64_t, 3>; ///< z, y, x would do as well
    using Cells = std::map<Cell, std::vector<Blob>>;

    static int octaveOf(double radius) { return static_cast<int>(std::floor(std::log2(radius))); }
    static std::int64_t cellOf(double position, int octave) {
        return static_cast<std::int64_t>(std::floor(std::ldexp(position, -octave - 2)));
    }
    static Cell cellOf(const base::Point& centre, int octave) {
        return {cellOf(centre[0], octave), cellOf(centre[1], octave), cellOf(centre[2], octave)};
    }

    template <class Test>
    static bool anyInside(const Cells& cells, const Cell& low, const Cell& high, const Test& test) {
        for (Cell cell = low; cell[0] <= high[0]; ++cell[0]) {
            for (cell[1] = low[1]; cell[1] <= high[1]; ++cell[1]) {
                for (cell[2] = low[2]; cell[2] <= high[2]; ++cell[2]) {
                    const auto found = cells.find(cell);
                    if (found != cells.end() &&
                        std::any_of(found->second.begin(), found->second.end(), test)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    std::map<int, Cells> m_octaves;
};

bool comesBefore(const Blob& a, const Blob& b) {
    const auto key = [](const Blob& blob) {
        return std::tuple(-blob.strength, blob.voxel.z, blob.voxel.y, blob.voxel.x, blob.sigma);
    };
    return key(a) < key(b);
}

} // namespace

double overlapOf(const Blob& a, const Blob& b, bool volume) {
    const double d = distance(a, b);
    const double small = std::min(a.radius, b.radius);
    const double large = std::max(a.radius, b.radius);
    if (d >= small + large) {
        return 0;
    }
    if (d <= large - small) {
        return 1;
    }
    return volume ? ballLens(small, large, d) / (4 * std::numbers::pi / 3 * small * small * small)
                  : lens(small, large, d) / (std::numbers::pi * small * small);
}

std::vector<Blob> prune(std::vector<Blob> blobs, double overlap, bool volume) {
    std::sort(blobs.begin(), blobs.end(), comesBefore);
    std::vector<Blob> left;
    KeptBlobs kept;
    for (const Blob& blob : blobs) {
        const auto covers = [&](const Blob& stronger) {
            return overlapOf(blob, stronger, volume) > overlap;
        };
        if (!kept.any(blob, covers)) {
            kept.add(blob);
            left.push_back(blob);
        }
    }
    return left;
}

} // namespace flcc::features::detail
