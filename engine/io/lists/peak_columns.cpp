#include "engine/io/lists/peak_columns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "engine/base/spacing.h"
#include "engine/io/format/raw_file.h"

namespace flcc::io {

namespace columns {
namespace {

/// A position that another program listed, and where it lies.
struct Foreign {
    const ListedPosition& position;
    const base::Geometry& geometry;
};

/// A column of tables of peaks: its name, its group (ListColumn::group), and its cell.
struct Column {
    const char* name;
    const char* group;
    std::string (*cell)(const match::Peak&, std::size_t rank);
    /// Of a position that is not from a run; null where nothing is known.
    std::string (*foreign)(const Foreign&, std::size_t rank) = nullptr;
};

std::string real(double value) { return detail::numberText(value); }
std::string real(const std::optional<double>& value) { return value ? real(*value) : ""; }

/// A value of a part that a peak may lack.
template <class Part, class Value>
std::string of(const std::optional<Part>& part, const Value& value) {
    return part ? real(static_cast<double>(value(*part))) : std::string();
}

template <std::size_t kAxis> std::string corner(const match::Peak& peak, std::size_t /*rank*/) {
    const base::Index& at = peak.corner;
    return std::to_string(std::array{at.x, at.y, at.z}[kAxis]);
}
template <std::size_t kAxis> std::string cornerOf(const Foreign& of, std::size_t /*rank*/) {
    const base::Extents& box = of.position.box;
    const std::int64_t edge = std::array{box.x, box.y, box.z}[kAxis];
    const double first =
        std::floor(of.position.centre[kAxis] - static_cast<double>(edge - 1) / 2 + 0.5);
    return edge > 0 && std::abs(first) < 1e15 ? std::to_string(static_cast<std::int64_t>(first))
                                              : std::string();
}

template <std::size_t kAxis> std::string centre(const match::Peak& peak, std::size_t /*rank*/) {
    return real(peak.centre[kAxis]);
}
template <std::size_t kAxis> std::string centreOf(const Foreign& of, std::size_t /*rank*/) {
    return real(of.position.centre[kAxis]);
}

template <std::size_t kAxis> std::string world(const match::Peak& peak, std::size_t /*rank*/) {
    return real(peak.world[kAxis]);
}
template <std::size_t kAxis> std::string worldOf(const Foreign& of, std::size_t /*rank*/) {
    return real(base::toWorld(of.geometry, of.position.centre)[kAxis]);
}

template <std::size_t kAngle> std::string angle(const match::Peak& peak, std::size_t /*rank*/) {
    return peak.pose ? real(rotation::eulerOf(peak.pose->turn)[kAngle]) : "";
}
template <std::size_t kAngle> std::string angleOf(const Foreign& of, std::size_t /*rank*/) {
    return of.position.angles ? real((*of.position.angles)[kAngle]) : "";
}

template <std::size_t kAxis> std::string error(const match::Peak& peak, std::size_t /*rank*/) {
    return peak.error ? real((*peak.error)[kAxis]) : "";
}

/// Of a turn out of the plane there is no angle in it.
std::string inPlane(const match::Peak& peak, std::size_t /*rank*/) {
    const base::Point euler = peak.pose ? rotation::eulerOf(peak.pose->turn) : base::Point{};
    return peak.pose && euler[0] == 0 && euler[1] == 0
               ? real(rotation::inPlaneDegrees(peak.pose->turn))
               : "";
}

using match::Peak;

constexpr std::array kColumns{
    Column{"rank", "", [](const Peak&, std::size_t rank) { return std::to_string(rank); },
           [](const Foreign&, std::size_t rank) { return std::to_string(rank); }},
    Column{"score", "", [](const Peak& peak, std::size_t) { return real(peak.score); },
           [](const Foreign& of, std::size_t) { return real(of.position.score); }},
    Column{"x", "corner", corner<0>, cornerOf<0>},
    Column{"y", "corner", corner<1>, cornerOf<1>},
    Column{"z", "corner", corner<2>, cornerOf<2>},
    Column{"cx", "centre", centre<0>, centreOf<0>},
    Column{"cy", "centre", centre<1>, centreOf<1>},
    Column{"cz", "centre", centre<2>, centreOf<2>},
    Column{"wx", "world", world<0>, worldOf<0>},
    Column{"wy", "world", world<1>, worldOf<1>},
    Column{"wz", "world", world<2>, worldOf<2>},
    Column{"template", "",
           [](const Peak& peak, std::size_t) { return std::to_string(peak.templ); }},
    Column{"rotation", "", inPlane},
    Column{"scale", "",
           [](const Peak& peak, std::size_t) {
               return of(peak.pose, [](const auto& pose) { return pose.scale; });
           }},
    Column{"zscore", "", [](const Peak& peak, std::size_t) { return real(peak.zscore); }},
    Column{"false_positives", "",
           [](const Peak& peak, std::size_t) { return real(peak.falsePositives); }},
    Column{"status", "",
           [](const Peak& peak, std::size_t) { return std::string(base::name(peak.status)); }},
    Column{"bound", "", [](const Peak& peak, std::size_t) { return real(peak.bound); }},
    Column{"rival", "", [](const Peak& peak, std::size_t) { return real(peak.rival); }},
    Column{"phi", "angles", angle<0>, angleOf<0>},
    Column{"theta", "angles", angle<1>, angleOf<1>},
    Column{"psi", "angles", angle<2>, angleOf<2>},
    Column{"sharpness", "", [](const Peak& peak, std::size_t) { return real(peak.sharpness); }},
    Column{"mirror", "",
           [](const Peak& peak, std::size_t) {
               return peak.pose ? std::to_string(peak.pose->mirrored ? 1 : 0) : "";
           },
           [](const Foreign& of, std::size_t) {
               return std::string(of.position.mirrored ? "1" : "");
           }},
    Column{"refined_score", "",
           [](const Peak& peak, std::size_t) {
               return of(peak.refinement, [](const auto& refined) { return refined.score; });
           }},
    Column{"search_mean", "",
           [](const Peak& peak, std::size_t) {
               return of(peak.search, [](const auto& search) { return search.mean; });
           }},
    Column{"search_deviation", "",
           [](const Peak& peak, std::size_t) {
               return of(peak.search, [](const auto& search) { return search.deviation; });
           }},
    Column{"search_z", "",
           [](const Peak& peak, std::size_t) {
               return of(peak.search, [](const auto& search) { return search.z; });
           }},
    Column{"polarity", "",
           [](const Peak& peak, std::size_t) {
               return std::string(!peak.dark ? "" : *peak.dark ? "dark" : "bright");
           }},
    Column{"error_x", "", error<0>},
    Column{"error_y", "", error<1>},
    Column{"error_z", "", error<2>},
    Column{"placed_by", "",
           [](const Peak& peak, std::size_t) { return std::string(match::name(peak.placedBy)); }},
    Column{"error_rotation", "",
           [](const Peak& peak, std::size_t) {
               return of(peak.refinement,
                         [](const auto& refined) { return std::ranges::max(refined.turnError); });
           }},
    Column{"error_scale", "",
           [](const Peak& peak, std::size_t) {
               return of(peak.refinement, [](const auto& refined) { return refined.scaleError; });
           }},
    Column{"scale_end", "",
           [](const Peak& peak, std::size_t) {
               return peak.refinement ? std::to_string(peak.refinement->scaleEnds ? 1 : 0) : "";
           }},
    Column{"made_of", "",
           [](const Peak& peak, std::size_t) { return std::string(peak.madeOf ? "1" : ""); }},
};

} // namespace
} // namespace columns

using columns::Column;
using columns::kColumns;

const std::vector<ListColumn>& peakColumns() {
    static const std::vector<ListColumn> kListed = [] {
        std::vector<ListColumn> columns;
        for (const Column& column : kColumns) {
            columns.push_back({column.name, column.group});
        }
        return columns;
    }();
    return kListed;
}

std::vector<std::string> detail::cellsOf(const match::Peak& peak, std::size_t rank) {
    std::vector<std::string> cells;
    cells.reserve(kColumns.size());
    for (const Column& column : kColumns) {
        cells.push_back(column.cell(peak, rank));
    }
    return cells;
}

std::vector<std::string> detail::cellsOf(const ListedPosition& position,
                                         const base::Geometry& geometry, std::size_t rank) {
    std::vector<std::string> cells;
    cells.reserve(kColumns.size());
    for (const Column& column : kColumns) {
        cells.push_back(column.foreign != nullptr ? column.foreign({position, geometry}, rank)
                                                  : std::string());
    }
    return cells;
}

} // namespace flcc::io
