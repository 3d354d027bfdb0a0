#include "ui/box_editor.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>

#include <algorithm>

#include "ui/text.h"
#include "ui/theme.h"

namespace flcc::ui {

BoxEditor::BoxEditor(Document& document, QWidget* parent) : QWidget(parent), m_document(document) {
    setObjectName(QStringLiteral("boxEditor"));
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(5);
    grid->setVerticalSpacing(4);
    const std::array<QString, 6> letters{tr("x"), tr("y"), tr("z"), tr("w"), tr("h"), tr("d")};
    const std::array<QString, 6> names{tr("Box: first voxel along x, from 0"),
                                       tr("Box: first voxel along y, from 0"),
                                       tr("Box: first voxel along z, from 0"),
                                       tr("Box: width in voxels"),
                                       tr("Box: height in voxels"),
                                       tr("Box: depth in voxels")};
    for (std::size_t i = 0; i < 6; ++i) {
        auto* label = new QLabel(letters[i], this);
        auto* field = new QSpinBox(this);
        field->setObjectName(QStringLiteral("box") + letters[i].toUpper());
        field->setAccessibleName(names[i]);
        field->setToolTip(names[i] + tr(" (drag with tool 4, nudge with the arrow keys)"));
        field->setKeyboardTracking(false);
        field->setMinimumWidth(58);
        label->setBuddy(field);
        const int row = static_cast<int>(i / 3);
        const int column = static_cast<int>(i % 3) * 2;
        grid->addWidget(label, row, column);
        grid->addWidget(field, row, column + 1);
        grid->setColumnStretch(column + 1, 1);
        m_fields[i] = field;
        if (i % 3 == 2) {
            m_depthLabels[i / 3] = label;
        }
        connect(field, &QSpinBox::valueChanged, this, &BoxEditor::apply);
    }
    m_size = new QLabel(this);
    m_size->setObjectName(QStringLiteral("boxSize"));
    m_cut = new QPushButton(tr("Cut template"), this);
    m_cut->setObjectName(QStringLiteral("cutTemplate"));
    m_cut->setAccessibleName(tr("Cut template"));
    m_cut->setToolTip(tr("Makes the box the template (Ctrl+T)"));
    connect(m_cut, &QPushButton::clicked, this, &BoxEditor::cutRequested);
    grid->addWidget(m_size, 2, 0, 1, 4);
    grid->addWidget(m_cut, 2, 4, 1, 2);
    connect(&m_document, &Document::sceneChanged, this, &BoxEditor::onSceneChanged);
    connect(&m_document, &Document::boxChanged, this, &BoxEditor::onBoxChanged);
    connect(&m_document, &Document::templateChanged, this, &BoxEditor::onBoxChanged);
    refreshTheme();
    onSceneChanged();
}

void BoxEditor::onSceneChanged() {
    const base::Extents scene = m_document.sceneExtents();
    const std::array<std::int64_t, 3> counts{scene.x, scene.y, scene.z};
    for (std::size_t i = 0; i < 6; ++i) {
        const QSignalBlocker blocker(m_fields[i]);
        const auto count = static_cast<int>(counts[i % 3]);
        m_fields[i]->setRange(i < 3 ? 0 : 1, std::max(i < 3 ? count - 1 : count, 1));
        m_fields[i]->setEnabled(m_document.hasScene());
    }
    const bool volume = m_document.isVolume();
    for (const std::size_t i : {std::size_t{2}, std::size_t{5}}) {
        m_fields[i]->setVisible(volume);
        m_depthLabels[i / 3]->setVisible(volume);
    }
    onBoxChanged();
}

void BoxEditor::onBoxChanged() {
    const auto& box = m_document.box();
    m_cut->setEnabled(box.has_value());
    if (!box) {
        m_size->setText(m_document.hasScene() ? tr("No box") : QString());
        return;
    }
    const std::array<std::int64_t, 6> values{box->corner.x,  box->corner.y,  box->corner.z,
                                             box->extents.x, box->extents.y, box->extents.z};
    for (std::size_t i = 0; i < 6; ++i) {
        const QSignalBlocker blocker(m_fields[i]);
        m_fields[i]->setValue(static_cast<int>(values[i]));
    }
    const auto& templ = m_document.templ();
    if (templ && templ->crop == box) {
        m_size->setText(tr("is the template"));
        m_cut->setEnabled(false);
    } else {
        const base::Geometry& geometry = m_document.scene().image->geometry;
        const double width = static_cast<double>(box->extents.x) * geometry.spacing[0];
        const double height = static_cast<double>(box->extents.y) * geometry.spacing[1];
        QString size = numberText(width) + QStringLiteral(" × ") + numberText(height);
        if (m_document.isVolume()) {
            size += QStringLiteral(" × ") +
                    numberText(static_cast<double>(box->extents.z) * geometry.spacing[2]);
        }
        m_size->setText(size + QChar(' ') + toQString(geometry.unit));
    }
}

void BoxEditor::apply() {
    if (!m_document.hasScene()) {
        return;
    }
    std::array<std::int64_t, 6> v{};
    std::ranges::transform(m_fields, v.begin(), [](const QSpinBox* field) {
        return static_cast<std::int64_t>(field->value());
    });
    m_document.setBox(base::Box{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}});
    onBoxChanged();
}

void BoxEditor::refreshTheme() {
    m_size->setStyleSheet(QStringLiteral("color: %1;").arg(accents().muted.name()));
}

} // namespace flcc::ui
