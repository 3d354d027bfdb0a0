#include <QUndoCommand>

#include <algorithm>
#include <utility>

#include "ui/document/document.h"
#include "ui/document/thumbnail.h"

// The list of scenes.

namespace flcc::ui {

/// A made scene and, while it is undone, its results.
class MadeSceneCommand : public QUndoCommand {
  public:
    MadeSceneCommand(Document& document, SceneEntry scene)
        : m_document(document), m_scene(std::move(scene)), m_before(document.scene().image) {
        setText(Document::tr("filter"));
    }
    void redo() override {
        m_document.m_scenes.push_back(m_scene);
        Q_EMIT m_document.scenesChanged();
        const auto index = static_cast<int>(m_document.m_scenes.size()) - 1;
        for (ResultEntry& result : m_results) {
            result.scene = index;
            m_document.m_results.push_back(std::move(result));
        }
        m_results.clear();
        m_document.showScene(index, m_scene.image);
        Q_EMIT m_document.resultsChanged();
    }
    void undo() override {
        const int index = m_document.indexOf(m_scene.image);
        if (index < 0) { // removed from the list
            setObsolete(true);
            return;
        }
        m_scene = m_document.m_scenes[static_cast<std::size_t>(index)]; // it may have a file by now
        for (const ResultEntry& result : m_document.m_results) {
            if (result.scene == index) {
                m_results.push_back(result);
            }
        }
        const int before = m_document.indexOf(m_before);
        if (m_document.m_activeScene == index && before >= 0) {
            m_document.showScene(before, m_before);
        }
        m_document.removeScene(index);
    }
    [[nodiscard]] int id() const override { return Document::kSceneStep; }

  private:
    Document& m_document;
    SceneEntry m_scene;
    std::shared_ptr<const job::SceneImage> m_before; ///< the scene that was shown
    std::vector<ResultEntry> m_results;
};

class SpacingCommand : public QUndoCommand {
  public:
    SpacingCommand(Document& document, std::optional<base::Spacing> after)
        : m_document(document), m_before(document.m_spacing), m_after(std::move(after)) {
        setText(Document::tr("spacing"));
    }
    void undo() override { m_document.applySpacing(m_before); }
    void redo() override { m_document.applySpacing(m_after); }
    [[nodiscard]] int id() const override { return Document::kSceneStep; }

