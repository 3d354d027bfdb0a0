#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QSignalBlocker>
#include <QSlider>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/base/text.h"
#include "ui/match/match_fields.h"
#include "ui/match/match_panel.h"

// What a run computes, and the threshold of its peaks.

namespace flcc::ui {

namespace {

/// Beyond every threshold that somebody sets.
constexpr double kFarThreshold = 1e18;

} // namespace

void MatchPanel::addOperation(QFormLayout* form) {
    m_operation = new QComboBox(this);
    for (const method::OperationTraits& traits : method::operationTable()) {
        m_operation->addItem(toQString(traits.title), toQString(traits.name));
        m_operation->setItemData(m_operation->count() - 1, toQString(traits.formula),
                                 Qt::ToolTipRole);
    }
    m_operation->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_operation->setMinimumContentsLength(12);
    addRow(form, tr("Operation"), m_operation, "operation",
           tr("Value computed for every placement of the template. Sums of differences are best "
              "where they are smallest"));
    m_channels = new QComboBox(this);
    m_channels->addItems({tr("Brightness"), tr("Sum over channels")});
    addRow(form, tr("Channels"), m_channels, "channels",
           tr("What counts of a colour image: its brightness, or all its channels. Scene and "
              "template are read from their files and need the same number of channels"));
    connect(m_channels, &QComboBox::currentIndexChanged, this, &MatchPanel::settingsChanged);
    connect(m_operation, &QComboBox::currentIndexChanged, this, [this] {
        m_job.minScore.reset();
        m_job.maxScore.reset();
        showOperation();
        updateData(); // a constant template is no template for every operation
        Q_EMIT thresholdChanged(threshold());
        Q_EMIT settingsChanged();
    });
}

method::Operation MatchPanel::operation() const {
    return method::operationNamed(m_operation->currentData().toString().toStdString())
        .value_or(method::Operation());
}

/// Sets range and value of the threshold to those of the operation and of m_job.
void MatchPanel::showOperation() {
    const method::OperationTraits& traits = operation().traits();
    const bool largest = traits.best == method::Best::Largest;
    const bool lcc = operation().isLcc();
    const QSignalBlocker blocker(m_minScore);
    qobject_cast<QFormLayout*>(m_channels->parentWidget()->layout())
        ->setRowVisible(m_channels, traits.sumsChannels);
    m_slider->setEnabled(lcc);
    m_minScore->setDecimals(traits.isPure() ? 3 : 1);
    m_minScore->setSingleStep(traits.isPure() ? 0.05 : 1000);
    // The least value, below all others, means that there is no threshold.
    const double low = lcc ? -1 : largest ? std::max(traits.lowest - 1, -kFarThreshold) : -1;
    m_minScore->setRange(low, std::min(traits.highest, kFarThreshold));
    m_minScore->setSpecialValueText(lcc ? QString() : tr("none"));
    const std::optional<double>& given = largest ? m_job.minScore : m_job.maxScore;
    m_minScore->setValue(given.value_or(lcc ? traits.threshold : low));
    if (lcc) {
        const QSignalBlocker quiet(m_slider);
        const double score = m_minScore->value();
        m_slider->setMinimum(score < 0 ? -m_slider->maximum() : 0);
        m_slider->setValue(static_cast<int>(std::lround(score * m_slider->maximum())));
    }
}

/// Sets the threshold of `job`, whose operation is that of the panel.
void MatchPanel::readThreshold(job::Job& job) const {
    const method::OperationTraits& traits = job.operation.traits();
    const bool largest = traits.best == method::Best::Largest;
    job.minScore.reset();
    job.maxScore.reset();
    std::optional<double>& wanted = largest ? job.minScore : job.maxScore;
    const std::optional<double>& had = largest ? m_job.minScore : m_job.maxScore;
    if (job.operation.isLcc()) {
        wanted = threshold();
    } else if (m_minScore->value() > m_minScore->minimum()) {
        wanted = numberOf(*m_minScore, had.value_or(m_minScore->value()));
    }
    if (wanted == traits.threshold) {
        wanted.reset();
    }
}

} // namespace flcc::ui
