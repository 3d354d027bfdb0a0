#include "ui/document/document.h"

#include <QUndoCommand>

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "ui/base/text.h"

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

} // namespace flcc::ui
