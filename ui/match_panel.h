#pragma once

#include <QWidget>

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/job/job.h"
#include "engine/plan/planner.h"
#include "ui/document.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QSlider;
class QSpinBox;
class QToolButton;

namespace flcc::ui {

class BoxEditor;
class ElidedLabel;
class PlanCard;
class SceneList;
class TemplateList;

/// The controls for everything that a run depends on. Template, region and the options of peaks are
/// always visible, and so are plan, [Plan] and [Run]. Everything else is under "Advanced".
class MatchPanel : public QWidget {
    Q_OBJECT

  public:
    /// `devices` come from plan::devices() without their free memory, because asking for it wakes
    /// GPUs.
    MatchPanel(Document& document, std::vector<plan::Device> devices, QWidget* parent = nullptr);

    /// The job of the controls. Scene, template and outputs are those passed to setSettings(). So
    /// is every number that its field still shows, even if the field rounds it.
    [[nodiscard]] job::Job settings() const;
    /// A device that cannot be used stays selected, and problem() reports it.
    void setSettings(const job::Job& job);
    /// Sets the report whose chosen candidate is run; empty: no report.
    void setPlanReport(const std::filesystem::path& report);

    [[nodiscard]] method::Operation operation() const;
    /// The least score of peaks of lcc; of another operation minus infinity, as its list needs no
    /// filter.
    [[nodiscard]] double threshold() const;
    void setThreshold(double score);
    [[nodiscard]] PlanCard& planCard() { return *m_card; }
    /// During a run, [Run] becomes [Cancel].
    void setRunning(bool running);
    /// Shows "Cancelling" until setRunning() is called, because the current tile has to end first.
    void setCancelling();
    void refreshTheme();
    /// Updates the state of the devices. `devices` may include their free memory.
    void setDevices(std::vector<plan::Device> devices);
    /// Queries which devices can still be used.
    void refreshDevices();
    /// Why the job cannot run: a field holds no valid value, or the template cannot be searched
    /// for. Empty if nothing speaks against a run.
    [[nodiscard]] QString reasonAgainstRun() const;
    /// The name of the device `id`; empty if there is no such device.
    [[nodiscard]] QString deviceName(const std::string& id) const;

    /// Searches this box of the scene only; empty: all of it.
    void setRegion(const std::optional<base::Box>& region);

  Q_SIGNALS:
    void settingsChanged();
    void readinessChanged(); ///< reasonAgainstRun() may be another one
    /// The region as typed so far, for the views; settings() has it when the field is left.
    void regionTyped(const std::optional<flcc::base::Box>& region);
    void thresholdChanged(double score);
    void cutRequested();
    void addCutRequested();
    void addScenesRequested();
    void sceneChosen(int scene);
    void removeSceneRequested(int scene);
    void openTemplateRequested();
    void addTemplatesRequested();
    void saveTemplateRequested();
    void openMaskRequested();
    void openSceneMaskRequested();
    void openPlanReportRequested();
    void planRequested();
    void runRequested();
    void cancelRequested();
    void binRequested(); ///< scene and templates binned by 2
    /// The list of devices is about to open. The receiver may call setDevices() with the free
    /// memory.
    void deviceMemoryRequested();
    /// A value is invalid; the sentence says which and why.
    void problem(const QString& sentence);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void shareHeight();
    QWidget* makeForm();
    QWidget* makeAdvanced();
    static QFormLayout* makeFormLayout(QWidget* widget);
    QToolButton* makeHead(const QString& title, const char* name);
    void setAdvanced(bool open);
    void alignLabels(std::initializer_list<QFormLayout*> forms);
    void addScenes(QFormLayout* form);
    void showFixes();
    /// A field whose text is no valid value stays as it is, marked, until it is.
    void refuse(QLineEdit* field, const QString& sentence);
    void accept(QLineEdit* field);
    [[nodiscard]] QString reasonAgainstTemplate() const;
    void addData(QFormLayout* form);
    void addComputation(QFormLayout* form);
    void addOperation(QFormLayout* form);
    void showOperation();
    void readThreshold(job::Job& job) const;
    void addPeaks(QFormLayout* form);
    void addMethod(QFormLayout* form);
    void addPlanReport(QFormLayout* form);
    void addRegion(QFormLayout* form);
    void addEdges(QFormLayout* form);
    void readEdges(job::Job& job) const;
    void showEdges();
    void showMasks();
    void showRegion();
    void readRegion();
    void addExactness(QFormLayout* form);
    void readPromise();
    void readExactness(job::Job& job) const;
    void showExactness();
    void showDevice();
    void showPlanReport();
    [[nodiscard]] QString reasonAgainst(const std::string& device) const;
    QWidget* makeButtons();
    /// A heading that folds the rows below it.
    struct Section {
        QToolButton* head;
        QFormLayout* form;
        QString title;
        int firstRow;
        bool open;
    };
    void addSection(QFormLayout* form, const QString& title, const char* name, bool initiallyOpen);
    void unfold(Section& section, bool open);
    void nameChanges();
    QToolButton* smallButton(const char* name, const QString& text, const QString& tip);
    void addRowWithButtons(QFormLayout* form, const QString& label, const QString& tip,
                           QWidget* field, std::initializer_list<QToolButton*> buttons);
    void addRow(QFormLayout* form, const QString& label, QWidget* field, const char* name,
                const QString& tip);
    QLineEdit* textField(const QString& placeholder);
    void readTile();
    void readMemory();
    void updateData();

