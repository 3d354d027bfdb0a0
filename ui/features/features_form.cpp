#include "ui/features/features_form.h"

#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QSpinBox>

#include "engine/base/error.h"
#include "ui/forms/option_fields.h"
#include "ui/forms/text_fields.h"

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
    : QWidget(parent), m_texts(new TextFields(this)),
      m_options(new OptionFields("features", *m_texts, QStringLiteral("blob"), this)),
      m_overlap(features::DetectorOptions{}.overlap) {
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
    form->addRow(tr("Scales"), rowOf({m_first, m_last, m_scales}));
    QWidget* const levels = m_options->make("levels", this);
    form->addRow(tr("Levels"), rowOf({levels, m_options->make("channels", this)}));
    m_options->addRow(*form, "memory");
    m_options->show(usual);
}

void FeaturesForm::setJob(const job::FeaturesJob& job, const base::Extents& extents) {
    const std::vector<double> scales = features::scalesOf(job.detector.scales, extents);
    m_first->setValue(scales.front());
    m_last->setValue(scales.back());
    m_scales->setValue(static_cast<int>(scales.size()));
    m_options->show(job);
    m_overlap = job.detector.overlap;
}

job::FeaturesJob FeaturesForm::job() const {
    job::FeaturesJob job;
    job.detector.overlap = m_overlap;
    m_options->check();
    if (const QString wrong = m_texts->reason(); !wrong.isEmpty()) {
        throw base::Error(base::ErrorCode::CommandLine, wrong.toStdString());
    }
    m_options->read(job);
    job.detector.scales = {m_first->value(), m_last->value(), m_scales->value()};
    return job;
}

} // namespace flcc::ui
