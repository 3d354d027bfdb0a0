#include "ui/features/features_form.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSpinBox>

#include "engine/job/command_line.h"

namespace flcc::ui {

namespace {

QSpinBox* countField(const char* name, const QString& label, const QString& tip, int least,
                     int most, int value, QWidget* parent) {
    auto* box = new QSpinBox(parent);
    box->setObjectName(QLatin1String(name));
    box->setAccessibleName(label);
    box->setToolTip(tip);
    box->setRange(least, most);
    box->setValue(value);
    return box;
}

QHBoxLayout* rowOf(std::initializer_list<QWidget*> widgets) {
    auto* row = new QHBoxLayout;
    row->setSpacing(4);
    for (QWidget* widget : widgets) {
        row->addWidget(widget, 1);
    }
    return row;
}

} // namespace

QDoubleSpinBox* voxelField(const char* name, const QString& label, const QString& tip, double least,
                           double most, double value, QWidget* parent) {
    auto* box = new QDoubleSpinBox(parent);
    box->setObjectName(QLatin1String(name));
    box->setAccessibleName(label);
    box->setToolTip(tip);
    box->setDecimals(1);
    box->setRange(least, most);
    box->setValue(value);
    return box;
}

FeaturesForm::FeaturesForm(QWidget* parent)
    : QWidget(parent), m_overlap(features::DetectorOptions{}.overlap) {
    using features::Channels;
    const job::FeaturesJob usual;
    auto* form = new QFormLayout(this);
    form->setContentsMargins(0, 0, 0, 0);
    form->setVerticalSpacing(3);
    m_first = voxelField("blobFirstScale", tr("Smallest scale"),
                         tr("Smallest scale, %1; blobs are larger than it"), features::kLeastSigma,
                         500, 2, this);
    m_last = voxelField("blobLastScale", tr("Largest scale"),
                        tr("Largest scale, %1; blobs are smaller than it"), 1, 2000, 20, this);
    m_scales = countField("blobScales", tr("Number of scales"),
                          tr("Number of scales, each the same factor larger"), 3,
                          features::kMostScales, usual.detector.scales.count, this);
    m_levels = countField("blobLevels", tr("Levels"),
                          tr("Levels of values that are compared; fewer are faster"), 2,
                          features::kMostLevels, usual.detector.levels, this);
    m_channels = new QComboBox(this);
    m_channels->setObjectName(QStringLiteral("blobChannels"));
    m_channels->setAccessibleName(tr("Channels"));
    m_channels->setToolTip(tr("Grey values, or three planes of colour (Ohta). Automatic: planes if "
                              "the scene's file has colour"));
    m_channels->addItem(tr("Automatic"), static_cast<int>(Channels::Auto));
    m_channels->addItem(tr("Grey"), static_cast<int>(Channels::Grey));
    m_channels->addItem(tr("Colour"), static_cast<int>(Channels::Ohta));
    m_memory = new QLineEdit(this);
    m_memory->setObjectName(QStringLiteral("blobMemory"));
    m_memory->setAccessibleName(tr("Memory limit"));
    m_memory->setPlaceholderText(tr("what is free"));
    m_memory->setToolTip(tr("Memory that finding blobs may take beyond the scene, such as 4 GiB or "
                            "500 MB; empty: what the machine has free"));
    form->addRow(tr("Scales"), rowOf({m_first, m_last, m_scales}));
    form->addRow(tr("Levels"), rowOf({m_levels, m_channels}));
    form->addRow(tr("Memory limit"), m_memory);
}

void FeaturesForm::setJob(const job::FeaturesJob& job, const base::Extents& extents) {
    const std::vector<double> scales = features::scalesOf(job.detector.scales, extents);
    m_first->setValue(scales.front());
    m_last->setValue(scales.back());
    m_scales->setValue(static_cast<int>(scales.size()));
    m_levels->setValue(job.detector.levels);
    m_channels->setCurrentIndex(m_channels->findData(static_cast<int>(job.channels)));
    m_memory->setText(job.memoryBytes == 0 ? QString() : QString::number(job.memoryBytes));
    m_overlap = job.detector.overlap;
}

job::FeaturesJob FeaturesForm::job() const {
    job::FeaturesJob job;
    job.detector.overlap = m_overlap;
    const QString memory = m_memory->text().trimmed();
    job.memoryBytes = memory.isEmpty() ? 0 : job::parseSize(memory.toStdString());
    job.detector.scales = {m_first->value(), m_last->value(), m_scales->value()};
    job.detector.levels = m_levels->value();
    job.channels = static_cast<features::Channels>(m_channels->currentData().toInt());
    return job;
}

} // namespace flcc::ui
