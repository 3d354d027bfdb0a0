#pragma once

#include <QWidget>

#include <optional>
#include <vector>

#include "engine/match/list_comparison.h"

namespace flcc::ui {

enum class Rate { Precision, Recall, F1 };
/// The colour of its curve in the theme.
[[nodiscard]] QColor curveColour(Rate rate);

/// Precision, recall and F1 against the threshold, with the best threshold.
class CurveView : public QWidget {
    Q_OBJECT

  public:
    explicit CurveView(QWidget* parent = nullptr);

    /// `curve`: strictest threshold first; empty: none is drawn, and `why` says why.
    void setCurve(std::vector<match::ThresholdPoint> curve,
                  std::optional<match::ThresholdPoint> best, const QString& why = {});
    /// The horizontal place of a score in the widget.
    [[nodiscard]] double placeOf(double score) const;

  Q_SIGNALS:
    void hovered(const std::optional<flcc::match::ThresholdPoint>& point); ///< empty: left

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    [[nodiscard]] QSize sizeHint() const override { return {300, 150}; }

  private:
    [[nodiscard]] QRectF room() const;
    void drawAxes(QPainter& painter) const;

    std::vector<match::ThresholdPoint> m_curve;
    std::optional<match::ThresholdPoint> m_best;
    QString m_why;
    double m_low = 0;
    double m_high = 1;
};

} // namespace flcc::ui
