#pragma once

#include <cstdint>
#include <functional>
#include <random>

#include "engine/base/pixels.h"

/// Seeded scenes and templates: the same voxels on every machine and with every library.
namespace flcc::selftest {

/// Random numbers that do not depend on the standard library's distributions.
class Random {
  public:
    explicit Random(std::uint64_t seed) : m_engine(seed) {}

    [[nodiscard]] std::uint64_t bits() { return m_engine(); }
    /// 0 <= value < 1.
    [[nodiscard]] double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
    /// 0 .. count-1.
    [[nodiscard]] std::int64_t below(std::int64_t count);
    /// About normal: mean 0, deviation 1, never beyond 6.
    [[nodiscard]] double normal();
    /// A corner at which `templ` fits into `scene`.
    [[nodiscard]] base::Index corner(const base::Extents& scene, const base::Extents& templ);

  private:
    std::mt19937_64 m_engine;
};

/// The value of a voxel, before it is rounded and cut to the range of the pixel type.
using VoxelValue = std::function<double(const base::Index&)>;

[[nodiscard]] base::AnyImage makeScene(base::PixelType type, const base::Extents& extents,
                                       const VoxelValue& value);

/// As makeScene with integers that double cannot hold (64-bit types).
[[nodiscard]] base::AnyImage
makeIntegerScene(base::PixelType type, const base::Extents& extents,
                 const std::function<std::int64_t(const base::Index&)>& value);

/// Independent voxels: integers in 0 .. 120, floats normally distributed around 1.
[[nodiscard]] base::AnyImage noise(base::PixelType type, const base::Extents& extents,
                                   std::uint64_t seed);

/// Waves of several directions and lengths with weak noise: neighbouring voxels are similar, as in
/// a picture.
[[nodiscard]] base::AnyImage texture(base::PixelType type, const base::Extents& extents,
                                     std::uint64_t seed);

/// `offset` plus 0 or 1 at random: a high level with a contrast of one count.
[[nodiscard]] base::AnyImage oneCountOver(base::PixelType type, const base::Extents& extents,
                                          std::int64_t offset, std::uint64_t seed);

/// Rises from `low` to `high` along x, y and z together.
[[nodiscard]] base::AnyImage ramp(base::PixelType type, const base::Extents& extents, double low,
                                  double high);

/// A copy of the part inside `box`.
[[nodiscard]] base::AnyImage crop(const base::AnyImage& image, const base::Box& box);

/// Replaces the part of `image` at `corner` by `patch`, of the same type.
void paste(base::AnyImage& image, const base::AnyImage& patch, const base::Index& corner);

/// Sets one voxel; `value` must be one of the type.
void setVoxel(base::AnyImage& image, const base::Index& index, double value);

/// Applies `function` to every voxel; returns a new image of `type`.
[[nodiscard]] base::AnyImage mapped(const base::AnyImage& image, base::PixelType type,
                                    const std::function<double(double)>& function);

/// `image` mirrored along the chosen axes.
[[nodiscard]] base::AnyImage flipped(const base::AnyImage& image, bool x, bool y, bool z);

} // namespace flcc::selftest
