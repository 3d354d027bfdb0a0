#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/cpu/common/for_items.h"
#include "engine/cpu/tile/tile_loader.h"

namespace flcc::cpu {

/// A whole scene in one frame, x = (S - c) 2^-e as CentredTile says. c, e and the quantum of floats
/// are found by several threads; x is computed row by row when it is needed.
class SceneFrame {
  public:
    /// Finds the frame; empty if stopped. `inDouble`: x will be placed in double. The number of
    /// threads does not change the frame.
    [[nodiscard]] static std::optional<SceneFrame>
    of(const base::AnyView& scene, std::int64_t templCount, bool inDouble, const ForItems& each);

    /// Writes x of `count` voxels of a row, from `first` on, to `to`; 0 for voxels that are not
    /// finite.
    void place(const base::AnyView& scene, const base::Index& first, std::int64_t count,
               float* to) const;
    void place(const base::AnyView& scene, const base::Index& first, std::int64_t count,
               double* to) const;

    /// The frame with the facts of the box `seen`, as scores need them. The count of non-finite
    /// voxels is that of all rows that the box touches, so it may be too large.
    [[nodiscard]] CentredTile tile(const base::Box& seen) const;

  private:
    /// Sum, range and number of non-finite voxels of a run; only the sum is rounded.
    struct Facts {
        long double sum = 0;
        long double minimum = 0;
        long double maximum = 0;
        std::int64_t finite = 0;
        std::int64_t nonFinite = 0;
    };
    template <class T> static Facts factsOf(const T* row, std::int64_t count);
    /// Sets `quantum` to GridSearch::quantum() of all voxels. False if stopped.
    [[nodiscard]] static bool findGrid(const base::View<const float>& view, const Facts& facts,
                                       const ForItems& each, double& quantum);
    template <class T, class Real> void placeRow(const T* row, std::int64_t count, Real* to) const;

    CentredTile m_facts;
    long double m_centre = 0;
    int m_exponent = 0;
    bool m_inFloat = false; ///< (S - c) 2^-e neither overflows nor underflows in float
    base::Extents m_scene;
    std::vector<std::int64_t> m_nonFinite; ///< number of non-finite voxels in each row
};

} // namespace flcc::cpu
