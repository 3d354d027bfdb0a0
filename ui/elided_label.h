#pragma once

#include <QLabel>

namespace flcc::ui {

/// A label of one line that shortens what it shows to its width instead of widening its panel; the
/// whole text is its tool tip.
class ElidedLabel : public QLabel {
  public:
    using QLabel::QLabel;

    void showText(const QString& text, const QString& tip = {}); ///< the text, if it is empty
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QSize sizeHint() const override { return minimumSizeHint(); }

  protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace flcc::ui
