#include "engine/cpu/tile/support_loader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include "engine/base/finite.h"
#include "engine/base/widest.h"

namespace flcc::cpu {

namespace {

using base::Box;
using base::Extents;
using base::Index;

/// A type that holds every voxel and every difference of two voxels without overflow, and integers
/// exactly.
template <class T> using Wide = std::conditional_t<sizeof(T) <= 4, double, long double>;

/// Calls `use(voxel, element of the box)` for every voxel of `seen` inside the scene and its mask.
template <class T, class Use>
void forInside(const base::View<const T>& pixels, const base::View<const std::uint8_t>& mask,
               const Box& seen, const simd::DoubleBox& to, Use&& use) {
    const Extents& n = pixels.extents();
    const auto first = [](std::int64_t corner) { return std::max<std::int64_t>(0, -corner); };
    const auto last = [](std::int64_t corner, std::int64_t length, std::int64_t extent) {
        return std::min(length, extent - corner);
    };
    const std::int64_t x0 = first(seen.corner.x);
    const std::int64_t x1 = last(seen.corner.x, seen.extents.x, n.x);
    for (std::int64_t z = first(seen.corner.z); z < last(seen.corner.z, seen.extents.z, n.z); ++z) {
        for (std::int64_t y = first(seen.corner.y); y < last(seen.corner.y, seen.extents.y, n.y);
             ++y) {
            const T* const row = pixels.row(seen.corner.y + y, seen.corner.z + z) + seen.corner.x;
            const std::uint8_t* const kept =
                mask.data() == nullptr
                    ? nullptr
                    : mask.row(seen.corner.y + y, seen.corner.z + z) + seen.corner.x;
            double* const out = to.data + z * to.sliceStride + y * to.rowStride;
            for (std::int64_t x = x0; x < x1; ++x) {
                if (kept == nullptr || kept[x] != 0) {
                    use(row[x], out[x]);
                }
            }
        }
    }
}

/// Where the voxels of a tile go: x = (S - level) 2^-exponent.
template <class W> struct Placing {
    W level = 0;
    W largest = 0; ///< |S - level|
    int exponent = 0;

    /// 2^-e does not overflow: for double voxels it is a long double, whose exponent range is far
    /// larger; for float32 voxels, subnormal ones included, it is far within the range of double.
    [[nodiscard]] W scale() const { return std::ldexp(W{1}, -exponent); }

    void describe(SupportFrame& frame) const {
        frame.tile.unit = std::ldexp(1.0, std::min(exponent, 1023));
        frame.tile.level = static_cast<double>(level);
        frame.level = static_cast<double>(level * scale());
        frame.exponent = exponent;
        frame.integer = frame.integer && largest < W{0x1p53};
        frame.tile.exact = frame.integer;
        frame.tile.largestRounding = frame.integer ? 0.0 : std::ldexp(1.0, exponent - 54);
    }
};

template <class T, class W> Placing<W> placingOf(W mean, W least, W most) {
    Placing<W> placing;
    placing.level = std::is_integral_v<T>
                        ? std::nearbyint(mean)
                        : static_cast<W>(static_cast<T>(std::clamp(mean, least, most)));
    placing.largest = std::max(most - placing.level, placing.level - least);
    // A tile without contrast is scaled by the magnitude of its level.
    const W scaleOf = placing.largest > 0 ? placing.largest : std::abs(placing.level);
    placing.exponent = scaleOf > 0 ? std::ilogb(scaleOf) + 1 : 0;
    return placing;
}

/// Sets the norms of a frame from the voxels of a tile.
void measureNorms(const Extents& extents, const simd::DoubleBox& box, SupportFrame& frame) {
    constexpr std::int64_t kLanes = 8;
    std::array<double, kLanes> squares{};
    std::array<double, kLanes> fourths{};
    const auto add = [&](double x, std::size_t lane) {
        const double square = x * x;
        squares[lane] += square;
        fourths[lane] += square * square;
    };
    base::inWidest([&] {
        for (std::int64_t z = 0; z < extents.z; ++z) {
            for (std::int64_t y = 0; y < extents.y; ++y) {
                const double* const row = box.data + z * box.sliceStride + y * box.rowStride;
                std::int64_t x = 0;
                for (; x + kLanes <= extents.x; x += kLanes) {
                    for (std::int64_t i = 0; i < kLanes; ++i) {
                        add(row[x + i], static_cast<std::size_t>(i));
                    }
                }
                for (; x < extents.x; ++x) {
                    add(row[x], 0);
                }
            }
        }
    });
    frame.norm = std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
    frame.squareNorm = std::sqrt(std::accumulate(fourths.begin(), fourths.end(), 0.0));
}

template <class T>
SupportFrame load(const base::View<const T>& pixels, const base::View<const std::uint8_t>& mask,
                  const Box& seen, const simd::DoubleBox& to) {
    using W = Wide<T>;
    SupportFrame frame;
    W sum = 0;
    W least = std::numeric_limits<W>::infinity();
    W most = -least;
    std::int64_t bad = 0;
    forInside(pixels, mask, seen, to, [&](T voxel, double&) {
        ++frame.inside;
        if (!base::finite(voxel)) {
            ++bad;
            return;
        }
        const W v = static_cast<W>(voxel);
        sum += v;
        least = std::min(least, v);
        most = std::max(most, v);
    });
    frame.tile.nonFinite = bad;
    frame.integer = std::is_integral_v<T>;
    if (bad == frame.inside) {
        return frame;
    }
    const Placing<W> placing = placingOf<T>(sum / static_cast<W>(frame.inside - bad), least, most);
    const W scale = placing.scale();
    double norm = 0;
    double squareNorm = 0;
    forInside(pixels, mask, seen, to, [&](T voxel, double& out) {
        if (base::finite(voxel)) {
            out = static_cast<double>((static_cast<W>(voxel) - placing.level) * scale);
            const double square = out * out;
            norm += square;
            squareNorm += square * square;
        }
    });
    placing.describe(frame);
    frame.norm = std::sqrt(norm);
    frame.squareNorm = std::sqrt(squareNorm);
    return frame;
}

} // namespace

SupportFrame loadSupport(const method::MaskedView& scene, const Box& seen,
                         const simd::DoubleBox& to) {
    return std::visit([&](const auto& pixels) { return load(pixels, scene.mask, seen, to); },
                      scene.pixels);
}

std::optional<SupportFrame> loadInScene(const base::AnyView& scene, const Box& seen,
                                        const simd::DoubleBox& to) {
    return std::visit(
        [&](const auto& pixels) -> std::optional<SupportFrame> {
            using T = std::remove_cvref_t<decltype(pixels.at(0, 0, 0))>;
            if constexpr (kHasKernel<T>) {
                const auto part = pixels.part(seen);
                const simd::VoxelFacts facts = simd::voxelFacts(part);
                if (facts.nonFinite > 0) {
                    return std::nullopt;
                }
                SupportFrame frame;
                frame.integer = std::is_integral_v<T>;
                frame.inside = base::voxelCount(seen.extents);
                const Placing<double> placing = placingOf<T>(
                    facts.sum / static_cast<double>(frame.inside), facts.minimum, facts.maximum);
                simd::loadVoxels(part, placing.level, placing.scale(), to);
                placing.describe(frame);
                measureNorms(seen.extents, to, frame);
                return frame;
            } else {
                return std::nullopt;
            }
        },
        scene);
}

void loadInside(const method::MaskedView& scene, const Box& seen, const simd::DoubleBox& to) {
    std::visit(
        [&](const auto& pixels) {
            forInside(pixels, scene.mask, seen, to, [](auto, double& out) { out = 1; });
        },
        scene.pixels);
}

void loadNonFinite(const method::MaskedView& scene, const Box& seen, const simd::DoubleBox& to) {
    std::visit(
        [&](const auto& pixels) {
            forInside(pixels, scene.mask, seen, to,
                      [](auto voxel, double& out) { out = base::finite(voxel) ? 0 : 1; });
        },
        scene.pixels);
}

void squareInPlace(const Extents& extents, const simd::DoubleBox& box) {
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            double* const row = box.data + z * box.sliceStride + y * box.rowStride;
            for (std::int64_t x = 0; x < extents.x; ++x) {
                row[x] *= row[x];
            }
        }
    }
}

} // namespace flcc::cpu
