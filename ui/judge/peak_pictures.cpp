#include "ui/judge/peak_pictures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/rotation/turn.h"
#include "ui/judge/panel_picture.h"

namespace flcc::ui {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kMostFitted = 1 << 20;
/// Grey reaches so many deviations of the panel from its mean.
constexpr double kReach = 2.5;

bool holds(const base::Extents& extents, const base::Index& at) {
    return at.x >= 0 && at.y >= 0 && at.z >= 0 && at.x < extents.x && at.y < extents.y &&
           at.z < extents.z;
}

} // namespace

PeakPictures picturesOf(const job::SceneImage& scene, const job::JobResult& result,
                        const match::Peak& peak, int side, QRgb outside) {
    const auto number = static_cast<std::size_t>(peak.templ);
    const base::AnyView image = base::viewOf(scene.pixels);
    base::AnyView templ = base::viewOf(result.templates[number]->pixels);
    const job::MaskImage* mask =
        number < result.masks.size() ? result.masks[number].get() : nullptr;
    const base::Image<std::uint8_t>* support = mask == nullptr ? nullptr : &mask->support;
    std::optional<rotation::TurnedTemplate> turned; // the part inside the template's own box
    if (peak.pose) {
        const bool flat = base::isFlat2D(base::extentsOf(templ)) || scene.channels > 0;
        const rotation::Turner turner(
            templ, support == nullptr ? base::View<const std::uint8_t>() : support->view(), flat,
            true, {}, {result.geometry.spacing, result.geometry.spacing});
        const base::Extents& n = turner.extents();
        turned = turner.turned(*peak.pose,
                               {n,
                                {static_cast<double>(n.x - 1) / 2, static_cast<double>(n.y - 1) / 2,
                                 static_cast<double>(n.z - 1) / 2}});
        templ = base::viewOf(turned->pixels);
        support = &turned->support;
    }
    const base::Extents all = base::extentsOf(image);
    const base::Extents extents = base::extentsOf(templ);
    const auto panelAt = [&](const base::Index& i) {
        const base::Index at{peak.corner.x + i.x, peak.corner.y + i.y, peak.corner.z + i.z};
        return holds(all, at) ? base::valueAt(image, at) : kNan;
    };
    const auto templAt = [&](const base::Index& i) {
        return support == nullptr || support->view().at(i) != 0 ? base::valueAt(templ, i) : kNan;
    };
    // Every step-th voxel along each axis is enough for the fit.
    const double count = static_cast<double>(extents.x) * static_cast<double>(extents.y) *
                         static_cast<double>(extents.z);
    const auto step =
        static_cast<std::int64_t>(std::max(1.0, std::ceil(std::cbrt(count / kMostFitted))));
    double n = 0;
    double p = 0;
    double t = 0;
    double pp = 0;
    double tt = 0;
    double pt = 0;
    const base::Index middle{extents.x / 2, extents.y / 2, extents.z / 2};
    const double p0 = std::isfinite(panelAt(middle)) ? panelAt(middle) : 0;
    const double t0 = base::valueAt(templ, middle);
    for (std::int64_t z = 0; z < extents.z; z += step) {
        for (std::int64_t y = 0; y < extents.y; y += step) {
            for (std::int64_t x = 0; x < extents.x; x += step) {
                const double a = panelAt({x, y, z}) - p0;
                const double b = templAt({x, y, z}) - t0;
                if (std::isfinite(a) && std::isfinite(b)) {
                    n += 1;
                    p += a;
                    t += b;
                    pp += a * a;
                    tt += b * b;
                    pt += a * b;
                }
            }
        }
    }
    PeakPictures made;
    if (n > 0) {
        const double varianceOfTempl = tt / n - t / n * (t / n);
        const double covariance = pt / n - p / n * (t / n);
        made.gain = varianceOfTempl > 0 ? covariance / varianceOfTempl : 0;
        made.offset = p0 + p / n - made.gain * (t0 + t / n);
    }
    const double mean = p0 + (n > 0 ? p / n : 0);
    const double deviation = n > 0 ? std::sqrt(std::max(0.0, pp / n - p / n * (p / n))) : 1;
    const double reach = deviation > 0 ? kReach * deviation : 1;
    const viz::GreyWindow window{mean - reach, mean + reach};
    made.panel = boxPicture(panelAt, extents, window, side, outside);
    made.templ =
        boxPicture([&](const base::Index& i) { return made.gain * templAt(i) + made.offset; },
                   extents, window, side, outside);
    made.difference = boxPicture(
        [&](const base::Index& i) {
            return panelAt(i) - (made.gain * templAt(i) + made.offset) + mean;
        },
        extents, window, side, outside);
    return made;
}

} // namespace flcc::ui
