#include "engine/job/input/directions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "engine/rotation/orientation.h"

namespace flcc::job::detail {

std::string AxisTurn::text() const {
    std::string text;
    for (std::size_t a = 0; a < 3; ++a) {
        text += (a > 0 ? " " : "") + std::string(against[a] ? "-" : "") + "xyz"[from[a]];
    }
    return text;
}

std::optional<Relation> relationOf(const base::Geometry& own, const base::Geometry& other) {
    constexpr double kPlane = 1e-3; // the axes of a scanner are at right angles, or nearly so
    if (!(std::abs(rotation::determinant(own.direction)) > kPlane) ||
        !(std::abs(rotation::determinant(other.direction)) > kPlane)) {
        return std::nullopt;
    }
    const rotation::Matrix m = rotation::product(rotation::inverse(other.direction), own.direction);
    Relation best;
    double most = -1;
    std::array<std::size_t, 3> from{0, 1, 2};
    do {
        const double sum =
            std::abs(m[from[0]]) + std::abs(m[3 + from[1]]) + std::abs(m[6 + from[2]]);
        if (sum > most + 1e-9) { // the first of equals
            most = sum;
            best.turn.from = from;
        }
    } while (std::next_permutation(from.begin(), from.end()));
    for (std::size_t a = 0; a < 3; ++a) {
        const std::size_t b = best.turn.from[a];
        best.turn.against[a] = m[3 * a + b] < 0;
        double across = 0;
        for (std::size_t row = 0; row < 3; ++row) {
            across += row == a ? 0 : m[3 * row + b] * m[3 * row + b];
        }
        best.left = std::max(best.left, std::atan2(std::sqrt(across), std::abs(m[3 * a + b])));
    }
    return best;
}

base::Extents turnedExtents(const base::Extents& extents, const AxisTurn& turn) {
    const auto n = lengthsOf(extents);
    return {n[turn.from[0]], n[turn.from[1]], n[turn.from[2]]};
}

base::AnyImage turnedPixels(const base::AnyView& pixels, const AxisTurn& turn) {
    return std::visit(
        [&]<class Voxel>(const base::View<const Voxel>& view) -> base::AnyImage {
            const auto n = lengthsOf(view.extents());
            base::Image<Voxel> made(turnedExtents(view.extents(), turn));
            const base::Extents& m = made.extents();
            for (std::int64_t z = 0; z < m.z; ++z) {
                for (std::int64_t y = 0; y < m.y; ++y) {
                    Voxel* const row = made.view().row(y, z);
                    for (std::int64_t x = 0; x < m.x; ++x) {
                        const std::array<std::int64_t, 3> at{x, y, z};
                        std::array<std::int64_t, 3> source{};
                        for (std::size_t a = 0; a < 3; ++a) {
                            const std::size_t b = turn.from[a];
                            source[b] = turn.against[a] ? n[b] - 1 - at[a] : at[a];
                        }
                        row[x] = view.at(source[0], source[1], source[2]);
                    }
                }
            }
            return made;
        },
        pixels);
}

base::Geometry turnedGeometry(const base::Geometry& own, const base::Extents& extents,
                              const AxisTurn& turn) {
    const auto n = lengthsOf(extents);
    base::Point first{0, 0, 0}; // the voxel that becomes voxel 0
    base::Geometry made = own;
    for (std::size_t a = 0; a < 3; ++a) {
        const std::size_t b = turn.from[a];
        made.spacing[a] = own.spacing[b];
        first[b] = turn.against[a] ? static_cast<double>(n[b] - 1) : 0;
        for (std::size_t row = 0; row < 3; ++row) {
            const double part = own.direction[3 * row + b];
            made.direction[3 * row + a] = turn.against[a] ? 0.0 - part : part;
        }
    }
    made.origin = base::movedTo(own, first).origin;
    return made;
}

} // namespace flcc::job::detail
