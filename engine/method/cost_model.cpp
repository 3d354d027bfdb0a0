#include "engine/method/cost_model.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace flcc::method {

LengthTime CostModel::timeOf(std::int64_t length) const {
    if (length <= 1) {
        return {length, 0, 0};
    }
    const auto found = std::find_if(transformTimes.begin(), transformTimes.end(),
                                    [&](const LengthTime& time) { return time.length == length; });
    if (found != transformTimes.end()) {
        return *found;
    }
    return length <= 1024 ? LengthTime{length, 4.5, 5} : LengthTime{length, 4, 4.5};
}

ShapeTime CostModel::timeOf(const base::Extents& points) const {
    const auto found = std::find_if(shapeTimes.begin(), shapeTimes.end(),
                                    [&](const ShapeTime& time) { return time.points == points; });
    if (found != shapeTimes.end()) {
        return *found;
    }
    const double count = static_cast<double>(base::voxelCount(points));
    // Two complex buffers and the template's spectrum, shared by two real tiles.
    const double crowding = std::clamp(std::log2(24 * count / cacheBytes) / 4, 0.0, 1.0);
    const double transform = transformFactor * (1 + crowding * (crowdingFactor - 1)) * count *
                             (timeOf(points.x).rowNs + timeOf(points.y).columnNs +
                              timeOf(points.z).columnNs * sliceColumnFactor);
    return {points, transform + count * spectrumPointNs + loadNs(points),
            transform * prepareFactor};
}

double CostModel::wholeTransformNs(const base::Extents& points) const {
    const double count = static_cast<double>(base::voxelCount(points));
    // Scene and template spectrum; a scene of 16 caches has no use of them any more.
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
    // A sum over m voxels doubles up to the highest bit of m; every further bit costs about two.
    const auto bits = static_cast<std::uint64_t>(m.x);
    const auto doublings = static_cast<int>(std::bit_width(bits)) - 1;
    const int steps = doublings + 2 * (std::popcount(bits) - 1);
    // A row costs some more voxels than it has.
    constexpr std::int64_t kRowVoxels = 40;
    return {1, halo(tile.x, m.x + kRowVoxels) * halo(tile.y, m.y) * halo(tile.z, m.z),
            static_cast<double>(steps)};
}

double CostModel::denominatorNs(const base::Extents& m, const base::Extents& tile) const {
    const auto [one, rows, steps] = denominatorTerms(m, tile);
    return m.z == 1 && tile.z == 1
               ? one * denominatorVoxelNs + rows * denominatorRowNs + steps * denominatorStepNs
               : one * volumeVoxelNs + rows * volumeRowNs;
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
        {"spectrum_point_ns", &CostModel::spectrumPointNs},
        {"denominator_voxel_ns", &CostModel::denominatorVoxelNs},
        {"denominator_row_ns", &CostModel::denominatorRowNs},
        {"denominator_step_ns", &CostModel::denominatorStepNs},
        {"volume_voxel_ns", &CostModel::volumeVoxelNs},
        {"volume_row_ns", &CostModel::volumeRowNs},
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
    // FFTW 3.3.10 with AVX2, FFTW_ESTIMATE, a core of 2.5 GHz, columns with their gathering.
    return {{16, 1.2, 1.9},  {24, 3.4, 4.0},  {32, 1.4, 1.9},  {40, 3.1, 3.7},  {48, 1.6, 2.1},
            {56, 3.0, 3.3},  {64, 1.6, 1.9},  {72, 4.5, 5.0},  {80, 1.8, 2.5},  {96, 1.7, 2.0},
            {112, 4.2, 4.7}, {120, 2.3, 2.6}, {128, 1.8, 2.5}, {144, 1.7, 2.2}, {160, 1.7, 2.5},
            {192, 1.8, 2.3}, {200, 2.5, 2.5}, {240, 1.8, 2.4}, {256, 1.8, 2.3}, {288, 4.6, 5.2},
            {320, 1.9, 2.4}, {384, 1.8, 2.2}, {400, 1.9, 2.6}, {480, 4.9, 5.5}, {512, 1.8, 2.4},
            {640, 1.9, 2.3}, {768, 3.3, 3.8}, {1024, 2.1, 2.5}};
}

} // namespace flcc::method
