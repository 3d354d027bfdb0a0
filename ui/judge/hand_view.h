#pragma once

#include <QWidget>

#include <optional>

#include "engine/job/report.h"

namespace flcc::ui {

/// The sorted scores of the peaks of the given and of the mirrored templates as two curves, with
/// the verdict.
class HandView : public QWidget {
    Q_OBJECT

  public:
    explicit HandView(QWidget* parent = nullptr);

    /// Hidden without a report.
    void show(const std::optional<job::HandednessReport>& hands);
    /// "Hand: given" and the reason.
    [[nodiscard]] QString text() const;

  protected:
    void paintEvent(QPaintEvent* event) override;
    [[nodiscard]] QSize sizeHint() const override { return {260, 130}; }

  private:
    void drawCurve(QPainter& painter, const std::vector<double>& scores, const QColor& colour,
                   bool dashed) const;
    [[nodiscard]] QPointF placeOf(std::size_t rank, double score) const;
    [[nodiscard]] QRectF room() const;

    std::optional<job::HandednessReport> m_hands;
    std::size_t m_ranks = 1;
    double m_low = 0;
    double m_high = 1;
};

} // namespace flcc::ui
