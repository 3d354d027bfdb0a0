#include "ui/box_tool.h"

#include "engine/features/object_box.h"
#include "ui/latest_work.h"
#include "ui/text.h"

namespace flcc::ui {

BoxTool::BoxTool(Document& document, QObject* parent)
    : QObject(parent), m_document(document), m_work(new LatestWork(this)) {
    connect(&m_document, &Document::sceneChanged, this, [this] {
        m_work->cancel();
        m_gesture = 0;
    });
}

void BoxTool::fitTo(const base::Index& voxel) {
    m_work->cancel();
    m_gesture = 0;
    if (!base::contains(m_document.sceneExtents(), {voxel, {1, 1, 1}})) {
        return;
    }
    m_before = m_document.box();
    m_gesture = m_document.newGesture();
    m_work->start([this, voxel, gesture = m_gesture, image = m_document.scene().image](
                      const std::stop_token& stop) -> std::function<void()> {
        const auto box = features::boxAroundObject(base::viewOf(image->pixels), voxel, stop);
        return [this, voxel, box, gesture] {
            if (box) {
                m_document.setBox(box, gesture);
                Q_EMIT fitted();
            } else {
                Q_EMIT message(tr("No object stands out from its surroundings at %1: click on "
                                  "another place, or drag a box.")
                                   .arg(cornerText(voxel, m_document.isVolume())));
            }
        };
    });
}

void BoxTool::withdraw() {
    m_work->cancel();
    if (m_gesture != 0) {
        m_document.setBox(m_before, m_gesture);
        m_gesture = 0;
    }
}

void BoxTool::resize(std::int64_t step) {
    if (const auto box = m_document.box()) {
        m_document.setBox(features::resized(*box, step, m_document.sceneExtents()));
    }
}

void BoxTool::changeParity() {
    if (const auto box = m_document.box()) {
        m_document.setBox(features::withOtherParity(*box, m_document.sceneExtents()));
    }
}

} // namespace flcc::ui
