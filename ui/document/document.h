#pragma once

#include <QObject>
#include <QStringList>
#include <QUndoStack>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/job/job.h"
#include "ui/document/entries.h"
#include "ui/document/mask_set.h"
#include "ui/document/result_list.h"
#include "ui/document/template_set.h"

namespace flcc::ui {

/// All that a document holds, as a project stores it.
struct DocumentState {
    std::vector<SceneEntry> scenes; ///< at least one; the first and the active one have pixels
    int activeScene = 0;
    std::optional<base::Spacing> spacing{};
    std::optional<base::WorldAxes> worldAxes{};
    std::optional<base::Box> box{};
    RunInputs inputs{};
    std::vector<ResultEntry> results{}; ///< each with an id of its own
    int shownResult = -1;
    int selectedPeak = -1;
};

/// The data of the window: a list of scenes, one of them shown; the template box; the templates;
/// the results; and the selected peak. Scenes from files have the same extents. Every change of the
/// box and the templates can be undone, and so can every made scene.
///
/// **Threads**: the GUI thread.
class Document : public QObject {
    Q_OBJECT

  public:
    explicit Document(QObject* parent = nullptr);

    /// Of undo steps that change fields of the Match panel.
    static constexpr int kFieldStep = 5;

    /// Replaces all scenes by this one; removes box, templates, masks, results and all undo steps.
    void setScene(SceneEntry scene);
    /// Replaces everything; removes all undo steps.
    void restore(DocumentState state);
    [[nodiscard]] DocumentState state() const;
    /// Gives a scene that was just set templates and masks to begin with, which is no undo step.
    void startWith(const RunInputs& inputs);
    /// Appends a scene of the same extents. The shown scene stays.
    void addScene(SceneEntry scene);
    /// Appends a scene made of another one and shows it; one undo step.
    void addMadeScene(SceneEntry scene);
    /// Puts a binned scene and its inputs in the place of the only scene that is searched, which is
    /// kept aside; one undo step.
    void replaceByBinned(SceneEntry scene, RunInputs inputs);
    /// The number of scenes that a job searches: the first ones of the list.
    [[nodiscard]] std::size_t searchedScenes() const;
    /// The scene with this image was written to a file: it is like an opened one from now on,
    /// unless a job could not read the file like the first scene.
    void setSceneFile(const std::shared_ptr<const job::SceneImage>& image,
                      const std::filesystem::path& file);
    /// Shows scene `index`, whose pixels are `image`, and its last result.
    void showScene(int index, const std::shared_ptr<const job::SceneImage>& image);
    /// Removes a scene and its results; one undo step. If it was shown, the first scene is shown
    /// instead. Removing the first scene also removes the box and the templates cut from it; the
    /// second scene, whose pixels must be in memory, becomes the first.
    void removeScene(int index);
    void setSceneThumbnail(int index, const QImage& thumbnail);
    /// All scenes in the order of their numbers in a job. If no scene is open, the list holds one
    /// entry without an image.
    [[nodiscard]] const std::vector<SceneEntry>& scenes() const { return m_scenes; }
    [[nodiscard]] int activeScene() const { return m_activeScene; }
    [[nodiscard]] const SceneEntry& scene() const { ///< the shown scene
        return m_scenes[static_cast<std::size_t>(m_activeScene)];
    }
    /// Of scenes whose file is not there; empty if all are.
    [[nodiscard]] QString missingScenes() const;
    [[nodiscard]] bool hasScene() const { return scene().image != nullptr; }
    [[nodiscard]] base::Extents sceneExtents() const; ///< 0 x 0 x 0 without a scene
    [[nodiscard]] bool isVolume() const { return sceneExtents().z > 1; }

    /// Sets the template box. Changes with the same `gesture` above 0 form one undo step.
    void setBox(const std::optional<base::Box>& box, int gesture = 0);
    [[nodiscard]] const std::optional<base::Box>& box() const { return m_box; }
    /// A number for a new gesture (a drag, a row of key presses).
    [[nodiscard]] int newGesture() { return ++m_gesture; }
    /// `box`, moved and if necessary shrunk to lie inside the scene.
    [[nodiscard]] base::Box insideScene(const base::Box& box) const;

