#pragma once

#include <QWidget>

#include <optional>

#include "engine/job/explain.h"

namespace flcc::ui {

/// The scores beside a peak along each axis as dots, and the parabola with their curvature at the
/// place between voxels.
class ProfileView : public QWidget {
    Q_OBJECT

  public:
    explicit ProfileView(QWidget* parent = nullptr);

    void show(const match::Peak& peak, const job::Explanation& explanation, bool volume);
    void clear();

  protected:
    void paintEvent(QPaintEvent* event) override;
    [[nodiscard]] QSize sizeHint() const override { return {150, 110}; }

  private:
    void drawAxis(QPainter& painter, std::size_t axis, const QColor& colour) const;
    [[nodiscard]] QPointF placeOf(double step, double score) const;
    [[nodiscard]] QRectF room() const;

    std::optional<job::Explanation> m_explanation;
    match::Peak m_peak;
    bool m_volume = false;
    double m_low = 0;
    double m_high = 1;
    double m_reach = 4; ///< steps to each side
};

} // namespace flcc::ui
