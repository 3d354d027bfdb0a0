#include "ui/plan/display_memory.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "ui/base/text.h"

namespace flcc::ui {

DisplayMemory::DisplayMemory(QWidget* parent) : QWidget(parent) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    m_text = new QLabel(this);
    m_text->setObjectName(QStringLiteral("planDisplay"));
    m_text->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_text->setToolTip(
        tr("Memory of the views, beside scene and map: textures, and coarse copies of a large "
           "scene and its heatmap"));
    auto* release = new QPushButton(tr("Release"), this);
    release->setObjectName(QStringLiteral("releaseDisplay"));
    release->setAccessibleName(tr("Release the memory of the views"));
    release->setToolTip(tr("Drop the coarse copies. Zoomed out, the views then show every n-th "
                           "pixel until another scene or result is shown"));
    connect(release, &QPushButton::clicked, this, &DisplayMemory::releaseRequested);
    row->addWidget(m_text, 1);
    row->addWidget(release);
    hide();
}

bool DisplayMemory::setBytes(std::int64_t bytes) {
    m_text->setText(tr("Display: %1 more").arg(bytesText(bytes)));
    const bool changes = isHidden() == (bytes > 0);
    if (changes) {
        setVisible(bytes > 0);
    }
    return changes;
}

} // namespace flcc::ui