    /// The templates in the order of their numbers. As in a job, templates cut from the scene come
    /// first.
    [[nodiscard]] const std::vector<TemplateEntry>& templates() const { return m_templates.all; }
    /// The number of the shown template, which cutting and opening replace; -1 without a template.
    [[nodiscard]] int activeTemplate() const { return m_templates.active; }
    [[nodiscard]] const TemplateEntry* templ() const { ///< the active template, or null
        return m_templates.activeEntry();
    }
    [[nodiscard]] base::Extents templateExtents() const; ///< 0 x 0 x 0 without a template
    void setTemplate(TemplateEntry entry); ///< replaces the active template; one undo step
    void addTemplate(TemplateEntry entry); ///< makes the new template active; one undo step
    void removeTemplate(int index);        ///< one undo step
    void setActiveTemplate(int index);
    /// Cuts a template from the box: cutTemplate() replaces the active template, addCutTemplate()
    /// adds one. **Errors**: Problem when there is no box, or when the shown scene is neither the
    /// first one, from which a job cuts, nor made: its templates are like opened ones.
    void cutTemplate();
    void addCutTemplate();

    /// The spacing and unit that the user states for all scenes; empty: those of the files. One
    /// undo step. Results follow. **Errors**: Problem for a volume if z is not stated.
    void setSpacing(const std::optional<base::Spacing>& spacing);
    [[nodiscard]] const std::optional<base::Spacing>& spacing() const { return m_spacing; }
    /// The axes of world positions; empty: those that the files state. Results follow.
    void setWorldAxes(const std::optional<base::WorldAxes>& axes);
    [[nodiscard]] const std::optional<base::WorldAxes>& worldAxes() const { return m_worldAxes; }
    /// With that spacing and axes: the geometry of the shown scene, of a scene whose pixels are in
    /// memory, and of a template, which follows the scene if it was cut from it.
    [[nodiscard]] base::Geometry geometry() const;
    [[nodiscard]] base::Geometry geometryOf(const SceneEntry& scene) const;
    [[nodiscard]] base::Geometry geometryOf(const TemplateEntry& templ) const;

    /// Masks of the templates (one for all, or one for each) and of the scene. Planning checks
    /// whether they fit.
    /// Each change is one undo step; changes with the same `gesture` above 0 form one.
    void setMasks(std::vector<MaskEntry> masks, int gesture = 0);
    void setActiveMask(MaskEntry mask, int gesture = 0); ///< that of the active template, or of all
    void setSceneMask(std::optional<MaskEntry> mask, int gesture = 0);
    /// The mask with this image was written to a file, which a job can name from now on.
    void setMaskFile(const std::shared_ptr<const job::MaskImage>& image,
                     const std::filesystem::path& file);
    [[nodiscard]] const std::vector<MaskEntry>& masks() const { return m_masks.templates; }
    /// The mask of the active template, or null. Without masks(), its opaque part.
    [[nodiscard]] const MaskEntry* mask() const { return m_masks.of(m_templates.active); }
    /// Removes the masks of the templates. Templates with opacity count as a whole from then on.
    void clearMasks();
    [[nodiscard]] const std::optional<MaskEntry>& sceneMask() const { return m_masks.scene; }

    /// The job file that the document was loaded from; empty if there is none, or after another
    /// scene was opened. No export may replace it.
    void setJobFile(std::filesystem::path file) { m_jobFile = std::move(file); }
    [[nodiscard]] const std::filesystem::path& jobFile() const { return m_jobFile; }

    /// Templates and masks as they are now, for a ResultEntry.
    [[nodiscard]] RunInputs inputs() const;
    /// Makes `inputs` the current templates and masks; new templates are one undo step.
    void bringBack(const RunInputs& inputs);
    /// True if replacing the scene would lose something that a person made: results, masks, made
    /// scenes, or templates other than a sample's own.
    [[nodiscard]] bool holdsWork() const;

    /// Adds a result, and shows it if its scene is shown. Decisions on the last judged result of
    /// the scene hold for its peaks too (job::carriedDecisions). Older maps may be released, see
    /// kMostResultBytes.
    void addResult(ResultEntry entry);
    /// Bytes of all results, including results that others hold as well.
    [[nodiscard]] std::int64_t resultBytes() const { return m_results.bytes(); }
    /// Replaces the limit kMostResultBytes.
    void setMostResultBytes(std::int64_t bytes);
    void showResult(int index); ///< a result of the shown scene; -1: none
    /// Removes a result; one undo step, which brings it back, with its map if that is small, see
    /// kRemovedShare. If the result was shown, a neighbour is shown instead.
    void removeResult(int index);
    void renameResult(int index, const QString& title); ///< one undo step
    /// Replaces the peaks of the shown result by peaks of the same map; `settings` are the options
    /// they were searched with. The selected peak stays if it is in the new list. Other thresholds
    /// are one undo step, those with the same `gesture` above 0 together.
    void replacePeaks(job::PeaksEdit edit, std::shared_ptr<const job::KeptMap> kept,
                      int gesture = 0);
    /// Edits the shown result; one undo step.
    void editResult(job::ResultEdit edit, const QString& text);
    /// Keeps the map of a result for new extractions; no edit.
    void setKept(int id, std::shared_ptr<const job::KeptMap> kept);
    [[nodiscard]] int lastResultOf(int scene) const { return m_results.lastOf(scene); } ///< or -1
    [[nodiscard]] const std::vector<ResultEntry>& results() const { return m_results.all(); }
    [[nodiscard]] int shownResult() const { return m_results.shown(); }
    [[nodiscard]] const ResultEntry* result() const { return m_results.result(); } ///< or null