    Document& m_document;
    std::vector<plan::Device> m_devices;
    job::Job m_job; ///< settings without a control, and the last valid values of text fields
    bool m_running = false;
    std::vector<Section> m_sections;
    std::vector<std::pair<QLineEdit*, QString>> m_refused; ///< invalid fields and why
    QString m_templateReason;
    QWidget* m_main = nullptr;
    QScrollArea* m_mainScroll = nullptr; ///< scrolls only where the window is low
    QToolButton* m_advanced = nullptr;
    QSlider* m_slider = nullptr;

    ElidedLabel* m_scene = nullptr;
    QToolButton* m_addScenes = nullptr;
    SceneList* m_scenes = nullptr;
    ElidedLabel* m_templ = nullptr;
    TemplateList* m_templates = nullptr;
    QToolButton* m_openTemplate = nullptr;
    QToolButton* m_addTemplate = nullptr;
    QToolButton* m_saveTemplate = nullptr;
    QCheckBox* m_invert = nullptr;
    QCheckBox* m_stream = nullptr;
    BoxEditor* m_box = nullptr;
    QLineEdit* m_region = nullptr;
    QToolButton* m_useBox = nullptr;
    QToolButton* m_clearRegion = nullptr;
    ElidedLabel* m_mask = nullptr;
    QToolButton* m_openMask = nullptr;
    QToolButton* m_clearMask = nullptr;
    ElidedLabel* m_sceneMask = nullptr;
    QToolButton* m_openSceneMask = nullptr;
    QToolButton* m_clearSceneMask = nullptr;
    QComboBox* m_extent = nullptr;
    QComboBox* m_outside = nullptr;
    QDoubleSpinBox* m_minOverlap = nullptr;
    QCheckBox* m_partialPeaks = nullptr;
    QComboBox* m_precision = nullptr;
    QLineEdit* m_promise = nullptr;
    QCheckBox* m_recompute = nullptr;
    QComboBox* m_audit = nullptr;
    QComboBox* m_statistics = nullptr;
    QComboBox* m_device = nullptr;
    QComboBox* m_method = nullptr;
    QLineEdit* m_tile = nullptr;
    QSpinBox* m_threads = nullptr;
    QLineEdit* m_memory = nullptr;
    QComboBox* m_planning = nullptr;
    QComboBox* m_transforms = nullptr;
    ElidedLabel* m_planReport = nullptr;
    QToolButton* m_openPlanReport = nullptr;
    QToolButton* m_clearPlanReport = nullptr;
    QComboBox* m_operation = nullptr;
    QComboBox* m_channels = nullptr;
    QDoubleSpinBox* m_minScore = nullptr;
    QSpinBox* m_maxPeaks = nullptr;
    QDoubleSpinBox* m_distance = nullptr;
    QScrollArea* m_scroll = nullptr;
    QWidget* m_buttons = nullptr;
    PlanCard* m_card = nullptr;
    QPushButton* m_plan = nullptr;
    QPushButton* m_run = nullptr;
};

} // namespace flcc::ui
