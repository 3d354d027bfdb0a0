#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace flcc::viz::detail {

/// A rectangle of texels: first and one past the last on each axis.
struct TexelRect {
    std::int64_t left = 0;
    std::int64_t top = 0;
    std::int64_t right = 0;
    std::int64_t bottom = 0;
    [[nodiscard]] bool empty() const { return left >= right || top >= bottom; }
    friend bool operator==(const TexelRect&, const TexelRect&) = default;
};

[[nodiscard]] inline TexelRect common(const TexelRect& a, const TexelRect& b) {
    return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right),
            std::min(a.bottom, b.bottom)};
}

/// Texels along one axis of a plane. Texel i holds the voxels whose centres, counted from the outer
/// edge of voxel 0, lie in [i * pitch + shift, (i + 1) * pitch + shift). Every voxel is in exactly
/// one texel, so no voxel is lost whatever the pitch is.
struct TexelAxis {
    std::int64_t count = 0; ///< voxels
    double pitch = 1;       ///< voxels per texel, at least 1
    double shift = 0;       ///< voxels

    /// The first voxel of a texel, clamped to 0 .. count.
    [[nodiscard]] std::int64_t firstVoxel(std::int64_t texel) const {
        const double first = std::ceil(static_cast<double>(texel) * pitch + shift - 0.5);
        return static_cast<std::int64_t>(std::clamp(first, 0.0, static_cast<double>(count)));
    }
    /// The texel that holds the position `edge`, in voxels from the outer edge of voxel 0.
    [[nodiscard]] std::int64_t texelAt(double edge) const {
        return static_cast<std::int64_t>(std::floor((edge - shift) / pitch));
    }
    /// The same texels over blocks of 2^level voxels.
    [[nodiscard]] TexelAxis atLevel(int level) const {
        const double block = std::ldexp(1.0, level);
        const std::int64_t blocks = (count + (std::int64_t{1} << level) - 1) >> level;
        return {blocks, pitch / block, shift / block};
    }
    friend bool operator==(const TexelAxis&, const TexelAxis&) = default;
};

/// Texels of a plane.
struct TexelGrid {
    TexelAxis right;
    TexelAxis down;

    /// One texel for each voxel.
    [[nodiscard]] static TexelGrid ofVoxels(std::int64_t width, std::int64_t height) {
        return {{width}, {height}};
    }
    [[nodiscard]] bool isOfVoxels() const {
        return right.pitch == 1 && down.pitch == 1 && right.shift == 0 && down.shift == 0;
    }
    [[nodiscard]] TexelGrid atLevel(int level) const {
        return {right.atLevel(level), down.atLevel(level)};
    }
    /// Voxels per texel on the axis with fewer of them.
    [[nodiscard]] double pitch() const { return std::min(right.pitch, down.pitch); }
    friend bool operator==(const TexelGrid&, const TexelGrid&) = default;
};

/// Every how many voxels, on each axis, texels of `rect` of one slice of an image are read where no
/// pyramid serves them: 1 unless that would stop the window for long. Large 2D images are thinned
/// more, because they get a pyramid soon.
[[nodiscard]] inline std::int64_t readingStep(const TexelGrid& grid, const TexelRect& rect,
                                              bool volume) {
    const double most = volume ? 1 << 24 : 1 << 23;
    const double voxels =
        static_cast<double>(grid.right.firstVoxel(rect.right) - grid.right.firstVoxel(rect.left)) *
        static_cast<double>(grid.down.firstVoxel(rect.bottom) - grid.down.firstVoxel(rect.top));
    return std::max<std::int64_t>(1,
                                  static_cast<std::int64_t>(std::ceil(std::sqrt(voxels / most))));
}

} // namespace flcc::viz::detail
