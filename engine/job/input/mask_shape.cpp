#include "engine/job/mask_shape.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/spacing.h"
#include "engine/base/text.h"
#include "engine/job/input/masks.h"

namespace flcc::job {
namespace {

constexpr std::string_view kSphere = "sphere:";
constexpr std::string_view kCylinder = "cylinder:";
constexpr std::string_view kBox = "box:";

/// A number, at least 0, with a unit or without; empty if the text is none, or its unit another one
/// than `unit`, unless that is empty.
std::optional<double> lengthOf(std::string_view text, std::string& unit) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    const std::string own(rest, end);
    if (error != std::errc{} || !std::isfinite(value) || value < 0 ||
        (!own.empty() && (!base::metresOf(own) || (!unit.empty() && own != unit)))) {
        return std::nullopt;
    }
    unit = own.empty() ? unit : own;
    return value;
}

/// The lengths between separators; empty if one of them is none.
std::vector<double> numbersOf(std::string_view text, char between, std::string& unit) {
    std::vector<double> numbers;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t end = std::min(text.find(between, from), text.size());
        const std::optional<double> number = lengthOf(text.substr(from, end - from), unit);
        if (!number) {
            return {};
        }
        numbers.push_back(*number);
        from = end + 1;
    }
    return numbers;
}

std::string voxelText(double value) {
    std::array<char, 32> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), end};
}

/// Calls `visit(x, y, z)` for the voxels from `low` to `high` that lie inside.
template <class Visit>
void forVoxels(const base::Extents& extents, const base::Point& low, const base::Point& high,
               const Visit& visit) {
    const std::array<std::int64_t, 3> n{extents.x, extents.y, extents.z};
    std::array<std::int64_t, 3> first{};
    std::array<std::int64_t, 3> end{};
    for (std::size_t a = 0; a < 3; ++a) {
        const double most = static_cast<double>(n[a]);
        first[a] = static_cast<std::int64_t>(std::ceil(std::clamp(low[a], 0.0, most)));
        end[a] = static_cast<std::int64_t>(std::floor(std::clamp(high[a], -1.0, most - 1))) + 1;
    }
    for (std::int64_t z = first[2]; z < end[2]; ++z) {
        for (std::int64_t y = first[1]; y < end[1]; ++y) {
            for (std::int64_t x = first[0]; x < end[0]; ++x) {
                visit(x, y, z);
            }
        }
    }
}

} // namespace

std::string MaskShape::text() const {
    const std::string edge = (soft > 0 ? "," + voxelText(soft) : "") + unit;
    if (round && height > 0) {
        return std::string(kCylinder) + voxelText(radius) + "," + voxelText(height) + edge;
    }
    if (round) {
        return std::string(kSphere) + voxelText(radius) + edge;
    }
    if (sides == std::array<double, 3>{}) {
        return "box";
    }
    return std::string(kBox) + voxelText(sides[0]) + "x" + voxelText(sides[1]) +
           (sides[2] != 1 ? "x" + voxelText(sides[2]) : "") + edge;
}

std::optional<MaskShape> maskShapeOf(const std::filesystem::path& mask) {
    const std::string text = mask.string();
    if (text == "box" || text == "none") {
        return MaskShape{};
    }
    const auto refuse = [&] {
        return base::Error(
            base::ErrorCode::CommandLine,
            "--mask must be sphere:R[,SOFT], cylinder:R,H[,SOFT] or box:XxYxZ[,SOFT] with numbers "
            "of voxels of at least 0, or lengths such as sphere:12,3nm, box, or a file, not \"" +
                base::excerpt(text) + "\"");
    };
    std::string unit;
    const auto shapeFrom = [&](std::string_view name) {
        return numbersOf(std::string_view(text).substr(name.size()), ',', unit);
    };
    if (text.starts_with(kSphere)) {
        const auto numbers = shapeFrom(kSphere);
        if (numbers.empty() || numbers.size() > 2) {
            throw refuse();
        }
        return MaskShape{true, numbers[0], numbers.size() > 1 ? numbers[1] : 0, 0, {}, unit};
    }
    if (text.starts_with(kCylinder)) {
        const auto numbers = shapeFrom(kCylinder);
        if (numbers.size() < 2 || numbers.size() > 3 || numbers[1] == 0) {
            throw refuse();
        }
        return MaskShape{true,       numbers[0], numbers.size() > 2 ? numbers[2] : 0,
                         numbers[1], {},         unit};
    }
    if (text.starts_with(kBox)) {
        const std::string_view rest = std::string_view(text).substr(kBox.size());
        const std::size_t comma = rest.find(',');
        const auto sides = numbersOf(rest.substr(0, comma), 'x', unit);
        const auto soft = comma == std::string_view::npos
                              ? std::vector<double>{0}
                              : numbersOf(rest.substr(comma + 1), ',', unit);
        if (sides.size() < 2 || sides.size() > 3 || soft.size() != 1 ||
            std::find(sides.begin(), sides.end(), 0.0) != sides.end()) {
            throw refuse();
        }
        return MaskShape{
            false, 0, soft[0], 0, {sides[0], sides[1], sides.size() > 2 ? sides[2] : 1}, unit};
    }
    return std::nullopt;
}

