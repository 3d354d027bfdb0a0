#pragma once

#include <QWidget>

#include <cstdint>
#include <vector>

#include "viz/volume_scene.h"

namespace flcc::ui {

/// The curve of a transfer function over the histogram of the grey values: opacity upwards, each
/// point in its colour. Points are dragged, added by a double click and removed by a right click or
/// `Del`; the arrow keys move the selected point, `Space` selects the next one.
class TransferCurve : public QWidget {
    Q_OBJECT

  public:
    explicit TransferCurve(QWidget* parent = nullptr);

    void setHistogram(std::vector<std::int64_t> counts);
    void setCurve(std::vector<viz::TransferPoint> points);
    [[nodiscard]] const std::vector<viz::TransferPoint>& curve() const { return m_points; }
    [[nodiscard]] int selected() const { return m_selected; } ///< -1: none
    void setSelectedColour(const QColor& colour);
    void removeSelected();
    /// Where a point of the curve is drawn.
    [[nodiscard]] QPointF placeOf(const viz::TransferPoint& point) const;

    [[nodiscard]] QSize sizeHint() const override { return {360, 170}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {240, 120}; }

  Q_SIGNALS:
    void edited(); ///< by the user
    void selectionChanged();

  protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    [[nodiscard]] QRectF plot() const;
    [[nodiscard]] int pointAt(const QPointF& place) const;
    [[nodiscard]] viz::TransferPoint pointOf(const QPointF& place) const;
    void select(int point);
    void moveSelected(double at, double opacity);

    std::vector<std::int64_t> m_histogram;
    std::vector<viz::TransferPoint> m_points;
    int m_selected = -1;
    bool m_dragging = false;
};

} // namespace flcc::ui
