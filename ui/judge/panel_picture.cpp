#include "ui/judge/panel_picture.h"

#include <QGuiApplication>
#include <QPainter>
#include <QPalette>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/rotation/orientation.h"

namespace flcc::ui {
namespace {

/// The axes to the right and down.
struct Plane {
    std::size_t right;
    std::size_t down;
};

constexpr int kColumnGap = 6;
constexpr int kPlaneGap = 2;

constexpr std::array<Plane, 3> kPlanes{{{0, 1}, {0, 2}, {2, 1}}};

std::array<std::int64_t, 3> lengths(const base::Extents& extents) {
    return {extents.x, extents.y, extents.z};
}

} // namespace

int panelsOf(const base::Extents& extents) { return extents.z > 1 ? 3 : 1; }

namespace {

/// Where the planes of a box lie in its picture.
struct Planes {
    Planes(const base::Extents& extents, int side)
        : edges(lengths(extents)), longest(*std::ranges::max_element(edges)),
          square(std::min(side, static_cast<int>(std::min<std::int64_t>(longest, side)))),
          panels(panelsOf(extents)) {
        step = std::max(1.0, static_cast<double>(longest) / side);
    }
    std::array<std::int64_t, 3> edges;
    std::int64_t longest;
    int square;
    int panels;
    double step = 1;

    /// Calls `at(x, y, voxel)` for each pixel that shows a voxel.
    void each(const auto& at) const {
        const auto pixelsOf = [&](std::size_t axis) {
            return std::clamp(
                static_cast<int>(std::lround(static_cast<double>(edges[axis]) / step)), 1, square);
        };
        for (int panel = 0; panel < panels; ++panel) {
            const Plane plane = kPlanes[static_cast<std::size_t>(panel)];
            const int width = pixelsOf(plane.right);
            const int height = pixelsOf(plane.down);
            const int left = panel * square + (square - width) / 2;
            const int top = (square - height) / 2;
            for (int y = 0; y < height; ++y) {
                for (int x = 0; x < width; ++x) {
                    std::array<std::int64_t, 3> voxel{edges[0] / 2, edges[1] / 2, edges[2] / 2};
                    voxel[plane.right] = x * edges[plane.right] / width;
                    voxel[plane.down] = y * edges[plane.down] / height;
                    at(left + x, top + y, base::Index{voxel[0], voxel[1], voxel[2]});
                }
            }
        }
    }
};

/// The value of an image between its voxels, by the eight around it; NaN outside.
double valueBetween(const base::AnyView& image, const base::Point& p) {
    const base::Extents all = base::extentsOf(image);
    const std::array<std::int64_t, 3> n = lengths(all);
    std::array<std::int64_t, 3> low{};
    base::Point share{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        constexpr double kSlack = 0.5; // the outermost voxels reach so far
        if (!(p[axis] >= -kSlack && p[axis] <= static_cast<double>(n[axis] - 1) + kSlack)) {
            return std::numeric_limits<double>::quiet_NaN();
        }
        const double inside = std::clamp(p[axis], 0.0, static_cast<double>(n[axis] - 1));
        low[axis] = static_cast<std::int64_t>(std::floor(inside));
        share[axis] = inside - static_cast<double>(low[axis]);
    }
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
        std::array<std::int64_t, 3> at = low;
        double weight = 1;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const bool upper = ((corner >> axis) & 1) != 0;
            at[axis] += upper ? 1 : 0;
            weight *= upper ? share[axis] : 1 - share[axis];
        }
        if (weight > 0) {
            sum += weight * base::valueAt(image, {at[0], at[1], at[2]});
        }
    }
    return sum;
}

} // namespace

QImage boxPicture(const BoxValues& value, const base::Extents& extents,
                  const viz::GreyWindow& window, int side, QRgb outside) {
    const Planes planes(extents, side);
    QImage picture(planes.panels * planes.square, planes.square, QImage::Format_RGB32);
    picture.fill(outside);
    const double range = std::max(window.high - window.low, 1e-300);
    planes.each([&](int x, int y, const base::Index& voxel) {
        const double share = (value(voxel) - window.low) / range;
        if (std::isfinite(share)) {
            const int grey = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * 255));
            picture.setPixel(x, y, qRgb(grey, grey, grey));
        }
    });
    return picture;
}

viz::GreyWindow ownWindow(const BoxValues& value, const base::Extents& extents, int side) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    Planes(extents, side).each([&](int, int, const base::Index& voxel) {
        const double each = value(voxel);
        if (std::isfinite(each)) {
            low = std::min(low, each);
            high = std::max(high, each);
        }
    });
    return low < high ? viz::GreyWindow{low, high} : viz::GreyWindow{low - 1, low + 1};
}

BoxValues valuesOf(const base::AnyView& image, const base::Box& box) {
    const base::Extents all = base::extentsOf(image);
    return [image, box, all](const base::Index& i) {
        const base::Index at{box.corner.x + i.x, box.corner.y + i.y, box.corner.z + i.z};
        const bool inside =
            at.x >= 0 && at.y >= 0 && at.z >= 0 && at.x < all.x && at.y < all.y && at.z < all.z;
        return inside ? base::valueAt(image, at) : std::numeric_limits<double>::quiet_NaN();
    };
}

BoxValues turnedBack(const base::AnyView& image, const match::Peak& peak,
                     const base::Extents& extents, const base::Point& edges) {
    const rotation::Matrix m = rotation::matrixOf(*peak.pose, edges);
    const std::array<std::int64_t, 3> n = lengths(extents);
    return [image, centre = peak.centre, m, n](const base::Index& i) {
        const std::array<std::int64_t, 3> voxel{i.x, i.y, i.z};
        base::Point at = centre;
        for (std::size_t row = 0; row < 3; ++row) {
            for (std::size_t column = 0; column < 3; ++column) {
                at[row] += m[3 * row + column] * (static_cast<double>(voxel[column]) -
                                                  static_cast<double>(n[column] - 1) / 2);
            }
        }
        return valueBetween(image, at);
    };
}

int widthOfColumns(int columns, int side) { return columns * side + (columns - 1) * kColumnGap; }

QPixmap columnsOf(const std::vector<NamedPicture>& pictures, int side, const QFont& font,
                  double pixelRatio) {
    const QFontMetrics metrics(font);
    const int line = metrics.height();
    const QImage& first = *pictures.front().picture;
    const int planes = std::max(
        1, static_cast<int>(std::lround(static_cast<double>(first.width()) / first.height())));
    const QSize size(widthOfColumns(static_cast<int>(pictures.size()), side),
                     line + planes * (side + kPlaneGap) - kPlaneGap);
    QPixmap pixmap(size * pixelRatio);
    pixmap.setDevicePixelRatio(pixelRatio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setFont(font);
    int left = 0;
    for (const auto& [name, picture] : pictures) {
        painter.setPen(QGuiApplication::palette().color(QPalette::WindowText));
        painter.drawText(QRect(left, 0, side, line), Qt::AlignCenter,
                         metrics.elidedText(name, Qt::ElideRight, side));
        const int square = picture->height();
        for (int plane = 0; plane < planes; ++plane) {
            // The planes lie side by side in the picture, with the same gap between them.
            const int from = planes > 1 ? plane * (picture->width() - square) / (planes - 1) : 0;
            painter.drawImage(QRect(left, line + plane * (side + kPlaneGap), side, side), *picture,
                              QRect(from, 0, square, square));
        }
        left += side + kColumnGap;
    }
    return pixmap;
}

} // namespace flcc::ui
