#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>

#include "engine/base/image.h"
#include "engine/base/pixels.h"
#include "engine/base/tile_pool.h"
#include "engine/prepare/response.h"

namespace flcc::prepare {

/// The transform of a scene, to whiten and to filter it.
///
/// The scene less the mean of the voxels that count (finite, and inside the mask), others being 0,
/// times the power of two that brings the largest below 1. Each axis with more than one voxel
/// continues beyond its end by at least 32 voxels up to a length that transforms well: the mirrored
/// scene, which fades linearly into the mirrored begin. **Cost**: 8 bytes a point; two transforms
/// in double.
class SceneTransform {
  public:
    /// `mask`: without voxels, or nonzero where the scene counts. `spacing`: of its voxels.
    SceneTransform(const base::AnyView& scene, const base::View<const std::uint8_t>& mask,
                   const base::Point& spacing, base::TilePool& pool, std::stop_token stop = {});
    ~SceneTransform();
    SceneTransform(const SceneTransform&) = delete;
    SceneTransform& operator=(const SceneTransform&) = delete;

    /// If so, other functions give unspecified results.
    [[nodiscard]] bool stopped() const;

    /// The roots of the mean power in shells of the width of the finest step along an axis, up to
    /// the corners of the spectrum. The shell about 0 counts as its neighbour: the mean is gone.
    [[nodiscard]] std::shared_ptr<const Spectrum> spectrum();

    /// The scene filtered by a response that is the same in all directions; voxels that were not
    /// finite are NaN. The last call.
    [[nodiscard]] base::Image<float> filtered(const Response& response);

    /// Bytes that this takes beside the scene and the filtered one.
    [[nodiscard]] static std::int64_t bytes(const base::Extents& scene);

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace flcc::prepare
