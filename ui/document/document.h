#pragma once

#include <QImage>
#include <QObject>
#include <QStringList>
#include <QUndoStack>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/job/job.h"
#include "engine/job/result.h"

namespace flcc::ui {

/// A scene of the window and its source. The pixels of the first scene, of the shown scene and of
/// made scenes are in memory. The pixels of another scene are read when it is shown or searched.
struct SceneEntry {
    std::shared_ptr<const job::SceneImage> image; ///< null: the pixels are not in memory
    QString name;
    std::filesystem::path path; ///< empty for a sample
    QString sample;             ///< name of the built-in sample, or empty
    std::optional<int> channel;
    std::optional<int> frame;
    /// Without an image: from the file's header.
    base::PixelType type = base::PixelType::Float32;
    QImage thumbnail{};             ///< null until the pixels have been read once
    bool made = false;              ///< the result of a filter, which no file holds
    std::filesystem::path origin{}; ///< of a made scene: the file that it goes back to, or empty
    base::Extents extents{0, 0, 0};
    bool aside = false;    ///< kept beside a binned scene, and not searched
    io::Reading reading{}; ///< how the file is taken
};

/// A template: cut from the scene (`crop`), opened from a file (`path`), or a sample's own
/// (neither).
struct TemplateEntry {
    std::shared_ptr<const job::SceneImage> image;
    QString name;
    std::filesystem::path path;
    std::optional<base::Box> crop;
    /// Where an opened template was cut, according to its file. For display only.
    QString place;
    bool resampled = false; ///< brought to the spacing of the scene; the file is as it was
};

/// A mask of templates or of the scene. A mask that was drawn has no path until it is saved; the
/// path of a shape (engine/job/mask_shape.h) is its text.
struct MaskEntry {
    std::shared_ptr<const job::MaskImage> image;
    QString name;
    std::filesystem::path path;
};

/// What a job works on beside the scenes.
struct RunInputs {
    std::vector<TemplateEntry> templates;
    int active = -1; ///< number of the active template
    std::vector<MaskEntry> masks;
    std::optional<MaskEntry> sceneMask;
};

/// The result of a finished or cancelled run, with its job. A run over several scenes has one entry
/// for each scene.
struct ResultEntry : job::Result { // its scene has no pixels if the run had several scenes
    QString title;
    int scene = 0; ///< number of the scene in the list
    int run = 0;   ///< the same number for all scenes of a run; 0: a run of one scene
    RunInputs inputs{};
    QImage thumbnail{};       ///< of the map, made where the run was; null without a map
    bool mapReleased = false; ///< the map was given up for newer ones; the peaks are there
};

/// Limit of the memory for the maps of all results: a quarter of the memory of a small machine (8
/// GiB). When a new result exceeds the limit, the document releases maps, the oldest first, and
/// keeps the peaks. Partial maps go before complete ones, even a new partial map before an older
/// complete one; a partial result without peaks goes with its map. The map of the newest result, of
/// the shown one and of the last one of a scene, which is shown with the scene, stay if they are
/// complete.
inline constexpr std::int64_t kMostResultBytes = std::int64_t{2} << 30;

/// Bytes of the map, statuses and index of a result.
[[nodiscard]] std::int64_t resultBytes(const job::JobResult& result);

/// True if the score plus its error bound reaches the threshold, so that a threshold of 1 still
/// finds exact copies.
[[nodiscard]] bool reaches(const match::Peak& peak, double minScore);

/// The peaks of the shown result that the table and the views show.
struct PeakChoice {
    std::vector<int> shown; ///< indices into the result's list, ascending
    double minScore = -2;   ///< also applies to the peaks of other results
    bool filtered = false;  ///< a text filter applies, too
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

