#include "ui/match/images/box_editor.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/match/images/box_quality_view.h"

namespace flcc::ui {
namespace {

/// The least number of a field: first voxels count from 0, extents from 1.
int leastOf(std::size_t field) { return field < 3 ? 0 : 1; }

} // namespace

BoxEditor::BoxEditor(Document& document, QWidget* parent) : QWidget(parent), m_document(document) {
    setObjectName(QStringLiteral("boxEditor"));
    m_grid = new QGridLayout;
    m_grid->setHorizontalSpacing(5);
    m_grid->setVerticalSpacing(4);
    const std::array<QString, 6> letters{tr("x"), tr("y"), tr("z"), tr("w"), tr("h"), tr("d")};
    for (std::size_t i = 0; i < 6; ++i) {
        auto* label = new QLabel(letters[i], this);
        auto* field = new QSpinBox(this);
        field->setObjectName(QStringLiteral("box") + letters[i].toUpper());
        field->setKeyboardTracking(false);
        field->setMinimumWidth(54);
        label->setBuddy(field);
        m_fields[i] = field;
        m_labels[i] = label;
        connect(field, &QSpinBox::valueChanged, this, &BoxEditor::apply);
    }
    m_size = new QLabel(this);
    m_size->setObjectName(QStringLiteral("boxSize"));
    m_size->setForegroundRole(kMutedText);
    m_cut = new QPushButton(tr("Cut template"), this);
    m_cut->setObjectName(QStringLiteral("cutTemplate"));
    m_cut->setAccessibleName(tr("Cut template"));
    m_cut->setToolTip(tr("Cuts the template from the box (Ctrl+T)"));
    connect(m_cut, &QPushButton::clicked, this, &BoxEditor::cutRequested);
    m_add = new QPushButton(tr("Add"), this);
    m_add->setObjectName(QStringLiteral("addCutTemplate"));
    m_add->setAccessibleName(tr("Add as another template"));
    m_add->setToolTip(tr("Adds a template cut from the box and keeps the others (Ctrl+Shift+T)"));
    connect(m_add, &QPushButton::clicked, this, &BoxEditor::addRequested);
    auto* row = new QHBoxLayout;
    row->addWidget(m_size, 1);
    row->addWidget(m_add);
    row->addWidget(m_cut);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addLayout(m_grid);
    layout->addLayout(row);
    m_quality = new BoxQualityView(m_document, this);
    m_hint =
        new QLabel(tr("Drag a box in a view with tool 4, or click on an object: this place shows "
                      "how well a match can find it again."),
                   this);
    m_hint->setObjectName(QStringLiteral("boxHint"));
    m_hint->setForegroundRole(kMutedText);
    m_hint->setWordWrap(true);
    m_hint->setAlignment(Qt::AlignTop);
    auto* place = new QGridLayout; // one place for both
    place->addWidget(m_quality, 0, 0);
    place->addWidget(m_hint, 0, 0);
    layout->addLayout(place);
    connect(&m_document, &Document::sceneChanged, this, &BoxEditor::onSceneChanged);
    connect(&m_document, &Document::boxChanged, this, &BoxEditor::onBoxChanged);
    connect(&m_document, &Document::templateChanged, this, &BoxEditor::onBoxChanged);
    onSceneChanged();
}

void BoxEditor::onSceneChanged() {
    const base::Extents scene = m_document.sceneExtents();
    const std::array<std::int64_t, 3> counts{scene.x, scene.y, scene.z};
    for (std::size_t i = 0; i < 6; ++i) {
        const QSignalBlocker blocker(m_fields[i]);
        const auto count = static_cast<int>(counts[i % 3]);
        m_fields[i]->setMaximum(std::max(i < 3 ? count - 1 : count, 1));
        m_fields[i]->setEnabled(m_document.hasScene());
    }
    nameFields();
    arrange();
    onBoxChanged();
}

void BoxEditor::nameFields() {
    const bool volume = m_document.isVolume();
    const QString first =
        volume ? tr("Box: first voxel along %1, from 0") : tr("Box: first pixel along %1, from 0");
    const QString word = voxelsWord(volume);
    const std::array<QString, 6> names{first.arg(QChar('x')),
                                       first.arg(QChar('y')),
                                       first.arg(QChar('z')),
                                       tr("Box: width in %1").arg(word),
                                       tr("Box: height in %1").arg(word),
                                       tr("Box: depth in %1").arg(word)};
    for (std::size_t i = 0; i < names.size(); ++i) {
        m_fields[i]->setAccessibleName(names[i]);
        m_fields[i]->setToolTip(
            names[i] +
            tr(" (drag the box with tool 4 or click on an object, move it with the arrow keys)"));
    }
}

/// x y w h in one row for an image, x y over w h where numbers have five digits, x y z over w h d
/// for a volume.
void BoxEditor::arrange() {
    const bool volume = m_document.isVolume();
    const base::Extents scene = m_document.sceneExtents();
    const bool twoRows = volume || std::max(scene.x, scene.y) >= 10'000;
    const std::array<std::array<int, 2>, 6> flat{{{0, 0}, {0, 1}, {1, 0}, {0, 2}, {0, 3}, {1, 1}}};
    for (std::size_t i = 0; i < 6; ++i) {
        const auto place =
            twoRows ? std::array<int, 2>{static_cast<int>(i / 3), static_cast<int>(i % 3)}
                    : flat[i];
        m_grid->addWidget(m_labels[i], place[0], place[1] * 2);
        m_grid->addWidget(m_fields[i], place[0], place[1] * 2 + 1);
        const bool shown = volume || i % 3 != 2;
        m_labels[i]->setVisible(shown);
        m_fields[i]->setVisible(shown);
    }
    for (int column = 0; column < 4; ++column) {
        m_grid->setColumnStretch(2 * column + 1, column < (volume ? 3 : twoRows ? 2 : 4) ? 1 : 0);
    }
}

void BoxEditor::onBoxChanged() {
    const auto& box = m_document.box();
    m_cut->setEnabled(box.has_value());
    m_add->setEnabled(box.has_value());
    m_hint->setVisible(!box && m_keepsPlace);
    if (!box) {
        m_add->setVisible(!m_document.templates().empty());
        m_size->setText(m_document.hasScene() ? tr("No box") : QString());
        for (std::size_t i = 0; i < 6; ++i) {
            // The value below the minimum means that there is no box.
            const QSignalBlocker blocker(m_fields[i]);
            m_fields[i]->setMinimum(leastOf(i) - 1);
            m_fields[i]->setSpecialValueText(QStringLiteral("–"));
            m_fields[i]->setValue(leastOf(i) - 1);
        }
        return;
    }
    const std::array<std::int64_t, 6> values{box->corner.x,  box->corner.y,  box->corner.z,
                                             box->extents.x, box->extents.y, box->extents.z};
    for (std::size_t i = 0; i < 6; ++i) {
        const QSignalBlocker blocker(m_fields[i]);
        m_fields[i]->setMinimum(leastOf(i));
        m_fields[i]->setSpecialValueText({});
        m_fields[i]->setValue(static_cast<int>(values[i]));
    }
    const auto& all = m_document.templates();
    const auto same =
        std::ranges::find_if(all, [&box](const TemplateEntry& templ) { return templ.crop == box; });
    m_add->setVisible(!all.empty());
    m_add->setEnabled(same == all.end());
    if (same != all.end()) {
        m_size->setText(all.size() == 1 ? tr("is the template")
                                        : tr("is template %1").arg(same - all.begin()));
        m_cut->setEnabled(false);
    } else {
        const base::Geometry geometry = m_document.geometry();
        const double width = static_cast<double>(box->extents.x) * geometry.spacing[0];
        const double height = static_cast<double>(box->extents.y) * geometry.spacing[1];
        QString size = numberText(width) + QStringLiteral(" × ") + numberText(height);
        if (m_document.isVolume()) {
            size += QStringLiteral(" × ") +
                    numberText(static_cast<double>(box->extents.z) * geometry.spacing[2]);
        }
        m_size->setText(size + QChar(' ') + unitText(geometry));
    }
}

void BoxEditor::keepPlace(bool keep) {
    if (keep != m_keepsPlace) {
        m_keepsPlace = keep;
        QSizePolicy policy = m_quality->sizePolicy();
        policy.setRetainSizeWhenHidden(keep);
        m_quality->setSizePolicy(policy);
        m_hint->setVisible(keep && !m_document.box());
    }
}

int BoxEditor::missingHeight() const {
    return m_keepsPlace || !m_quality->isHidden()
               ? 0
               : m_quality->sizeHint().height() + layout()->spacing();
}

void BoxEditor::apply() {
    if (!m_document.hasScene()) {
        return;
    }
    std::array<std::int64_t, 6> v{};
    std::ranges::transform(m_fields, v.begin(), [](const QSpinBox* field) {
        return static_cast<std::int64_t>(field->value());
    });
    if (!m_document.box()) {
        // A new box begins with the last of its numbers; an image has but one slice.
        if (!m_document.isVolume()) {
            v[2] = 0;
            v[5] = 1;
        }
        for (std::size_t i = 0; i < 6; ++i) {
            if (v[i] < leastOf(i)) {
                return;
            }
        }
    }
    m_document.setBox(base::Box{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}});
    onBoxChanged();
}

} // namespace flcc::ui
