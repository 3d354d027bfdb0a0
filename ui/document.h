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
#include <vector>

#include "engine/job/job.h"

namespace flcc::ui {

/// A scene of the window and where it came from. Pixels of the first one and of the one that is
/// shown are in memory, those of others are read when they are shown or searched.
struct SceneEntry {
    std::shared_ptr<const job::SceneImage> image; ///< or null
    QString name;
    std::filesystem::path path; ///< empty for a sample
    QString sample;             ///< name of the built-in sample, or empty
    std::optional<int> channel;
    std::optional<int> frame;
    base::PixelType type = base::PixelType::Float32; ///< without an image from the header
    QImage thumbnail{};                              ///< null until pixels were read once
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

/// A finished or cancelled run and the job it came from; of a run over several scenes one each.
struct ResultEntry {
    std::shared_ptr<const job::JobResult> job; ///< of several scenes without the scene's pixels
    job::Job settings;
    QString title;
    int scene = 0; ///< its place in the list of scenes
    int run = 0;   ///< the same number for all scenes of a run; 0: of one scene alone
};

/// The results of a session keep their maps, of which the document holds at most this many bytes:
/// what a quarter of the memory of a small machine (8 GiB) can hold. When a result is added beyond
/// that, the oldest ones go, all scenes of a run at once. Those that never go: of the newest run,
/// of the run that is shown, and of runs that hold the last result of a scene, which is shown when
/// the scene is.
inline constexpr std::int64_t kMostResultBytes = std::int64_t{2} << 30;

/// Bytes of the map, statuses and index of a result.
[[nodiscard]] std::int64_t resultBytes(const job::JobResult& result);

/// True for a peak that counts at a threshold.
[[nodiscard]] bool reaches(const match::Peak& peak, double minScore);

/// Which peaks of the shown result the table and the views show.
struct PeakChoice {
    std::vector<int> shown; ///< indices into the result's list, ascending
    double minScore = -2;   ///< those of other results are counted by it too
    bool filtered = false;  ///< by a text besides
};

/// What the window works on: a list of scenes of the same extents, of which one is shown, the
/// template box, the templates, the results, and which peak is selected. Every change of box and
/// templates can be undone.
///
/// **Threads**: the GUI thread.
class Document : public QObject {
    Q_OBJECT

  public:
    explicit Document(QObject* parent = nullptr);

    /// Replaces all scenes by this one; forgets box, template, masks and results.
    void setScene(SceneEntry scene);
    /// Puts a scene of the same extents behind the others; the one that is shown stays.
    void addScene(SceneEntry scene);
    /// Shows scene `index`, whose pixels are `image`, and its last result.
    void showScene(int index, const std::shared_ptr<const job::SceneImage>& image);
    /// Takes a scene out of the list, and its results. In the place of a shown one the first is
    /// shown. The first takes the templates that were cut from it along; the next one, which must
    /// be shown, is the first then.
    void removeScene(int index);
    void setSceneThumbnail(int index, const QImage& thumbnail);
    /// In the order of their numbers in a job; without a scene one without an image.
    [[nodiscard]] const std::vector<SceneEntry>& scenes() const { return m_scenes; }
    [[nodiscard]] int activeScene() const { return m_activeScene; }
    [[nodiscard]] const SceneEntry& scene() const { ///< the one that is shown
        return m_scenes[static_cast<std::size_t>(m_activeScene)];
    }
    [[nodiscard]] bool hasScene() const { return scene().image != nullptr; }
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
    /// Makes the box the active template, or another one. **Errors**: Problem when there is no box,
    /// and while another scene than the first is shown, from which a job cuts.
    void cutTemplate();
    void addCutTemplate();

    /// Supports of the templates, one for all or one each, and of the scene; whether they fit is
    /// told when a run is planned.
    void setMasks(std::vector<MaskEntry> masks);
    void setSceneMask(std::optional<MaskEntry> mask);
    [[nodiscard]] const std::vector<MaskEntry>& masks() const { return m_masks; }
    [[nodiscard]] const MaskEntry* mask() const; ///< of the active template, or null
    [[nodiscard]] const std::optional<MaskEntry>& sceneMask() const { return m_sceneMask; }

    /// And shows it, if it is of the scene that is shown; older ones may go (kMostResultBytes).
    void addResult(ResultEntry entry);
    /// Of all results. One that is held elsewhere as well counts here too.
    [[nodiscard]] std::int64_t resultBytes() const;
    /// Another limit than kMostResultBytes from now on.
    void setMostResultBytes(std::int64_t bytes);
    void showResult(int index); ///< one of the scene that is shown; -1 for none
    /// Forgets a result and gives its memory back; a neighbour is shown in the place of a shown
    /// one.
    void removeResult(int index);
    [[nodiscard]] int lastResultOf(int scene) const; ///< -1 without one
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
    void sceneChanged();  ///< to another one: all that belongs to a scene is new
    void scenesChanged(); ///< what is in the list
    void sceneShown();    ///< another one of the list
    void boxChanged();
    void templateChanged();
    void masksChanged();
    void resultsChanged();
    /// Results that went to make room for a newer one.
    void resultsDropped(const QStringList& titles);
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
    void dropOldResults();
    /// Takes those out that `gone` says and keeps the shown one shown; they live in what is
    /// returned until nobody who is told of the change can still ask for them.
    [[nodiscard]] std::vector<ResultEntry>
    takeOut(const std::function<bool(const ResultEntry&)>& gone);

    std::vector<SceneEntry> m_scenes{1};
    int m_activeScene = 0;
    std::optional<base::Box> m_box;
    Templates m_templates;
    std::vector<MaskEntry> m_masks;
    std::optional<MaskEntry> m_sceneMask;
    std::vector<ResultEntry> m_results;
    std::int64_t m_mostResultBytes = kMostResultBytes;
    int m_shown = -1;
    int m_peak = -1;
    PeakChoice m_choice;
    int m_gesture = 0;
    QUndoStack m_undo;
};

} // namespace flcc::ui
