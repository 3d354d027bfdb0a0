#include "ui/match/fields/law_fields.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSignalBlocker>

#include "ui/match/fields/match_fields.h"

namespace flcc::ui {

namespace {

enum By { FalsePositives, Deviations };
constexpr double kDefaultDeviations = 5;

} // namespace

LawFields::LawFields(FoldingForm& form, job::Job& job, OptionFields& options)
    : FieldGroup(form, job) {
    m_form.addSection(tr("Threshold"), "Law", false);
    m_by = new QComboBox(&m_form);
    m_by->addItems({tr("False positives"), tr("Deviations")});
    m_form.addRow(tr("Auto by"), m_by, "autoBy",
                  tr("What the automatic threshold of the local correlation coefficient comes "
                     "from: the number of false positives that are expected in the whole search, "
                     "or a distance from the mean of all scores in standard deviations"));
    m_number = new QDoubleSpinBox(&m_form);
    m_form.addRow(tr("Number"), m_number, "autoNumber",
                  tr("Expected false positives, or standard deviations above the mean"));
    options.addRow(m_form, "null");
    options.addRow(m_form, "list-others");
    options.addRow(m_form, "max-overlap");
    connect(m_by, &QComboBox::currentIndexChanged, this, [this](int by) {
        m_job.falsePositives.reset();
        m_job.zscore = by == Deviations ? std::optional(kDefaultDeviations) : std::nullopt;
        showNumber();
        Q_EMIT changed();
    });
    connect(m_number, &QDoubleSpinBox::valueChanged, this, &LawFields::changed);
    showNumber();
}

void LawFields::read(job::Job& job) const {
    job.falsePositives.reset();
    job.zscore.reset();
    if (!job.operation.traits().hasLaw) {
        job.null = match::NullTemplate::None;
        return;
    }
    if (job.minScore) {
        return;
    }
    if (m_by->currentIndex() == Deviations) {
        job.zscore = numberOf(*m_number, m_job.zscore.value_or(kDefaultDeviations));
    } else if (const double number = numberOf(*m_number, m_job.falsePositives.value_or(1));
               number != 1) {
        job.falsePositives = number;
    }
}

void LawFields::show() {
    const QSignalBlocker quiet(m_by);
    m_by->setCurrentIndex(m_job.zscore ? Deviations : FalsePositives);
    showNumber();
}

void LawFields::showNumber() {
    const QSignalBlocker quiet(m_number);
    const bool deviations = m_by->currentIndex() == Deviations;
    m_number->setDecimals(deviations ? 2 : 3);
    m_number->setRange(deviations ? -1000 : 0.001, deviations ? 1000 : 1e6);
    m_number->setSingleStep(deviations ? 0.5 : 1);
    m_number->setValue(deviations ? m_job.zscore.value_or(kDefaultDeviations)
                                  : m_job.falsePositives.value_or(1));
}

} // namespace flcc::ui
