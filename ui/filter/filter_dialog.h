#pragma once

#include <QTimer>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "engine/filter/slice.h"
#include "engine/io/protected_files.h"
#include "engine/job/convolve_job.h"
#include "ui/document/document.h"
#include "ui/filter/filter_preview.h"
#include "ui/work/work_dialog.h"

class QCheckBox;

namespace flcc::ui {

class FilterForm;
class PlanCard;
class ViewsPanel;

/// Convolves the shown scene. Every change is planned and previewed on the slice in view, in the
/// background; the newest request wins. Apply convolves the whole scene and adds the result to the
/// document as a made scene.
class FilterDialog : public WorkDialog {
    Q_OBJECT

  public:
    /// What the dialog asks the window for.
    struct Window {
        std::function<job::Job()> settings;         ///< threads and memory limit are used
        std::function<io::ProtectedFiles()> inputs; ///< files that a job file may not replace
    };
    FilterDialog(Document& document, RunController& controller, ViewsPanel& views, Window window,
                 QWidget* parent);
    ~FilterDialog() override;

    /// Shows the kernel and the choices of a job. **Errors**: as filter::kernelByName().
    void setJob(const job::ConvolveJob& job);

    /// True while the preview is not that of the controls.
    [[nodiscard]] bool isPreviewDue() const { return m_shown != m_wanted; }
    /// Milliseconds from the last change to its preview.
    [[nodiscard]] double previewMs() const { return m_previewMs; }

  Q_SIGNALS:
    /// The scene was filtered; a sentence about it.
    void applied(const QString& sentence);
    void calibrateRequested();

  protected:
    [[nodiscard]] Work work() override;
    void workingChanged(bool working) override;

  private:
    struct Shown;

    QWidget* buildControls();
    QWidget* buildPreview();
    void onScene();
    void onView();
    void change();
    void request();
    void take(const std::shared_ptr<const Shown>& shown);
    void showParts(const job::ConvolveReport& report);
    void refuse(const QString& sentence);
    void add(job::ConvolveResult& result, const SceneEntry& source, const QString& title);
    [[nodiscard]] bool hasFile();
    void askJobFile();
    QString saveJob(const QString& file);
    /// The job of the controls, with the window's threads and memory limit.
    [[nodiscard]] job::ConvolveJob job() const;
    /// The same with the names of its files.
    [[nodiscard]] job::ConvolveJob namedJob(const std::filesystem::path& output) const;
    [[nodiscard]] job::ConvolveImages images(const job::ConvolveJob& job) const;
    /// The name of the scene that Apply would add.
    [[nodiscard]] QString sceneTitle() const;
    /// The slice in view.
    [[nodiscard]] filter::Plane plane() const;

    Document& m_document;
    RunController& m_controller;
    ViewsPanel& m_views;
    Window m_window;
    FilterForm* m_form = nullptr;
    PlanCard* m_card = nullptr;
    QLabel* m_parts = nullptr; ///< what a division into parts takes
    FilterPreview* m_preview = nullptr;
    QCheckBox* m_originalBox = nullptr;
    QLabel* m_caption = nullptr;
    QPushButton* m_saveJob = nullptr;
    QPushButton* m_copy = nullptr;
    QTimer m_delay;             ///< joins the changes of one event
    std::uint64_t m_wanted = 0; ///< number of the last change
    std::uint64_t m_shown = 0;  ///< number of the change whose preview is shown
    double m_changed = 0;       ///< when, in milliseconds
    double m_previewMs = 0;
    filter::Plane m_plane;
    /// What m_preview's original is a picture of: made anew when it changes.
    struct Original {
        std::weak_ptr<const job::SceneImage> scene;
        filter::Plane plane;
        viz::GreyWindow window;
        std::array<bool, 2> flips{};
    };
    Original m_original;
    std::uint64_t m_scenes = 0; ///< counts lists of scenes
    /// The kernel read last, and its file.
    std::shared_ptr<const job::SceneImage> m_kernel;
    std::string m_kernelFile;
};

} // namespace flcc::ui
