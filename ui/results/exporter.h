#pragma once

#include <QObject>
#include <QStringList>

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>

#include "engine/io/atomic_file.h"
#include "engine/io/list_file.h"
#include "engine/io/protected_files.h"
#include "ui/document/document.h"

class QWidget;

namespace flcc::ui {

class MatchFlow;
class RunController;
class ViewsPanel;

/// Writes results, reports, templates, jobs and screenshots to files on the background thread.
class Exporter : public QObject {
    Q_OBJECT

  public:
    Exporter(Document& document, RunController& controller, MatchFlow& flow, ViewsPanel& views,
             QWidget& window);

    /// The files that no export may replace: those of the open document and its job file. Reads the
    /// headers of images.
    [[nodiscard]] io::ProtectedFiles inputs() const;

    // These functions ask for a file name.
    void scene();
    void peaks();
    void map();
    void status();
    void index();
    void heatmap();
    void report();
    void figure();
    void screenshot();
    void cleanScreenshot();
    void saveTemplate();
    void saveMask(bool scene); ///< of the scene, else of the active template
    void saveJob();

    // These functions write without asking. If there is no result, they emit failed().
    void writeScene(const std::filesystem::path& path);
    /// `joined`: one list of all scenes of the run, in a format with io::namesTomograms().
    void writePeaks(const std::filesystem::path& path, io::ListFormat format = io::ListFormat::Auto,
                    const io::ListUnknowns& unknowns = {},
                    const std::vector<match::Decision>& only = {}, bool joined = false);
    void writeMap(const std::filesystem::path& path);
    void writeStatus(const std::filesystem::path& path);
    void writeIndex(const std::filesystem::path& path);
    void writeHeatmap(const std::filesystem::path& path);
    void writeReport(const std::filesystem::path& path);
    void writeFigure(const std::filesystem::path& path);
    void writeScreenshot(const std::filesystem::path& path);
    void writeTemplate(const std::filesystem::path& path);
    void writeMask(const std::filesystem::path& path, bool scene);
    void writeJob(const std::filesystem::path& path);

    // For exports that have a class of their own.
    /// Sentences about information that the file could not hold; nullopt when writing was stopped.
    using Notes = std::optional<std::vector<std::string>>;
    /// Writes a file that gets its name later.
    using Write = std::function<Notes(const io::AtomicFile&, const std::stop_token&)>;
    /// Refuses a path that would replace a file of the open document or, unless `mayReplaceJob`,
    /// its job file.
    /// `then` is called when the file is written.
    void write(const std::filesystem::path& path, const Write& write, bool mayReplaceJob = false,
               const std::function<void()>& then = {});
    /// Asks for a file name.
    void ask(const QString& title, const QString& name, const QString& filters,
             std::function<void(const std::filesystem::path&)> then);
    /// The same for what the shown result gives: the name says if the result is unfinished.
    void askOfResult(const QString& title, const QString& name, const QString& filters,
                     std::function<void(const std::filesystem::path&)> then);
    /// The shown result; null, and failed(), if there is none to export.
    [[nodiscard]] const ResultEntry* requireResult();
    /// The peaks of a result that the table shows or, of another scene, would show.
    [[nodiscard]] std::vector<match::Peak> shownPeaks(const ResultEntry& entry) const;

  Q_SIGNALS:
    void saved(const QString& sentence);
    void failed(const QString& sentence);

  private:
    /// Writes one file for each scene of the shown result's run, under numbered names: all files or
    /// none.
    using WriteOf =
        std::function<Notes(const ResultEntry&, const io::AtomicFile&, const std::stop_token&)>;
    enum class Of { Results, Maps };
    /// `what`: maps that were released are left out of a run over several scenes.
    void writeScenes(const std::filesystem::path& path, const WriteOf& writeOf,
                     Of what = Of::Results);
    [[nodiscard]] job::Job jobWithAllScenes() const;
    /// shownPeaks() as a list with the decisions, if there are any; `only`: as in the dialog.
    [[nodiscard]] io::PositionList shownList(const ResultEntry& entry,
                                             const io::ListUnknowns& unknowns,
                                             const std::vector<match::Decision>& only) const;
    [[nodiscard]] std::vector<ResultEntry> shownRun() const;
    [[nodiscard]] std::int64_t shownSlice() const;
    [[nodiscard]] std::optional<MaskEntry> requireMask(bool scene);
    /// Like requireResult(), but the result must have a map. Templates of different extents give no
    /// map.
    [[nodiscard]] const ResultEntry* requireMap();

    Document& m_document;
    RunController& m_controller;
    MatchFlow& m_flow;
    ViewsPanel& m_views;
    QWidget& m_window;
};

} // namespace flcc::ui
