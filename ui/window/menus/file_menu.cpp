#include "ui/window/menus/file_menu.h"

#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>

#include <utility>

#include "engine/sample/sample.h"
#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/open/opener.h"
#include "ui/project/project_commands.h"
#include "ui/results/exporter.h"
#include "ui/results/particle_export.h"
#include "ui/results/search_export.h"
#include "ui/window/parts/job_loader.h"

namespace flcc::ui {

FileMenu::FileMenu(const Parts& parts, JobLoader& jobs) : m_parts(parts), m_jobs(jobs) {
    QMenu* menu = m_parts.window.menuBar()->addMenu(tr("&File"));
    addOpening(menu);
    addTurning(menu);
    m_recent = menu->addMenu(tr("Open &recent"));
    addSamples(menu);
    menu->addSeparator();
    addProject(menu);
    menu->addSeparator();
    addTemplates(menu);
    menu->addSeparator();
    addJobs(menu);
    menu->addSeparator();
    addExports(menu);
    addPictures(menu);
    menu->addSeparator();
    add(menu, {"quit", tr("&Quit"), tr("Ends the program"), {QKeySequence(Qt::CTRL | Qt::Key_Q)}},
        [this] { m_parts.window.close(); });
    fillRecent();
}

QAction* FileMenu::add(QMenu* menu, const Actions::Definition& definition,
                       std::function<void()> slot) {
    return m_parts.actions.add(menu, definition, [call = std::move(slot)](bool) { call(); });
}

void FileMenu::addProject(QMenu* menu) {
    add(menu,
        {"openProject",
         tr("Open pro&ject …"),
         tr("Opens a project: scenes, templates, masks, results and decisions"),
         {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O)}},
        [this] { m_parts.projects.askOpen(); });
    add(menu,
        {"saveProject",
         tr("&Save project"),
         tr("Saves scenes, templates, masks, results and decisions as one file"),
         {QKeySequence::Save},
         "save"},
        [this] { m_parts.projects.save(); });
    add(menu,
        {"saveProjectAs",
         tr("Save project &as …"),
         tr("Saves the project under another name"),
         {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)}},
        [this] { m_parts.projects.saveAs(); });
    QMenu* earlier = menu->addMenu(tr("Earlier &versions"));
    earlier->setObjectName(QStringLiteral("earlierVersions"));
    QObject::connect(earlier, &QMenu::aboutToShow, &m_parts.window,
                     [this, earlier] { m_parts.projects.fillEarlier(*earlier); });
}

void FileMenu::addOpening(QMenu* menu) {
    add(menu,
        {"open",
         tr("&Open …"),
         tr("Opens an image or a volume. Several files make a list of scenes"),
         {QKeySequence::Open},
         "open"},
        [this] { m_parts.opener.askScene(); });
    add(menu,
        {"openSeries",
         tr("Open folder of &DICOM …"),
         tr("Opens the DICOM series of a folder as a volume"),
         {}},
        [this] { m_parts.opener.askSeries(); });
    add(menu,
        {"addScenesAction",
         tr("Add sce&nes …"),
         tr("Adds more scenes. All scenes are searched for the same templates"),
         {}},
        [this] { m_parts.opener.askMoreScenes(); });
    add(menu,
        {"openRaw",
         tr("Open ra&w volume …"),
         tr("Opens voxels without a header: you say their extents and type"),
         {}},
        [this] { m_parts.opener.askRaw(); });
}

void FileMenu::addTurning(QMenu* menu) {
    QAction* turns =
        add(menu,
            {"orientationAction",
             tr("T&urn pictures as their files say"),
             tr("Turns pictures that are opened from now on as the camera or the program stored in "
                "them (EXIF, TIFF); off: rows as they are stored"),
             {}},
            [this] {
                const auto* action =
                    m_parts.window.findChild<QAction*>(QStringLiteral("orientationAction"));
                m_parts.opener.setOrientation(action->isChecked() ? io::Orientation::Applied
                                                                  : io::Orientation::Stored);
            });
    turns->setCheckable(true);
    turns->setChecked(true);
}

void FileMenu::addSamples(QMenu* menu) {
    QMenu* samples = menu->addMenu(tr("&Samples"));
    for (const sample::SampleInfo& info : sample::sampleList()) {
        const QString name = toQString(info.name);
        QAction* action =
            samples->addAction(QStringLiteral("%1: %2").arg(name, toQString(info.title)));
        action->setObjectName(QStringLiteral("openSample_") + name);
        QObject::connect(action, &QAction::triggered, &m_parts.window,
                         [this, name] { m_parts.opener.offerSample(name); });
    }
}

