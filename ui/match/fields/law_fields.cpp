#include "ui/match/fields/law_fields.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSignalBlocker>

#include "ui/match/fields/match_fields.h"

namespace flcc::ui {

namespace {

enum By { FalsePositives, Deviations };
constexpr double kDefaultDeviations = 5;
constexpr double kAutoOverlap = -0.05; // a step below 0

} // namespace

LawFields::LawFields(FoldingForm& form, job::Job& job) : FieldGroup(form, job) {
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
    m_null = new QComboBox(&m_form);
    m_null->addItem(tr("None"), static_cast<int>(match::NullTemplate::None));
    m_null->addItem(tr("Mirrored"), static_cast<int>(match::NullTemplate::Mirror));
    m_null->addItem(tr("Phase-scrambled"), static_cast<int>(match::NullTemplate::Phase));
    m_null->addItem(tr("Sphere of its size"), static_cast<int>(match::NullTemplate::Sphere));
    m_form.addRow(tr("Null template"), m_null, "nullTemplate",
                  tr("The next run also searches the same scene for the mirrored template, for one "
                     "with the same spectrum and random phases, or for a sphere of its size, and "
                     "counts its peaks where the template scores less. None: the law of the "
                     "scores counts, which expects too few in structured scenes"));
    m_overlap = new QDoubleSpinBox(&m_form);
    m_overlap->setRange(kAutoOverlap, 1);
    m_overlap->setSingleStep(-kAutoOverlap);
    m_overlap->setDecimals(2);
    m_overlap->setSpecialValueText(tr("auto"));
    m_form.addRow(tr("Largest overlap"), m_overlap, "maxOverlap",
                  tr("Largest share of the smaller template, turned as it lies, that a peak may "
                     "have in common with a better one; with a mask, voxels under it count. 1: "
                     "any. auto (below 0): 0.3 with rotations, scales or hands, else any"));
    connect(m_overlap, &QDoubleSpinBox::valueChanged, this, [this](double share) {
        if (share < 0) {
            m_overlap->setValue(kAutoOverlap); // nothing lies between auto and 0
        }
        Q_EMIT changed();
    });
    connect(m_by, &QComboBox::currentIndexChanged, this, [this](int by) {
        m_job.falsePositives.reset();
        m_job.zscore = by == Deviations ? std::optional(kDefaultDeviations) : std::nullopt;
        showNumber();
        Q_EMIT changed();
    });
    connect(m_number, &QDoubleSpinBox::valueChanged, this, &LawFields::changed);
    connect(m_null, &QComboBox::currentIndexChanged, this, &LawFields::changed);
    showNumber();
}

void LawFields::read(job::Job& job) const {
    job.falsePositives.reset();
    job.zscore.reset();
    job.null = match::NullTemplate::None;
    job.maxOverlap.reset();
    if (m_overlap->value() >= 0) {
        job.maxOverlap = numberOf(*m_overlap, m_job.maxOverlap.value_or(m_overlap->value()));
    }
    if (!job.operation.traits().hasLaw) {
        return;
    }
    job.null = static_cast<match::NullTemplate>(m_null->currentData().toInt());
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
    m_null->setCurrentIndex(m_null->findData(static_cast<int>(m_job.null)));
    m_overlap->setValue(m_job.maxOverlap.value_or(kAutoOverlap));
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
