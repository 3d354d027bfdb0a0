#include "engine/cuda/run/tiling.h"

#include <algorithm>

#include "engine/cuda/run/map_run.h"
#include "engine/cuda/run/support_tiles.h"
#include "engine/method/shared/smooth_length.h"

namespace flcc::cuda {

namespace {

using base::Extents;
using method::Problem;
using method::shared::ceilDivide;
using method::shared::isSmooth;
using method::shared::nextSmooth;

/// Points of the transforms that are computed at once. Meant to fill a device; not measured.
constexpr std::int64_t kPointsTogether = std::int64_t{1} << 23;

/// The length of a piece if `count` is split into as few pieces as possible, of nearly equal length
/// and of at most `most`.
std::int64_t equalPart(std::int64_t count, std::int64_t most) {
    const std::int64_t part = std::clamp<std::int64_t>(most, 1, count);
    return ceilDivide(count, ceilDivide(count, part));
}

/// Points of a smooth transform that hold `length` voxels: along x, where they are even, and along
/// y or z.
std::int64_t rowLength(std::int64_t length) { return 2 * nextSmooth(ceilDivide(length, 2)); }
std::int64_t lineLength(std::int64_t length) { return length == 1 ? 1 : nextSmooth(length); }

/// The tiling with at most `most` tiles in a part.
Tiling tilesTogether(const Problem& problem, const Extents& points, std::int64_t most) {
    const Extents map = method::mapExtents(problem);
    const Extents& m = problem.templ;
    Tiling tiling;
    tiling.points = points;
    tiling.out = {std::min(points.x - m.x + 1, map.x), std::min(points.y - m.y + 1, map.y),
                  std::min(points.z - m.z + 1, map.z)};
    const Extents grid = tileGrid(map, tiling.out);
    Extents& together = tiling.together;
    together.x = equalPart(grid.x, most);
    together.y = equalPart(grid.y, most / together.x);
    together.z = equalPart(grid.z, most / (together.x * together.y));
    tiling.part = {std::min(together.x * tiling.out.x, map.x),
                   std::min(together.y * tiling.out.y, map.y),
                   std::min(together.z * tiling.out.z, map.z)};
    tiling.tiles = static_cast<double>(base::voxelCount(grid));
    return tiling;
}

/// True if at least a fifth of the points along an axis give placements.
bool isWorth(std::int64_t length, std::int64_t templ) { return length >= templ + templ / 4; }

/// Extents of the voxels that the placements of the map see, including voxels beyond the scene.
Extents wholeReach(const Problem& problem) {
    const Extents map = method::mapExtents(problem);
    const Extents& m = problem.templ;
    return {map.x + m.x - 1, map.y + m.y - 1, map.z + m.z - 1};
}

} // namespace

Tiling tilingOf(const Problem& submitted, const Extents& points, const DeviceFacts& device) {
    Problem problem = submitted;
    problem.onDevice.runs = 1; // parts must not depend on whether the scene stays
    std::int64_t most = kPointsTogether / base::voxelCount(points);
    Tiling tiling = tilesTogether(problem, points, most);
    const auto tooMuch = [&] {
        const std::int64_t inFlight = partsInFlight(problem, tiling.part, device);
        return cuda::deviceBytes(problem, tiling, inFlight) > device.about.memoryBytes / 2 ||
               !isShared(method::mapExtents(problem), tiling.part, device);
    };
    while (tiling.batch() > 1 && tooMuch()) {
        most = tiling.batch() / 2;
        tiling = tilesTogether(problem, points, most);
    }
    return tiling;
}

std::int64_t deviceBytes(const Problem& problem, const Tiling& tiling, std::int64_t inFlight) {
    return heldBytes(problem) + inFlight * partBytes(problem, tiling.part) +
           scoreBytes(problem, tiling.part) +
           (isGeneral(problem) ? supportRoomOf(problem, tiling).bytes()
                               : roomOf(problem, tiling).bytes());
}

Extents wholeTile(const Problem& problem) {
    const Extents all = wholeReach(problem);
    return {rowLength(all.x), lineLength(all.y), lineLength(all.z)};
}

Extents askedTile(const Problem& problem, const Extents& tile) {
    const Extents& n = problem.scene;
    return {tile.x, n.y == 1 ? 1 : tile.y, n.z == 1 ? 1 : tile.z};
}

std::vector<Extents> tilesFor(const Problem& problem) {
    const Extents& m = problem.templ;
    const Extents whole = wholeTile(problem);
    std::vector<Extents> tiles;
    const auto add = [&](const Extents& target) {
        const Extents tile{std::min(target.x, whole.x), std::min(target.y, whole.y),
                           std::min(target.z, whole.z)};
        const auto worth = [](std::int64_t length, std::int64_t all, std::int64_t templ) {
            return length == all || isWorth(length, templ);
        };
        if (worth(tile.x, whole.x, m.x) && worth(tile.y, whole.y, m.y) &&
            worth(tile.z, whole.z, m.z) &&
            std::find(tiles.begin(), tiles.end(), tile) == tiles.end()) {
            tiles.push_back(tile);
        }
    };
    if (problem.scene.z > 1) {
        for (const std::int64_t length : {32, 64, 96, 128, 192, 256}) {
            add({length, length, length});
        }
    } else {
        for (const std::int64_t length : {128, 256, 512, 1024, 2048}) {
            add({length, length, 1});
        }
    }
    if (tiles.empty()) {
        add({rowLength(2 * m.x), lineLength(2 * m.y), lineLength(2 * m.z)});
    }
    return tiles;
}

std::string refusalOf(const Problem& problem, const Extents& points, bool whole) {
    if (problem.weights) {
        return "on a GPU masks of 0 and 1 only; use the CPU";
    }
    const Extents all = wholeReach(problem);
    const Extents& m = problem.templ;
    if (std::string reason = boxRefusal(problem); !reason.empty()) {
        return reason;
    }
    if (whole && (points.x < all.x || points.y < all.y || points.z < all.z)) {
        return "transforms the whole scene " + base::toString(all) + ", not a tile " +
               base::toString(points);
    }
    if (points.x < m.x || points.y < m.y || points.z < m.z) {
        return "tile " + base::toString(points) + " is smaller than template " + base::toString(m);
    }
    if (points.x < 2 || !isSmooth(points.x) || !isSmooth(points.y) || !isSmooth(points.z)) {
        return "a GPU transforms only tiles whose lengths are products of 2, 3, 5 and 7, the first "
               "at least 2, not tile " +
               base::toString(points);
    }
    return {};
}

TilingRoom roomOf(const Problem& problem, const Tiling& tiling) {
    const Extents& m = problem.templ;
    const auto of = [](const Extents& extents) { return base::voxelCount(extents); };
    const Extents tile{rowValues(tiling.points), tiling.points.y, tiling.points.z};
    const std::int64_t batch = tiling.batch();
    constexpr std::int64_t kPerSum = sizeof(PanelSum) / sizeof(double);
    TilingRoom room;
    room.valueBytes = usesDouble(problem) ? 8 : 4;
    room.tile = of(tile);
    room.data = batch * room.tile;
    room.product = problem.templates > 1 ? room.data : 0;
    room.spectra = problem.templates * room.tile;
    room.facts = batch;
    room.shares = batch * shareCount(tiling.points);
    room.first =
        std::max(batch * of(windowsAlong(1, tiling.out, m)), ceilDivide(room.tile, kPerSum));
    room.second = batch * of(windowsAlong(2, tiling.out, m));
    room.weights = of(m);
    // One complex value for each point: of the batch, or of the one tile of the template in double.
    room.workBytes = std::max<std::int64_t>(2 * room.valueBytes * batch, 16) * of(tiling.points);
    return room;
}

std::int64_t TilingRoom::bytes() const {
    return valueBytes * (data + product + spectra) +
           static_cast<std::int64_t>(sizeof(TileFacts)) * facts +
           static_cast<std::int64_t>(sizeof(TileShare)) * shares +
           static_cast<std::int64_t>(sizeof(PanelSum)) * (first + second) + 8 * weights + workBytes;
}

} // namespace flcc::cuda
