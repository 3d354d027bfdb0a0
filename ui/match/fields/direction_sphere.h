#pragma once

#include <QPoint>
#include <QWidget>

#include <vector>

#include "engine/rotation/cover.h"

namespace flcc::ui {

/// The directions from which a search over all orientations sees its template, as dots on a sphere
/// about the template's axes: bright those that are searched, in a colour each those that the
/// point group makes of them. The mouse and the arrow keys turn the sphere.
class DirectionSphere : public QWidget {
    Q_OBJECT

  public:
    /// A dot in the frame of the template. `element`: of the group that made it of a searched one;
    /// 0: searched.
    struct Dot {
        base::Point at;
        int element = 0;
    };

    explicit DirectionSphere(QWidget* parent = nullptr);

    /// `caption`: below the sphere.
    void setCover(const rotation::Cover& cover, const QString& caption);
    [[nodiscard]] const std::vector<Dot>& dots() const { return m_dots; }
    /// Where a direction lies in the widget; `front`: on the side of the viewer.
    struct Shown {
        QPointF at;
        bool front = false;
    };
    [[nodiscard]] Shown shown(const base::Point& direction) const;

    [[nodiscard]] QSize sizeHint() const override { return {190, 180}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {120, 120}; }

  protected:
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    [[nodiscard]] double radius() const;
    void turn(double right, double down); ///< degrees

    std::vector<Dot> m_dots;
    int m_elements = 1;
    QString m_caption;
    rotation::Quaternion m_view;
    QPointF m_last;
};

} // namespace flcc::ui
