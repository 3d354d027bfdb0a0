#include "ui/window/startup.h"

#include <QCommandLineParser>
#include <QDir>
#include <QTimer>

#include <array>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stop_token>

#include "engine/base/error.h"
#include "engine/io/heatmap_file.h"
#include "engine/job/command_line.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/bridge/scene_widget.h"
#include "ui/match/match_flow.h"
#include "ui/open/opener.h"
#include "ui/project/project_commands.h"
#include "ui/project/project_keeper.h"
#include "ui/results/exporter.h"
#include "ui/views/views_panel.h"
#include "ui/window/application.h"
#include "ui/window/main_window.h"

namespace flcc::ui {
namespace {

/// The 3D view draws its fine picture 300 ms after the last change.
constexpr int kSettleMs = 600;
/// A screenshot is taken when two successive pictures of the window are equal, or after this many
/// pictures.
constexpr int kMostPictures = 20;

void printError(const QString& sentence) {
    std::fprintf(stderr, "flcc: %s\n", sentence.toLocal8Bit().constData());
}

StartOptions commandLineError(const QString& sentence) {
    printError(sentence);
    StartOptions options;
    options.end = true;
    options.exitCode = static_cast<int>(base::ErrorCode::CommandLine);
    return options;
}

constexpr const char* kNoDisplay =
    "there is no display; set DISPLAY, or use flcc-cli, which does the same jobs without a display";

/// $XDG_STATE_HOME/flcc, or ~/.local/state/flcc.
std::filesystem::path stateFolder() {
    const QByteArray state = qgetenv("XDG_STATE_HOME");
    return state.startsWith('/') ? std::filesystem::path(state.toStdString()) / "flcc"
                                 : toPath(QDir::homePath()) / ".local" / "state" / "flcc";
}

bool hasDisplay() {
    return qEnvironmentVariableIsSet("QT_QPA_PLATFORM") ||
           !qEnvironmentVariable("DISPLAY").isEmpty() ||
           !qEnvironmentVariable("WAYLAND_DISPLAY").isEmpty();
}

/// Qt aborts when a display that is named does not answer.
void endOnFatalMessage(QtMsgType type, const QMessageLogContext&, const QString& text) {
    if (type == QtFatalMsg) {
        printError(QLatin1String(kNoDisplay));
        std::fflush(stderr);
        std::_Exit(1);
    }
    std::fprintf(stderr, "%s\n", text.toLocal8Bit().constData());
}

/// What Qt left of the arguments, file names as pathText() keeps them.
QStringList argumentsOf(int argc, char** argv) {
    QStringList arguments;
    for (int i = 0; i < argc; ++i) {
        arguments << pathText(argv[i]);
    }
    return arguments;
}

/// "--scene A B C" as "--scene A --scene B --scene C", which is what Qt's parser understands.
QStringList withEachScene(const QStringList& arguments) {
    const QString option = QStringLiteral("--scene");
    QStringList each;
    bool scenes = false;
    for (const QString& argument : arguments) {
        const bool further = scenes && !argument.startsWith(QChar('-')) && each.back() != option;
        scenes = argument == option || (scenes && !argument.startsWith(QChar('-')));
        each += further ? QStringList{option, argument} : QStringList{argument};
    }
    return each;
}

} // namespace

StartOptions readStartOptions(const QStringList& arguments) {
    QCommandLineParser parser;
    parser.setApplicationDescription(
        QApplication::tr("Finds a template in an image or a volume by local correlation."));
    const QCommandLineOption help(QStringLiteral("help"), QApplication::tr("Shows this help."));
    const QCommandLineOption version(QStringLiteral("version"),
                                     QApplication::tr("Shows the version."));
    const QCommandLineOption crop(QStringLiteral("crop"),
                                  QApplication::tr("Cuts the template from the scene."),
                                  QStringLiteral("X,Y[,Z]:W,H[,D]"));
    const QCommandLineOption scene(QStringLiteral("scene"),
                                   QApplication::tr("A list of scenes; the first may be a plain "
                                                    "argument."),
                                   QStringLiteral("FILE..."));
    const QCommandLineOption sample(QStringLiteral("sample"),
                                    QApplication::tr("Opens a built-in sample."),
                                    QStringLiteral("NAME"));
    const QCommandLineOption job(QStringLiteral("job"), QApplication::tr("Loads a job file."),
                                 QStringLiteral("FILE"));
    const QCommandLineOption run(QStringLiteral("run"),
                                 QApplication::tr("Starts the run at once."));
    const QCommandLineOption screenshot(
        QStringLiteral("screenshot"),
        QApplication::tr("Saves a picture of the window after the run."),
        QStringLiteral("FILE.png"));
    const QCommandLineOption show(
        QStringLiteral("show"),
        QApplication::tr("How the views show the scene, such as view=3d,look=density,surfaces; the "
                         "manual's page on exporting lists all words."),
        QStringLiteral("LIST"));
    const QCommandLineOption size(QStringLiteral("size"), QApplication::tr("Size of the window."),
                                  QStringLiteral("WxH"));
    const QCommandLineOption quit(QStringLiteral("quit"),
                                  QApplication::tr("Quits when all work is done."));
    parser.addOptions({help, version, scene, crop, sample, job, run, screenshot, show, size, quit});
    parser.addPositionalArgument(QStringLiteral("scene"), QApplication::tr("Image or volume."),
                                 QStringLiteral("[SCENE|PROJECT.flcc"));
    parser.addPositionalArgument(QStringLiteral("template"), QApplication::tr("Template."),
                                 QStringLiteral("[TEMPLATE]]"));
    if (!parser.parse(withEachScene(arguments))) {
        return commandLineError(parser.errorText());
    }
    StartOptions options;
    if (parser.isSet(help) || parser.isSet(version)) {
        std::puts(qPrintable(parser.isSet(help)
                                 ? parser.helpText()
                                 : QStringLiteral("flcc ") + QApplication::applicationVersion()));
        options.end = true;
        return options;
    }
    const QStringList files = parser.positionalArguments();
    if (files.size() > 2) {
        return commandLineError(
            QApplication::tr("%1 files were named, but flcc takes at most a scene and a template; "
                             "name further scenes after --scene")
                .arg(files.size()));
    }
    options.scenes = files.mid(0, 1) + parser.values(scene);
    options.templ = files.value(1);
    options.sample = parser.value(sample);
    options.job = parser.value(job);
    options.run = parser.isSet(run);
    options.screenshot = parser.value(screenshot);
    if (parser.isSet(screenshot) && !options.screenshot.endsWith(QStringLiteral(".png"))) {
        return commandLineError(
            QApplication::tr("--screenshot writes .png files, not \"%1\"").arg(options.screenshot));
    }
    options.quit = parser.isSet(quit);
    try {
        if (parser.isSet(crop)) {
            options.crop = job::parseBox(parser.value(crop).toStdString());
        }
        if (parser.isSet(show)) {
            options.show = ViewOptions::parse(parser.value(show));
        }
    } catch (const base::Error& error) {
        return commandLineError(toQString(error.what()));
    }
    if (parser.isSet(size)) {
        const QStringList sides = parser.value(size).split(QChar('x'));
        const QSize wanted(sides.value(0).toInt(), sides.value(1).toInt());
        if (sides.size() != 2 || wanted.width() < 320 || wanted.height() < 240) {
            return commandLineError(
                QApplication::tr(
                    "--size takes WxH of at least 320x240, such as 1280x800, not \"%1\"")
                    .arg(parser.value(size)));
        }
        options.size = wanted;
    }
    return options;
}

Startup::Startup(MainWindow& window, StartOptions options)
    : QObject(&window), m_window(window), m_options(std::move(options)),
      m_noMemory(noMemoryText()) {
    connect(&m_window.controller(), &RunController::failed, this,
            [this](RunController::Task task, const QString& sentence) {
                printError(sentence);
                if (!RunController::isBackground(task)) {
                    fail(sentence == m_noMemory ? base::ErrorCode::Memory
                                                : base::ErrorCode::Internal);
                }
                // Without memory, the continuation of an opening is lost with it.
                if (task == RunController::Task::Load && m_opening) {
                    afterOpen(false);
                }
            });
    connect(&m_window.opener(), &Opener::failed, this, [this](const QString& sentence) {
        fail(base::ErrorCode::Internal);
        printError(sentence);
    });
}

void Startup::begin() {
    if (m_options.size) {
        m_window.resize(*m_options.size);
    }
    m_window.show();
    QTimer::singleShot(0, this, &Startup::open);
}

void Startup::open() {
    const auto then = [this](bool opened) { afterOpen(opened); };
    if (!m_options.job.isEmpty()) {
        m_window.loadJob(m_options.job, m_options.run);
        finish();
    } else if (!m_options.sample.isEmpty()) {
        m_opening = true;
        m_window.opener().openSample(m_options.sample, then);
    } else if (!m_options.scenes.isEmpty()) {
        std::vector<std::filesystem::path> scenes;
        for (const QString& file : m_options.scenes) {
            scenes.push_back(toPath(file));
        }
        m_opening = true;
        m_window.opener().openScenes(scenes, false, then);
    } else {
        finish();
        if (m_window.keeper().isStoring()) {
            m_window.projects().offerLeft();
        }
    }
}

/// The first failure gives the exit code.
void Startup::fail(base::ErrorCode code) {
    m_exitCode = m_exitCode == 0 ? static_cast<int>(code) : m_exitCode;
}

void Startup::afterOpen(bool opened) {
    m_opening = false;
    if (opened && !m_options.templ.isEmpty()) {
        const QString templ = std::exchange(m_options.templ, {});
        m_opening = true;
        m_window.opener().open(Opener::Target::Template, toPath(templ), {},
                               [this](bool ok) { afterOpen(ok); });
        return;
    }
    if (opened && m_options.crop) {
        try {
            const base::Box box = *m_options.crop;
            if (!base::contains(m_window.document().sceneExtents(), box)) {
                throw base::Error(base::ErrorCode::Problem,
                                  "crop " + base::toString(box) + " leaves the scene of " +
                                      base::toString(m_window.document().sceneExtents()) +
                                      " voxels; choose a crop inside the scene");
            }
            m_window.document().setBox(box);
            m_window.document().cutTemplate();
        } catch (const base::Error& error) {
            Q_EMIT m_window.opener().failed(toQString(error.what()));
        }
    }
    if (opened && m_exitCode == 0 && m_options.run) {
        m_window.flow().run();
    }
    finish();
}

void Startup::finish() {
    // Wait until all work has ended and no plan is due, then for the fine picture.
    if (m_window.controller().isBusy() || m_window.flow().isPlanningDue()) {
        QTimer::singleShot(30, this, &Startup::finish);
        return;
    }
    if (m_options.show) {
        m_options.show->apply(m_window.views(), m_window);
    }
    if (!m_options.screenshot.isEmpty()) {
        QTimer::singleShot(kSettleMs, this, &Startup::takeScreenshot);
    } else if (m_options.quit) {
        end(m_exitCode);
    }
}

QImage Startup::pictureOfWindow() {
    if (!m_options.show || !m_options.show->clean) {
        return m_window.grab().toImage().convertToFormat(QImage::Format_RGBA8888);
    }
    const viz::Picture picture = m_window.views().cleanSnapshot();
    const QImage image(picture.rgba.data(), picture.width, picture.height, 4 * picture.width,
                       QImage::Format_RGBA8888);
    return image.copy();
}

void Startup::takeScreenshot() {
    const QImage image = pictureOfWindow();
    if (++m_pictures < kMostPictures && image != m_lastPicture) {
        m_lastPicture = image;
        QTimer::singleShot(kSettleMs, this, &Startup::takeScreenshot);
        return;
    }
    try {
        m_window.exporter().inputs().requireOther(toPath(m_options.screenshot));
        io::writePicture(toPath(m_options.screenshot),
                         {image.constBits(), image.width(), image.height()});
    } catch (const std::exception& error) {
        Q_EMIT m_window.opener().failed(toQString(error.what()));
    }
    if (m_options.quit) {
        end(m_exitCode);
    }
}

void Startup::end(int code) {
    m_window.closeAtOnce();
    QApplication::exit(code);
}

int runDesktop(int argc, char** argv, const QString& version, const std::stop_token& ending) {
    QCoreApplication::setApplicationName(QStringLiteral("flcc"));
    QCoreApplication::setOrganizationName(QStringLiteral("flcc"));
    QCoreApplication::setApplicationVersion(version);
    if (!hasDisplay()) {
        // Help, version and an invalid command line need no display.
        const QCoreApplication application(argc, argv);
        const StartOptions options = readStartOptions(argumentsOf(argc, argv));
        if (!options.end) {
            printError(QLatin1String(kNoDisplay));
        }
        return options.end ? options.exitCode : 1;
    }
    // Debian's OpenGL loader has no EGL, so the views need X, on Wayland through XWayland.
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM") &&
        !qEnvironmentVariable("WAYLAND_DISPLAY").isEmpty() &&
        !qEnvironmentVariable("DISPLAY").isEmpty()) {
        qputenv("QT_QPA_PLATFORM", "xcb");
    }
    prepareGraphics();
    QGuiApplication::setDesktopFileName(QStringLiteral("flcc"));
    const QtMessageHandler before = qInstallMessageHandler(endOnFatalMessage);
    const Application application(argc, argv);
    qInstallMessageHandler(before);
    std::setlocale(LC_NUMERIC, "C");
    QLocale::setDefault(QLocale::c());
    const StartOptions options = readStartOptions(argumentsOf(argc, argv));
    if (options.end) {
        return options.exitCode;
    }
    QString reason;
    if (!graphicsAvailable(&reason)) {
        printError(QStringLiteral("the views cannot be shown: %1; flcc-cli does the same jobs "
                                  "without a display")
                       .arg(reason));
        return 1;
    }
    applyTheme(Settings::theme());
    MainWindow window;
    if (!options.quit) { // else nobody works in it
        window.keeper().storeIn(stateFolder());
    }
    Startup startup(window, options);
    // Ended by a signal, or by the session of the desktop.
    QObject::connect(&application, &QCoreApplication::aboutToQuit, &window,
                     [&window] { window.storeUnsaved(); });
    QObject::connect(
        &application, &Application::memoryFailed, &window,
        [&window](const QString& sentence) { window.tell(MessageBar::Kind::Error, sentence); });
    const std::stop_callback whenEnding(ending, [] {
        QMetaObject::invokeMethod(
            qApp, [] { QApplication::exit(1); }, Qt::QueuedConnection);
    });
    startup.begin();
    return QApplication::exec();
}

} // namespace flcc::ui
