#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <variant>
#include <vector>

#include "engine/filter/detail/filter_method.h"

namespace flcc::filter::detail {

namespace {

using base::Extents;
using base::Index;
using base::View;

/// The flags of one row of supports: counts[x] grows by `sign` where the row of the scene,
/// continued beyond its ends, has a voxel that is not finite among the m voxels of the support of
/// result x.
template <class Voxel>
void countRow(const Voxel* row, std::int64_t n, Border border, std::int64_t first, std::int64_t m,
              std::int32_t sign, std::vector<std::int32_t>& counts, std::size_t offset,
              std::int64_t width) {
    std::int64_t marked = 0; // results below are counted already
    for (std::int64_t i = 0; i < width + m - 1; ++i) {
        const std::int64_t at = borderIndex(border, first + i, n);
        if (at < 0 || std::isfinite(row[at])) {
            continue;
        }
        // Voxel i is under the supports of results i - m + 1 .. i.
        const std::int64_t end = std::min(i + 1, width);
        for (std::int64_t x = std::max(marked, i - m + 1); x < end; ++x) {
            counts[offset + static_cast<std::size_t>(x)] += sign;
        }
        marked = std::max(marked, end);
    }
}

template <class Real, class Voxel>
void mark(const Problem& problem, const View<const Voxel>& scene, const View<Real>& to) {
    const Extents& n = scene.extents();
    const Extents& m = problem.kernel;
    const Extents& out = to.extents();
    const Index first = firstVoxel(problem);
    const std::int64_t rows = out.y + m.y - 1;
    // For every row under the supports: slices of the window along z with a voxel not finite.
    std::vector<std::int32_t> plane(static_cast<std::size_t>(rows * out.x), 0);
    const auto addSlice = [&](std::int64_t z, std::int32_t sign) {
        const std::int64_t fromZ = borderIndex(problem.border, first.z + z, n.z);
        for (std::int64_t y = 0; fromZ >= 0 && y < rows; ++y) {
            const std::int64_t fromY = borderIndex(problem.border, first.y + y, n.y);
            if (fromY >= 0) {
                countRow(scene.row(fromY, fromZ), n.x, problem.border, first.x, m.x, sign, plane,
                         static_cast<std::size_t>(y * out.x), out.x);
            }
        }
    };
    std::vector<std::int32_t> window(static_cast<std::size_t>(out.x));
    const auto addRow = [&](std::int64_t y, std::int32_t sign) {
        for (std::int64_t x = 0; x < out.x; ++x) {
            window[static_cast<std::size_t>(x)] +=
                plane[static_cast<std::size_t>(y * out.x + x)] > 0 ? sign : 0;
        }
    };
    for (std::int64_t z = 0; z < m.z - 1; ++z) {
        addSlice(z, 1);
    }
    for (std::int64_t z = 0; z < out.z; ++z) {
        addSlice(z + m.z - 1, 1);
        std::fill(window.begin(), window.end(), 0);
        for (std::int64_t y = 0; y < m.y - 1; ++y) {
            addRow(y, 1);
        }
        for (std::int64_t y = 0; y < out.y; ++y) {
            addRow(y + m.y - 1, 1);
            Real* const row = to.row(y, z);
            for (std::int64_t x = 0; x < out.x; ++x) {
                if (window[static_cast<std::size_t>(x)] > 0) {
                    row[x] = std::numeric_limits<Real>::quiet_NaN();
                }
            }
            addRow(y, -1);
        }
        addSlice(z, -1);
    }
}

} // namespace

template <class Real>
void markNonFinite(const Problem& problem, const base::AnyView& scene, const View<Real>& to) {
    std::visit(
        [&](const auto& view) {
            using Voxel = std::remove_const_t<std::remove_pointer_t<decltype(view.data())>>;
            if constexpr (std::is_floating_point_v<Voxel>) {
                mark<Real, Voxel>(problem, view, to);
            }
        },
        scene);
}

template void markNonFinite(const Problem&, const base::AnyView&, const View<float>&);
template void markNonFinite(const Problem&, const base::AnyView&, const View<double>&);

std::int64_t markBytes(const Problem& problem) {
    const Extents out = resultExtents(problem);
    return base::isInteger(problem.scenePixel) ? 0 : 4 * out.x * (out.y + problem.kernel.y);
}

} // namespace flcc::filter::detail
