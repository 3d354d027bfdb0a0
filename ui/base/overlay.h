#pragma once

#include <QObject>

#include <vector>

class QWidget;

namespace flcc::ui {

/// Keeps bars at the top of an area, each as wide as the area and below the one before. They lie
/// over what the area shows, so that a bar that appears moves nothing under the mouse; or, on
/// request, above it.
class Overlay : public QObject {
    Q_OBJECT

  public:
    /// The bars are children of `area` that no layout holds. The area has a layout.
    Overlay(QWidget& area, std::vector<QWidget*> bars);
    /// False: what the area shows begins below the bars.
    void setOver(bool over);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void place();

    QWidget& m_area;
    std::vector<QWidget*> m_bars;
    bool m_over = true;
};

} // namespace flcc::ui
