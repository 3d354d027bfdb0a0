#include "ui/document/document.h"

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/job/mask_shape.h"
#include "ui/base/text.h"
#include "ui/document/result_commands.h"
#include "ui/document/scene_commands.h"
#include "ui/document/thumbnail.h"
#include "ui/document/value_command.h"

namespace flcc::ui {

Document::Document(QObject* parent) : QObject(parent) {}

QString Document::missingScenes() const {
    QStringList names;
    for (const SceneEntry& each : m_scenes) {
        if (each.missing) {
            names << each.name;
        }
    }
    return names.isEmpty() ? QString()
                           : tr("%1: the file is not there, so that it cannot be searched; open "
                                "the project again and find it")
                                 .arg(names.join(QStringLiteral(", ")));
}

base::Extents Document::sceneExtents() const {
    return hasScene() ? base::extentsOf(scene().image->pixels) : base::Extents{0, 0, 0};
}

base::Extents Document::templateExtents() const {
    return templ() != nullptr ? base::extentsOf(templ()->image->pixels) : base::Extents{0, 0, 0};
}

base::Box Document::insideScene(const base::Box& box) const {
    const base::Extents scene = sceneExtents();
    const auto fit = [](std::int64_t& corner, std::int64_t& count, std::int64_t room) {
        count = std::clamp<std::int64_t>(count, 1, std::max<std::int64_t>(room, 1));
        corner = std::clamp<std::int64_t>(corner, 0, std::max<std::int64_t>(room - count, 0));
    };
    base::Box inside = box;
    fit(inside.corner.x, inside.extents.x, scene.x);
    fit(inside.corner.y, inside.extents.y, scene.y);
    fit(inside.corner.z, inside.extents.z, scene.z);
    return inside;
}

void Document::setBox(const std::optional<base::Box>& box, int gesture) {
    if (!hasScene()) {
        return;
    }
    using Box = std::optional<base::Box>;
    const Box inside = box ? Box(insideScene(*box)) : std::nullopt;
    if (inside != m_box) {
        m_undo.push(new ValueCommand<Box>({tr("template box"), 1, gesture}, m_box, inside,
                                          [this](const Box& value) { applyBox(value); }));
    }
}

void Document::applyBox(const std::optional<base::Box>& box) {
    m_box = box;
    Q_EMIT boxChanged();
}

void Document::changeTemplates(TemplateSet after) {
    m_undo.push(
        new ValueCommand<TemplateSet>({tr("template")}, m_templates, std::move(after),
                                      [this](const TemplateSet& value) { applyTemplates(value); }));
}

void Document::applyTemplates(const TemplateSet& templates) {
    m_templates = templates;
    const auto opacity = m_masks.opacity.image;
    m_masks.fit(m_templates, geometry());
    Q_EMIT templateChanged();
    if (!m_masks.templates.empty() || m_masks.opacity.image != opacity) {
        Q_EMIT masksChanged(); // that of the active one
    }
}

void Document::setTemplate(TemplateEntry entry) {
    TemplateSet after = m_templates;
    after.replaceActive(std::move(entry));
    changeTemplates(std::move(after));
}

void Document::addTemplate(TemplateEntry entry) {
    TemplateSet after = m_templates;
    after.insert(std::move(entry));
    changeTemplates(std::move(after));
}

void Document::removeTemplate(int index) {
    if (index >= 0 && index < static_cast<int>(m_templates.all.size())) {
        TemplateSet after = m_templates;
        after.remove(index);
        changeTemplates(std::move(after));
    }
}

void Document::setActiveTemplate(int index) {
    if (index >= 0 && index < static_cast<int>(m_templates.all.size()) &&
        index != m_templates.active) {
        m_templates.active = index;
        m_masks.fit(m_templates, geometry());
        Q_EMIT templateChanged();
        Q_EMIT masksChanged();
    }
}

TemplateEntry Document::cutOut() const {
    if (!hasScene() || !m_box) {
        throw base::Error(base::ErrorCode::Problem,
                          tr("there is no template box to cut: drag one in a view with the "
                             "template box tool (4) first")
                              .toStdString());
    }
    if (m_activeScene != 0 && !scene().made) {
        throw base::Error(base::ErrorCode::Problem,
                          tr("templates can only be cut from the first scene of the list, not from "
                             "%1; show %2 to cut a template")
                              .arg(scene().name, m_scenes.front().name)
                              .toStdString());
    }
    TemplateEntry entry;
    entry.image = job::cutTemplate(*scene().image, *m_box, m_spacing);
    entry.name = tr("cut at %1").arg(cornerText(m_box->corner, isVolume()));
    if (m_activeScene == 0) {
        entry.crop = m_box;
    } else { // a job cuts from the first scene only
        entry.name = tr("%1 from %2").arg(entry.name, scene().name);
        entry.place = entry.name;
    }
    return entry;
}

void Document::cutTemplate() { setTemplate(cutOut()); }

void Document::addCutTemplate() { addTemplate(cutOut()); }

void Document::changeMasks(MaskSet after, int gesture) {
    m_undo.push(new ValueCommand<MaskSet>({tr("mask"), 3, gesture}, m_masks, std::move(after),
                                          [this](const MaskSet& value) { applyMasks(value); }));
}

void Document::applyMasks(const MaskSet& masks) {
    m_masks = masks;
    m_masks.fit(m_templates, geometry());
    Q_EMIT masksChanged();
}

void Document::setMasks(std::vector<MaskEntry> masks, int gesture) {
    MaskSet after = m_masks;
    after.templates = std::move(masks);
    changeMasks(std::move(after), gesture);
}

void Document::clearMasks() {
    const bool opacity = std::ranges::any_of(
        m_templates.all, [](const TemplateEntry& each) { return each.image->opacity != nullptr; });
    if (!opacity) {
        setMasks({});
    } else { // without a mask, the opacity would be one
        setMasks({{job::makeMask({}, templateExtents()), tr("none"), "none"}});
    }
}

void Document::setActiveMask(MaskEntry mask, int gesture) {
    MaskSet after = m_masks;
    after.replace(m_templates.active, std::move(mask));
    changeMasks(std::move(after), gesture);
}

void Document::setSceneMask(std::optional<MaskEntry> mask, int gesture) {
    MaskSet after = m_masks;
    after.scene = std::move(mask);
    changeMasks(std::move(after), gesture);
}

void Document::setMaskFile(const std::shared_ptr<const job::MaskImage>& image,
                           const std::filesystem::path& file) {
    m_masks.setFile(image, file);
    Q_EMIT masksChanged();
}

RunInputs Document::inputs() const {
    return {m_templates.all, m_templates.active, m_masks.templates, m_masks.scene};
}

void Document::bringBack(const RunInputs& inputs) {
    const auto same = [](const auto& a, const auto& b) { return a.image == b.image; };
    if (!std::ranges::equal(m_templates.all, inputs.templates, same)) {
        changeTemplates({inputs.templates, inputs.active});
    } else {
        setActiveTemplate(inputs.active);
    }
    const bool sameScene = m_masks.scene.has_value() == inputs.sceneMask.has_value() &&
                           (!m_masks.scene || m_masks.scene->image == inputs.sceneMask->image);
    if (!std::ranges::equal(m_masks.templates, inputs.masks, same) || !sameScene) {
        setMasks(inputs.masks);
        setSceneMask(inputs.sceneMask);
    }
}

bool Document::holdsWork() const {
    const bool own = templates().size() == 1 && !templates().front().crop &&
                     templates().front().path.empty() && !m_scenes.front().sample.isEmpty();
    return !results().empty() || !masks().empty() || sceneMask() ||
           (!templates().empty() && !own) || std::ranges::any_of(m_scenes, &SceneEntry::made);
}

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
    restore({.scenes = {std::move(scene)}, .worldAxes = m_worldAxes});
}

