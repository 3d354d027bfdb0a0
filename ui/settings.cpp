#include "ui/settings.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>

namespace flcc::ui {
namespace {

constexpr int kRecentFiles = 10;

} // namespace

QString Settings::folder(const QString& purpose) {
    const QString folder = QSettings().value(QStringLiteral("folders/") + purpose).toString();
    return QFileInfo(folder).isDir() ? folder : QDir::homePath();
}

void Settings::rememberFolder(const QString& purpose, const QString& file) {
    QSettings().setValue(QStringLiteral("folders/") + purpose, QFileInfo(file).absolutePath());
}

QStringList Settings::recentFiles() {
    return QSettings().value(QStringLiteral("recentFiles")).toStringList();
}

void Settings::addRecentFile(const QString& file) {
    QStringList files = recentFiles();
    const QString path = QFileInfo(file).absoluteFilePath();
    files.removeAll(path);
    files.prepend(path);
    QSettings().setValue(QStringLiteral("recentFiles"), files.mid(0, kRecentFiles));
}

void Settings::removeRecentFile(const QString& file) {
    QStringList files = recentFiles();
    files.removeAll(QFileInfo(file).absoluteFilePath());
    QSettings().setValue(QStringLiteral("recentFiles"), files);
}

Theme Settings::theme() {
    const QString name = QSettings().value(QStringLiteral("theme")).toString();
    if (name == QLatin1String("light")) {
        return Theme::Light;
    }
    return name == QLatin1String("dark") ? Theme::Dark : Theme::System;
}

void Settings::setTheme(Theme theme) {
    const char* name = theme == Theme::Light ? "light" : theme == Theme::Dark ? "dark" : "system";
    QSettings().setValue(QStringLiteral("theme"), QLatin1String(name));
}

QByteArray Settings::windowGeometry() {
    return QSettings().value(QStringLiteral("window/geometry")).toByteArray();
}

QByteArray Settings::windowState() {
    return QSettings().value(QStringLiteral("window/state")).toByteArray();
}

void Settings::setWindow(const QByteArray& geometry, const QByteArray& state) {
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), geometry);
    settings.setValue(QStringLiteral("window/state"), state);
}

bool Settings::flag(const QString& key, bool initially) {
    return QSettings().value(key, initially).toBool();
}

void Settings::setFlag(const QString& key, bool on) { QSettings().setValue(key, on); }

} // namespace flcc::ui
