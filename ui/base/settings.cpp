#include "ui/base/settings.h"

#include <QColor>
#include <QDir>
#include <QFileInfo>
#include <QSettings>

#include <algorithm>

#include "viz/volume_scene.h"

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

QString Settings::text(const QString& key, const QString& initially) {
    return QSettings().value(key, initially).toString();
}

void Settings::setText(const QString& key, const QString& text) { QSettings().setValue(key, text); }

int Settings::number(const QString& key, int initially) {
    return QSettings().value(key, initially).toInt();
}

void Settings::setNumber(const QString& key, int value) { QSettings().setValue(key, value); }

// A point of the curve is "place opacity #rrggbb".
viz::VolumeTransfer Settings::volumeTransfer(const QString& group) {
    const QSettings settings;
    const auto share = [](double value, double otherwise) {
        return value >= 0 && value <= 1 ? value : otherwise;
    };
    viz::VolumeTransfer transfer;
    transfer.look = static_cast<viz::VolumeLook>(
        std::clamp(settings.value(group + QStringLiteral("look"), 0).toInt(), 0,
                   static_cast<int>(viz::VolumeLook::Maximum)));
    transfer.threshold =
        share(settings.value(group + QStringLiteral("threshold"), transfer.threshold).toDouble(),
              transfer.threshold);
    transfer.opacity =
        share(settings.value(group + QStringLiteral("opacity"), 1).toDouble(), transfer.opacity);
    const QStringList points = settings.value(group + QStringLiteral("curve")).toStringList();
    for (const QString& each : points) {
        const QStringList parts = each.split(QChar(' '));
        const QColor colour(parts.value(2));
        const viz::TransferPoint point{share(parts.value(0).toDouble(), -1),
                                       share(parts.value(1).toDouble(), -1),
                                       {static_cast<std::uint8_t>(colour.red()),
                                        static_cast<std::uint8_t>(colour.green()),
                                        static_cast<std::uint8_t>(colour.blue())}};
        const bool ascends = transfer.points.empty() || point.at > transfer.points.back().at;
        if (points.size() < 2 || point.at < 0 || point.opacity < 0 || !ascends) {
            transfer.points.clear(); // not what this program wrote: the preset
            break;
        }
        transfer.points.push_back(point);
    }
    return transfer;
}

void Settings::setVolumeTransfer(const viz::VolumeTransfer& transfer, const QString& group) {
    QStringList points;
    for (const viz::TransferPoint& point : transfer.points) {
        const auto& [red, green, blue] = point.colour;
        points << QStringLiteral("%1 %2 %3")
                      .arg(point.at, 0, 'g', 17)
                      .arg(point.opacity, 0, 'g', 17)
                      .arg(QColor(red, green, blue).name());
    }
    QSettings settings;
    settings.setValue(group + QStringLiteral("look"), static_cast<int>(transfer.look));
    settings.setValue(group + QStringLiteral("threshold"), transfer.threshold);
    settings.setValue(group + QStringLiteral("opacity"), transfer.opacity);
    settings.setValue(group + QStringLiteral("curve"), points);
}

} // namespace flcc::ui
