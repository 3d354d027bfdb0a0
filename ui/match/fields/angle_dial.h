#pragma once

#include <QWidget>

#include <optional>
#include <vector>

namespace flcc::ui {

/// The angles of a search in the plane as ticks on a circle: 0 on top, as the tick in the box of a
/// turned peak, counter-clockwise. Knobs at both ends of the range and at its second angle change
/// range and step, by the mouse or by Space and the arrow keys.
class AngleDial : public QWidget {
    Q_OBJECT

  public:
    /// What the knobs change.
    struct Range {
        double from = 0; ///< degrees
        double to = 360;
        double step = 10;
        bool whole = true; ///< all of `period`, whatever `from` and `to` are
        friend bool operator==(const Range&, const Range&) = default;
    };

    explicit AngleDial(QWidget* parent = nullptr);

    /// `degrees`: of all angles; `range`: empty where knobs have no meaning, as of a list;
    /// `period`: after which angles repeat.
    void setAngles(std::vector<double> degrees, const std::optional<Range>& range, double period);

    [[nodiscard]] QSize sizeHint() const override { return {190, 170}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {120, 120}; }
    /// Where an angle lies on the circle, in the widget.
    [[nodiscard]] QPointF placeOf(double degrees, double share = 1) const;

    [[nodiscard]] const std::vector<double>& angles() const { return m_angles; }

  Q_SIGNALS:
    void edited(const flcc::ui::AngleDial::Range& range);

  protected:
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    enum class Knob { Step, From, To };
    [[nodiscard]] double radius() const;
    [[nodiscard]] double angleOf(Knob knob) const;
    [[nodiscard]] std::vector<Knob> knobs() const;
    [[nodiscard]] std::optional<Knob> knobAt(const QPointF& place) const;
    /// Moves a knob to an angle, as near as the others let it.
    void move(Knob knob, double degrees);

    std::vector<double> m_angles;
    std::optional<Range> m_range;
    double m_period = 360;
    Knob m_selected = Knob::Step;
    bool m_dragging = false;
};

} // namespace flcc::ui
