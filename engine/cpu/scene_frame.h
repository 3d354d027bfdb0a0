#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/cpu/for_items.h"
#include "engine/cpu/tile_loader.h"

namespace flcc::cpu {

/// A whole scene in one frame: x = (S - c) 2^-e as CentredTile says, c, e and the quantum of floats
/// found by many threads, rows placed when they are wanted.
class SceneFrame {
  public:
    /// Empty when stopped. `twofold`: x is double. The same frame on any number of threads.
    [[nodiscard]] static std::optional<SceneFrame>
    of(const base::AnyView& scene, std::int64_t templCount, bool inDouble, const ForItems& each);

    /// Voxels x0 .. x0 + count - 1 of a row; 0 where they are not finite.
    void place(const base::AnyView& scene, const base::Index& first, std::int64_t count,
               float* to) const;
    void place(const base::AnyView& scene, const base::Index& first, std::int64_t count,
               double* to) const;

    /// What a score needs to know of the part `seen`.
    [[nodiscard]] CentredTile tile(const base::Box& seen) const;

  private:
    /// Sum, range and non-finite voxels of a run of voxels, exact but for the sum.
    struct Facts {
        long double sum = 0;
        long double minimum = 0;
        long double maximum = 0;
        std::int64_t finite = 0;
        std::int64_t nonFinite = 0;
    };
    template <class T> static Facts factsOf(const T* row, std::int64_t count);
    /// GridSearch::quantum() of all voxels. False when stopped.
    [[nodiscard]] static bool findGrid(const base::View<const float>& view, const Facts& facts,
                                       const ForItems& each, double& quantum);
    template <class T, class Real> void placeRow(const T* row, std::int64_t count, Real* to) const;

    CentredTile m_facts;
    long double m_centre = 0;
    int m_exponent = 0;
    bool m_inFloat = false; ///< (S - c) 2^-e neither overflows nor underflows in float
    base::Extents m_scene;
    std::vector<std::int64_t> m_nonFinite; ///< of each row
};

} // namespace flcc::cpu
