#include "ui/document.h"

#include <QUndoCommand>

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "ui/text.h"

namespace flcc::ui {

class BoxCommand : public QUndoCommand {
  public:
    BoxCommand(Document& document, std::optional<base::Box> after, int gesture)
        : m_document(document), m_before(document.m_box), m_after(std::move(after)),
          m_gesture(gesture) {
        setText(Document::tr("template box"));
    }
    void undo() override { m_document.applyBox(m_before); }
    void redo() override { m_document.applyBox(m_after); }
    [[nodiscard]] int id() const override { return 1; }
    bool mergeWith(const QUndoCommand* other) override {
        const auto* next = dynamic_cast<const BoxCommand*>(other);
        if (next == nullptr || m_gesture == 0 || next->m_gesture != m_gesture) {
            return false;
        }
        m_after = next->m_after;
        setObsolete(m_after == m_before); // nothing is left to undo
        return true;
    }

  private:
    Document& m_document;
    std::optional<base::Box> m_before;
    std::optional<base::Box> m_after;
    int m_gesture;
};

class TemplateCommand : public QUndoCommand {
  public:
    TemplateCommand(Document& document, Document::Templates after)
        : m_document(document), m_before(document.m_templates), m_after(std::move(after)) {
        setText(Document::tr("template"));
    }
    void undo() override { m_document.applyTemplates(m_before); }
    void redo() override { m_document.applyTemplates(m_after); }

  private:
    Document& m_document;
    Document::Templates m_before;
    Document::Templates m_after;
};

bool reaches(const match::Peak& peak, double minScore) {
    // Same rule as in the engine: a threshold of 1 still finds exact copies.
    return peak.score + peak.bound >= minScore;
}

std::int64_t resultBytes(const job::JobResult& result) {
    std::int64_t bytes = 0;
    if (result.map) {
        const method::MatchMap& map = *result.map;
        bytes = map.value.count() * 4 + map.status.count() +
                (map.exact.data() != nullptr ? map.exact.count() * 8 : 0);
    }
    return bytes + (result.index ? result.index->count() * 4 : 0);
}

Document::Document(QObject* parent) : QObject(parent) {}

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
    const std::optional<base::Box> inside = box ? std::optional(insideScene(*box)) : std::nullopt;
    if (inside != m_box) {
        m_undo.push(new BoxCommand(*this, inside, gesture));
    }
}

void Document::applyBox(const std::optional<base::Box>& box) {
    m_box = box;
    Q_EMIT boxChanged();
}

const TemplateEntry* Document::templ() const {
    return m_templates.active < 0 ? nullptr
                                  : &m_templates.all[static_cast<std::size_t>(m_templates.active)];
}

/// Inserts a template after the last one of its kind (cut or opened), and makes it active.
void Document::insert(Templates& templates, TemplateEntry entry) {
    auto place = templates.all.end();
    if (entry.crop) {
        place = std::ranges::find_if(templates.all,
                                     [](const TemplateEntry& each) { return !each.crop; });
    }
    place = templates.all.insert(place, std::move(entry));
    templates.active = static_cast<int>(place - templates.all.begin());
}

void Document::changeTemplates(Templates after) {
    m_undo.push(new TemplateCommand(*this, std::move(after)));
}

void Document::applyTemplates(const Templates& templates) {
    m_templates = templates;
    const auto opacity = m_opacity.image;
    refreshShape();
    Q_EMIT templateChanged();
    if (!m_masks.empty() || m_opacity.image != opacity) {
        Q_EMIT masksChanged(); // that of the active one
    }
}

void Document::setTemplate(TemplateEntry entry) {
    Templates after = m_templates;
    const TemplateEntry* old = templ();
    if (old != nullptr && old->crop.has_value() == entry.crop.has_value()) {
        after.all[static_cast<std::size_t>(after.active)] = std::move(entry);
    } else {
        if (old != nullptr) {
            after.all.erase(after.all.begin() + after.active);
        }
        insert(after, std::move(entry));
    }
    changeTemplates(std::move(after));
}

