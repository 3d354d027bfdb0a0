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
    connect(&m_painter, &MaskPainter::radiusDrawn, this, [this](double radius) {
        const QSignalBlocker blocker(m_radius);
        m_radius->setValue(radius);
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
    m_shape->addItems({tr("Brush"), tr("Sphere"), tr("Box"), tr("Threshold")});
    nameField(
        m_shape, "maskShape", tr("Shape"),
        tr("Brush: a drag paints; the first one excludes all the rest. Sphere: a drag sets the "
           "radius, around the middle of the "
           "template or around its start. Box: a drag spans it. Threshold: a click takes all "
           "voxels of at least the value under the cursor"));
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
    nameField(m_radius, "maskRadius", tr("Radius"), tr("Radius of brush and sphere"));
    m_radiusLabel = makeLabel(tr("Radius"), m_radius);
    m_soft = voxels();
    nameField(
        m_soft, "maskSoft", tr("Soft edge"),
        tr("Width of the edge of the sphere, in which the weights of the voxels fall from 1 to 0"));
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
    for (QWidget* each :
         std::initializer_list<QWidget*>{m_radiusLabel, m_radius, m_softLabel, m_soft, m_lowLabel,
                                         m_low, m_highLabel, m_high, m_apply}) {
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
    for (QDoubleSpinBox* field : {m_radius, m_soft}) {
        connect(field, &QDoubleSpinBox::valueChanged, this, &MaskBar::apply);
    }
    connect(m_apply, &QPushButton::clicked, this, [this] {
        if (shape() == MaskPainter::Shape::Sphere) {
            m_painter.putSphere();
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

void MaskBar::apply() {
    m_painter.setSettings({static_cast<MaskPainter::Target>(m_target->currentIndex()), shape(),
                           m_erase->isChecked(), m_radius->value(), m_soft->value()});
    showFields();
}

void MaskBar::showFields() {
    using Shape = MaskPainter::Shape;
    const bool scene = m_target->currentIndex() == 1;
    const bool sphere = shape() == Shape::Sphere;
    const bool ofTemplate = sphere && !scene;
    const bool range = shape() == Shape::Threshold;
    m_radius->setVisible(sphere || shape() == Shape::Brush);
    m_radiusLabel->setVisible(sphere || shape() == Shape::Brush);
    m_soft->setVisible(ofTemplate);
    m_softLabel->setVisible(ofTemplate);
    for (QWidget* each : std::initializer_list<QWidget*>{m_lowLabel, m_low, m_highLabel, m_high}) {
        each->setVisible(range);
    }
    m_apply->setVisible(ofTemplate || range);
    m_erase->setEnabled(!ofTemplate);
    for (QDoubleSpinBox* field : {m_radius, m_soft}) {
        field->setSuffix(QChar(' ') + voxelsWord(m_document.isVolume()));
    }
    const bool some = scene ? m_document.sceneMask().has_value() : m_document.mask() != nullptr;
    m_clear->setEnabled(some);
    m_save->setEnabled(some);
}

} // namespace flcc::ui
