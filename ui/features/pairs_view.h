#pragma once

#include <QImage>
#include <QWidget>

#include <array>
#include <vector>

#include "engine/base/extents.h"

namespace flcc::ui {

/// Two images side by side and a line from each place of the left one to its place in the right
/// one. A click near an end of a line selects it. Of volumes the middle slices are shown.
class PairsView : public QWidget {
    Q_OBJECT

  public:
    /// One of the two images.
    struct Side {
        QImage picture;                 ///< of any size, with the image's aspect
        base::Extents extents{0, 0, 0}; ///< of the image, voxels
        QString title;
    };
    /// A line: voxels of the left and of the right image.
    struct Line {
        base::Point left{};
        base::Point right{};
    };

    explicit PairsView(QWidget* parent = nullptr);

    void setSides(Side left, Side right);
    void setLines(std::vector<Line> lines);
    void select(int line); ///< -1: none
    [[nodiscard]] int selected() const { return m_selected; }
    /// Where a voxel of side 0 or 1 is drawn.
    [[nodiscard]] QPointF placeOf(int side, const base::Point& voxel) const;

    [[nodiscard]] QSize sizeHint() const override { return {760, 380}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {320, 160}; }

  Q_SIGNALS:
    void selectedByMouse(int line);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

  private:
    [[nodiscard]] QRectF frameOf(int side) const;
    void drawLine(QPainter& painter, const Line& line) const;

    std::array<Side, 2> m_sides;
    std::vector<Line> m_lines;
    int m_selected = -1;
};

} // namespace flcc::ui
