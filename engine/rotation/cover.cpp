#include "engine/rotation/cover.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>

#include "engine/base/error.h"

namespace flcc::rotation {

namespace {

using base::Error;
using base::ErrorCode;

constexpr double kRadians = std::numbers::pi / 180;

[[noreturn]] void refuse(const std::string& sentence) {
    throw Error(ErrorCode::CommandLine, sentence);
}

void requireCount(double turns) {
    if (!(turns <= static_cast<double>(kMostTurns))) {
        throw Error(ErrorCode::Problem, "the search would have more than " +
                                            std::to_string(kMostTurns) +
                                            " rotations; choose a larger step");
    }
}

void requireGiven(const Rotations& rotations, const char* place) {
    if (rotations.kind == Rotations::Kind::None || rotations.kind == Rotations::Kind::Auto) {
        throw Error(ErrorCode::Internal, std::string("the cover ") + place + " has no step");
    }
}

/// The centre of a pixel of HEALPix: its height on the unit sphere and its longitude.
struct Direction {
    double height = 0;
    double longitude = 0; ///< radians

    [[nodiscard]] base::Point point() const {
        const double radius = std::sqrt(std::max(0.0, (1 - height) * (1 + height)));
        return {radius * std::cos(longitude), radius * std::sin(longitude), height};
    }
};

/// The centres of all 12 nside^2 pixels, from north to south.
std::vector<Direction> healpix(int nside) {
    const double n = nside;
    const double quarter = std::numbers::pi / 2;
    std::vector<Direction> centres;
    for (int ring = 1; ring < 4 * nside; ++ring) {
        const int fromPole = std::min(ring, 4 * nside - ring);
        const double sign = ring <= 2 * nside ? 1 : -1;
        if (fromPole < nside) { // polar caps
            for (int i = 1; i <= 4 * fromPole; ++i) {
                centres.push_back(
                    {sign * (1 - static_cast<double>(fromPole) * fromPole / (3 * n * n)),
                     (i - 0.5) * quarter / fromPole});
            }
        } else {
            const double shift = (ring - nside) % 2 == 0 ? 0.5 : 1.0;
            for (int i = 1; i <= 4 * nside; ++i) {
                centres.push_back({4.0 / 3 - 2.0 * ring / (3 * n), (i - shift) * quarter / n});
            }
        }
    }
    return centres;
}

double dot(const base::Point& a, const base::Point& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

base::Point turned(const Matrix& m, const base::Point& v) {
    return {m[0] * v[0] + m[1] * v[1] + m[2] * v[2], m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
            m[6] * v[0] + m[7] * v[1] + m[8] * v[2]};
}

/// The largest distance of a point of a pixel from its centre, radians. **Source**: HEALPix C++,
/// T_Healpix_Base::max_pixrad.
double pixelRadius(int nside) {
    const double n = nside;
    const Direction a{2.0 / 3, std::numbers::pi / (4 * n)};
    const double rest = (1 - 1 / n) * (1 - 1 / n);
    const Direction b{1 - rest / 3, 0};
    return std::acos(std::clamp(dot(a.point(), b.point()), -1.0, 1.0));
}

/// Directions of the sphere that a group does not take to each other. The template turned by an
/// element g is the template, so that the direction v of M, the axis of the scene's z in the
/// template, stands for all g v.
class AsymmetricUnit {
  public:
    AsymmetricUnit(const PointGroup& group, double margin) {
        for (std::size_t i = 1; i < group.elements.size(); ++i) {
            m_turns.push_back(matrixOf(group.elements[i]));
            // Points nearer to the seed than to its image: one side of the plane between them.
            const base::Point image = turned(m_turns.back(), kSeed);
            base::Point normal{};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                normal[axis] = kSeed[axis] - image[axis];
            }
            const double length = std::sqrt(dot(normal, normal));
            for (double& part : normal) {
                part /= length;
            }
            m_normals.push_back(normal);
        }
        m_least = -std::sin(std::min(margin, std::numbers::pi / 2));
    }

    [[nodiscard]] bool isNear(const base::Point& v) const {
        return std::ranges::all_of(
            m_normals, [&](const base::Point& normal) { return dot(normal, v) >= m_least; });
    }
    /// So far inside that no equivalent direction is near.
    [[nodiscard]] bool isDeep(const base::Point& v) const {
        return std::ranges::all_of(
            m_normals, [&](const base::Point& normal) { return dot(normal, v) > -2 * m_least; });
    }
    [[nodiscard]] bool areEquivalent(const base::Point& a, const base::Point& b) const {
        constexpr double kSame = 1 - 1e-12;
        return std::ranges::any_of(
            m_turns, [&](const Matrix& turn) { return dot(turned(turn, a), b) > kSame; });
    }

  private:
    /// On no axis and no mirror plane of any group.
    static constexpr base::Point kSeed{0.2672612419124244, 0.1069044967649698, 0.9576747049};
    std::vector<Matrix> m_turns;
    std::vector<base::Point> m_normals;
    double m_least = 0;
};

std::vector<Direction> directions(int nside, const PointGroup& group, double margin) {
    std::vector<Direction> all = healpix(nside);
    if (group.elements.size() == 1) {
        return all;
    }
    const AsymmetricUnit unit(group, margin);
    std::vector<Direction> kept;
    std::vector<base::Point> rim; // those of `kept` that others may be equivalent to
    for (const Direction& each : all) {
        const base::Point point = each.point();
        if (!unit.isNear(point)) {
            continue;
        }
        if (!unit.isDeep(point)) {
            if (std::ranges::any_of(rim, [&](const base::Point& other) {
                    return unit.areEquivalent(other, point);
                })) {
                continue;
            }
            rim.push_back(point);
        }
        kept.push_back(each);
    }
    return kept;
}

/// Rotations by the cell of a grid in which their quaternion lies.
class Cells {
  public:
    void add(const Quaternion& q, std::size_t number) {
        m_cells[cellOf(partsOf(q), {})].push_back(number);
    }
    /// Calls `take` with the numbers of those that may be the same rotation as `q`, until it gives
    /// true; whether it did.
    template <class Take> bool near(const Quaternion& q, const Take& take) const {
        for (const double sign : {1.0, -1.0}) { // both are one rotation
            const Parts parts = partsOf({sign * q.w, sign * q.x, sign * q.y, sign * q.z});
            std::array<Cell, 16> seen{};
            std::size_t count = 0;
            for (unsigned corner = 0; corner < seen.size(); ++corner) {
                Parts by{};
                for (std::size_t i = 0; i < by.size(); ++i) {
                    by[i] = ((corner >> i) & 1U) != 0 ? kReach : -kReach;
                }
                const Cell cell = cellOf(parts, by);
                const auto end = seen.begin() + static_cast<std::ptrdiff_t>(count);
                if (std::find(seen.begin(), end, cell) != end) {
                    continue;
                }
                seen[count++] = cell;
                const auto found = m_cells.find(cell);
                if (found != m_cells.end() && std::ranges::any_of(found->second, take)) {
                    return true;
                }
            }
        }
        return false;
    }

