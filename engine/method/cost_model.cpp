#include "engine/method/cost_model.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "engine/method/shared/smooth_length.h"

namespace flcc::method {

std::size_t CostModel::nearestLength(std::int64_t length) const {
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < transformTimes.size(); ++i) {
        const auto away = [&](std::size_t at) {
            return std::abs(transformTimes[at].length - length);
        };
        nearest = away(i) < away(nearest) ? i : nearest;
    }
    return nearest;
}

LengthTime CostModel::timeOf(std::int64_t length) const {
    if (length <= 1) {
        return {length, 0, 0};
    }
    if (!shared::isSmooth(length)) { // FFTW transforms these lengths
        return length <= 1024 ? LengthTime{length, 1, 1} : LengthTime{length, 3, 4.5};
    }
    const LengthTime& time = transformTimes[nearestLength(length)];
    return {length, time.rowNs, time.columnNs};
}

ShapeTime CostModel::timeOf(const base::Extents& points) const {
    const auto found = std::find_if(shapeTimes.begin(), shapeTimes.end(),
                                    [&](const ShapeTime& time) { return time.points == points; });
    if (found != shapeTimes.end()) {
        return *found;
    }
    const double count = static_cast<double>(base::voxelCount(points));
    // 16 bytes a point: voxels, half spectrum, numerators and the template's spectrum.
    const double crowding = std::clamp(std::log2(16 * count / cacheBytes) / 4, 0.0, 1.0);
    // Rows of a half spectrum are transformed in groups of sixteen, across slices.
    const std::int64_t rows = (points.y / 2 + 1) * points.z;
    const double whole =
        static_cast<double>(2 * ((rows + 15) / 16 * 16)) / static_cast<double>(points.y * points.z);
    const double transform = transformFactor * (1 + crowding * (crowdingFactor - 1)) * count *
                             (timeOf(points.x).rowNs * whole + timeOf(points.y).columnNs +
                              timeOf(points.z).columnNs * sliceColumnFactor);
    return {points, transform + loadNs(points), transform * prepareFactor};
}

double CostModel::wholeTransformNs(const base::Extents& points) const {
    const double count = static_cast<double>(base::voxelCount(points));
    // 8 bytes a point: the spectra of scene and template. From 16 times the cache on, the cache no
    // longer helps.
    const double crowding = std::clamp(std::log2(8 * count / cacheBytes) / 4, 0.0, 1.0);
    return count * std::log2(std::max(2.0, count)) * wholePointNs *
           (1 + crowding * (crowdingFactor - 1));
}

double CostModel::blockTransformNs(const base::Extents& points) const {
    const double count = static_cast<double>(base::voxelCount(points));
    const double lines = count / static_cast<double>(points.x) +
                         (points.y > 1 ? count / static_cast<double>(points.y) / 2 : 0.0) +
                         (points.z > 1 ? count / static_cast<double>(points.z) / 2 : 0.0);
    return blockFactor * wholeTransformNs(points) + 2 * lines * loadRowNs;
}

std::array<double, 3> denominatorTerms(const base::Extents& m, const base::Extents& tile) {
    const auto halo = [](std::int64_t out, std::int64_t length) {
        return static_cast<double>(out + length - 1) / static_cast<double>(out);
    };
    return {1, halo(tile.x, m.x) * halo(tile.y, m.y) * halo(tile.z, m.z),
            1 / static_cast<double>(tile.x)};
}

double CostModel::denominatorNs(const base::Extents& m, const base::Extents& tile) const {
    const auto [one, read, lines] = denominatorTerms(m, tile);
    return m.z == 1 && tile.z == 1
               ? one * denominatorVoxelNs + read * denominatorRowNs + lines * denominatorLineNs
               : one * volumeVoxelNs + read * volumeRowNs + lines * volumeLineNs;
}

double CostModel::loadNs(const base::Extents& seen) const {
    return static_cast<double>(base::voxelCount(seen)) * loadVoxelNs +
           static_cast<double>(seen.y * seen.z) * loadRowNs;
}

const std::vector<CostModel::Constant>& CostModel::constants() {
    static const std::vector<Constant> list{
        {"multiply_adds_per_ns", &CostModel::multiplyAddsPerNs},
        {"flush_voxel_ns", &CostModel::flushVoxelNs},
        {"direct_factor", &CostModel::directFactor},
        {"transform_factor", &CostModel::transformFactor},
        {"slice_column_factor", &CostModel::sliceColumnFactor},
        {"cache_bytes", &CostModel::cacheBytes},
        {"crowding_factor", &CostModel::crowdingFactor},
        {"denominator_voxel_ns", &CostModel::denominatorVoxelNs},
        {"denominator_row_ns", &CostModel::denominatorRowNs},
        {"denominator_line_ns", &CostModel::denominatorLineNs},
        {"volume_voxel_ns", &CostModel::volumeVoxelNs},
        {"volume_row_ns", &CostModel::volumeRowNs},
        {"volume_line_ns", &CostModel::volumeLineNs},
        {"load_voxel_ns", &CostModel::loadVoxelNs},
        {"load_row_ns", &CostModel::loadRowNs},
        {"buffer_byte_ns", &CostModel::bufferByteNs},
        {"tile_overhead_ns", &CostModel::tileOverheadNs},
        {"prepare_factor", &CostModel::prepareFactor},
        {"whole_point_ns", &CostModel::wholePointNs},
        {"whole_prepare_factor", &CostModel::wholePrepareFactor},
        {"block_factor", &CostModel::blockFactor},
        {"product_point_ns", &CostModel::productPointNs},
        {"thread_efficiency", &CostModel::threadEfficiency}};
    return list;
}

std::vector<LengthTime> CostModel::builtInTimes() {
    // Measured by calibrate() with AVX-512 on an AMD EPYC (Zen 5), as the built-in constants are.
    return {{16, 0.4, 0.3},      {24, 0.52, 0.26},   {32, 0.25, 0.145},  {48, 0.12, 0.112},
            {64, 0.175, 0.175},  {80, 0.19, 0.21},   {96, 0.26, 0.34},   {128, 0.27, 0.373},
            {160, 0.387, 0.432}, {192, 0.42, 0.412}, {256, 0.352, 0.32}, {320, 0.313, 0.282},
            {400, 0.276, 0.231}, {512, 0.28, 0.22},  {720, 0.283, 0.25}, {1024, 0.354, 0.31}};
}

} // namespace flcc::method
