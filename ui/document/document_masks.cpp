#include <QUndoCommand>

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/job/mask_shape.h"
#include "ui/base/text.h"
#include "ui/document/document.h"

// Masks of the templates and of the scene.

namespace flcc::ui {

class MaskCommand : public QUndoCommand {
  public:
    MaskCommand(Document& document, Document::Masks after, int gesture)
        : m_document(document), m_before{document.m_masks, document.m_sceneMask},
          m_after(std::move(after)), m_gesture(gesture) {
        setText(Document::tr("mask"));
    }
    void undo() override { m_document.applyMasks(m_before); }
    void redo() override { m_document.applyMasks(m_after); }
    [[nodiscard]] int id() const override { return 3; }
    bool mergeWith(const QUndoCommand* other) override {
        const auto* next = dynamic_cast<const MaskCommand*>(other);
        if (next == nullptr || m_gesture == 0 || next->m_gesture != m_gesture) {
            return false;
        }
        m_after = next->m_after;
        return true;
    }

  private:
    Document& m_document;
    Document::Masks m_before;
    Document::Masks m_after;
    int m_gesture;
};

void Document::applyMasks(const Masks& masks) {
    m_masks = masks.templates;
    m_sceneMask = masks.scene;
    refreshShape();
    Q_EMIT masksChanged();
}

/// A shape is one mask for templates of all sizes: it is shown in the size of the active one.
void Document::refreshShape() {
    m_opacity = {};
    if (templ() != nullptr && templ()->image->opacity) {
        m_opacity = {templ()->image->opacity, tr("opacity of %1").arg(templ()->name),
                     std::filesystem::path(job::kOpacityMask)};
    }
    if (m_masks.size() != 1 || templ() == nullptr ||
        m_masks.front().image->support.extents() == templateExtents()) {
        return;
    }
    try {
        if (const auto shape = job::maskShapeOf(m_masks.front().path)) {
            m_masks.front().image = job::makeMask(*shape, templateExtents());
        }
    } catch (const base::Error&) {
        // No voxel of this template is inside; planning says so.
    }
}

void Document::setMasks(std::vector<MaskEntry> masks, int gesture) {
    m_undo.push(new MaskCommand(*this, {std::move(masks), m_sceneMask}, gesture));
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
    std::vector<MaskEntry> masks = m_masks;
    const auto active = static_cast<std::size_t>(std::max(m_templates.active, 0));
    if (masks.size() > 1 && active < masks.size()) {
        masks[active] = std::move(mask);
    } else {
        masks = {std::move(mask)};
    }
    setMasks(std::move(masks), gesture);
}

void Document::setSceneMask(std::optional<MaskEntry> mask, int gesture) {
    m_undo.push(new MaskCommand(*this, {m_masks, std::move(mask)}, gesture));
}

const MaskEntry* Document::mask() const {
    if (m_masks.empty()) {
        return m_opacity.image ? &m_opacity : nullptr;
    }
    if (m_masks.size() == 1) {
        return &m_masks.front();
    }
    const auto active = static_cast<std::size_t>(std::max(m_templates.active, 0));
    return active < m_masks.size() ? &m_masks[active] : nullptr;
}

void Document::setMaskFile(const std::shared_ptr<const job::MaskImage>& image,
                           const std::filesystem::path& file) {
    const auto name = [&](MaskEntry& mask) {
        if (mask.image == image) {
            mask.path = file;
            mask.name = pathText(file.filename());
        }
    };
    std::ranges::for_each(m_masks, name);
    if (m_sceneMask) {
        name(*m_sceneMask);
    }
    Q_EMIT masksChanged();
}

} // namespace flcc::ui