  private:
    Document& m_document;
    std::optional<base::Spacing> m_before;
    std::optional<base::Spacing> m_after;
};

/// Sets pixel type, extents and, if there is none, thumbnail of a scene whose pixels are in memory.
void Document::describe(SceneEntry& scene) {
    if (scene.image) {
        scene.extents = base::extentsOf(scene.image->pixels);
        scene.type = base::pixelType(scene.image->pixels);
        if (scene.thumbnail.isNull()) {
            scene.thumbnail = thumbnailOf(base::viewOf(scene.image->pixels), kThumbnailSide);
        }
    }
}

void Document::setScene(SceneEntry scene) {
    describe(scene);
    m_scenes.clear();
    m_scenes.push_back(std::move(scene));
    m_activeScene = 0;
    m_undo.clear();
    m_spacing.reset();
    m_box.reset();
    m_templates = {};
    m_masks.clear();
    m_sceneMask.reset();
    m_jobFile.clear();
    m_results.clear();
    m_shown = -1;
    m_peak = -1;
    Q_EMIT sceneChanged();
    Q_EMIT scenesChanged();
    Q_EMIT boxChanged();
    Q_EMIT templateChanged();
    Q_EMIT masksChanged();
    Q_EMIT resultsChanged();
    Q_EMIT resultShown();
    Q_EMIT peakSelected(-1);
}

void Document::addScene(SceneEntry scene) {
    describe(scene);
    scene.image.reset();
    m_scenes.push_back(std::move(scene));
    Q_EMIT scenesChanged();
}

void Document::addMadeScene(SceneEntry scene) {
    describe(scene);
    scene.made = true;
    m_undo.push(new MadeSceneCommand(*this, std::move(scene)));
}

void Document::setSceneFile(const std::shared_ptr<const job::SceneImage>& image,
                            const std::filesystem::path& file) {
    const int index = indexOf(image);
    const SceneEntry& first = m_scenes.front();
    if (index < 0 || !m_scenes[static_cast<std::size_t>(index)].made) {
        return;
    }
    const bool alone = m_scenes.size() == 1;
    const bool likeFirst = index == 0 || (!first.path.empty() && !first.channel && !first.frame &&
                                          !first.reading.image && !first.reading.resolution &&
                                          base::extentsOf(image->pixels) == first.extents);
    if (alone || likeFirst) {
        SceneEntry& scene = m_scenes[static_cast<std::size_t>(index)];
        scene.made = false;
        scene.path = file;
        scene.reading = {};
        Q_EMIT scenesChanged();
    }
}

int Document::indexOf(const std::shared_ptr<const job::SceneImage>& image) const {
    const auto found = std::ranges::find(m_scenes, image, &SceneEntry::image);
    return image == nullptr || found == m_scenes.end() ? -1
                                                       : static_cast<int>(found - m_scenes.begin());
}

bool Document::stepChangesScenes(bool redo) const {
    const QUndoCommand* step = m_undo.command(m_undo.index() - (redo ? 0 : 1));
    return step != nullptr && step->id() == kSceneStep;
}

void Document::setSpacing(const std::optional<base::Spacing>& spacing) {
    if (spacing == m_spacing || !hasScene()) {
        return;
    }
    (void)job::statedGeometry(*scene().image, spacing); // throws if it does not fit
    m_undo.push(new SpacingCommand(*this, spacing));
}

void Document::applySpacing(const std::optional<base::Spacing>& spacing) {
    m_spacing = spacing;
    restateResults();
    const int peak = m_peak;
    Q_EMIT spacingChanged();
    Q_EMIT scenesChanged();
    Q_EMIT boxChanged();
    Q_EMIT templateChanged();
    showResult(m_shown);
    selectPeak(peak);
}

/// Positions of the results follow spacing and world axes.
void Document::restateResults() {
    for (ResultEntry& each : m_results) {
        auto next = std::make_shared<job::JobResult>(*each.job);
        job::restate(*next, m_spacing, m_worldAxes);
        each.job = std::move(next);
        each.kept.reset(); // its scene has the geometry of before
        each.settings.spacing = m_spacing;
        each.settings.world = m_worldAxes;
    }
}

void Document::setWorldAxes(const std::optional<base::WorldAxes>& axes) {
    if (axes == m_worldAxes) {
        return;
    }
    m_worldAxes = axes;
    restateResults();
    Q_EMIT worldAxesChanged();
    if (m_shown >= 0) {
        const int peak = m_peak;
        Q_EMIT peaksReplaced();
        m_peak = -1;
        selectPeak(peak);
    }
}

base::Geometry Document::geometry() const {
    return hasScene() ? geometryOf(scene()) : base::Geometry{};
}

base::Geometry Document::geometryOf(const SceneEntry& scene) const {
    return job::statedGeometry(*scene.image, m_spacing, m_worldAxes);
}

base::Geometry Document::geometryOf(const TemplateEntry& templ) const {
    const auto& first = m_scenes.front().image;
    if (!templ.crop || !first) {
        return templ.image->geometry;
    }
    const base::Index& corner = templ.crop->corner;
    return base::movedTo(geometryOf(m_scenes.front()),
                         {static_cast<double>(corner.x), static_cast<double>(corner.y),
                          static_cast<double>(corner.z)});
}

void Document::showScene(int index, const std::shared_ptr<const job::SceneImage>& image) {
    if (index == m_activeScene) {
        return;
    }
    SceneEntry& left = m_scenes[static_cast<std::size_t>(m_activeScene)];
    // The first one stays, because templates are cut from it, and so does one beside it.
    if (m_activeScene != 0 && !left.made && !left.aside) {
        left.image.reset();
    }
    SceneEntry& shown = m_scenes[static_cast<std::size_t>(index)];
    shown.image = image;
    describe(shown);
    m_activeScene = index;
    Q_EMIT sceneShown();
    Q_EMIT scenesChanged();
    showResult(lastResultOf(index));
}

void Document::removeScene(int index) {
    const auto count = static_cast<int>(m_scenes.size());
    if (index < 0 || index >= count || count == 1) {
        return;
    }
    if (index == m_activeScene && index > 0) {
        showScene(0, m_scenes.front().image);
    }
    const std::vector<ResultEntry> held =
        takeOut([index](const ResultEntry& each) { return each.scene == index; });
    for (ResultEntry& each : m_results) {
        each.scene -= each.scene > index ? 1 : 0;
    }
    m_scenes.erase(m_scenes.begin() + index);
    m_activeScene -= m_activeScene > index ? 1 : 0;
    m_scenes.front().aside = false;
    if (index == 0) {
        Templates left = m_templates;
        std::erase_if(left.all, [](const TemplateEntry& each) { return each.crop.has_value(); });
        left.active = std::min(left.active, static_cast<int>(left.all.size()) - 1);
        m_undo.clear(); // it could bring a cut of the old one back
        applyTemplates(left);
    }
    Q_EMIT scenesChanged();
    Q_EMIT resultsChanged();
}

void Document::setSceneThumbnail(int index, const QImage& thumbnail) {
    m_scenes[static_cast<std::size_t>(index)].thumbnail = thumbnail;
    Q_EMIT scenesChanged();
}

} // namespace flcc::ui
