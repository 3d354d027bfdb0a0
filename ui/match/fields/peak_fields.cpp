#include "ui/match/fields/peak_fields.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QSlider>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/base/text.h"
#include "ui/match/fields/match_fields.h"
#include "ui/match/fields/operation_fields.h"

namespace flcc::ui {

namespace {

constexpr int kSliderSteps = 1000; // from 0 to 1
/// Beyond every threshold that somebody sets.
constexpr double kFarThreshold = 1e18;

} // namespace

PeakFields::PeakFields(FoldingForm& form, job::Job& job, OptionFields& options,
                       const OperationFields& operation)
    : FieldGroup(form, job), m_operation(operation) {
    m_minScore = new QDoubleSpinBox(&m_form);
    m_minScore->setObjectName(QStringLiteral("minScore"));
    m_minScore->setAccessibleName(tr("Threshold"));
    m_minScore->setRange(-1, 1);
    m_minScore->setSingleStep(0.05);
    m_minScore->setDecimals(3);
    const QString tip = tr("Lowest score of a peak (comma: lower, full stop: higher). After a run, "
                           "the peaks come from the map that is there");
    m_minScore->setToolTip(tip);
    m_slider = new QSlider(Qt::Horizontal, &m_form);
    m_slider->setObjectName(QStringLiteral("minScoreSlider"));
    m_slider->setAccessibleName(tr("Threshold"));
    m_slider->setToolTip(tip);
    m_slider->setRange(0, kSliderSteps);
    m_slider->setPageStep(kSliderSteps / 20);
    connect(m_slider, &QSlider::valueChanged, this,
            [this](int step) { m_minScore->setValue(static_cast<double>(step) / kSliderSteps); });
    m_auto = new QCheckBox(tr("Auto"), &m_form);
    m_auto->setObjectName(QStringLiteral("autoThreshold"));
    m_auto->setAccessibleName(tr("Automatic threshold"));
    m_auto->setToolTip(tr("The score at which one false positive is expected in the whole search, "
                          "by the scores of the map. Advanced, Threshold has other numbers. A "
                          "change of the threshold turns Auto off"));
    m_auto->setChecked(true);
    connect(m_auto, &QCheckBox::toggled, this, &PeakFields::tellThreshold);
    auto* threshold = new QHBoxLayout;
    threshold->addWidget(m_auto);
    threshold->addWidget(m_slider, 1);
    threshold->addWidget(m_minScore);
    m_form.addRow(tr("Threshold"), tip, m_minScore, threshold);
    options.addRow(m_form, "max-peaks");
    m_distance = new QDoubleSpinBox(&m_form);
    m_distance->setRange(kAutoDistance, 1e9);
    m_distance->setDecimals(1);
    m_distance->setSpecialValueText(tr("auto"));
    m_distance->setSuffix(tr(" voxels"));
    m_form.addRow(
        tr("Distance"), m_distance, "minDistance",
        tr("Least distance between two peaks in voxels; of oblong voxels their shortest edges "
           "count. 0: no peak is suppressed. auto (below 0): half the template's extents on every "
           "axis"));
    connect(m_minScore, &QDoubleSpinBox::valueChanged, this, [this](double score) {
        if (m_operation.operation().traits().hasThreshold()) {
            // Negative thresholds are rare: the slider has them only while one is set.
            const QSignalBlocker blocker(m_slider);
            m_slider->setMinimum(score < 0 ? -kSliderSteps : 0);
            m_slider->setValue(static_cast<int>(std::lround(score * kSliderSteps)));
        }
        const QSignalBlocker quiet(m_auto);
        m_auto->setChecked(false);
        tellThreshold();
    });
    connect(m_distance, &QDoubleSpinBox::valueChanged, this, [this](double distance) {
        if (distance < 0) {
            m_distance->setValue(kAutoDistance); // nothing lies between auto and 0
        }
    });
    connect(m_distance, &QDoubleSpinBox::valueChanged, this, &PeakFields::changed);
    showOperation();
}

bool PeakFields::isAuto() const {
    return m_operation.operation().traits().hasLaw && m_auto->isChecked();
}

void PeakFields::tellThreshold() {
    Q_EMIT thresholdChanged(threshold());
    Q_EMIT changed();
}

double PeakFields::threshold() const {
    if (!m_operation.operation().traits().hasThreshold()) {
        return -std::numeric_limits<double>::infinity();
    }
    const double found = m_found.value_or(m_operation.operation().traits().threshold);
    return isAuto() ? found : numberOf(*m_minScore, m_job.minScore.value_or(found));
}

void PeakFields::setThreshold(double score) {
    if (m_operation.operation().traits().hasThreshold()) {
        m_auto->setChecked(false);
        m_minScore->setValue(score);
    }
}

void PeakFields::showFound(std::optional<double> score) {
    if (score) {
        m_found = score;
    }
    if (isAuto()) {
        showScore(threshold());
        Q_EMIT thresholdChanged(threshold());
    }
}

void PeakFields::showScore(double score) {
    const QSignalBlocker quiet(m_minScore);
    const QSignalBlocker blocker(m_slider);
    m_minScore->setValue(score);
    m_slider->setMinimum(score < 0 ? -m_slider->maximum() : 0);
    m_slider->setValue(static_cast<int>(std::lround(score * m_slider->maximum())));
}

void PeakFields::read(job::Job& job) const {
    readThreshold(job);
    job.minDistance.reset();
    if (m_distance->value() >= 0) {
        job.minDistance = numberOf(*m_distance, m_job.minDistance.value_or(m_distance->value()));
    }
}

void PeakFields::show() {
    showOperation();
    m_distance->setSuffix(m_job.distanceUnit.empty()
                              ? tr(" voxels")
                              : QStringLiteral(" ") + toQString(m_job.distanceUnit));
    m_distance->setValue(m_job.minDistance.value_or(kAutoDistance));
}

/// The threshold is that of m_job.
void PeakFields::showOperation() {
    const method::OperationTraits& traits = m_operation.operation().traits();
    const bool largest = traits.best == method::Best::Largest;
    const bool always = traits.hasThreshold();
    const QSignalBlocker blocker(m_minScore);
    m_slider->setEnabled(always);
    m_minScore->setDecimals(traits.isPure() ? 3 : 1);
    m_minScore->setSingleStep(traits.isPure() ? 0.05 : 1000);
    // The least value, below all others, means that there is no threshold.
    const double low = always    ? traits.lowest
                       : largest ? std::max(traits.lowest - 1, -kFarThreshold)
                                 : -1;
    m_minScore->setRange(low, std::min(traits.highest, kFarThreshold));
    m_minScore->setSpecialValueText(always ? QString() : tr("none"));
    const std::optional<double>& given = largest ? m_job.minScore : m_job.maxScore;
    m_minScore->setValue(given.value_or(low));
    m_auto->setVisible(traits.hasLaw);
    if (traits.hasLaw) {
        const QSignalBlocker quiet(m_auto);
        m_auto->setChecked(!given);
        showScore(given.value_or(m_found.value_or(traits.threshold)));
    }
}

/// Sets the threshold of `job`, whose operation is that of the panel.
void PeakFields::readThreshold(job::Job& job) const {
    const method::OperationTraits& traits = job.operation.traits();
    const bool largest = traits.best == method::Best::Largest;
    job.minScore.reset();
    job.maxScore.reset();
    std::optional<double>& wanted = largest ? job.minScore : job.maxScore;
    const std::optional<double>& had = largest ? m_job.minScore : m_job.maxScore;
    if (isAuto()) {
        return;
    }
    job.falsePositives.reset();
    job.zscore.reset();
    if (traits.hasThreshold()) {
        wanted = threshold();
    } else if (m_minScore->value() > m_minScore->minimum()) {
        wanted = numberOf(*m_minScore, had.value_or(m_minScore->value()));
    }
    if (!traits.hasThreshold() && wanted == traits.threshold) {
        wanted.reset();
    }
}

void PeakFields::setVolume(bool volume) { m_distance->setSuffix(QChar(' ') + voxelsWord(volume)); }

} // namespace flcc::ui
