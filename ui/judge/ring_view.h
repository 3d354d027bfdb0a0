#pragma once

#include <QWidget>

#include <optional>

#include "engine/match/panels.h"

namespace flcc::ui {

/// How alike two halves of an average are over spatial frequencies, with the line at which the
/// resolution is read.
class RingView : public QWidget {
    Q_OBJECT

  public:
    explicit RingView(QWidget* parent = nullptr);

    /// `volume`: shells instead of rings.
    void show(const prepare::RingCorrelation& halves, bool volume);
    void clear();

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    [[nodiscard]] QRectF room() const;
    [[nodiscard]] QPointF placeOf(double frequency, double correlation) const;

    std::optional<prepare::RingCorrelation> m_halves;
    bool m_volume = false;
};

} // namespace flcc::ui
