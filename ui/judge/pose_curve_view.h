#pragma once

#include <QWidget>

#include <vector>

#include "engine/match/refine.h"

namespace flcc::ui {

/// The scores of a peak in poses beside its own, a curve for each coordinate. Hidden without any.
class PoseCurveView : public QWidget {
    Q_OBJECT

  public:
    explicit PoseCurveView(QWidget* parent = nullptr);

    void show(std::vector<match::PoseCurve> curves);

  protected:
    void paintEvent(QPaintEvent* event) override;
    [[nodiscard]] QSize sizeHint() const override { return {150, 110}; }

  private:
    std::vector<match::PoseCurve> m_curves;
};

} // namespace flcc::ui