void Document::addTemplate(TemplateEntry entry) {
    Templates after = m_templates;
    insert(after, std::move(entry));
    changeTemplates(std::move(after));
}

void Document::removeTemplate(int index) {
    const auto count = static_cast<int>(m_templates.all.size());
    if (index < 0 || index >= count) {
        return;
    }
    Templates after = m_templates;
    after.all.erase(after.all.begin() + index);
    if (after.active > index || after.active == count - 1) {
        --after.active;
    }
    changeTemplates(std::move(after));
}

void Document::setActiveTemplate(int index) {
    if (index >= 0 && index < static_cast<int>(m_templates.all.size()) &&
        index != m_templates.active) {
        m_templates.active = index;
        refreshShape();
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

RunInputs Document::inputs() const {
    return {m_templates.all, m_templates.active, m_masks, m_sceneMask};
}

void Document::bringBack(const RunInputs& inputs) {
    const auto same = [](const auto& a, const auto& b) { return a.image == b.image; };
    if (!std::ranges::equal(m_templates.all, inputs.templates, same)) {
        changeTemplates({inputs.templates, inputs.active});
    } else {
        setActiveTemplate(inputs.active);
    }
    const bool sameScene = m_sceneMask.has_value() == inputs.sceneMask.has_value() &&
                           (!m_sceneMask || m_sceneMask->image == inputs.sceneMask->image);
    if (!std::ranges::equal(m_masks, inputs.masks, same) || !sameScene) {
        setMasks(inputs.masks);
        setSceneMask(inputs.sceneMask);
    }
}

bool Document::holdsWork() const {
    const bool own = templates().size() == 1 && !templates().front().crop &&
                     templates().front().path.empty() && !m_scenes.front().sample.isEmpty();
    return !m_results.empty() || !m_masks.empty() || m_sceneMask ||
           (!templates().empty() && !own) || std::ranges::any_of(m_scenes, &SceneEntry::made);
}

void Document::addResult(ResultEntry entry) {
    m_results.push_back(std::move(entry));
    Q_EMIT resultsChanged();
    if (m_results.back().scene == m_activeScene) {
        showResult(static_cast<int>(m_results.size()) - 1);
    }
    dropOldResults();
}

std::int64_t Document::resultBytes() const {
    std::int64_t bytes = 0;
    for (const ResultEntry& each : m_results) {
        bytes += ui::resultBytes(*each.job);
    }
    return bytes;
}

void Document::setMostResultBytes(std::int64_t bytes) {
    m_mostResultBytes = bytes;
    dropOldResults();
}

std::vector<ResultEntry> Document::takeOut(const std::function<bool(const ResultEntry&)>& gone) {
    std::vector<ResultEntry> held;
    std::vector<ResultEntry> results = std::exchange(m_results, {});
    const int shown = std::exchange(m_shown, -1);
    for (int i = 0; i < static_cast<int>(results.size()); ++i) {
        ResultEntry& each = results[static_cast<std::size_t>(i)];
        if (gone(each)) {
            held.push_back(std::move(each));
            continue;
        }
        m_shown = i == shown ? static_cast<int>(m_results.size()) : m_shown;
        m_results.push_back(std::move(each));
    }
    return held;
}

void Document::dropOldResults() {
    std::vector<ResultEntry> held;
    std::int64_t bytes = resultBytes();
    const auto together = [](const ResultEntry& a, const ResultEntry& b) {
        return a.run == 0 ? a.job == b.job : a.run == b.run;
    };
    const auto stays = [&](const ResultEntry& each) {
        return std::ranges::any_of(m_results, [&](const ResultEntry& other) {
            const auto place = static_cast<int>(&other - m_results.data());
            const bool needed = &other == &m_results.back() || place == m_shown ||
                                place == lastResultOf(other.scene);
            return needed && together(each, other);
        });
    };
    while (bytes > m_mostResultBytes) {
        const auto oldest = std::ranges::find_if_not(m_results, stays);
        if (oldest == m_results.end()) {
            break;
        }
        const ResultEntry first = *oldest;
        for (ResultEntry& each : takeOut([&](const auto& one) { return together(first, one); })) {
            bytes -= ui::resultBytes(*each.job);
            held.push_back(std::move(each));
        }
    }
    if (!held.empty()) {
        QStringList titles;
        for (const ResultEntry& each : held) {
            titles << each.title;
        }
        Q_EMIT resultsChanged();
        Q_EMIT resultsDropped(titles);
    }
}

int Document::lastResultOf(int scene) const {
    const auto last =
        std::find_if(m_results.rbegin(), m_results.rend(),
                     [scene](const ResultEntry& each) { return each.scene == scene; });
    return static_cast<int>(m_results.rend() - last) - 1;
}

void Document::showResult(int index) {
    m_shown = index >= 0 && index < static_cast<int>(m_results.size()) ? index : -1;
    m_peak = -1;
    Q_EMIT resultShown();
    Q_EMIT peakSelected(-1);
}

void Document::renameResult(int index, const QString& title) {
    if (index >= 0 && index < static_cast<int>(m_results.size()) && !title.trimmed().isEmpty()) {
        m_results[static_cast<std::size_t>(index)].title = title.trimmed();
        Q_EMIT resultsChanged();
    }
}

void Document::replacePeaks(job::FoundPeaks found, const job::Job& settings) {
    if (m_shown < 0) {
        return;
    }
    ResultEntry& entry = m_results[static_cast<std::size_t>(m_shown)];
    const auto corner = [](const match::Peak& peak) { return std::pair(peak.corner, peak.templ); };
    int selected = -1;
    if (m_peak >= 0) {
        const auto before = corner(entry.job->peaks[static_cast<std::size_t>(m_peak)]);
        const auto now = std::ranges::find(found.peaks, before, corner);
        selected = now == found.peaks.end() ? -1 : static_cast<int>(now - found.peaks.begin());
    }
    auto next = std::make_shared<job::JobResult>(*entry.job);
    next->report.peaks = found.peaks;
    next->report.peaksIncomplete = std::move(found.incomplete);
    next->peaks = std::move(found.peaks);
    const std::shared_ptr<const job::JobResult> before = std::exchange(entry.job, std::move(next));
    entry.settings = settings;
    m_peak = -1;
    Q_EMIT peaksReplaced();
    if (selected >= 0) {
        selectPeak(selected);
    } else {
        Q_EMIT peakSelected(-1);
    }
}

void Document::removeResult(int index) {
    if (index < 0 || index >= static_cast<int>(m_results.size())) {
        return;
    }
    // Kept alive until all listeners have handled the change.
    const ResultEntry removed = std::move(m_results[static_cast<std::size_t>(index)]);
    m_results.erase(m_results.begin() + index);
    if (index == m_shown) {
        const auto next =
            std::find_if(m_results.begin() + index, m_results.end(),
                         [&removed](const auto& each) { return each.scene == removed.scene; });
        showResult(next != m_results.end() ? static_cast<int>(next - m_results.begin())
                                           : lastResultOf(removed.scene));
    } else if (index < m_shown) {
        --m_shown;
    }
    Q_EMIT resultsChanged();
}

void Document::setPeakChoice(PeakChoice choice) {
    m_choice = std::move(choice);
    Q_EMIT peakChoiceChanged();
}

std::int64_t Document::shownPeaks(int result) const {
    if (result == m_shown) {
        return static_cast<std::int64_t>(m_choice.shown.size());
    }
    const auto& peaks = m_results[static_cast<std::size_t>(result)].job->peaks;
    return std::ranges::count_if(
        peaks, [this](const match::Peak& peak) { return reaches(peak, m_choice.minScore); });
}

const ResultEntry* Document::result() const {
    return m_shown < 0 ? nullptr : &m_results[static_cast<std::size_t>(m_shown)];
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
