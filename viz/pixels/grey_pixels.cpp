#include "viz/pixels/grey_pixels.h"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace flcc::viz::detail {
namespace {

/// A plane of an image: pixel (i, j) is data[i * right + j * down].
template <class T> struct Plane {
    const T* data;
    std::int64_t right;
    std::int64_t down;
};

/// One texel a voxel.
template <class T>
void copyGrey(const Plane<T>& plane, const GreyTable<T>& byteOf, const TexelRect& rect,
              std::uint8_t* out, std::int64_t rowBytes) {
    using Real = typename GreyTable<T>::Real;
    const std::int64_t count = rect.right - rect.left;
    for (std::int64_t j = rect.top; j < rect.bottom; ++j, out += rowBytes) {
        const T* voxel = plane.data + j * plane.down + rect.left * plane.right;
        if (plane.right == 1) {
            for (std::int64_t i = 0; i < count; ++i) {
                out[i] = byteOf(static_cast<Real>(voxel[i]));
            }
        } else {
            for (std::int64_t i = 0; i < count; ++i) {
                out[i] = byteOf(static_cast<Real>(voxel[i * plane.right]));
            }
        }
    }
}

/// The average of the finite voxels of each texel.
template <class T>
void averageGrey(const Plane<T>& plane, const GreyTable<T>& byteOf, const TexelGrid& grid,
                 const TexelRect& rect, std::int64_t step, std::uint8_t* out,
                 std::int64_t rowBytes) {
    using Real = typename GreyTable<T>::Real;
    const auto width = static_cast<std::size_t>(rect.right - rect.left);
    std::vector<std::int64_t> ends(width + 1);
    for (std::size_t i = 0; i <= width; ++i) {
        ends[i] = grid.right.firstVoxel(rect.left + static_cast<std::int64_t>(i));
    }
    std::vector<Real> sums(width);
    std::vector<Real> counts(width);
    for (std::int64_t j = rect.top; j < rect.bottom; ++j, out += rowBytes) {
        std::fill(sums.begin(), sums.end(), Real{0});
        std::fill(counts.begin(), counts.end(), Real{0});
        const std::int64_t last = grid.down.firstVoxel(j + 1);
        for (std::int64_t y = grid.down.firstVoxel(j); y < last; y += step) {
            const T* row = plane.data + y * plane.down;
            for (std::size_t i = 0; i < width; ++i) {
                Real sum = 0;
                Real count = 0;
                for (std::int64_t x = ends[i]; x < ends[i + 1]; x += step) {
                    const auto v = static_cast<Real>(row[x * plane.right]);
                    if constexpr (std::is_integral_v<T>) {
                        sum += v;
                        count += 1;
                    } else {
                        const bool finite = std::isfinite(v);
                        sum += finite ? v : Real{0};
                        count += finite ? Real{1} : Real{0};
                    }
                }
                sums[i] += sum;
                counts[i] += count;
            }
        }
        for (std::size_t i = 0; i < width; ++i) {
            // 0 / 0 is NaN, which is drawn like the NaN that all of these voxels are.
            out[i] = byteOf(sums[i] / counts[i]);
        }
    }
}

/// The largest voxels along `depth` of a part of a plane, rows of `width` voxels. The innermost
/// loop goes along the memory.
template <class T>
std::vector<T> maxima(const Plane<T>& plane, std::int64_t depth, std::int64_t count,
                      std::int64_t left, std::int64_t width, std::int64_t top,
                      std::int64_t height) {
    std::vector<T> most(static_cast<std::size_t>(width * height), std::numeric_limits<T>::lowest());
    for (std::int64_t j = 0; j < height; ++j) {
        const T* const row = plane.data + (top + j) * plane.down + left * plane.right;
        T* const out = most.data() + j * width;
        if (depth == 1) {
            for (std::int64_t i = 0; i < width; ++i) {
                for (std::int64_t k = 0; k < count; ++k) {
                    const T v = row[i * plane.right + k];
                    out[i] = v > out[i] ? v : out[i]; // not for NaN
                }
            }
            continue;
        }
        for (std::int64_t k = 0; k < count; ++k) {
            for (std::int64_t i = 0; i < width; ++i) {
                const T v = row[i * plane.right + k * depth];
                out[i] = v > out[i] ? v : out[i];
            }
        }
    }
    return most;
}

} // namespace

void slabPixels(const base::AnyView& image, const PlaneAxes& axes, std::int64_t first,
                std::int64_t last, const GreyWindow& window, const TexelGrid& grid,
                const TexelRect& rect, std::uint8_t* out, std::int64_t rowBytes) {
    std::visit(
        [&]<class T>(const base::View<const T>& view) {
            const std::array<std::int64_t, 3> strides{1, view.rowStride(), view.sliceStride()};
            const Plane<T> plane{view.data() + first * strides[axes.depth], strides[axes.right],
                                 strides[axes.down]};
            const std::int64_t left = grid.right.firstVoxel(rect.left);
            const std::int64_t top = grid.down.firstVoxel(rect.top);
            const std::int64_t width = grid.right.firstVoxel(rect.right) - left;
            const std::int64_t height = grid.down.firstVoxel(rect.bottom) - top;
            const std::vector<T> most =
                maxima(plane, strides[axes.depth], last - first + 1, left, width, top, height);
            // Counted from the corner of the whole plane, as the grid does.
            const Plane<T> shown{most.data() - top * width - left, 1, width};
            const GreyTable<T> byteOf(window);
            if (grid.isOfVoxels()) {
                copyGrey(shown, byteOf, rect, out, rowBytes);
            } else {
                averageGrey(shown, byteOf, grid, rect, 1, out, rowBytes);
            }
        },
        image);
}

void greyPixels(const base::AnyView& image, const PlaneAxes& axes, std::int64_t slice,
                const GreyWindow& window, const TexelGrid& grid, const TexelRect& rect,
                std::uint8_t* out, std::int64_t rowBytes) {
    std::visit(
        [&]<class T>(const base::View<const T>& view) {
            const std::array<std::int64_t, 3> strides{1, view.rowStride(), view.sliceStride()};
            const Plane<T> plane{view.data() + slice * strides[axes.depth], strides[axes.right],
                                 strides[axes.down]};
            const GreyTable<T> byteOf(window);
            if (grid.isOfVoxels()) {
                copyGrey(plane, byteOf, rect, out, rowBytes);
            } else {
                averageGrey(plane, byteOf, grid, rect,
                            readingStep(grid, rect, view.extents().z > 1), out, rowBytes);
            }
        },
        image);
}

} // namespace flcc::viz::detail
