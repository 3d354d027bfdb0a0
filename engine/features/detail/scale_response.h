#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "engine/base/image.h"
#include "engine/base/tile_pool.h"
#include "engine/features/detail/levels.h"
#include "engine/features/detail/line_kernels.h"

namespace flcc::features::detail {

/// The Gaussian and its second derivative of one scale, for one axis.
struct ScaleFilters {
    shared::LineFilter smooth;
    shared::LineFilter second;
};

/// **Units**: sigma and the edge of a voxel along the axis in one unit; the derivative is by that
/// unit. A sigma below 0.7 edges is taken as 0.7, where `edge` is above 1. **Errors**: CommandLine
/// for a sigma below 0.7.
[[nodiscard]] ScaleFilters scaleFilters(double sigma, double edge = 1);

/// The factor that makes centre and surround each integrate to 1: e sigma^2 / 2 for
/// images, 1.080985 sigma^2 for volumes.
[[nodiscard]] double scaleWeight(double sigma, bool volume);

/// Adds the response of one channel at one scale: weight step |LoG of the indicator|, summed over
/// the levels. Indicators are generated where they are filtered and never stored; one level, or a
/// few of a small image, are filtered at a time.
///
/// Every term is filtered along the axis of its second derivative last, and smoothed in an order
/// (volumes: in both orders) that does not prefer an axis, so that an image that is turned by 90
/// degrees, mirrored or transposed gives the same bits.
class ScaleResponse {
  public:
    /// `edges`: of a voxel, in the unit of sigma.
    ScaleResponse(const Grid& grid, const LineKernels& kernels, base::TilePool& pool,
                  const base::Point& edges = {1, 1, 1});

    /// Bytes of the buffers of an object.
    [[nodiscard]] static std::int64_t bytes(const Grid& grid, int threads);

    /// Called with the number of levels done.
    using Progress = std::function<void(std::size_t levels)>;

    /// Returns false if cancelled; `sum` is then incomplete. `sum` has the layout of the grid.
    [[nodiscard]] bool add(const LevelImage& levels, double step, double sigma, double* sum,
                           const std::stop_token& stop, const Progress& progress);

  private:
    enum class Axis { X, Y, Z };
    /// One filter over the whole image.
    struct Pass {
        Axis axis = Axis::X;
        bool second = false;   ///< second derivative, else Gaussian
        int from = kIndicator; ///< buffer, or the indicator
        int to = 0;            ///< buffer; kMagnitude: ends with the sum over levels
        bool add = false;
    };
    static constexpr int kIndicator = -1;
    static constexpr int kMagnitude = -2;
    using Stage = std::vector<Pass>; ///< passes that may run at the same time

    struct Task {
        const LevelImage* image = nullptr;
        std::array<ScaleFilters, 3> filters; ///< of the axes
        std::size_t first = 0;               ///< level of the batch
        std::size_t count = 0;
        double weight = 0;
        double* sum = nullptr;
    };

    [[nodiscard]] static std::vector<Stage> stagesOf(bool volume);
    [[nodiscard]] static std::int64_t batchOf(const Grid& grid);
    [[nodiscard]] bool isVolume() const { return m_grid.extents.z > 1; }
    [[nodiscard]] double* buffer(int number, std::size_t level);
    [[nodiscard]] double* block(int worker, int number);
    [[nodiscard]] std::int64_t tilesOf(const Pass& pass) const;
    [[nodiscard]] bool runStage(const Stage& stage, const Task& task, const std::stop_token& stop);
    void rows(const Pass& pass, const Task& task, std::size_t level, std::int64_t tile, int worker);
    void columns(const Pass& pass, const Task& task, std::size_t level, std::int64_t tile,
                 int worker);
    void magnitudes(const Task& task, std::int64_t tile, int worker);
    void filterRowBlock(const Pass& pass, const Task& task, std::size_t level,
                        std::int64_t rowBlock, int worker);

    /// The filter of a pass.
    [[nodiscard]] static const shared::LineFilter& filterOf(const Task& task, const Pass& pass);

    Grid m_grid;
    base::Point m_edges;
    LineKernels m_kernels;
    base::TilePool& m_pool;
    std::vector<Stage> m_stages;
    std::int64_t m_batch;
    std::vector<base::Image<double>> m_buffers; ///< each holds the levels of a batch
    std::int64_t m_blockSize;                   ///< values of a block of lines
    std::vector<base::Image<double>> m_blocks;  ///< one for each worker
};

} // namespace flcc::features::detail
