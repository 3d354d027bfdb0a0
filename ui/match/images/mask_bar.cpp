#include "ui/match/images/mask_bar.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QDoubleValidator>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QToolButton>
#include <QVBoxLayout>

#include <limits>

#include "ui/base/text.h"

namespace flcc::ui {
namespace {

constexpr double kMostRadius = 10'000;

/// The number of a field; `otherwise` for an empty one.
double numberOr(const QLineEdit& field, double otherwise) {
    bool valid = false;
    const double value = QLocale::c().toDouble(field.text(), &valid);
    return valid ? value : otherwise;
}

} // namespace

MaskBar::MaskBar(Document& document, MaskPainter& painter, QWidget* parent)
    : QFrame(parent), m_document(document), m_painter(painter) {
    setObjectName(QStringLiteral("maskBar"));
    setAccessibleName(tr("Draw a mask"));
    build();
    connect(&m_painter, &MaskPainter::shapeDrawn, this, [this] {
        const MaskPainter::Settings now = m_painter.settings();
        const auto show = [](QDoubleSpinBox* field, double value) {
            const QSignalBlocker blocker(field);
            field->setValue(value);
        };
        show(m_radius, now.radius);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            show(m_sides[axis], now.sides[axis]);
        }
    });
    connect(&m_document, &Document::masksChanged, this, &MaskBar::showFields);
    connect(&m_document, &Document::sceneChanged, this, &MaskBar::showFields);
    apply();
    hide();
}

void MaskBar::build() {
    buildChoices();
    buildNumbers();
    buildButtons();
    arrange();
    connectFields();
}

void MaskBar::nameField(QWidget* widget, const char* object, const QString& text,
                        const QString& tip) {
    widget->setObjectName(QLatin1String(object));
    widget->setAccessibleName(text);
    widget->setToolTip(tip);
}

QLabel* MaskBar::makeLabel(const QString& text, QWidget* buddy) {
    auto* made = new QLabel(text, this);
    made->setBuddy(buddy);
    made->setToolTip(buddy->toolTip());
    return made;
}

void MaskBar::buildChoices() {
    m_target = new QComboBox(this);
    m_target->addItems({tr("Template"), tr("Scene")});
    nameField(m_target, "maskTarget", tr("Mask of"),
              tr("Whether the mask of the template or of the scene is drawn"));
    m_shape = new QComboBox(this);
    m_shape->addItems(
        {tr("Brush"), tr("Sphere"), tr("Cylinder"), tr("Box"), tr("Middle box"), tr("Threshold")});
    nameField(
        m_shape, "maskShape", tr("Shape"),
        tr("Brush: a drag paints; the first one excludes all the rest. Sphere: a drag sets the "
           "radius, around the middle of the "
           "template or around its start. Cylinder: along z, around the middle of the template; a "
           "drag sets the radius. Box: a drag spans it. Middle box: around the middle of the "
           "template; a drag sets its sides. Threshold: a click takes all voxels of at least the "
           "value under the cursor"));
    m_erase = new QToolButton(this);
    m_erase->setText(tr("Erase"));
    m_erase->setCheckable(true);
    nameField(m_erase, "maskErase", tr("Erase"),
              tr("Drawing takes voxels out of the mask, as a drag with Ctrl does"));
}

void MaskBar::buildNumbers() {
    const auto voxels = [this] {
        auto* field = new QDoubleSpinBox(this);
        field->setRange(0, kMostRadius);
        field->setDecimals(1);
        field->setKeyboardTracking(false);
        return field;
    };
    m_radius = voxels();
    m_radius->setValue(5);
    nameField(m_radius, "maskRadius", tr("Radius"), tr("Radius of brush, sphere and cylinder"));
    m_radiusLabel = makeLabel(tr("Radius"), m_radius);
    m_height = voxels();
    m_height->setMinimum(0.1);
    m_height->setValue(10);
    nameField(m_height, "maskHeight", tr("Height"), tr("Height of the cylinder along z"));
    m_heightLabel = makeLabel(tr("Height"), m_height);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const QChar letter("xyz"[axis]);
        m_sides[axis] = voxels();
        m_sides[axis]->setMinimum(0.1);
        m_sides[axis]->setValue(10);
        nameField(m_sides[axis], ("maskSide" + QString(letter)).toLatin1().constData(),
                  tr("Side along %1").arg(letter),
                  tr("Side of the box around the middle along %1").arg(letter));
    }
    m_sidesLabel = makeLabel(tr("Sides"), m_sides[0]);
    m_soft = voxels();
    nameField(
        m_soft, "maskSoft", tr("Soft edge"),
        tr("Width of the edge beyond the shape, in which the weights of the voxels fall from 1 to "
           "0"));
    m_softLabel = makeLabel(tr("Soft edge"), m_soft);
    const auto value = [this] {
        auto* field = new QLineEdit(this);
        field->setValidator(new QDoubleValidator(field));
        field->setMaximumWidth(90);
        return field;
    };
    m_low = value();
    nameField(m_low, "maskLow", tr("Lowest value"),
              tr("Voxels with this value or more; empty: no limit"));
    m_lowLabel = makeLabel(tr("From"), m_low);
    m_high = value();
    nameField(m_high, "maskHigh", tr("Largest value"),
              tr("Voxels with this value or less; empty: no limit"));
    m_highLabel = makeLabel(tr("to"), m_high);
}

