#include "ui/document/thumbnail.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "engine/match/colour_map.h"
#include "viz/scene.h"

namespace flcc::ui {
namespace {

/// Voxels of a pixel on each axis at most. Where a pixel has more, they are read at irregular
/// places: regular ones would show a pattern with every texture of the image.
constexpr std::int64_t kSamples = 8;

/// A number below `most`, the same in every run.
std::int64_t scattered(std::uint64_t seed, std::int64_t most) {
    // The finaliser of SplitMix64.
    seed += 0x9e3779b97f4a7c15U;
    seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9U;
    seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebU;
    return static_cast<std::int64_t>((seed ^ (seed >> 31)) % static_cast<std::uint64_t>(most));
}

/// Makes a picture of the middle slice. For each pixel `begin()`, for voxels of the pixel
/// `add(voxel)`, then `colour()`.
template <class Pixel> QImage reduced(const base::Extents& extents, int size, Pixel pixel) {
    const double step = static_cast<double>(std::max(extents.x, extents.y)) / size;
    const auto pixelsOf = [step](std::int64_t count) {
        return std::max(1, static_cast<int>(std::lround(static_cast<double>(count) / step)));
    };
    QImage image(pixelsOf(extents.x), pixelsOf(extents.y), QImage::Format_RGB32);
    // The first voxel of part `part` of `parts`.
    const auto firstOf = [](std::int64_t part, std::int64_t parts, std::int64_t count) {
        return part * count / parts;
    };
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const std::int64_t left = firstOf(x, image.width(), extents.x);
            const std::int64_t top = firstOf(y, image.height(), extents.y);
            const std::int64_t width =
                std::max<std::int64_t>(firstOf(x + 1, image.width(), extents.x) - left, 1);
            const std::int64_t height =
                std::max<std::int64_t>(firstOf(y + 1, image.height(), extents.y) - top, 1);
            const std::int64_t columns = std::min(width, kSamples);
            const std::int64_t rows = std::min(height, kSamples);
            pixel.begin();
            for (std::int64_t j = 0; j < rows; ++j) {
                for (std::int64_t i = 0; i < columns; ++i) {
                    const auto seed = static_cast<std::uint64_t>(
                        ((y * image.width() + x) * kSamples + j) * kSamples + i);
                    const std::int64_t cellX = firstOf(i, columns, width);
                    const std::int64_t cellY = firstOf(j, rows, height);
                    pixel.add(
                        {left + cellX + scattered(2 * seed, firstOf(i + 1, columns, width) - cellX),
                         top + cellY +
                             scattered(2 * seed + 1, firstOf(j + 1, rows, height) - cellY),
                         extents.z / 2});
                }
            }
            image.setPixel(x, y, pixel.colour());
        }
    }
    return image;
}

/// The average of the finite voxels.
struct AveragePixel {
    const base::AnyView& view;
    viz::GreyWindow window;
    double sum = 0;
    int count = 0;

    void begin() {
        sum = 0;
        count = 0;
    }
    void add(const base::Index& voxel) {
        // Shares of the window, which cannot overflow.
        const double share =
            (base::valueAt(view, voxel) / 2 - window.low / 2) / (window.high / 2 - window.low / 2);
        if (std::isfinite(share)) {
            sum += std::clamp(share, -1e6, 1e6);
            ++count;
        }
    }
    [[nodiscard]] QRgb colour() const {
        const int grey =
            count > 0 ? static_cast<int>(std::lround(std::clamp(sum / count, 0.0, 1.0) * 255)) : 0;
        return qRgb(grey, grey, grey);
    }
};

/// The best score, which an average would hide.
struct BestPixel {
    const method::MatchMap& map;
    match::HeatmapScale scale;
    std::optional<float> best{};

    void begin() { best.reset(); }
    void add(const base::Index& voxel) {
        if (base::hasValue(map.status.view().at(voxel))) {
            const float value = map.value.view().at(voxel);
            const bool better = !best || (scale.reversed ? value < *best : value > *best);
            best = better ? value : *best;
        }
    }
    [[nodiscard]] QRgb colour() const {
        const match::Colour colour = best ? match::colourOf(scale, *best) : match::kHatchDark;
        return qRgb(colour[0], colour[1], colour[2]);
    }
};

} // namespace

QImage thumbnailOf(const base::AnyView& view, int size) {
    return reduced(base::extentsOf(view), size, AveragePixel{view, viz::autoWindow(view)});
}

QImage thumbnailOf(const job::JobResult& result, int size) {
    if (!result.map) {
        return {};
    }
    const method::Operation& operation = result.report.plan.problem.operation;
    match::HeatmapScale scale;
    if (operation.traits().drawnFromZero && result.report.map) {
        scale.high = std::max(job::largestOfOthers(result.report), 1.0 / 256);
    } else if (result.report.map) {
        scale.low = result.report.map->statistics.minimum;
        scale.high = result.report.map->statistics.maximum;
        scale.reversed = operation.traits().best == method::Best::Smallest;
    }
    return reduced(result.map->value.extents(), size, BestPixel{*result.map, scale});
}

} // namespace flcc::ui