    /// Index into the shown result's peaks, or -1.
    void selectPeak(int peak);
    [[nodiscard]] int selectedPeak() const { return m_peak; }
    void setPeakChoice(PeakChoice choice);
    [[nodiscard]] const PeakChoice& peakChoice() const { return m_choice; }
    /// Number of peaks of a result that are shown, or would be shown with the result.
    [[nodiscard]] std::int64_t shownPeaks(int result) const;

    [[nodiscard]] QUndoStack& undoStack() { return m_undo; }
    /// True if undoing, or redoing, adds or removes a scene or changes the spacing, which must not
    /// happen during a run.
    [[nodiscard]] bool stepChangesScenes(bool redo) const;

  Q_SIGNALS:
    void sceneChanged();  ///< the list was replaced by a new scene
    void scenesChanged(); ///< the list or an entry has changed
    void sceneShown();    ///< another scene of the list is shown
    void spacingChanged();
    void worldAxesChanged();
    void boxChanged();
    void templateChanged();
    void masksChanged();
    void resultsChanged();
    /// Maps were released to free memory for a new one. `removed`: partial results that went with
    /// their maps.
    void mapsReleased(const QStringList& released, const QStringList& removed);
    void resultShown();
    void peaksReplaced(); ///< the list of the shown result has other peaks
    /// A new result has so many decisions of the result `from`.
    void decisionsCarried(qint64 number, const QString& from);
    void decisionsChanged();   ///< other decisions on peaks of the shown result
    void thresholdsReturned(); ///< by undo or redo: those of the shown result are others
    void peakSelected(int peak);
    void peakChoiceChanged();

  private:
    friend class MadeSceneCommand;
    friend class RemoveSceneCommand;
    friend class BinCommand;
    friend class ResultCommand;
    friend class RenameCommand;
    friend class RemoveResultCommand;
    /// Of undo steps that change the list of scenes.
    static constexpr int kSceneStep = 2;
    /// Of undo steps that edit a result.
    static constexpr int kResultStep = 4;
    static void describe(SceneEntry& scene);
    void applySpacing(const std::optional<base::Spacing>& spacing);
    void applyBox(const std::optional<base::Box>& box);
    void applyMasks(const MaskSet& masks);
    void changeMasks(MaskSet after, int gesture);
    void applyTemplates(const TemplateSet& templates);
    void changeTemplates(TemplateSet after);
    [[nodiscard]] TemplateEntry cutOut() const;
    /// The number of the scene with this image; -1: none.
    [[nodiscard]] int indexOf(const std::shared_ptr<const job::SceneImage>& image) const;
    /// A scene that is out of the list, and its results with their numbers among all results.
    struct TakenScene {
        SceneEntry scene;
        std::vector<std::pair<int, ResultEntry>> results;
    };
    /// Takes a scene out of the list, unless it is the only one, and puts it back.
    [[nodiscard]] TakenScene takeScene(int index);
    void putScene(int index, TakenScene taken);
    void tellOfResult();
    void releaseOldMaps();

    std::vector<SceneEntry> m_scenes{1};
    int m_activeScene = 0;
    std::optional<base::Spacing> m_spacing;
    std::optional<base::WorldAxes> m_worldAxes;
    std::optional<base::Box> m_box;
    TemplateSet m_templates;
    MaskSet m_masks;
    std::filesystem::path m_jobFile;
    ResultList m_results;
    std::int64_t m_mostResultBytes = kMostResultBytes;
    int m_peak = -1;
    PeakChoice m_choice;
    int m_gesture = 0;
    int m_lastResult = 0; ///< ResultEntry::id
    QUndoStack m_undo;
};

} // namespace flcc::ui