namespace {

/// A shape in one unit: what its numbers and a voxel measure.
struct Measured {
    double radius = 0;
    double soft = 0;
    double height = 0;
    base::Point sides{0, 0, 0};
    base::Point edges{1, 1, 1}; ///< of a voxel
};

Measured measured(const MaskShape& shape, const base::Extents& templ, const base::Geometry& grid) {
    Measured made{shape.radius, shape.soft, shape.height, shape.sides,
                  base::voxelEdges(grid, templ.z > 1)};
    if (shape.unit.empty()) {
        made.height *= made.edges[2];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            made.sides[axis] *= made.edges[axis];
        }
        return made;
    }
    const auto wanted = base::metresOf(shape.unit);
    const auto own = base::metresOf(grid.unit);
    if (!wanted || !own || grid.unitSource == base::UnitSource::Missing) {
        throw base::Error(base::ErrorCode::Problem,
                          "the mask " + shape.text() + " is in " + shape.unit +
                              ", but neither scene nor template states a spacing; state it with "
                              "--spacing, or give voxels");
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        made.edges[axis] = std::abs(grid.spacing[axis]) * *own / *wanted;
    }
    return made;
}

/// How far a voxel, given by its distances from the middle, lies beyond a shape.
double beyondOf(const MaskShape& shape, const Measured& m, const base::Point& off) {
    const auto past = [](double at, double length) {
        return std::max(0.0, std::abs(at) - length / 2);
    };
    if (shape.round && shape.height > 0) {
        return std::hypot(std::max(0.0, std::hypot(off[0], off[1]) - m.radius),
                          past(off[2], m.height));
    }
    return shape.round ? std::hypot(off[0], off[1], off[2]) - m.radius
                       : std::hypot(past(off[0], m.sides[0]), past(off[1], m.sides[1]),
                                    past(off[2], m.sides[2]));
}

bool isWholeBox(const MaskShape& shape) {
    return !shape.round && shape.sides == std::array<double, 3>{};
}

/// Whether the box of a template cuts a shape, its soft edge included.
bool isCut(const MaskShape& shape, const Measured& m, const base::Extents& templ) {
    const std::array<std::int64_t, 3> n{templ.x, templ.y, templ.z};
    for (std::size_t axis = 0; axis < (templ.z > 1 ? 3U : 2U); ++axis) {
        const double length = !shape.round                    ? m.sides[axis]
                              : axis == 2 && shape.height > 0 ? m.height
                                                              : 2 * m.radius;
        if (length + 2 * m.soft > static_cast<double>(n[axis]) * m.edges[axis]) {
            return true;
        }
    }
    return false;
}

} // namespace

MaskShape detail::inVoxelsOf(const base::Geometry& templ, const MaskShape& shape,
                             const base::Geometry& scene, bool volume) {
    MaskShape made = shape;
    if (!shape.unit.empty()) {
        return made;
    }
    const base::Point ratio = base::spacingRatio(scene, templ);
    const base::Point own = base::voxelEdges(templ, volume);
    const base::Point other = base::voxelEdges(scene, volume);
    const double shortest = ratio[0] * own[0] / other[0];
    made.radius *= shortest;
    made.soft *= shortest;
    made.height *= ratio[2];
    for (std::size_t axis = 0; axis < (volume ? 3U : 2U); ++axis) {
        made.sides[axis] *= ratio[axis];
    }
    return made;
}

