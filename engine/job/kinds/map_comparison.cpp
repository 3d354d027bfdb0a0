#include "engine/job/kinds/map_comparison.h"

#include <cmath>
#include <optional>
#include <string>

#include "engine/io/image_file.h"
#include "engine/job/report/text.h"

namespace flcc::job::detail {

using std::filesystem::path;

namespace {

Found wrongDigest(const std::string& same) {
    return {Replay::Verdict::Different,
            "the SHA-256 of the map is another one, but " + same + " are those of this run"};
}

/// Compares with the voxels of the map's file. Empty if there is none that fits.
std::optional<Found> compareVoxels(const path& file, const base::AnyView& now, double bound,
                                   const std::stop_token& stop) {
    std::error_code error;
    if (file.empty() || !std::filesystem::exists(file, error)) {
        return {};
    }
    const io::LoadedImage loaded = io::readImage(file, {.stop = stop});
    if (loaded.components.size() != 1 ||
        base::extentsOf(loaded.components.front()) != base::extentsOf(now)) {
        return Found{Replay::Verdict::Different,
                     "the map in " + file.string() + " has other extents"};
    }
    const base::AnyView before = base::viewOf(loaded.components.front());
    const base::Extents n = base::extentsOf(now);
    double largest = 0;
    base::Index where;
    for (base::Index at; at.z < n.z; ++at.z) {
        for (at.y = 0; at.y < n.y && !stop.stop_requested(); ++at.y) {
            for (at.x = 0; at.x < n.x; ++at.x) {
                const double a = base::valueAt(before, at);
                const double b = base::valueAt(now, at);
                const bool same = a == b || (std::isnan(a) && std::isnan(b));
                const double off = same ? 0 : std::abs(a - b);
                if (!(off <= bound)) {
                    return Found{Replay::Verdict::Different,
                                 "voxel " + base::toString(at) + " of the map was " + shortest(a) +
                                     "; now it is " + shortest(b) + ", and the bound is " +
                                     shortest(bound)};
                }
                if (off > largest) {
                    largest = off;
                    where = at;
                }
            }
        }
    }
    if (largest == 0) {
        return wrongDigest("the voxels of " + file.string());
    }
    return Found{Replay::Verdict::WithinBounds,
                 "the map differs most at voxel " + base::toString(where) + ", by " +
                     shortest(largest) + ", bound " + shortest(bound)};
}

} // namespace

Found compareMaps(const OtherMap& map, const std::stop_token& stop) {
    if (const auto found = compareVoxels(map.file, map.values, map.bound, stop)) {
        return *found;
    }
    return map.sameStatistics
               ? wrongDigest("its statistics")
               : Found{Replay::Verdict::WithinBounds,
                       "some voxels of the map differ; keep the file of the map to learn which"};
}

} // namespace flcc::job::detail
