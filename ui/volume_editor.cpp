#include "ui/volume_editor.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QSlider>

#include <cmath>

#include "ui/views_panel.h"

namespace flcc::ui {

VolumeEditor::VolumeEditor(ViewsPanel& views, QWidget* parent) : QDialog(parent), m_views(views) {
    setObjectName(QStringLiteral("volumeEditor"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowFlag(Qt::Tool);
    setWindowTitle(tr("Transfer function"));
    const viz::VolumeTransfer now = views.volumeTransfer();
    auto* form = new QFormLayout(this);
    m_look = new QComboBox(this);
    m_look->setObjectName(QStringLiteral("volumeLook"));
    m_look->addItems({tr("Grey"), tr("MRI"), tr("CT"), tr("Fluorescence"), tr("Electron density"),
                      tr("Maximum intensity")});
    m_look->setAccessibleName(tr("Preset"));
    m_look->setToolTip(tr("Colours and opacities of the ray-cast scene"));
    m_look->setCurrentIndex(static_cast<int>(now.look));
    form->addRow(tr("Preset"), m_look);
    const auto slider = [this, form](const QString& label, const char* name, const QString& tip,
                                     double value) {
        auto* made = new QSlider(Qt::Horizontal, this);
        made->setObjectName(QLatin1String(name));
        made->setAccessibleName(label);
        made->setToolTip(tip);
        made->setRange(0, 100);
        made->setMinimumWidth(220);
        made->setValue(static_cast<int>(std::lround(value * 100)));
        form->addRow(label, made);
        connect(made, &QSlider::valueChanged, this, &VolumeEditor::apply);
        return made;
    };
    m_threshold =
        slider(tr("Threshold"), "volumeThreshold",
               tr("Share of the grey window below which nothing is drawn"), now.threshold);
    m_opacity = slider(tr("Opacity"), "volumeOpacity", tr("How opaque the rest is"), now.opacity);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    form->addRow(buttons);
    connect(m_look, &QComboBox::currentIndexChanged, this, &VolumeEditor::apply);
}

void VolumeEditor::apply() {
    m_views.setVolumeTransfer({static_cast<viz::VolumeLook>(m_look->currentIndex()),
                               m_threshold->value() / 100.0, m_opacity->value() / 100.0});
}

} // namespace flcc::ui
