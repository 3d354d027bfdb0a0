#pragma once

#include <QObject>
#include <QUndoStack>

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "engine/job/job.h"

namespace flcc::ui {

/// The scene of the window: pixels in memory and where they came from.
struct SceneEntry {
    std::shared_ptr<const job::SceneImage> image;
    QString name;
    std::filesystem::path path; ///< empty for a sample
    QString sample;             ///< name of the built-in sample, or empty
    std::optional<int> channel;
    std::optional<int> frame;
};

/// A template: cut from the scene (crop) or opened (path, or a sample's own).
struct TemplateEntry {
    std::shared_ptr<const job::SceneImage> image;
    QString name;
    std::filesystem::path path;
    std::optional<base::Box> crop;
    /// Where an opened template says it was cut; shown only.
    QString place;
};

/// A mask of templates or of the scene.
struct MaskEntry {
    std::shared_ptr<const job::MaskImage> image;
    QString name;
    std::filesystem::path path;
};

/// A finished or cancelled run and the job it came from.
struct ResultEntry {
    std::shared_ptr<const job::JobResult> job;
    job::Job settings;
    QString title;
};

/// True for a peak that counts at a threshold.
[[nodiscard]] bool reaches(const match::Peak& peak, double minScore);

/// Which peaks of the shown result the table and the views show.
struct PeakChoice {
    std::vector<int> shown; ///< indices into the result's list, ascending
    double minScore = -2;   ///< those of other results are counted by it too
    bool filtered = false;  ///< by a text besides
};

/// What the window works on: one scene, its template box, the templates, the results, and which
/// peak is selected. Every change of box and templates can be undone.
///
/// **Threads**: the GUI thread.
class Document : public QObject {
    Q_OBJECT

  public:
    explicit Document(QObject* parent = nullptr);

    /// Replaces the scene; forgets box, template, masks and results.
    void setScene(SceneEntry scene);
    [[nodiscard]] const SceneEntry& scene() const { return m_scene; }
    [[nodiscard]] bool hasScene() const { return m_scene.image != nullptr; }
    [[nodiscard]] base::Extents sceneExtents() const; ///< 0 x 0 x 0 without a scene
    [[nodiscard]] bool isVolume() const { return sceneExtents().z > 1; }

    /// The box in the views. Changes with the same `gesture` above 0 become one undo step.
    void setBox(const std::optional<base::Box>& box, int gesture = 0);
    [[nodiscard]] const std::optional<base::Box>& box() const { return m_box; }
    /// A number for a new gesture (a drag, a row of key presses).
    [[nodiscard]] int newGesture() { return ++m_gesture; }
    /// `box` moved, and shrunk where it must be, to lie inside the scene.
    [[nodiscard]] base::Box insideScene(const base::Box& box) const;

    /// The templates in the order of their numbers, those cut from the scene first, as in a job.
    [[nodiscard]] const std::vector<TemplateEntry>& templates() const { return m_templates.all; }
    /// The one that is shown, which cutting and opening replace; -1 without a template.
    [[nodiscard]] int activeTemplate() const { return m_templates.active; }
    [[nodiscard]] const TemplateEntry* templ() const;    ///< the active one, or null
    [[nodiscard]] base::Extents templateExtents() const; ///< 0 x 0 x 0 without a template
    void setTemplate(TemplateEntry entry);               ///< replaces the active one; one undo step
    void addTemplate(TemplateEntry entry);               ///< makes it active; one undo step
    void removeTemplate(int index);                      ///< one undo step
    void setActiveTemplate(int index);
    /// Makes the box the active template, or another one. **Errors**: Problem when there is no box.
    void cutTemplate();
    void addCutTemplate();

    /// Supports of the templates, one for all or one each, and of the scene; whether they fit is
    /// told when a run is planned.
    void setMasks(std::vector<MaskEntry> masks);
    void setSceneMask(std::optional<MaskEntry> mask);
    [[nodiscard]] const std::vector<MaskEntry>& masks() const { return m_masks; }
    [[nodiscard]] const MaskEntry* mask() const; ///< of the active template, or null
    [[nodiscard]] const std::optional<MaskEntry>& sceneMask() const { return m_sceneMask; }

    void addResult(ResultEntry entry); ///< and shows it
    void showResult(int index);        ///< -1 for none
    /// Forgets a result and gives its memory back; a neighbour is shown in the place of a shown
    /// one.
    void removeResult(int index);
    [[nodiscard]] const std::vector<ResultEntry>& results() const { return m_results; }
    [[nodiscard]] int shownResult() const { return m_shown; }
    [[nodiscard]] const ResultEntry* result() const; ///< the one shown, or null

    /// Index into the shown result's peaks, or -1.
    void selectPeak(int peak);
    [[nodiscard]] int selectedPeak() const { return m_peak; }
    void setPeakChoice(PeakChoice choice);
    [[nodiscard]] const PeakChoice& peakChoice() const { return m_choice; }
    /// How many peaks of a result are shown, or would be.
    [[nodiscard]] std::int64_t shownPeaks(int result) const;

    [[nodiscard]] QUndoStack& undoStack() { return m_undo; }

  Q_SIGNALS:
    void sceneChanged();
    void boxChanged();
    void templateChanged();
    void masksChanged();
    void resultsChanged();
    void resultShown();
    void peakSelected(int peak);
    void peakChoiceChanged();

  private:
    friend class BoxCommand;
    friend class TemplateCommand;
    void applyBox(const std::optional<base::Box>& box);
    struct Templates {
        std::vector<TemplateEntry> all;
        int active = -1;
    };
    void applyTemplates(const Templates& templates);
    void changeTemplates(Templates after);
    [[nodiscard]] TemplateEntry cutOut() const;
    static void insert(Templates& templates, TemplateEntry entry);

    SceneEntry m_scene;
    std::optional<base::Box> m_box;
    Templates m_templates;
    std::vector<MaskEntry> m_masks;
    std::optional<MaskEntry> m_sceneMask;
    std::vector<ResultEntry> m_results;
    int m_shown = -1;
    int m_peak = -1;
    PeakChoice m_choice;
    int m_gesture = 0;
    QUndoStack m_undo;
};

} // namespace flcc::ui
