#pragma once

#include <QWidget>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/job/job.h"
#include "engine/plan/planner.h"
#include "ui/document/document.h"

class QScrollArea;
class QToolButton;

namespace flcc::ui {

class ComputationFields;
class EdgeFields;
class LawFields;
class FoldingForm;
class MethodFields;
class NoiseFields;
class OperationFields;
class OptionFields;
class PeakFields;
class PlanCard;
class PoseFields;
class RegionField;
class RunBar;
class SceneRows;
class TemplateRows;
class TextFields;

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
    /// A device that cannot be used stays selected, and problem() reports it. What the fields held
    /// before is forgotten.
    void setSettings(const job::Job& job);
    /// The same as a change that a person makes and may undo.
    void editSettings(const job::Job& job);
    /// Job::peaksUnknowns, which has no control here.
    void setPeaksUnknowns(const io::ListUnknowns& unknowns) { m_job.peaksUnknowns = unknowns; }
    /// Sets the report whose chosen candidate is run; empty: no report.
    void setPlanReport(const std::filesystem::path& report);

    [[nodiscard]] method::Operation operation() const;
    /// The least score of peaks of lcc; of another operation minus infinity, as its list needs no
    /// filter.
    [[nodiscard]] double threshold() const;
    void setThreshold(double score);
    /// The threshold that the law of the shown map gives; empty without one.
    void showFoundThreshold(std::optional<double> score);
    [[nodiscard]] PlanCard& planCard() { return *m_card; }
    /// During a run, [Run] becomes [Cancel].
    void setRunning(bool running);
    /// Shows "Cancelling" until setRunning() is called, because the current tile has to end first.
    void setCancelling();
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
    void settingsReplaced(); ///< by setSettings(), before settingsChanged()
    void settingsEdited();   ///< by editSettings(), before settingsChanged()
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
    void build();
    void show(const job::Job& job);
    void tellShown(const job::Job& job);
    void connectFields();
    void connectTemplates();
    void shareHeight();
    void setAdvanced(bool open);
    void showFixes();
    void nameChanges();
    void updateData();
    void showReadiness();

    Document& m_document;
    job::Job m_job; ///< settings without a control, and the last valid values of text fields
    TextFields* m_texts = nullptr;
    OptionFields* m_options = nullptr;     ///< fields made from rows of options
    FoldingForm* m_main = nullptr;         ///< what is always visible
    FoldingForm* m_advancedForm = nullptr; ///< everything else
    OperationFields* m_operation = nullptr;
    TemplateRows* m_templates = nullptr;
    RegionField* m_region = nullptr;
    PeakFields* m_peaks = nullptr;
    SceneRows* m_scenes = nullptr;
    PoseFields* m_poses = nullptr;
    NoiseFields* m_noise = nullptr;
    LawFields* m_law = nullptr;
    EdgeFields* m_edges = nullptr;
    ComputationFields* m_computation = nullptr;
    MethodFields* m_method = nullptr;
    QString m_templateReason;
    QScrollArea* m_mainScroll = nullptr; ///< scrolls only where the window is low
    QToolButton* m_advanced = nullptr;
    QScrollArea* m_scroll = nullptr;
    PlanCard* m_card = nullptr;
    RunBar* m_run = nullptr;
};

} // namespace flcc::ui
