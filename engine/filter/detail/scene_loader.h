#pragma once

#include <cstdint>

#include "engine/base/pixels.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/filter/detail/filter_method.h"
#include "engine/filter/problem.h"

namespace flcc::filter::detail {

/// Loads boxes of a scene, which may reach beyond its borders, as Real. **Threads**: any.
template <class Real> class SceneLoader {
  public:
    SceneLoader(const base::AnyView& scene, Border border)
        : m_scene(scene), m_border(border), m_n(base::extentsOf(scene)) {}

    /// Writes `box`, times the power of two `scale`, to `to`. **Shapes**: up to simd::kSlack values
    /// behind the last row may be written.
    Loaded load(const base::Box& box, double scale, const cpu::simd::VoxelBox<Real>& to) const;

  private:
    base::AnyView m_scene;
    Border m_border;
    base::Extents m_n;
};

} // namespace flcc::filter::detail
