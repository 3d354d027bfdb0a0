#include "ui/base/message_bar.h"

#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include <utility>

#include "engine/base/log.h"
#include "ui/base/theme.h"

namespace flcc::ui {

MessageBar::MessageBar(QWidget* parent) : QFrame(parent) {
    setObjectName(QStringLiteral("messageBar"));
    setAccessibleName(tr("Message"));
    m_icon = new QLabel(this);
    m_text = new QLabel(this);
    m_text->setObjectName(QStringLiteral("messageText"));
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_close = new QToolButton(this);
    m_close->setObjectName(QStringLiteral("messageClose"));
    m_close->setAccessibleName(tr("Close message"));
    m_close->setIcon(icon(QStringLiteral("close")));
    m_close->setToolTip(tr("Close this message"));
    m_close->setAutoRaise(true);
    m_close->setFocusPolicy(Qt::TabFocus);
    m_accept = new QPushButton(this);
    m_accept->setObjectName(QStringLiteral("messageAccept"));
    m_accept->hide();
    const auto answer = [this](std::function<void()>& chosen) {
        const auto call = std::exchange(chosen, {});
        hide();
        if (call) {
            call();
        }
    };
    connect(m_close, &QToolButton::clicked, this, [this, answer] { answer(m_declined); });
    connect(m_accept, &QPushButton::clicked, this, [this, answer] { answer(m_accepted); });
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(10, 5, 5, 5);
    layout->setSpacing(8);
    layout->addWidget(m_icon, 0, Qt::AlignTop);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_accept, 0, Qt::AlignTop);
    layout->addWidget(m_close, 0, Qt::AlignTop);
    hide();
    followTheme(this, [this] { colour(); });
}

void MessageBar::show(Kind kind, const QString& sentence) {
    m_kind = kind;
    m_text->setText(sentence);
    m_accept->hide();
    m_accepted = nullptr;
    m_declined = nullptr;
    colour();
    QFrame::show();
}

void MessageBar::tell(Kind kind, const QString& sentence) {
    show(kind, sentence);
    base::log(kind == Kind::Info      ? base::LogLevel::Info
              : kind == Kind::Warning ? base::LogLevel::Warning
                                      : base::LogLevel::Error,
              sentence.toStdString());
}

void MessageBar::offer(const QString& sentence, const QString& button,
                       std::function<void()> accepted, std::function<void()> declined, Kind kind) {
    show(kind, sentence);
    m_accepted = std::move(accepted);
    m_declined = std::move(declined);
    m_accept->setText(button);
    m_accept->setAccessibleName(button);
    m_accept->setToolTip(sentence);
    m_accept->show();
}

void MessageBar::leaveAtPress(QWidget& view) { view.installEventFilter(this); }

bool MessageBar::eventFilter(QObject* watched, QEvent* event) {
    // Before the view handles the press, which may have something new to say.
    if (event->type() == QEvent::MouseButtonPress && m_kind == Kind::Info && !m_accepted) {
        hide();
    }
    return QFrame::eventFilter(watched, event);
}

QString MessageBar::sentence() const { return m_text->text(); }

void MessageBar::colour() {
    const Accents& a = accents();
    const QColor colour = m_kind == Kind::Error ? a.bad
                          : m_kind == Kind::Warning
                              ? a.warning
                              : QGuiApplication::palette().color(QPalette::Link);
    const QString name = m_kind == Kind::Error     ? QStringLiteral("error")
                         : m_kind == Kind::Warning ? QStringLiteral("warning")
                                                   : QStringLiteral("info");
    m_icon->setPixmap(icon(name, colour).pixmap(18, 18));
    setStyleSheet(QStringLiteral("#messageBar { background: %1; border: 1px solid %2; "
                                 "border-left: 4px solid %3; }")
                      .arg(a.card.name(), a.line.name(), colour.name()));
}

} // namespace flcc::ui
