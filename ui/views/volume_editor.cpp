#include "ui/views/volume_editor.h"

#include <QColorDialog>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>

#include <cmath>

#include "ui/base/settings.h"
#include "ui/views/transfer_curve.h"
#include "ui/views/views_panel.h"

namespace flcc::ui {
namespace {

constexpr int kBins = 128;
constexpr int kOwn = 6; // after the presets

} // namespace

VolumeEditor::VolumeEditor(ViewsPanel& views, QWidget* parent) : QDialog(parent), m_views(views) {
    setObjectName(QStringLiteral("volumeEditor"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowFlag(Qt::Tool);
    setWindowTitle(tr("Transfer function"));
    m_form = new QFormLayout(this);
    m_look = new QComboBox(this);
    m_look->setObjectName(QStringLiteral("volumeLook"));
    m_look->addItems({tr("Grey"), tr("MRI"), tr("CT"), tr("Fluorescence"), tr("Electron density"),
                      tr("Maximum intensity"), tr("Own curve")});
    m_look->setAccessibleName(tr("Preset"));
    m_look->setToolTip(tr("Colours and opacities of the ray-cast scene"));
    m_form->addRow(tr("Preset"), m_look);
    addSliders();
    addCurve();
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    m_form->addRow(buttons);
    showTransfer(views.volumeTransfer());
    updateHistogram();
    connect(m_look, &QComboBox::currentIndexChanged, this, &VolumeEditor::apply);
    connect(m_threshold, &QSlider::valueChanged, this, &VolumeEditor::apply);
    connect(m_opacity, &QSlider::valueChanged, this, &VolumeEditor::apply);
    connect(m_curve, &TransferCurve::edited, this, &VolumeEditor::applyOwn);
    connect(&views, &ViewsPanel::viewChanged, this, &VolumeEditor::updateHistogram);
}

void VolumeEditor::addSliders() {
    const auto slider = [this](const QString& label, const char* name, const QString& tip) {
        auto* made = new QSlider(Qt::Horizontal, this);
        made->setObjectName(QLatin1String(name));
        made->setAccessibleName(label);
        made->setToolTip(tip);
        made->setRange(0, 100);
        made->setMinimumWidth(220);
        m_form->addRow(label, made);
        return made;
    };
    m_threshold = slider(tr("Threshold"), "volumeThreshold",
                         tr("Share of the grey window below which nothing is drawn. An own curve "
                            "has its own threshold: its first points"));
    m_opacity =
        slider(tr("Opacity"), "volumeOpacity", tr("Factor of the opacity of the whole curve"));
}

void VolumeEditor::addCurve() {
    m_curve = new TransferCurve(this);
    m_curve->setObjectName(QStringLiteral("volumeCurve"));
    m_curve->setAccessibleName(tr("Curve of opacity and colour"));
    m_curve->setToolTip(tr("Opacity (upwards) of each grey of the window, over the histogram of "
                           "the scene. Drag points; a double click adds one, a right click or Del "
                           "removes one. Space selects the next point, arrow keys move it"));
    m_form->addRow(m_curve);
    m_colour = new QPushButton(tr("Colour of the point …"), this);
    m_colour->setObjectName(QStringLiteral("volumePointColour"));
    m_colour->setAccessibleName(tr("Colour of the selected point"));
    m_colour->setToolTip(tr("Chooses the colour of the selected point of the curve"));
    m_remove = new QPushButton(tr("Remove point"), this);
    m_remove->setObjectName(QStringLiteral("volumePointRemove"));
    m_remove->setAccessibleName(tr("Remove the selected point"));
    m_remove->setToolTip(tr("Removes the selected point of the curve (Del)"));
    for (QPushButton* button : {m_colour, m_remove}) {
        button->setAutoDefault(false);
        button->setEnabled(false);
    }
    auto* row = new QHBoxLayout;
    row->addWidget(m_colour);
    row->addWidget(m_remove);
    row->addStretch(1);
    m_form->addRow(row);
    connect(m_colour, &QPushButton::clicked, this, &VolumeEditor::askColour);
    connect(m_remove, &QPushButton::clicked, m_curve, &TransferCurve::removeSelected);
    connect(m_curve, &TransferCurve::selectionChanged, this, [this] {
        const bool selected = m_curve->selected() >= 0;
        m_colour->setEnabled(selected);
        m_remove->setEnabled(selected && m_curve->curve().size() > 2);
    });
}

void VolumeEditor::showTransfer(const viz::VolumeTransfer& transfer) {
    const QSignalBlocker look(m_look);
    const QSignalBlocker threshold(m_threshold);
    const QSignalBlocker opacity(m_opacity);
    const bool own = !transfer.points.empty();
    m_look->setCurrentIndex(own ? kOwn : static_cast<int>(transfer.look));
    m_threshold->setValue(static_cast<int>(std::lround(transfer.threshold * 100)));
    m_threshold->setEnabled(!own);
    m_opacity->setValue(static_cast<int>(std::lround(transfer.opacity * 100)));
    m_curve->setCurve(viz::curveOf(transfer));
}

void VolumeEditor::apply() {
    viz::VolumeTransfer next = m_views.volumeTransfer();
    if (m_look->currentIndex() == kOwn) {
        next.points = viz::curveOf(next);
    } else {
        next.look = static_cast<viz::VolumeLook>(m_look->currentIndex());
        next.points.clear();
    }
    next.threshold = m_threshold->value() / 100.0;
    next.opacity = m_opacity->value() / 100.0;
    setTransfer(next);
}

void VolumeEditor::applyOwn() {
    viz::VolumeTransfer next = m_views.volumeTransfer();
    next.points = m_curve->curve();
    setTransfer(next);
}

void VolumeEditor::setTransfer(const viz::VolumeTransfer& transfer) {
    m_views.setVolumeTransfer(transfer);
    showTransfer(m_views.volumeTransfer());
}

void VolumeEditor::updateHistogram() {
    const std::shared_ptr<const void> pixels = m_views.shownPixels();
    if (m_counted.lock() == pixels && m_countedWindow == m_views.greyWindow()) {
        return;
    }
    m_counted = pixels;
    m_countedWindow = m_views.greyWindow();
    m_curve->setHistogram(m_views.histogram(kBins));
}

void VolumeEditor::askColour() {
    const match::Colour now =
        m_curve->curve()[static_cast<std::size_t>(m_curve->selected())].colour;
    auto* dialog = new QColorDialog(QColor(now[0], now[1], now[2]), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setOption(QColorDialog::DontUseNativeDialog);
    connect(dialog, &QColorDialog::colorSelected, m_curve, &TransferCurve::setSelectedColour);
    dialog->open();
}

} // namespace flcc::ui