void Document::restore(DocumentState state) {
    std::ranges::for_each(state.scenes, describe);
    m_scenes = std::move(state.scenes);
    m_activeScene = state.activeScene;
    m_undo.clear();
    m_spacing = state.spacing;
    m_worldAxes = state.worldAxes;
    m_box = state.box;
    m_templates = {std::move(state.inputs.templates), state.inputs.active};
    m_masks = {std::move(state.inputs.masks), std::move(state.inputs.sceneMask)};
    m_jobFile.clear();
    m_results.clear();
    for (ResultEntry& each : state.results) {
        m_lastResult = std::max(m_lastResult, each.id);
        m_results.add(std::move(each));
    }
    m_results.show(state.shownResult);
    m_peak = -1;
    m_masks.fit(m_templates, geometry());
    Q_EMIT sceneChanged();
    Q_EMIT scenesChanged();
    Q_EMIT boxChanged();
    Q_EMIT templateChanged();
    Q_EMIT masksChanged();
    Q_EMIT resultsChanged();
    Q_EMIT resultShown();
    Q_EMIT peakSelected(-1);
    selectPeak(state.selectedPeak);
}

DocumentState Document::state() const {
    return {m_scenes, m_activeScene, m_spacing,         m_worldAxes, m_box,
            inputs(), results(),     m_results.shown(), m_peak};
}

