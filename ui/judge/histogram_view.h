#pragma once

#include <QWidget>

#include <functional>
#include <optional>

#include "ui/judge/score_counts.h"

namespace flcc::ui {

/// Numbers against the score on a logarithmic axis: voxels of the map as bars, peaks that survive a
/// threshold, expected false positives, and the law of the noise. A line, which is the threshold,
/// can be dragged or moved with the arrow keys.
class HistogramView : public QWidget {
    Q_OBJECT

  public:
    /// A number at a score; NaN where there is none.
    using Curve = std::function<double(double score)>;

    explicit HistogramView(QWidget* parent = nullptr);

    void setHistogram(ScoreHistogram histogram);
    /// Of the law: expected voxels in a bin of the histogram, and expected false positives at a
    /// threshold. Empty: none is drawn.
    void setLaw(Curve voxels, Curve falsePositives);
    void setSurvivors(Curve survivors);
    void setThreshold(double score, double step); ///< `step`: of the arrow keys
    void setSuggestion(std::optional<double> score);
    [[nodiscard]] const ScoreHistogram& histogram() const { return m_histogram; }
    /// The horizontal place of a score in the widget.
    [[nodiscard]] double placeOf(double score) const;

  Q_SIGNALS:
    void pressed(); ///< a drag or a key press begins
    void thresholdMoved(double score);
    void hovered(std::optional<double> score); ///< empty: the cursor left

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    [[nodiscard]] QSize sizeHint() const override { return {420, 150}; }

  private:
    [[nodiscard]] QRectF room() const;
    [[nodiscard]] double scoreAt(double x) const;
    [[nodiscard]] double heightOf(double count) const;
    void drawAxes(QPainter& painter) const;
    void drawCurve(QPainter& painter, const Curve& curve, const QColor& colour) const;

    ScoreHistogram m_histogram;
    Curve m_voxels;
    Curve m_falsePositives;
    Curve m_survivors;
    double m_threshold = 0;
    double m_step = 0.01;
    std::optional<double> m_suggestion;
    double m_most = 10; ///< the number at the top
};

} // namespace flcc::ui