void FileMenu::addTemplates(QMenu* menu) {
    add(menu,
        {"openTemplateAction",
         tr("Open &template …"),
         tr("Opens a template that replaces the active one. If you choose several files, the "
            "others are added"),
         {}},
        [this] { m_parts.opener.askTemplate(); });
    add(menu,
        {"addTemplatesAction",
         tr("&Add templates …"),
         tr("Opens more templates. One run searches for all of them"),
         {}},
        [this] { m_parts.opener.askMoreTemplates(); });
    add(menu,
        {"saveTemplateAction",
         tr("Sa&ve template …"),
         tr("Saves the active template with its position and source"),
         {}},
        [this] { m_parts.exporter.saveTemplate(); });
    add(menu,
        {"openMaskAction",
         tr("Open &mask …"),
         tr("Opens a mask of the template voxels to use: one mask for all templates, or one for "
            "each"),
         {}},
        [this] { m_parts.opener.askMask(Opener::Target::Mask); });
    add(menu,
        {"saveMaskAction",
         tr("Save mas&k …"),
         tr("Saves the mask of the active template as a file, which a job can name"),
         {}},
        [this] { m_parts.exporter.saveMask(false); });
    add(menu,
        {"openSceneMaskAction",
         tr("Open mask of s&cene …"),
         tr("Opens a mask of the scene voxels to use"),
         {}},
        [this] { m_parts.opener.askMask(Opener::Target::SceneMask); });
    add(menu,
        {"saveSceneMaskAction",
         tr("Save mask of scene …"),
         tr("Saves the mask of the scene as a file, which a job can name"),
         {}},
        [this] { m_parts.exporter.saveMask(true); });
}

void FileMenu::addJobs(QMenu* menu) {
    add(menu, {"loadJob", tr("&Load job …"), tr("Loads the settings and files of a job file"), {}},
        [this] { m_jobs.ask(); });
    add(menu,
        {"saveJob",
         tr("Save &job …"),
         tr("Saves the job as a file, which flcc-cli can read too"),
         {}},
        [this] { m_parts.exporter.saveJob(); });
}

void FileMenu::addExports(QMenu* menu) {
    QMenu* exports = menu->addMenu(tr("&Export"));
    exports->setIcon(icon(QStringLiteral("export")));
    add(exports,
        {"exportScene",
         tr("S&cene …"),
         tr("Writes the scene that is shown as an image, such as the result of a filter"),
         {}},
        [this] { m_parts.exporter.scene(); });
    add(exports,
        {"exportPeaks", tr("&Peaks …"), tr("Writes the peaks for a program that you choose"), {}},
        [this] { m_parts.exporter.peaks(); });
    add(exports,
        {"exportParticles",
         tr("P&articles …"),
         tr("Writes boxes of the scene, cut at the peaks, as a stack"),
         {}},
        [this] { m_parts.particles.ask(); });
    add(exports, {"exportMap", tr("&Map …"), tr("Writes the scores as an image"), {}},
        [this] { m_parts.exporter.map(); });
    add(exports, {"exportStatus", tr("&Status …"), tr("Writes the status of every voxel"), {}},
        [this] { m_parts.exporter.status(); });
    add(exports,
        {"exportIndex",
         tr("&Index of templates …"),
         tr("Writes the number of the template that gave each score, -1 where there is no score"),
         {}},
        [this] { m_parts.exporter.index(); });
    addSearchExports(exports);
    add(exports,
        {"exportHeatmap", tr("&Heatmap …"), tr("Writes the heatmap of the slice in view"), {}},
        [this] { m_parts.exporter.heatmap(); });
    add(exports,
        {"exportReport",
         tr("Plan &report …"),
         tr("Writes the report as JSON, as text, or as a page with pictures for print"),
         {}},
        [this] { m_parts.exporter.report(); });
    add(exports,
        {"exportFigure",
         tr("&Figure …"),
         tr("Draws scene, peaks and heatmap with scale and colour bar as PNG, SVG or PDF"),
         {}},
        [this] { m_parts.exporter.figure(); });
}

void FileMenu::addSearchExports(QMenu* exports) {
    QMenu* maps = exports->addMenu(tr("Statistics of the sear&ch"));
    add(maps,
        {"exportSearchMean",
         tr("&Mean …"),
         tr("Writes the mean score of all orientations or templates at each placement"),
         {}},
        [this] { SearchExport::ask(m_parts.exporter, SearchExport::Map::Mean); });
    add(maps,
        {"exportSearchDeviation",
         tr("&Deviation …"),
         tr("Writes the standard deviation of these scores at each placement"),
         {}},
        [this] { SearchExport::ask(m_parts.exporter, SearchExport::Map::Deviation); });
    add(maps,
        {"exportSearchZ",
         tr("&z of the best score …"),
         tr("Writes how many deviations the best score lies above the mean"),
         {}},
        [this] { SearchExport::ask(m_parts.exporter, SearchExport::Map::Z); });
}

void FileMenu::addPictures(QMenu* menu) {
    add(menu,
        {"screenshot",
         tr("S&creenshot …"),
         tr("Saves the views as a picture"),
         {QKeySequence(Qt::Key_F12)},
         "screenshot"},
        [this] { m_parts.exporter.screenshot(); });
    add(menu,
        {"cleanScreenshot",
         tr("Clean screenshot …"),
         tr("Saves the active view without texts and marks, on a transparent background"),
         {QKeySequence(Qt::CTRL | Qt::Key_F12)}},
        [this] { m_parts.exporter.cleanScreenshot(); });
}

void FileMenu::fillRecent() {
    m_recent->clear();
    const QStringList files = Settings::recentFiles();
    m_recent->setEnabled(!files.isEmpty());
    for (const QString& file : files) {
        QObject::connect(m_recent->addAction(file), &QAction::triggered, &m_parts.window,
                         [this, file] { m_parts.opener.offerScenes({toPath(file)}); });
    }
}

} // namespace flcc::ui