void MaskBar::buildButtons() {
    const auto button = [this](const char* object, const QString& text, const QString& tip) {
        auto* made = new QPushButton(text, this);
        nameField(made, object, text, tip);
        return made;
    };
    m_apply = button("maskApply", tr("Apply"), tr("Makes the mask from these numbers"));
    m_invert = button("maskInvert", tr("Invert"), tr("Exchanges inside and outside"));
    m_clear = button("maskClearDrawn", tr("Clear"),
                     tr("Removes the mask: all voxels count (Ctrl+Z restores it)"));
    m_save =
        button("maskSave", tr("Save mask …"), tr("Saves the mask as a file, which a job can name"));
}

void MaskBar::arrange() {
    auto* first = new QHBoxLayout;
    first->addWidget(makeLabel(tr("Mask of"), m_target));
    for (QWidget* each : std::initializer_list<QWidget*>{m_target, m_shape, m_erase}) {
        first->addWidget(each);
    }
    first->addStretch();
    for (QWidget* each : {m_invert, m_clear, m_save}) {
        first->addWidget(each);
    }
    auto* second = new QHBoxLayout;
    for (QWidget* each : std::initializer_list<QWidget*>{
             m_radiusLabel, m_radius, m_heightLabel, m_height, m_sidesLabel, m_sides[0], m_sides[1],
             m_sides[2], m_softLabel, m_soft, m_lowLabel, m_low, m_highLabel, m_high, m_apply}) {
        second->addWidget(each);
    }
    second->addStretch();
    second->addStrut(m_apply->sizeHint().height()); // the views stay when another shape is chosen
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 5, 10, 5);
    layout->setSpacing(4);
    layout->addLayout(first);
    layout->addLayout(second);
}

void MaskBar::connectFields() {
    for (QComboBox* combo : {m_target, m_shape}) {
        connect(combo, &QComboBox::currentIndexChanged, this, &MaskBar::apply);
    }
    connect(m_erase, &QToolButton::toggled, this, &MaskBar::apply);
    for (QDoubleSpinBox* field : lengths()) {
        connect(field, &QDoubleSpinBox::valueChanged, this, &MaskBar::apply);
    }
    connect(m_apply, &QPushButton::clicked, this, [this] {
        if (m_painter.settings().inTheMiddle()) {
            m_painter.putShape();
        } else {
            constexpr double kAny = std::numeric_limits<double>::infinity();
            m_painter.putRange(numberOr(*m_low, -kAny), numberOr(*m_high, kAny));
        }
    });
    connect(m_invert, &QPushButton::clicked, &m_painter, &MaskPainter::invert);
    connect(m_clear, &QPushButton::clicked, &m_painter, &MaskPainter::clear);
    connect(m_save, &QPushButton::clicked, this, [this] {
        Q_EMIT saveRequested(m_painter.settings().target == MaskPainter::Target::Scene);
    });
}

MaskPainter::Shape MaskBar::shape() const {
    return static_cast<MaskPainter::Shape>(m_shape->currentIndex());
}

std::vector<QDoubleSpinBox*> MaskBar::lengths() const {
    return {m_radius, m_height, m_sides[0], m_sides[1], m_sides[2], m_soft};
}

void MaskBar::apply() {
    using Shape = MaskPainter::Shape;
    // A scene has no middle that shapes lie around.
    const bool scene = m_target->currentIndex() == 1;
    auto* items = qobject_cast<QStandardItemModel*>(m_shape->model());
    for (const Shape each : {Shape::Cylinder, Shape::MiddleBox}) {
        items->item(static_cast<int>(each))->setEnabled(!scene);
        if (scene && shape() == each) {
            const QSignalBlocker blocker(m_shape);
            m_shape->setCurrentIndex(static_cast<int>(Shape::Brush));
        }
    }
    m_painter.setSettings({static_cast<MaskPainter::Target>(m_target->currentIndex()),
                           shape(),
                           m_erase->isChecked(),
                           m_radius->value(),
                           m_soft->value(),
                           m_height->value(),
                           {m_sides[0]->value(), m_sides[1]->value(), m_sides[2]->value()}});
    showFields();
}

void MaskBar::showFields() {
    using Shape = MaskPainter::Shape;
    const bool scene = m_target->currentIndex() == 1;
    const bool middle = m_painter.settings().inTheMiddle();
    const bool radius =
        shape() != Shape::Box && shape() != Shape::MiddleBox && shape() != Shape::Threshold;
    const bool range = shape() == Shape::Threshold;
    const auto show = [](bool on, std::initializer_list<QWidget*> widgets) {
        for (QWidget* each : widgets) {
            each->setVisible(on);
        }
    };
    show(radius, {m_radiusLabel, m_radius});
    show(shape() == Shape::Cylinder, {m_heightLabel, m_height});
    show(shape() == Shape::MiddleBox, {m_sidesLabel, m_sides[0], m_sides[1]});
    show(shape() == Shape::MiddleBox && m_document.isVolume(), {m_sides[2]});
    show(middle, {m_softLabel, m_soft});
    show(range, {m_lowLabel, m_low, m_highLabel, m_high});
    m_apply->setVisible(middle || range);
    m_erase->setEnabled(!middle);
    for (QDoubleSpinBox* field : lengths()) {
        field->setSuffix(QChar(' ') + voxelsWord(m_document.isVolume()));
    }
    const bool some = scene ? m_document.sceneMask().has_value() : m_document.mask() != nullptr;
    m_clear->setEnabled(some);
    m_save->setEnabled(some);
}

} // namespace flcc::ui
