#include "ui/document/voxel_tips.h"

#include <QWidget>

#include "ui/base/text.h"
#include "ui/document/document.h"

namespace flcc::ui {

VoxelTips::VoxelTips(const Document& document, QObject* parent)
    : QObject(parent), m_document(document) {
    for (const auto signal : {&Document::sceneChanged, &Document::sceneShown}) {
        connect(&m_document, signal, this, &VoxelTips::refresh);
    }
}

void VoxelTips::set(QWidget* widget, const QString& tip) {
    m_tips.emplace_back(widget, tip);
    widget->setToolTip(tip.arg(voxelsWord(m_document.isVolume())));
}

void VoxelTips::refresh() {
    const QString word = voxelsWord(m_document.isVolume());
    for (const auto& [widget, tip] : m_tips) {
        widget->setToolTip(tip.arg(word));
    }
}

} // namespace flcc::ui
