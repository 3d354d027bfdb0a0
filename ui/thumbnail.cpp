#include "ui/thumbnail.h"

#include <algorithm>
#include <cmath>

#include "engine/match/colour_map.h"
#include "viz/scene.h"

namespace flcc::ui {
namespace {

/// Calls `pixel(x, y, voxel)` for every pixel of a picture of the middle slice.
template <class Pixel> QImage sampled(const base::Extents& extents, int size, const Pixel& pixel) {
    const double step = static_cast<double>(std::max(extents.x, extents.y)) / size;
    const auto pixelsOf = [step](std::int64_t count) {
        return std::max(1, static_cast<int>(std::lround(static_cast<double>(count) / step)));
    };
    QImage image(pixelsOf(extents.x), pixelsOf(extents.y), QImage::Format_RGB32);
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const base::Index voxel{(2 * x + 1) * extents.x / (2 * image.width()),
                                    (2 * y + 1) * extents.y / (2 * image.height()), extents.z / 2};
            image.setPixel(x, y, pixel(voxel));
        }
    }
    return image;
}

} // namespace

QImage thumbnailOf(const base::AnyView& view, int size) {
    const viz::GreyWindow window = viz::autoWindow(view);
    return sampled(base::extentsOf(view), size, [&](const base::Index& voxel) {
        const double value = base::valueAt(view, voxel);
        const double share = (value - window.low) / (window.high - window.low);
        const int grey = std::isfinite(share)
                             ? static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * 255))
                             : 0;
        return qRgb(grey, grey, grey);
    });
}

QImage thumbnailOf(const method::MatchMap& map, int size) {
    const match::HeatmapScale scale;
    return sampled(map.value.extents(), size, [&](const base::Index& voxel) {
        const match::Colour colour = base::hasValue(map.status.view().at(voxel))
                                         ? match::colourOf(scale, map.value.view().at(voxel))
                                         : match::kHatchDark;
        return qRgb(colour[0], colour[1], colour[2]);
    });
}

} // namespace flcc::ui
