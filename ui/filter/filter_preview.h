#pragma once

#include <QImage>
#include <QWidget>

#include <array>
#include <cstdint>

#include "engine/base/pixels.h"
#include "viz/scene.h"

namespace flcc::ui {

/// A plane of voxels across axis `depth` in grey; `flips` mirrors it as a view does. NaN is black.
[[nodiscard]] QImage planePicture(const base::AnyView& view, std::size_t depth,
                                  std::int64_t position, const viz::GreyWindow& window,
                                  std::array<bool, 2> flips);

/// Shows a slice before and after a filter. The wheel zooms, a drag moves the picture, and a
/// double-click fits it.
class FilterPreview : public QWidget {
    Q_OBJECT

  public:
    explicit FilterPreview(QWidget* parent = nullptr);

    /// `aspect`: height of a voxel over its width.
    void setPictures(const QImage& original, const QImage& filtered, double aspect);
    void setOriginal(const QImage& original) { setPictures(original, m_filtered, m_aspect); }
    void clear();
    void showOriginal(bool on);
    [[nodiscard]] const QImage& original() const { return m_original; }
    [[nodiscard]] const QImage& filtered() const { return m_filtered; }
    [[nodiscard]] QSize sizeHint() const override { return {420, 420}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, 160}; }

  protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;

  private:
    [[nodiscard]] const QImage& shown() const { return m_originalOn ? m_original : m_filtered; }
    /// Logical pixels of a voxel's width at which the picture fits.
    [[nodiscard]] double fitScale() const;

    QImage m_original;
    QImage m_filtered;
    double m_aspect = 1;
    double m_zoom = 1;          ///< over fitScale()
    QPointF m_centre{0.5, 0.5}; ///< the share of the picture in the middle of the widget
    QPointF m_last;
    bool m_originalOn = false;
};

} // namespace flcc::ui