base::Image<double> maskWeights(const MaskShape& shape, const base::Extents& templ,
                                const base::Geometry& grid) {
    base::Image<double> weights(templ, 1.0);
    if (isWholeBox(shape)) {
        return weights;
    }
    const Measured m = measured(shape, templ, grid);
    // Surfaces go through the centres of voxels, up to the rounding of lengths.
    const double surface = 1e-9 * std::min({m.edges[0], m.edges[1], m.edges[2]});
    const auto off = [](std::int64_t i, std::int64_t n, double edge) {
        return (static_cast<double>(i) - static_cast<double>(n - 1) / 2) * edge;
    };
    for (std::int64_t z = 0; z < templ.z; ++z) {
        for (std::int64_t y = 0; y < templ.y; ++y) {
            for (std::int64_t x = 0; x < templ.x; ++x) {
                const double beyond =
                    beyondOf(shape, m,
                             {off(x, templ.x, m.edges[0]), off(y, templ.y, m.edges[1]),
                              off(z, templ.z, m.edges[2])});
                weights.view().at(x, y, z) =
                    beyond <= surface ? 1
                    : beyond < m.soft ? (1 + std::cos(std::numbers::pi * beyond / m.soft)) / 2
                                      : 0;
            }
        }
    }
    return weights;
}

std::shared_ptr<const MaskImage> makeMask(const MaskShape& shape, const base::Extents& templ,
                                          const base::Geometry& grid) {
    const base::Image<double> weights = maskWeights(shape, templ, grid);
    auto mask =
        detail::weightedMask(base::AnyView(base::View<const double>(weights.view())), shape.text());
    if (!isWholeBox(shape) && isCut(shape, measured(shape, templ, grid), templ)) {
        mask->note = "the mask " + shape.text() + " reaches beyond its template of " +
                     base::toString(templ) + " voxels, whose box cuts it";
    }
    return mask;
}

void drawStroke(base::Image<std::uint8_t>& support, const base::Point& from, const base::Point& to,
                double radius, std::uint8_t value, const base::Point& edges) {
    base::Point low{};
    base::Point high{};
    base::Point along{};
    double length2 = 0;
    for (std::size_t a = 0; a < 3; ++a) {
        low[a] = std::min(from[a], to[a]) - radius / edges[a];
        high[a] = std::max(from[a], to[a]) + radius / edges[a];
        along[a] = (to[a] - from[a]) * edges[a];
        length2 += along[a] * along[a];
    }
    forVoxels(support.extents(), low, high, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        const base::Point p{(static_cast<double>(x) - from[0]) * edges[0],
                            (static_cast<double>(y) - from[1]) * edges[1],
                            (static_cast<double>(z) - from[2]) * edges[2]};
        const double inner = p[0] * along[0] + p[1] * along[1] + p[2] * along[2];
        const double share = length2 > 0 ? std::clamp(inner / length2, 0.0, 1.0) : 0.0;
        if (std::hypot(p[0] - share * along[0], p[1] - share * along[1], p[2] - share * along[2]) <=
            radius) {
            support.view().at(x, y, z) = value;
        }
    });
}

void drawBox(base::Image<std::uint8_t>& support, const base::Box& box, std::uint8_t value) {
    const auto end = [](std::int64_t corner, std::int64_t size) {
        return static_cast<double>(corner + size - 1);
    };
    const base::Index& c = box.corner;
    forVoxels(support.extents(),
              {static_cast<double>(c.x), static_cast<double>(c.y), static_cast<double>(c.z)},
              {end(c.x, box.extents.x), end(c.y, box.extents.y), end(c.z, box.extents.z)},
              [&](std::int64_t x, std::int64_t y, std::int64_t z) {
                  support.view().at(x, y, z) = value;
              });
}

void drawRange(base::Image<std::uint8_t>& support, const base::AnyView& pixels, double low,
               double high, std::uint8_t value) {
    std::visit(
        [&](const auto& view) {
            const base::Extents& extents = support.extents();
            for (std::int64_t z = 0; z < extents.z; ++z) {
                for (std::int64_t y = 0; y < extents.y; ++y) {
                    const auto* const row = view.row(y, z);
                    std::uint8_t* const out = support.view().row(y, z);
                    for (std::int64_t x = 0; x < extents.x; ++x) {
                        const auto here = static_cast<double>(row[x]);
                        out[x] = here >= low && here <= high ? value : out[x];
                    }
                }
            }
        },
        pixels);
}

} // namespace flcc::job
