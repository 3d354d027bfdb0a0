#include "engine/base/spacing.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace flcc::base {

namespace {

struct LengthUnit {
    std::string_view written;
    std::string_view name; ///< as in Geometry
    double factor;         ///< to that name
};

constexpr std::array<LengthUnit, 9> kUnits{{{"px", "px", 1},
                                            {"mm", "mm", 1},
                                            {"um", "um", 1},
                                            {"\xC2\xB5m", "um", 1}, // the micro sign
                                            {"nm", "nm", 1},
                                            {"A", "A", 1},
                                            {"\xC3\x85", "A", 1}, // the letter A with a ring
                                            {"cm", "mm", 10},
                                            {"m", "mm", 1000}}};

[[noreturn]] void refuse(std::string_view text) {
    throw Error(ErrorCode::CommandLine,
                "--spacing must be one to three numbers above 0 with commas between them and a "
                "unit (mm, um, nm, A or px), such as 0.2,0.2,1mm, not \"" +
                    excerpt(text) + "\"");
}

std::string shortest(double value) {
    std::array<char, 32> buffer{};
    return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

} // namespace

Spacing parseSpacing(std::string_view text) {
    const char* at = text.data();
    const char* const end = at + text.size();
    std::array<double, 3> numbers{};
    std::size_t count = 0;
    for (bool more = true; more && count < 3; ++count) {
        const auto [next, error] = std::from_chars(at, end, numbers[count]);
        if (error != std::errc{} || !(numbers[count] > 0) || !std::isfinite(numbers[count])) {
            refuse(text);
        }
        more = next != end && *next == ',';
        at = next + (more ? 1 : 0);
        if (more && count == 2) {
            refuse(text);
        }
    }
    while (at != end && *at == ' ') {
        ++at;
    }
    const std::string_view unit(at, static_cast<std::size_t>(end - at));
    for (const LengthUnit& known : kUnits) {
        if (unit == known.written || (unit.empty() && known.name == "px")) {
            Spacing spacing;
            spacing.unit = known.name;
            spacing.size = count == 1   ? Point{numbers[0], numbers[0], numbers[0]}
                           : count == 2 ? Point{numbers[0], numbers[1], 0}
                                        : Point{numbers[0], numbers[1], numbers[2]};
            for (double& size : spacing.size) {
                size *= known.factor;
            }
            return spacing;
        }
    }
    refuse(text);
}

std::string toString(const Spacing& spacing) {
    const Point& size = spacing.size;
    std::string text = shortest(size[0]);
    if (size[1] != size[0] || size[2] != size[0]) {
        text += "," + shortest(size[1]);
        text += size[2] == 0 ? "" : "," + shortest(size[2]);
    }
    return text + spacing.unit;
}

Geometry withSpacing(const Geometry& geometry, const Spacing& spacing, const Extents& extents) {
    if (spacing.size[2] == 0 && extents.z > 1) {
        throw Error(ErrorCode::Problem,
                    "the spacing " + toString(spacing) + " has two numbers, but the image has " +
                        toString(extents) + " voxels; give three numbers, or one for all axes");
    }
    Geometry stated = geometry;
    const auto from = metresOf(geometry.unit);
    const auto to = metresOf(spacing.unit);
    const bool converts = geometry.unitSource != UnitSource::Missing && from && to;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        stated.spacing[axis] = spacing.size[axis] == 0 ? 1 : spacing.size[axis];
        stated.origin[axis] *= converts ? (geometry.unit == spacing.unit ? 1 : *from / *to)
                                        : stated.spacing[axis] / geometry.spacing[axis];
    }
    stated.unit = spacing.unit;
    stated.unitSource = UnitSource::User;
    return stated;
}

std::string_view name(UnitSource source) {
    return source == UnitSource::Header ? "header"
           : source == UnitSource::User ? "user"
                                        : "missing";
}

Point voxelEdges(const Geometry& geometry, bool volume) {
    const std::size_t axes = volume ? 3 : 2;
    Point edges{1, 1, 1};
    double shortest = std::abs(geometry.spacing[0]);
    double longest = shortest;
    for (std::size_t axis = 1; axis < axes; ++axis) {
        shortest = std::min(shortest, std::abs(geometry.spacing[axis]));
        longest = std::max(longest, std::abs(geometry.spacing[axis]));
    }
    for (std::size_t axis = 0; axis < axes && longest > shortest * (1 + 1e-3); ++axis) {
        edges[axis] = std::abs(geometry.spacing[axis]) / shortest;
    }
    return edges;
}

std::optional<double> metresOf(std::string_view unit) {
    constexpr std::array<std::pair<std::string_view, double>, 6> kLengths{
        {{"m", 1}, {"cm", 1e-2}, {"mm", 1e-3}, {"um", 1e-6}, {"nm", 1e-9}, {"A", 1e-10}}};
    for (const auto& [name, metres] : kLengths) {
        if (name == unit) {
            return metres;
        }
    }
    return std::nullopt;
}

Point spacingRatio(const Geometry& a, const Geometry& b) {
    const double unit =
        a.unit == b.unit ? 1 : metresOf(a.unit).value_or(1) / metresOf(b.unit).value_or(1);
    Point ratio{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        ratio[axis] = unit * std::abs(a.spacing[axis] / b.spacing[axis]);
    }
    return ratio;
}

bool spacingsDiffer(const Geometry& a, const Geometry& b, bool volume) {
    const auto stated = [](const Geometry& each) {
        return each.unitSource != UnitSource::Missing && metresOf(each.unit).has_value();
    };
    if (!stated(a) || !stated(b)) {
        return false;
    }
    const Point ratio = spacingRatio(a, b);
    for (std::size_t axis = 0; axis < (volume ? 3U : 2U); ++axis) {
        if (std::abs(ratio[axis] - 1) > 1e-3) {
            return true;
        }
    }
    return false;
}

} // namespace flcc::base