  private:
    using Parts = std::array<double, 4>;
    using Cell = std::array<std::int32_t, 4>;
    static constexpr double kEdge = 1e-3;
    static constexpr double kReach = 1e-4; ///< 0.01 degrees, far above what areEquivalent() allows

    static Parts partsOf(const Quaternion& q) { return {q.w, q.x, q.y, q.z}; }
    static Cell cellOf(const Parts& parts, const Parts& by) {
        Cell cell{};
        for (std::size_t i = 0; i < cell.size(); ++i) {
            cell[i] = static_cast<std::int32_t>(std::floor((parts[i] + by[i]) / kEdge));
        }
        return cell;
    }

    std::map<Cell, std::vector<std::size_t>> m_cells;
};

std::vector<Quaternion> distinct(const std::vector<Quaternion>& list, const PointGroup& group) {
    if (group.elements.size() == 1) {
        return list;
    }
    std::vector<Quaternion> kept;
    Cells cells;
    for (const Quaternion& each : list) {
        const bool known = std::ranges::any_of(group.elements, [&](const Quaternion& element) {
            return cells.near(product(each, element), [&](std::size_t number) {
                return areEquivalent(kept[number], each, group);
            });
        });
        if (!known) {
            cells.add(each, kept.size());
            kept.push_back(each);
        }
    }
    return kept;
}

} // namespace

double crowtherStep(double diameter, double voxel) {
    const double highest = 1 / (2 * voxel);
    return 180 / (std::numbers::pi * highest * diameter);
}

Pose Cover::pose(std::int64_t i) const {
    const std::int64_t turn = i % std::ssize(turns);
    const std::int64_t rest = i / std::ssize(turns);
    return {turns[static_cast<std::size_t>(turn)],
            scales[static_cast<std::size_t>(rest % std::ssize(scales))],
            rest >= std::ssize(scales)};
}

Cover flatCover(const Rotations& rotations, const PointGroup& group,
                const std::vector<Quaternion>& list) {
    requireGiven(rotations, "in the plane");
    if (group.name.front() != 'C') {
        refuse("the symmetry " + group.name +
               " is one of volumes; turns of an image have C1, C2, C3 ...");
    }
    Cover cover{.flat = true, .turns = {}, .group = group};
    if (rotations.kind == Rotations::Kind::List) {
        cover.turns = distinct(list, group);
        return cover;
    }
    const double period = 360.0 / static_cast<double>(group.elements.size());
    constexpr double kSlack = 1e-9;
    if (rotations.kind == Rotations::Kind::Step) {
        const double count = std::max(1.0, std::ceil(period / rotations.step - kSlack));
        requireCount(count);
        cover.step = period / count;
        for (double i = 0; i < count; ++i) {
            cover.turns.push_back(inPlane(period * i / count));
        }
    } else {
        const double width = rotations.to - rotations.from;
        double count = std::floor(width / rotations.step + kSlack) + 1;
        requireCount(count);
        const double whole = (count - 1) * rotations.step;
        if (whole >= period - kSlack) {
            // Turns a period apart are equal: those beyond the first period are left out.
            count = std::ceil(period / rotations.step - kSlack);
        }
        cover.step = rotations.step;
        for (double i = 0; i < count; ++i) {
            cover.turns.push_back(inPlane(rotations.from + i * rotations.step));
        }
        // The range ends where its user says, unless it closes the circle there.
        if (width - whole > kSlack && period - width > rotations.step - kSlack) {
            cover.turns.push_back(inPlane(rotations.to));
        }
    }
    cover.radius = cover.step / 2;
    return cover;
}

SpaceCount countOfSpace(double step) {
    const double radians = step * kRadians;
    const double pixels = 4 * std::numbers::pi / (radians * radians);
    const double nside = std::max(1.0, std::ceil(std::sqrt(pixels / 12) * (1 - 1e-12)));
    const double angles = std::max(1.0, std::ceil(360 / step - 1e-9));
    return {static_cast<int>(nside), static_cast<int>(angles)};
}

Cover spaceCover(const Rotations& rotations, const PointGroup& group,
                 const std::vector<Quaternion>& list) {
    requireGiven(rotations, "in space");
    Cover cover{.flat = false, .turns = {}, .group = group};
    if (rotations.kind == Rotations::Kind::List) {
        cover.turns = distinct(list, group);
        return cover;
    }
    if (rotations.kind == Rotations::Kind::Range) {
        refuse("--rotations FROM:TO:STEP turns images; for a volume state one step, a list or "
               "auto:DIAMETER");
    }
    const auto [nside, angles] = countOfSpace(rotations.step);
    requireCount(12.0 * nside * nside * angles / static_cast<double>(group.elements.size()));
    cover.nside = nside;
    cover.inPlane = angles;
    cover.step = rotations.step;
    const double pixel = pixelRadius(cover.nside);
    // The axes of the two turns, of the direction and about it, are perpendicular.
    const double about = std::numbers::pi / angles;
    cover.radius = 2 * std::acos(std::cos(pixel / 2) * std::cos(about / 2)) / kRadians;
    for (const Direction& direction : directions(cover.nside, group, pixel)) {
        for (int i = 0; i < cover.inPlane; ++i) {
            cover.turns.push_back(
                fromEuler({direction.longitude / kRadians, std::acos(direction.height) / kRadians,
                           360.0 * i / cover.inPlane}));
        }
    }
    return cover;
}

} // namespace flcc::rotation
