#include "ui/judge/panel_picture.h"

#include <QGuiApplication>
#include <QPainter>
#include <QPalette>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

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

QImage boxPicture(const std::function<double(const base::Index&)>& value,
                  const base::Extents& extents, const viz::GreyWindow& window, int side,
                  QRgb outside) {
    const std::array<std::int64_t, 3> edges = lengths(extents);
    const std::int64_t longest = *std::ranges::max_element(edges);
    const double step = std::max(1.0, static_cast<double>(longest) / side);
    const auto pixelsOf = [&](std::size_t axis) {
        return std::max(1, static_cast<int>(std::lround(static_cast<double>(edges[axis]) / step)));
    };
    const int square = std::min<int>(side, static_cast<int>(std::min<std::int64_t>(longest, side)));
    const int panels = panelsOf(extents);
    QImage picture(panels * square, square, QImage::Format_RGB32);
    picture.fill(outside);
    const double range = std::max(window.high - window.low, 1e-300);
    for (int panel = 0; panel < panels; ++panel) {
        const Plane plane = kPlanes[static_cast<std::size_t>(panel)];
        const int width = std::min(pixelsOf(plane.right), square);
        const int height = std::min(pixelsOf(plane.down), square);
        const int left = panel * square + (square - width) / 2;
        const int top = (square - height) / 2;
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
                std::array<std::int64_t, 3> at{edges[0] / 2, edges[1] / 2, edges[2] / 2};
                at[plane.right] = x * edges[plane.right] / width;
                at[plane.down] = y * edges[plane.down] / height;
                const double share = (value({at[0], at[1], at[2]}) - window.low) / range;
                if (std::isfinite(share)) {
                    const int grey =
                        static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * 255));
                    picture.setPixel(left + x, top + y, qRgb(grey, grey, grey));
                }
            }
        }
    }
    return picture;
}

QImage boxPicture(const base::AnyView& image, const base::Box& box, const viz::GreyWindow& window,
                  int side, QRgb outside) {
    const base::Extents all = base::extentsOf(image);
    return boxPicture(
        [&](const base::Index& i) {
            const base::Index at{box.corner.x + i.x, box.corner.y + i.y, box.corner.z + i.z};
            const bool inside =
                at.x >= 0 && at.y >= 0 && at.z >= 0 && at.x < all.x && at.y < all.y && at.z < all.z;
            return inside ? base::valueAt(image, at) : std::numeric_limits<double>::quiet_NaN();
        },
        box.extents, window, side, outside);
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