    /// Replaces all scenes by this one; removes box, templates, masks and results.
    void setScene(SceneEntry scene);
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
    /// Removes a scene and its results. If it was shown, the first scene is shown instead. Removing
    /// the first scene also removes the templates cut from it; the second scene, which must be
    /// shown at the time, becomes the first.
    void removeScene(int index);
    void setSceneThumbnail(int index, const QImage& thumbnail);
    /// All scenes in the order of their numbers in a job. If no scene is open, the list holds one
    /// entry without an image.
    [[nodiscard]] const std::vector<SceneEntry>& scenes() const { return m_scenes; }
    [[nodiscard]] int activeScene() const { return m_activeScene; }
    [[nodiscard]] const SceneEntry& scene() const { ///< the shown scene
        return m_scenes[static_cast<std::size_t>(m_activeScene)];
    }
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
    [[nodiscard]] const TemplateEntry* templ() const;    ///< the active template, or null
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
    [[nodiscard]] const std::vector<MaskEntry>& masks() const { return m_masks; }
    /// The mask of the active template, or null. Without masks(), its opaque part.
    [[nodiscard]] const MaskEntry* mask() const;
    /// Removes the masks of the templates. Templates with opacity count as a whole from then on.
    void clearMasks();
    [[nodiscard]] const std::optional<MaskEntry>& sceneMask() const { return m_sceneMask; }

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

    /// Adds a result, and shows it if its scene is shown. Older maps may be released, see
    /// kMostResultBytes.
    void addResult(ResultEntry entry);
    /// Bytes of all results, including results that others hold as well.
    [[nodiscard]] std::int64_t resultBytes() const;
    /// Replaces the limit kMostResultBytes.
    void setMostResultBytes(std::int64_t bytes);
    void showResult(int index); ///< a result of the shown scene; -1: none
    /// Removes a result and frees its memory. If it was shown, a neighbour is shown instead.
    void removeResult(int index);
    void renameResult(int index, const QString& title);
    /// Replaces the peaks of the shown result by peaks of the same map; `settings` are the options
    /// they were searched with. The selected peak stays if it is in the new list.
    void replacePeaks(job::PeaksEdit edit, std::shared_ptr<const job::KeptMap> kept);
    [[nodiscard]] int lastResultOf(int scene) const; ///< -1: no result
    [[nodiscard]] const std::vector<ResultEntry>& results() const { return m_results; }
    [[nodiscard]] int shownResult() const { return m_shown; }
    [[nodiscard]] const ResultEntry* result() const; ///< the shown result, or null

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
    void peakSelected(int peak);
    void peakChoiceChanged();

  private:
    friend class BoxCommand;
    friend class TemplateCommand;
    friend class MaskCommand;
    friend class MadeSceneCommand;
    friend class SpacingCommand;
    friend class BinCommand;
    /// Of undo steps that change the list of scenes.
    static constexpr int kSceneStep = 2;
    static void describe(SceneEntry& scene);
    void applySpacing(const std::optional<base::Spacing>& spacing);
    void restateResults();
    void applyBox(const std::optional<base::Box>& box);
    struct Masks {
        std::vector<MaskEntry> templates;
        std::optional<MaskEntry> scene;
    };
    void applyMasks(const Masks& masks);
    void refreshShape();
    struct Templates {
        std::vector<TemplateEntry> all;
        int active = -1;
    };
    void applyTemplates(const Templates& templates);
    void changeTemplates(Templates after);
    [[nodiscard]] TemplateEntry cutOut() const;
    /// The number of the scene with this image; -1: none.
    [[nodiscard]] int indexOf(const std::shared_ptr<const job::SceneImage>& image) const;
    static void insert(Templates& templates, TemplateEntry entry);
    /// Removes the results for which `gone` is true; the shown result stays shown. The caller keeps
    /// the returned results alive until all listeners have handled the change.
    [[nodiscard]] std::vector<ResultEntry>
    takeOut(const std::function<bool(const ResultEntry&)>& gone);
    void releaseOldMaps();
    [[nodiscard]] int nextToRelease() const;

    std::vector<SceneEntry> m_scenes{1};
    int m_activeScene = 0;
    std::optional<base::Spacing> m_spacing;
    std::optional<base::WorldAxes> m_worldAxes;
    std::optional<base::Box> m_box;
    Templates m_templates;
    std::vector<MaskEntry> m_masks;
    MaskEntry m_opacity; ///< the opaque part of the active template; without an image, none
    std::optional<MaskEntry> m_sceneMask;
    std::filesystem::path m_jobFile;
    std::vector<ResultEntry> m_results;
    std::int64_t m_mostResultBytes = kMostResultBytes;
    int m_shown = -1;
    int m_peak = -1;
    PeakChoice m_choice;
    int m_gesture = 0;
    QUndoStack m_undo;
};

} // namespace flcc::ui
