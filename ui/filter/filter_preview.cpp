#include "ui/filter/filter_preview.h"

#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <variant>

#include "ui/base/theme.h"

namespace flcc::ui {

QImage planePicture(const base::AnyView& view, std::size_t depth, std::int64_t position,
                    const viz::GreyWindow& window, std::array<bool, 2> flips) {
    return std::visit(
        [&](const auto& typed) {
            const base::Extents& n = typed.extents();
            const std::int64_t width = depth == 0 ? n.y : n.x;
            const std::int64_t height = depth == 2 ? n.y : n.z;
            const std::int64_t right = depth == 0 ? typed.rowStride() : 1;
            const std::int64_t down = depth == 2 ? typed.rowStride() : typed.sliceStride();
            const auto* const first = depth == 0   ? typed.data() + position
                                      : depth == 1 ? typed.row(position, 0)
                                                   : typed.row(0, position);
            QImage image(static_cast<int>(width), static_cast<int>(height),
                         QImage::Format_Grayscale8);
            const auto low = static_cast<float>(window.low);
            const auto factor = static_cast<float>(255 / (window.high - window.low));
            for (std::int64_t y = 0; y < height; ++y) {
                const auto* const from = first + (flips[1] ? height - 1 - y : y) * down;
                uchar* const to = image.scanLine(static_cast<int>(y));
                for (std::int64_t x = 0; x < width; ++x) {
                    const float grey = (static_cast<float>(from[x * right]) - low) * factor + 0.5F;
                    // Comparisons that NaN fails.
                    to[flips[0] ? width - 1 - x : x] =
                        static_cast<uchar>(grey >= 0 ? std::min(grey, 255.0F) : 0.0F);
                }
            }
            return image;
        },
        view);
}

FilterPreview::FilterPreview(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("filterPreview"));
    setAccessibleName(tr("Preview of the filter"));
    setToolTip(
        tr("The slice in view after the filter. The wheel zooms, a drag moves the picture, a "
           "double-click fits it"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void FilterPreview::setPictures(const QImage& original, const QImage& filtered, double aspect) {
    m_original = original;
    m_filtered = filtered;
    m_aspect = aspect > 0 && std::isfinite(aspect) ? aspect : 1;
    update();
}

void FilterPreview::clear() { setPictures({}, {}, 1); }

void FilterPreview::showOriginal(bool on) {
    m_originalOn = on;
    update();
}

double FilterPreview::fitScale() const {
    const QImage& image = shown();
    return image.isNull() ? 1
                          : std::min(width() / static_cast<double>(image.width()),
                                     height() / (image.height() * m_aspect));
}

void FilterPreview::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Base).darker(isDark() ? 100 : 104));
    const QImage& image = shown();
    if (!image.isNull()) {
        const double scale = fitScale() * m_zoom;
        const QSizeF size(image.width() * scale, image.height() * scale * m_aspect);
        const QRectF target(QPointF(width() / 2.0 - m_centre.x() * size.width(),
                                    height() / 2.0 - m_centre.y() * size.height()),
                            size);
        // Single voxels are shown as squares once they are large.
        painter.setRenderHint(QPainter::SmoothPixmapTransform, scale * devicePixelRatioF() < 3);
        painter.drawImage(target, image);
    }
    painter.setPen(accents().line);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void FilterPreview::wheelEvent(QWheelEvent* event) {
    const QImage& image = shown();
    if (image.isNull() || event->angleDelta().y() == 0) {
        return;
    }
    const double before = m_zoom;
    m_zoom = std::clamp(m_zoom * std::pow(1.2, event->angleDelta().y() / 120.0), 1.0,
                        std::max(1.0, 32 / fitScale()));
    // The voxel under the cursor stays there.
    const QPointF from = event->position() - QPointF(width(), height()) / 2.0;
    const QSizeF size(image.width() * fitScale(), image.height() * fitScale() * m_aspect);
    m_centre +=
        QPointF(from.x() / size.width(), from.y() / size.height()) * (1 / before - 1 / m_zoom);
    if (m_zoom <= 1) {
        m_centre = {0.5, 0.5};
    }
    update();
    event->accept();
}

void FilterPreview::mousePressEvent(QMouseEvent* event) { m_last = event->position(); }

void FilterPreview::mouseMoveEvent(QMouseEvent* event) {
    const QImage& image = shown();
    if (!event->buttons().testFlag(Qt::LeftButton) || image.isNull() || m_zoom <= 1) {
        return;
    }
    const QPointF moved = event->position() - m_last;
    m_last = event->position();
    const double scale = fitScale() * m_zoom;
    m_centre -= QPointF(moved.x() / (image.width() * scale),
                        moved.y() / (image.height() * scale * m_aspect));
    m_centre = {std::clamp(m_centre.x(), 0.0, 1.0), std::clamp(m_centre.y(), 0.0, 1.0)};
    update();
}

void FilterPreview::mouseDoubleClickEvent(QMouseEvent*) {
    m_zoom = 1;
    m_centre = {0.5, 0.5};
    update();
}

} // namespace flcc::ui
