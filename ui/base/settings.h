#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

namespace flcc::viz {
struct VolumeTransfer;
}

namespace flcc::ui {

enum class Theme { System, Light, Dark };

/// Values that the program keeps between starts in the user's settings file.
class Settings {
  public:
    /// Folder last used for `purpose` ("open", "template", "export"); initially the home folder.
    [[nodiscard]] static QString folder(const QString& purpose);
    static void rememberFolder(const QString& purpose, const QString& file);

    [[nodiscard]] static QStringList recentFiles();
    static void addRecentFile(const QString& file);
    static void removeRecentFile(const QString& file);

    [[nodiscard]] static Theme theme();
    static void setTheme(Theme theme);

    [[nodiscard]] static QByteArray windowGeometry();
    [[nodiscard]] static QByteArray windowState();
    static void setWindow(const QByteArray& geometry, const QByteArray& state);

    /// A boolean setting; `initially` is its value until it is set.
    [[nodiscard]] static bool flag(const QString& key, bool initially);
    static void setFlag(const QString& key, bool on);
    /// Likewise a text.
    [[nodiscard]] static QString text(const QString& key, const QString& initially);
    static void setText(const QString& key, const QString& text);
    /// Likewise a whole number.
    [[nodiscard]] static int number(const QString& key, int initially);
    static void setNumber(const QString& key, int value);

    /// Colours and opacities of the ray-cast scene, under keys that begin with `group`.
    [[nodiscard]] static viz::VolumeTransfer volumeTransfer(const QString& group);
    static void setVolumeTransfer(const viz::VolumeTransfer& transfer, const QString& group);
};

} // namespace flcc::ui
