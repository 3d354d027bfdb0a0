#pragma once

#include <QDoubleSpinBox>

namespace flcc::ui {

/// A number without trailing zeros. 0 can be typed, so that the reason against it can be read.
class SizeBox : public QDoubleSpinBox {
  public:
    explicit SizeBox(QWidget* parent) : QDoubleSpinBox(parent) {
        setDecimals(6);
        setRange(0, 1e6);
        setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
        setMinimumWidth(fontMetrics().averageCharWidth() * 8);
    }
    [[nodiscard]] QString textFromValue(double value) const override {
        return QString::number(value, 'g', 7);
    }
    [[nodiscard]] QSize sizeHint() const override { return minimumSizeHint(); }
    [[nodiscard]] QSize minimumSizeHint() const override {
        return {fontMetrics().averageCharWidth() * 10, QDoubleSpinBox::minimumSizeHint().height()};
    }
};

} // namespace flcc::ui
