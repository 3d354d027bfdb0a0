#include "engine/io/lists/preset.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/io/format/reading.h"

namespace flcc::io::detail::lists {

namespace {

constexpr base::Point kNone{0, 0, 0};

double radians(double degrees) { return degrees * std::numbers::pi / 180; }
double degrees(double radians) { return radians * 180 / std::numbers::pi; }

/// In [-180, 180).
double turnOf(double degrees) {
    const double turn = std::fmod(degrees + 180, 360);
    return (turn < 0 ? turn + 360 : turn) - 180;
}

/// Half of what lies in a binned voxel beyond the middle of its first voxel.
double binShift(const ListUnknowns& unknowns) {
    return unknowns.binnedBy == BinnedBy::Average ? (unknowns.binning.value_or(1) - 1) / 2 : 0;
}

double sizeOf(const base::Extents& extents, std::size_t axis) {
    return static_cast<double>(axis == 0 ? extents.x : axis == 1 ? extents.y : extents.z);
}

/// Position = scale * voxel + shift.
struct Line {
    double scale = 1;
    double shift = 0;
};

Line lineOf(const Preset& preset, const ListPlace& place, std::size_t axis) {
    const ListUnknowns& unknowns = place.unknowns;
    const double binning = unknowns.binning.value_or(1);
    switch (preset.unit) {
    case PlaceUnit::Voxel:
        if (axis == 1 && isUpsideDown(preset, place)) {
            return {-1, sizeOf(place.extents, axis) - 1};
        }
        break;
    case PlaceUnit::Unbinned:
        return {binning, binShift(unknowns)};
    case PlaceUnit::Angstrom:
        return {voxelAngstrom(place)[axis], 0};
    case PlaceUnit::CentredAngstrom: {
        const double pixel = unknowns.unbinnedPixel.value_or(1);
        const double half =
            sizeOf(unknowns.unbinnedSize.value_or(base::Extents{0, 0, 0}), axis) / 2;
        return {binning * pixel, (binShift(unknowns) - half) * pixel};
    }
    }
    return {};
}

/// What is subtracted of the box; of whole pixels, whole ones.
double shareOf(const Preset& preset, const base::Extents& box, std::size_t axis) {
    const double share = preset.half[axis] * sizeOf(box, axis);
    return preset.whole ? std::floor(share) : share;
}

} // namespace

bool isJudged(const PositionList& list) {
    return std::ranges::any_of(
        list.positions, [](const ListedPosition& each) { return each.decision.has_value(); });
}

std::string decisionText(const ListedPosition& position) {
    return std::string(match::name(position.decision.value_or(match::Decision::Undecided)));
}

bool holdsDecisions(const Preset& preset) {
    return preset.syntax == Syntax::Own || preset.syntax == Syntax::Json ||
           preset.syntax == Syntax::Slicer || preset.syntax == Syntax::Roi ||
           std::ranges::find(preset.fields, Holds::Decision, &Field::holds) != preset.fields.end();
}

bool holdsAngles(const Preset& preset) {
    return preset.syntax == Syntax::Own || preset.syntax == Syntax::Json ||
           preset.syntax == Syntax::Slicer || preset.syntax == Syntax::Copick ||
           std::ranges::find(preset.fields, Holds::Angle3, &Field::holds) != preset.fields.end();
}

bool isUpsideDown(const Preset& preset, const ListPlace& place) {
    constexpr std::array<std::string_view, 9> kPictures{".tif", ".tiff", ".png", ".jpg", ".jpeg",
                                                        ".bmp", ".webp", ".dm3", ".dm4"};
    return preset.flips && place.extents.x > 0 &&
           std::ranges::find(kPictures, extensionOf(place.scene)) != kPictures.end();
}

base::Point toFormat(const Preset& preset, const ListPlace& place, const base::Point& i,
                     const base::Extents& box) {
    base::Point stated{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Line line = lineOf(preset, place, axis);
        stated[axis] =
            line.scale * i[axis] + line.shift - shareOf(preset, box, axis) + preset.base[axis];
        stated[axis] = preset.whole ? std::floor(stated[axis] + 0.5) : stated[axis];
    }
    return stated;
}

base::Point fromFormat(const Preset& preset, const ListPlace& place, const base::Point& stated,
                       const base::Extents& box) {
    base::Point i{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Line line = lineOf(preset, place, axis);
        i[axis] = (stated[axis] - preset.base[axis] + shareOf(preset, box, axis) - line.shift) /
                  line.scale;
    }
    return i;
}

double roundingOf(const Preset& preset, const ListPlace& place, const base::Point& position,
                  std::size_t axis) {
    if (preset.whole || (preset.syntax == Syntax::Roi && axis == 2)) {
        return 0.5;
    }
    // A sum of numbers as large as these, each rounded once or twice, and scaled twice.
    constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();
    const Line line = lineOf(preset, place, axis);
    const double largest =
        std::abs(position[axis]) + std::abs(line.shift / line.scale) + sizeOf(place.extents, axis);
    if (preset.syntax == Syntax::Roi || preset.syntax == Syntax::Model) {
        return std::numeric_limits<float>::epsilon() * (largest + 1);
    }
    if (preset.syntax != Syntax::Slicer) {
        return kRounding * (largest + 64);
    }
    // A world position sums over all axes and is as large as the largest of them.
    double all = 64;
    for (std::size_t each = 0; each < 3; ++each) {
        all += std::abs(position[each] * place.geometry.spacing[each]) +
               std::abs(place.geometry.origin[each]);
    }
    return 4 * kRounding * all / std::abs(place.geometry.spacing[axis]);
}

base::Point toAngles(AngleKind kind, const base::Point& relion) {
    const base::Point turns{turnOf(relion[0]), relion[1], turnOf(relion[2])};
    if (kind == AngleKind::Relion) {
        return turns;
    }
    if (kind == AngleKind::Stopgap) { // Rx(t) = Rz(-90) Ry(t) Rz(90), and Ry(-t) turns by -t
        const base::Point settled = rotation::settledEuler(turns);
        const bool flat = settled[1] == 0 || settled[1] == 180;
        return flat ? base::Point{0, turnOf(settled[1] - settled[2]), settled[1]}
                    : base::Point{turnOf(90 - turns[0]), turnOf(270 - turns[2]), turns[1]};
    }
    // Dynamo turns by Rz(-tdrot) Rx(-tilt) Rz(-narot), and Rx(t) = Rz(-90) Ry(t) Rz(90). Where tilt
    // is 0 or 180, its tdrot is 0 and narot turns alone.
    const base::Point settled = rotation::settledEuler(turns);
    return settled[1] == 0 ? base::Point{0, 0, settled[2]}
           : settled[1] == 180
               ? base::Point{0, 180, turnOf(180 - settled[2])}
               : base::Point{turnOf(turns[2] - 90), turns[1], turnOf(turns[0] + 90)};
}

base::Point fromAngles(AngleKind kind, const base::Point& stated) {
    const base::Point turns{turnOf(stated[0]), turnOf(stated[1]), turnOf(stated[2])};
    if (kind == AngleKind::Stopgap) {
        return rotation::settledEuler({turnOf(90 - turns[0]), turns[2], turnOf(270 - turns[1])});
    }
    return rotation::settledEuler(
        kind == AngleKind::Relion
            ? turns
            : base::Point{turnOf(turns[2] - 90), turns[1], turnOf(turns[0] + 90)});
}

Matrix matrixOf(const base::Point& relion) {
    const auto aboutZ = [](double degrees) {
        const double c = std::cos(radians(degrees));
        const double s = std::sin(radians(degrees));
        return Matrix{c, -s, 0, s, c, 0, 0, 0, 1};
    };
    const double c = std::cos(radians(-relion[1]));
    const double s = std::sin(radians(-relion[1]));
    const Matrix aboutY{c, 0, s, 0, 1, 0, -s, 0, c};
    return rotation::product(aboutZ(-relion[2]), rotation::product(aboutY, aboutZ(-relion[0])));
}

base::Point anglesOf(const Matrix& m) {
    const double sine = std::hypot(m[2], m[5]);
    const double tilt = degrees(std::atan2(sine, m[8]));
    if (sine < 1e-9) { // only the sum or the difference of rot and psi is stated
        const double sign = m[8] > 0 ? 1 : -1;
        return {0, tilt, turnOf(-degrees(std::atan2(sign * m[3], sign * m[0])))};
    }
    return {turnOf(-degrees(std::atan2(-m[7], m[6]))), tilt,
            turnOf(-degrees(std::atan2(-m[5], -m[2])))};
}

base::Point fromWorld(const base::Geometry& geometry, const base::Point& lps) {
    const Matrix turn = rotation::inverse(geometry.direction);
    base::Point voxel{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t row = 0; row < 3; ++row) {
            voxel[axis] += turn[3 * axis + row] * (lps[row] - geometry.origin[row]);
        }
        voxel[axis] /= geometry.spacing[axis];
    }
    return voxel;
}

base::Point voxelAngstrom(const ListPlace& place) {
    if (place.unknowns.binning && place.unknowns.unbinnedPixel) {
        const double edge = *place.unknowns.binning * *place.unknowns.unbinnedPixel;
        return {edge, edge, edge};
    }
    if (place.geometry.unitSource == base::UnitSource::Missing || place.geometry.unit == "px") {
        return kNone;
    }
    const double factor = unitLength(place.geometry.unit) / unitLength("A");
    const base::Point& spacing = place.geometry.spacing;
    return {spacing[0] * factor, spacing[1] * factor, spacing[2] * factor};
}

} // namespace flcc::io::detail::lists
