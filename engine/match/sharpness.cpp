#include "engine/match/peaks.h"

#include <algorithm>
#include <array>
#include <limits>

namespace flcc::match {

namespace {

constexpr std::array<base::Index, 7> kCross{
    {{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}};

base::Index sum(const base::Index& a, const base::Index& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

bool hasValueAt(const SearchedMap& map, const base::Index& at) {
    const base::Extents& extents = map.value.extents();
    return at.x >= 0 && at.y >= 0 && at.z >= 0 && at.x < extents.x && at.y < extents.y &&
           at.z < extents.z && base::hasValue(map.status.at(at));
}

/// The least score of the neighbours.
double floorAt(const SearchedMap& map, const base::Index& at) {
    double least = std::numeric_limits<double>::infinity();
    for (const base::Index& step : kCross) {
        const base::Index next = sum(at, step);
        if (hasValueAt(map, next)) {
            least = std::min(least, static_cast<double>(map.value.at(next)));
        }
    }
    return least;
}

} // namespace

void setSharpness(std::vector<Peak>& peaks, const std::vector<SearchedMap>& maps) {
    for (Peak& peak : peaks) {
        const auto holds = [&](const SearchedMap& map) {
            return std::ranges::find(map.numbers, peak.templ) != map.numbers.end();
        };
        const auto map = std::ranges::find_if(maps, holds);
        if (map == maps.end() || map->reduced != nullptr || map->value.data() == nullptr) {
            continue;
        }
        const base::Index& first = map->firstPlacement;
        const base::Index at{peak.corner.x - first.x, peak.corner.y - first.y,
                             peak.corner.z - first.z};
        if (!hasValueAt(*map, at)) {
            continue;
        }
        double opened = -std::numeric_limits<double>::infinity();
        for (const base::Index& step : kCross) {
            const base::Index next = sum(at, step);
            if (hasValueAt(*map, next)) {
                opened = std::max(opened, floorAt(*map, next));
            }
        }
        peak.sharpness = static_cast<double>(map->value.at(at)) - opened;
    }
}

} // namespace flcc::match
