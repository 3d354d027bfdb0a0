#pragma once

#include <QImage>
#include <QObject>
#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

#include "engine/base/extents.h"

namespace flcc::ui {

class MainWindow;

/// What the program is asked to do when it starts.
struct StartOptions {
    QStringList scenes; ///< the list, the first one first
    QString templ;
    std::optional<base::Box> crop;
    QString sample;
    QString job;
    bool run = false;
    QString screenshot;
    std::optional<QSize> size;
    bool quit = false;
    bool end = false; ///< nothing is to be done: help or version was printed
    int exitCode = 0; ///< with `end`
};

/// Reads the command line; prints help, version and errors by itself. Needs a QCoreApplication.
[[nodiscard]] StartOptions readStartOptions(const QStringList& arguments);

/// Does what the options ask for, one step after another, once the event loop runs.
class Startup : public QObject {
    Q_OBJECT

  public:
    Startup(MainWindow& window, StartOptions options);
    void begin();

  private:
    void open();
    void afterOpen(bool opened);
    void finish();
    void takeScreenshot();
    void end(int code);

    MainWindow& m_window;
    StartOptions m_options;
    bool m_failed = false;
    QImage m_lastPicture;
    int m_pictures = 0;
};

/// Runs the desktop program: guards, palette, window, start options. The whole of `main`.
[[nodiscard]] int runDesktop(int argc, char** argv, const QString& version);

} // namespace flcc::ui
