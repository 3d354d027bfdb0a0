#include "ui/results/particles_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/io/image_file.h"
#include "engine/job/boxes.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"

namespace flcc::ui {

ParticlesDialog::ParticlesDialog(Peaks peaks, QWidget* parent)
    : QDialog(parent), m_peaks(std::move(peaks)) {
    setObjectName(QStringLiteral("particlesDialog"));
    setWindowTitle(tr("Export particles"));
    buildFields();
    m_summary = new QLabel(this);
    m_summary->setObjectName(QStringLiteral("particlesSummary"));
    m_summary->setWordWrap(true);
    m_buttons = new QDialogButtonBox(this);
    m_buttons->setObjectName(QStringLiteral("particlesButtons"));
    m_buttons->addButton(tr("Save …"), QDialogButtonBox::AcceptRole);
    m_buttons->addButton(QDialogButtonBox::Cancel);
    connect(m_buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* form = new QFormLayout;
    form->addRow(tr("Peaks"), m_only);
    form->addRow(tr("Size"), m_size);
    form->addRow(tr("Values"), m_normalise);
    form->addRow(tr("Place"), m_subvoxel);
    form->addRow(tr("Pose"), m_turned);
    form->setRowVisible(m_turned, m_peaks.turned);
    form->addRow(tr("Format"), m_format);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(form);
    layout->addWidget(m_summary);
    layout->addStretch(1);
    layout->addWidget(m_buttons);
    setMinimumWidth(440);
    refresh();
}

void ParticlesDialog::buildFields() {
    using match::Decision;
    m_only = new QComboBox(this);
    m_only->setObjectName(QStringLiteral("particlesOnly"));
    m_only->setAccessibleName(tr("Which peaks"));
    m_only->setToolTip(tr("At which peaks boxes are cut"));
    const auto number = [this](Decision decision) {
        return static_cast<int>(std::ranges::count(m_peaks.decisions, decision));
    };
    const auto all = static_cast<int>(m_peaks.decisions.size());
    m_only->addItem(tr("All peaks (%1)").arg(all));
    m_only->addItem(tr("All but rejected ones (%1)").arg(all - number(Decision::Reject)));
    m_only->addItem(tr("Kept ones only (%1)").arg(number(Decision::Keep)));
    m_only->setCurrentIndex(number(Decision::Keep) > 0 ? 2 : number(Decision::Reject) > 0 ? 1 : 0);
    const bool flat = m_peaks.scene.z == 1;
    m_size = new QLineEdit(this);
    m_size->setObjectName(QStringLiteral("particlesSize"));
    m_size->setAccessibleName(tr("Size of the boxes"));
    m_size->setText(
        toQString(flat ? std::to_string(m_peaks.templ.x) + "x" + std::to_string(m_peaks.templ.y)
                       : base::toString(m_peaks.templ)));
    m_size->setToolTip(flat ? tr("Pixels: N, or NxN; the template's to begin with")
                            : tr("Voxels: N for all edges, or NxNxN; the template's to begin "
                                 "with"));
    m_normalise = new QComboBox(this);
    m_normalise->setObjectName(QStringLiteral("particlesNormalise"));
    m_normalise->setAccessibleName(tr("Values of the boxes"));
    m_normalise->setToolTip(tr("What is done to the values of each box"));
    m_normalise->addItem(tr("As they are"), static_cast<int>(match::Normalise::None));
    m_normalise->addItem(tr("Mean subtracted"), static_cast<int>(match::Normalise::Mean));
    m_normalise->addItem(tr("Mean subtracted, divided by the deviation"),
                         static_cast<int>(match::Normalise::ZScore));
    m_subvoxel = new QCheckBox(flat ? tr("Interpolate at sub-pixel centres")
                                    : tr("Interpolate at sub-voxel centres"),
                               this);
    m_subvoxel->setObjectName(QStringLiteral("particlesSubvoxel"));
    m_subvoxel->setToolTip(tr("On: values come by cubic interpolation at the peak's centre, which "
                              "smooths noise a little. Off: boxes lie on voxels, at most half a "
                              "voxel from it"));
    m_turned = new QCheckBox(tr("Turn back by the pose of the peak"), this);
    m_turned->setObjectName(QStringLiteral("particlesTurned"));
    m_turned->setToolTip(tr("On: each box is turned, scaled and mirrored back, so that all objects "
                            "lie as the template does; values are interpolated. Off: boxes lie "
                            "along the axes of the scene"));
    m_format = new QComboBox(this);
    m_format->setObjectName(QStringLiteral("particlesFormat"));
    m_format->setAccessibleName(tr("Format of the stack"));
    m_format->setToolTip(tr("Boxes lie one behind the other along z, best peak first"));
    const std::vector<std::string>& writable = io::writableExtensions();
    const auto offer = [&](const char* extension, const QString& name) {
        if (std::ranges::find(writable, extension) != writable.end()) {
            m_format->addItem(QStringLiteral("%1 (*.%2)").arg(name, QLatin1String(extension)),
                              QStringLiteral(".") + QLatin1String(extension));
        }
    };
    offer("mrc", tr("MRC"));
    offer("h5", tr("HDF5"));
    offer("tif", tr("TIFF"));
    offer("mha", tr("MetaImage"));
    offer("nrrd", tr("NRRD"));
    offer("nii", tr("NIfTI"));
    for (QComboBox* box : {m_only, m_normalise}) {
        connect(box, &QComboBox::currentIndexChanged, this, &ParticlesDialog::refresh);
    }
    connect(m_size, &QLineEdit::textChanged, this, &ParticlesDialog::refresh);
    connect(m_subvoxel, &QCheckBox::toggled, this, &ParticlesDialog::refresh);
    connect(m_turned, &QCheckBox::toggled, this, &ParticlesDialog::refresh);
}

std::vector<match::Decision> ParticlesDialog::only() const {
    using match::Decision;
    return m_only->currentIndex() == 1
               ? std::vector{Decision::Undecided, Decision::Keep, Decision::Unsure}
           : m_only->currentIndex() == 2 ? std::vector{Decision::Keep}
                                         : std::vector<Decision>();
}

std::int64_t ParticlesDialog::count() const {
    const std::vector<match::Decision> meant = only();
    return std::ranges::count_if(m_peaks.decisions, [&](match::Decision each) {
        return meant.empty() || std::ranges::find(meant, each) != meant.end();
    });
}

QString ParticlesDialog::extension() const { return m_format->currentData().toString(); }

void ParticlesDialog::refresh() {
    QString wrong;
    m_subvoxel->setEnabled(!m_turned->isChecked()); // what is turned is interpolated
    try {
        m_options = {.size = job::boxSize(job::boxSizeOf(m_size->text().trimmed().toStdString()),
                                          m_peaks.templ, m_peaks.scene),
                     .normalise = static_cast<match::Normalise>(m_normalise->currentData().toInt()),
                     .subvoxel = m_subvoxel->isChecked() || m_turned->isChecked(),
                     .turnedBack = m_turned->isChecked()};
    } catch (const base::Error& error) {
        wrong = inWindowWords(error);
    }
    if (wrong.isEmpty() && count() == 0) {
        wrong = tr("There are no such peaks.");
    }
    const base::Extents& size = m_options.size;
    m_summary->setText(
        !wrong.isEmpty()
            ? wrong
            : tr("%1, each %2, float32: %3. Peaks whose box leaves the scene are left out.")
                  .arg(count() == 1 ? tr("1 box") : tr("%1 boxes").arg(count()), sizeText(size),
                       bytesText(count() * base::voxelCount(size) *
                                 static_cast<std::int64_t>(sizeof(float)))));
    m_buttons->buttons().front()->setEnabled(wrong.isEmpty());
}

} // namespace flcc::ui
