#pragma once

#include <QFrame>

#include <functional>

class QLabel;
class QPushButton;
class QToolButton;

namespace flcc::ui {

/// Shows one message over the views. A new message replaces the old one. Never modal.
class MessageBar : public QFrame {
    Q_OBJECT

  public:
    enum class Kind { Info, Warning, Error };

    explicit MessageBar(QWidget* parent = nullptr);
    void show(Kind kind, const QString& sentence);
    void tell(Kind kind, const QString& sentence); ///< shows it and adds it to the log
    /// Shows a message with a button. Calls `accepted` when the button is pressed, `declined` when
    /// the bar is closed instead.
    void offer(const QString& sentence, const QString& button, std::function<void()> accepted,
               std::function<void()> declined, Kind kind = Kind::Info);
    /// A press of the mouse in `view` hides a message that only informs: whoever goes on has read
    /// it.
    void leaveAtPress(QWidget& view);
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] Kind kind() const { return m_kind; }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void colour();

    QLabel* m_icon = nullptr;
    QLabel* m_text = nullptr;
    QPushButton* m_accept = nullptr; ///< the button of an offer
    QToolButton* m_close = nullptr;
    Kind m_kind = Kind::Info;
    std::function<void()> m_accepted;
    std::function<void()> m_declined;
};

} // namespace flcc::ui