void Document::startWith(const RunInputs& inputs) {
    m_masks.templates = inputs.masks;
    m_masks.scene = inputs.sceneMask;
    applyTemplates({inputs.templates, inputs.active});
    Q_EMIT masksChanged();
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

void Document::replaceByBinned(SceneEntry scene, RunInputs inputs) {
    describe(scene);
    scene.made = true;
    m_undo.push(new BinCommand(*this, std::move(scene), std::move(inputs)));
}

std::size_t Document::searchedScenes() const {
    const auto aside = std::ranges::find_if(m_scenes, &SceneEntry::aside);
    return static_cast<std::size_t>(aside - m_scenes.begin());
}

void Document::setSceneFile(const std::shared_ptr<const job::SceneImage>& image,
                            const std::filesystem::path& file) {
    const int index = indexOf(image);
    const SceneEntry& first = m_scenes.front();
    if (index < 0 || !m_scenes[static_cast<std::size_t>(index)].made) {
        return;
    }
    const bool alone = m_scenes.size() == 1;
    const bool likeFirst =
        index == 0 || (!first.path.empty() && !first.channel && !first.frame &&
                       !first.reading.image && !first.reading.part && !first.reading.resolution &&
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
    using Spacing = std::optional<base::Spacing>;
    if (spacing == m_spacing || !hasScene()) {
        return;
    }
    (void)job::statedGeometry(*scene().image, spacing); // throws if it does not fit
    m_undo.push(new ValueCommand<Spacing>({tr("spacing"), kSceneStep}, m_spacing, spacing,
                                          [this](const Spacing& value) { applySpacing(value); }));
}

void Document::applySpacing(const std::optional<base::Spacing>& spacing) {
    m_spacing = spacing;
    m_results.restate(m_spacing, m_worldAxes);
    m_masks.fit(m_templates, geometry(), true);
    const int peak = m_peak;
    Q_EMIT spacingChanged();
    Q_EMIT masksChanged();
    Q_EMIT scenesChanged();
    Q_EMIT boxChanged();
    Q_EMIT templateChanged();
    showResult(m_results.shown());
    selectPeak(peak);
}

void Document::setWorldAxes(const std::optional<base::WorldAxes>& axes) {
    if (axes == m_worldAxes) {
        return;
    }
    m_worldAxes = axes;
    m_results.restate(m_spacing, m_worldAxes);
    Q_EMIT worldAxesChanged();
    if (m_results.shown() >= 0) {
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
    if (index >= 0 && index < count && count > 1) {
        m_undo.push(new RemoveSceneCommand(*this, index));
    }
}

Document::TakenScene Document::takeScene(int index) {
    TakenScene taken{m_scenes[static_cast<std::size_t>(index)], {}};
    if (index == m_activeScene && index > 0) {
        showScene(0, m_scenes.front().image);
    }
    for (int i = 0; i < static_cast<int>(results().size()); ++i) {
        const ResultEntry& each = results()[static_cast<std::size_t>(i)];
        if (each.scene == index) {
            taken.results.emplace_back(i, each);
        }
    }
    const std::vector<ResultEntry> held =
        m_results.takeOut([index](const ResultEntry& each) { return each.scene == index; });
    for (ResultEntry& each : m_results.all()) {
        each.scene -= each.scene > index ? 1 : 0;
    }
    m_scenes.erase(m_scenes.begin() + index);
    m_activeScene -= m_activeScene > index ? 1 : 0;
    Q_EMIT scenesChanged();
    Q_EMIT resultsChanged();
    return taken;
}

void Document::putScene(int index, TakenScene taken) {
    m_scenes.insert(m_scenes.begin() + index, taken.scene);
    m_activeScene += m_activeScene >= index ? 1 : 0;
    for (ResultEntry& each : m_results.all()) {
        each.scene += each.scene >= index ? 1 : 0;
    }
    for (auto& [number, result] : taken.results) {
        result.scene = index;
        if (result.settings.spacing != m_spacing || result.settings.world != m_worldAxes) {
            restate(result, m_spacing, m_worldAxes);
        }
        m_results.insert(number, std::move(result));
    }
    Q_EMIT scenesChanged();
    Q_EMIT resultsChanged();
    if (taken.scene.image) { // what is undone is seen
        showScene(index, taken.scene.image);
    }
    releaseOldMaps();
}

void Document::setSceneThumbnail(int index, const QImage& thumbnail) {
    m_scenes[static_cast<std::size_t>(index)].thumbnail = thumbnail;
    Q_EMIT scenesChanged();
}

void Document::addResult(ResultEntry entry) {
    const bool shown = entry.scene == m_activeScene;
    entry.id = ++m_lastResult;
    const auto judged =
        std::ranges::find_if(results().rbegin(), results().rend(), [&](const ResultEntry& each) {
            return each.scene == entry.scene && !each.decisions.all().empty();
        });
    QString from;
    if (judged != results().rend() && entry.decisions.all().empty()) {
        entry.decisions = job::carriedDecisions(*judged, *entry.job);
        from = judged->title;
    }
    const auto carried = static_cast<qint64>(entry.decisions.all().size());
    m_results.add(std::move(entry));
    Q_EMIT resultsChanged();
    if (!from.isNull() && carried > 0) {
        Q_EMIT decisionsCarried(carried, from);
    }
    if (shown) {
        showResult(static_cast<int>(results().size()) - 1);
    }
    releaseOldMaps();
}

void Document::setMostResultBytes(std::int64_t bytes) {
    m_mostResultBytes = bytes;
    releaseOldMaps();
}

void Document::releaseOldMaps() {
    // Maps are kept alive until all listeners have handled the change.
    const ResultList::Released given = m_results.release(m_mostResultBytes);
    if (given.held.empty()) {
        return;
    }
    Q_EMIT resultsChanged();
    if (given.shownChanged) {
        tellOfResult();
    }
    Q_EMIT mapsReleased(given.maps, given.results);
}

void Document::showResult(int index) {
    m_results.show(index);
    tellOfResult();
}

void Document::tellOfResult() {
    m_peak = -1;
    Q_EMIT resultShown();
    Q_EMIT peakSelected(-1);
}

void Document::renameResult(int index, const QString& title) {
    if (index >= 0 && index < static_cast<int>(results().size()) && !title.trimmed().isEmpty()) {
        m_undo.push(new RenameCommand(*this, results()[static_cast<std::size_t>(index)].id,
                                      title.trimmed()));
    }
}

void Document::replacePeaks(job::PeaksEdit edit, std::shared_ptr<const job::KeptMap> kept,
                            int gesture) {
    if (m_results.shown() < 0) {
        return;
    }
    const int id = result()->id;
    const bool same = job::thresholdsOf(edit.settings) == job::thresholdsOf(result()->settings);
    auto* step = new ResultCommand(*this, id, std::move(edit), tr("threshold"), gesture);
    if (same) { // the same list, counted further
        step->redo();
        delete step;
    } else {
        m_undo.push(step);
    }
    setKept(id, std::move(kept));
}

void Document::editResult(job::ResultEdit edit, const QString& text) {
    if (m_results.shown() >= 0) {
        m_undo.push(new ResultCommand(*this, result()->id, std::move(edit), text, 0));
    }
}

void Document::setKept(int id, std::shared_ptr<const job::KeptMap> kept) {
    const int index = m_results.indexOf(id);
    if (index >= 0) {
        m_results.all()[static_cast<std::size_t>(index)].kept = std::move(kept);
    }
}

void Document::removeResult(int index) {
    if (index < 0 || index >= static_cast<int>(results().size())) {
        return;
    }
    m_undo.push(new RemoveResultCommand(*this, results()[static_cast<std::size_t>(index)].id));
}

void Document::setPeakChoice(PeakChoice choice) {
    m_choice = std::move(choice);
    Q_EMIT peakChoiceChanged();
}

std::int64_t Document::shownPeaks(int result) const {
    if (result == m_results.shown()) {
        return static_cast<std::int64_t>(m_choice.shown.size());
    }
    const ResultEntry& entry = results()[static_cast<std::size_t>(result)];
    return std::ranges::count_if(entry.job->peaks, [&](const match::Peak& peak) {
        return isListed(entry, peak, m_choice.minScore);
    });
}

void Document::selectPeak(int peak) {
    const ResultEntry* shown = result();
    const int count = shown == nullptr ? 0 : static_cast<int>(shown->job->peaks.size());
    const int next = peak >= 0 && peak < count ? peak : -1;
    if (next != m_peak) {
        m_peak = next;
        Q_EMIT peakSelected(next);
    }
}

} // namespace flcc::ui
