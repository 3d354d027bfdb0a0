#pragma once

#include <QWidget>

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
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
class QSpinBox;
class QToolButton;

namespace flcc::ui {

class BoxEditor;
class ElidedLabel;
class PlanCard;
class SceneList;
class TemplateList;

/// Everything a run depends on beside the scene, as controls; below them plan card, [Plan] and
/// [Run], which stay in sight while the controls scroll.
class MatchPanel : public QWidget {
    Q_OBJECT

  public:
    /// `devices` as plan::devices() lists them, without free memory: asking for it wakes GPUs.
    MatchPanel(Document& document, std::vector<plan::Device> devices, QWidget* parent = nullptr);

    /// The controls as a job; scene, template and outputs are those given to setSettings, and so is
    /// every number as long as its field shows it, rounded or not.
    [[nodiscard]] job::Job settings() const;
    /// A device that cannot be used stays the job's, and is told by problem().
    void setSettings(const job::Job& job);
    /// The report whose chosen candidate is run; empty: none.
    void setPlanReport(const std::filesystem::path& report);

    [[nodiscard]] double threshold() const;
    void setThreshold(double score);
    [[nodiscard]] PlanCard& planCard() { return *m_card; }
    /// While a run is under way [Run] is [Cancel].
    void setRunning(bool running);
    /// Until setRunning: what is under way, such as a large tile, ends first.
    void setCancelling();
    void refreshTheme();
    /// The same devices as they are now, with their free memory where it was asked for.
    void setDevices(std::vector<plan::Device> devices);
    /// Asks which of them can still be used.
    void refreshDevices();
    /// A device by its name; empty where there is none of that name.
    [[nodiscard]] QString deviceName(const std::string& id) const;

  Q_SIGNALS:
    void settingsChanged();
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
    /// Somebody is about to read the list of devices; setDevices() may answer.
    void deviceMemoryRequested();
    /// A value that cannot be understood, as a sentence.
    void problem(const QString& sentence);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void shareHeight();
    QWidget* makeForm();
    void addData(QFormLayout* form);
    void addComputation(QFormLayout* form);
    void addPeaks(QFormLayout* form);
    void addMethod(QFormLayout* form);
    void addPlanReport(QFormLayout* form);
    void addRegion(QFormLayout* form);
    void addEdges(QFormLayout* form);
    void readEdges(job::Job& job) const;
    void showEdges();
    void showMasks();
    void setRegion(const std::optional<base::Box>& region);
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
    /// A heading and the rows that it folds.
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
    job::Job m_job; ///< what the controls do not show, and the last valid texts
    bool m_running = false;
    std::vector<Section> m_sections;

    ElidedLabel* m_scene = nullptr;
    QToolButton* m_addScenes = nullptr;
    SceneList* m_scenes = nullptr;
    ElidedLabel* m_templ = nullptr;
    TemplateList* m_templates = nullptr;
    QToolButton* m_openTemplate = nullptr;
    QToolButton* m_addTemplate = nullptr;
    QToolButton* m_saveTemplate = nullptr;
    QCheckBox* m_invert = nullptr;
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
    ElidedLabel* m_planReport = nullptr;
    QToolButton* m_openPlanReport = nullptr;
    QToolButton* m_clearPlanReport = nullptr;
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
