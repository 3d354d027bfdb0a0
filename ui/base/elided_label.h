#pragma once

#include <QLabel>

namespace flcc::ui {

/// A label of one line that elides its text instead of widening its panel. The whole text is its
/// tooltip.
class ElidedLabel : public QLabel {
  public:
    using QLabel::QLabel;

    /// If `tip` is empty, the tooltip is `text`.
    void showText(const QString& text, const QString& tip = {});
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QSize sizeHint() const override { return minimumSizeHint(); }

  protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace flcc::ui
