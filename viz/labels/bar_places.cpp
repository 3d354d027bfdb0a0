#include "viz/labels/bar_places.h"

#include <algorithm>

namespace flcc::viz::detail {

Bars barsOf(int width, int height, double ratio, const Bars& wanted) {
    const double w = width / ratio;
    const double h = height / ratio;
    return {wanted.axes && w >= 140 && h >= 140, wanted.scale && w >= 160 && h >= 100,
            wanted.scalar && w >= 200 && h >= 140};
}

std::array<Margins, 2> barMargins(const Bars& bars, double ratio) {
    const double side = kSideStrip * ratio;
    const double right = bars.scalar ? side : 0;
    const double below = (bars.axes    ? kAxesSide + 2 * kBarGap
                          : bars.scale ? kFlatBarStrip
                                       : 0) *
                         ratio;
    return {{{bars.axes || bars.scale ? side : 0, 0, right, 0}, {0, 0, right, below}}};
}

double coveredArea(const Label& plate, const std::array<double, 4>& picture) {
    const double width = std::min(plate.right, picture[2]) - std::max(plate.left, picture[0]);
    const double height = std::min(plate.bottom, picture[3]) - std::max(plate.top, picture[1]);
    return std::max(width, 0.0) * std::max(height, 0.0);
}

} // namespace flcc::viz::detail
