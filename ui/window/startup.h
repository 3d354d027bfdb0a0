#pragma once

#include <QImage>
#include <QObject>
#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>
#include <stop_token>

#include "engine/base/error.h"
#include "engine/base/extents.h"
#include "ui/views/view_options.h"

namespace flcc::ui {

class MainWindow;

/// The options of the program's command line.
struct StartOptions {
    QStringList scenes; ///< files of the list of scenes, in order
    QString templ;
    std::optional<base::Box> crop;
    QString sample;
    QString job;
    bool run = false;
    QString screenshot;
    std::optional<ViewOptions> show;
    std::optional<QSize> size;
    bool quit = false;
    bool end = false; ///< end at once: help, version or an error was printed
    int exitCode = 0; ///< exit code if `end` is true
};

/// Parses the command line. Prints help, version and errors itself. Needs a QCoreApplication.
[[nodiscard]] StartOptions readStartOptions(const QStringList& arguments);

/// Carries out the options one step after another, once the event loop runs.
class Startup : public QObject {
    Q_OBJECT

  public:
    Startup(MainWindow& window, StartOptions options);
    void begin();

  private:
    void open();
    void fail(base::ErrorCode code);
    void afterOpen(bool opened);
    void finish();
    [[nodiscard]] QImage pictureOfWindow();
    void takeScreenshot();
    void end(int code);

    MainWindow& m_window;
    StartOptions m_options;
    QString m_noMemory;
    bool m_opening = false; ///< afterOpen() is still to be called
    int m_exitCode = 0;
    QImage m_lastPicture;
    int m_pictures = 0;
};

/// Runs the desktop program: checks the display, makes the window, carries out the options. Returns
/// the exit code. A stop request of `ending` cancels all work and closes the window.
[[nodiscard]] int runDesktop(int argc, char** argv, const QString& version,
                             const std::stop_token& ending);

} // namespace flcc::ui
