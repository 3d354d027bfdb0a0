#include "ui/open/spacing_fields.h"

#include <QComboBox>
#include <QHBoxLayout>

#include <algorithm>

#include "ui/base/size_box.h"
#include "ui/base/text.h"

namespace flcc::ui {

SpacingFields::SpacingFields(QWidget* parent) : QWidget(parent) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    const std::array<QString, 3> names{tr("x"), tr("y"), tr("z")};
    const std::array<const char*, 3> objects{"spacingX", "spacingY", "spacingZ"};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        auto* box = new SizeBox(this);
        box->setObjectName(QLatin1String(objects[axis]));
        box->setAccessibleName(tr("Spacing along %1").arg(names[axis]));
        box->setToolTip(
            tr("Distance from the centre of one voxel to the next along %1").arg(names[axis]));
        box->setPrefix(names[axis] + QChar(' '));
        box->setMinimumWidth(fontMetrics().averageCharWidth() * 13);
        row->addWidget(box, 1);
        connect(box, &QDoubleSpinBox::valueChanged, this, &SpacingFields::changed);
        m_sizes[axis] = box;
    }
    m_unit = new QComboBox(this);
    m_unit->setObjectName(QStringLiteral("spacingUnit"));
    m_unit->setAccessibleName(tr("Unit of the spacing"));
    m_unit->setToolTip(tr("Unit of the spacing; px: pixels, no length"));
    for (const char* unit : {"px", "mm", "um", "nm", "A"}) {
        base::Geometry geometry;
        geometry.unit = unit;
        m_unit->addItem(unitText(geometry), QString::fromLatin1(unit));
    }
    row->addWidget(m_unit);
    connect(m_unit, &QComboBox::currentIndexChanged, this, &SpacingFields::changed);
    setFocusProxy(m_sizes[0]);
    setSpacing({});
}

void SpacingFields::setVolume(bool volume) {
    m_volume = volume;
    m_sizes[2]->setVisible(volume);
}

void SpacingFields::setSpacing(const base::Spacing& spacing) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        m_sizes[axis]->setValue(spacing.size[axis]);
    }
    m_unit->setCurrentIndex(std::max(0, m_unit->findData(toQString(spacing.unit))));
}

base::Spacing SpacingFields::spacing() const {
    base::Spacing spacing;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        spacing.size[axis] = axis == 2 && !m_volume ? 1 : m_sizes[axis]->value();
    }
    spacing.unit = m_unit->currentData().toString().toStdString();
    return spacing;
}

bool SpacingFields::isValid() const {
    return std::ranges::all_of(spacing().size, [](double size) { return size > 0; });
}

} // namespace flcc::ui
