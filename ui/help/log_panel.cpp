#include "ui/help/log_panel.h"

#include <QFontDatabase>
#include <QPlainTextEdit>
#include <QTime>
#include <QVBoxLayout>

#include "ui/base/text.h"

namespace flcc::ui {
namespace {

constexpr int kLines = 5000;

QString word(base::LogLevel level) {
    switch (level) {
    case base::LogLevel::Debug:
        return QStringLiteral("debug  ");
    case base::LogLevel::Info:
        return QStringLiteral("info   ");
    case base::LogLevel::Warning:
        return QStringLiteral("warning");
    case base::LogLevel::Error:
        break;
    }
    return QStringLiteral("error  ");
}

} // namespace

LogPanel::LogPanel(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("logPanel"));
    m_text = new QPlainTextEdit(this);
    m_text->setObjectName(QStringLiteral("logText"));
    m_text->setAccessibleName(tr("Log"));
    m_text->setToolTip(tr("What the program did, with the details of every error"));
    m_text->setReadOnly(true);
    m_text->setMaximumBlockCount(kLines);
    m_text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->addWidget(m_text);
    setFocusProxy(m_text);
    base::setLogListener([this](base::LogLevel level, std::string_view line) {
        QMetaObject::invokeMethod(
            this, [this, level, text = toQString(line)] { add(level, text); },
            Qt::QueuedConnection);
    });
}

LogPanel::~LogPanel() { base::setLogListener({}); }

void LogPanel::add(base::LogLevel level, const QString& line) {
    m_text->appendPlainText(
        QStringLiteral("%1  %2  %3")
            .arg(QTime::currentTime().toString(QStringLiteral("HH:mm:ss.zzz")), word(level), line));
}

} // namespace flcc::ui
