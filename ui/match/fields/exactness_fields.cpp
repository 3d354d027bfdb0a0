#include "ui/match/fields/exactness_fields.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>

#include <charconv>

#include "ui/base/text.h"
#include "ui/match/fields/match_fields.h"
#include "ui/match/fields/text_fields.h"

namespace flcc::ui {

ExactnessFields::ExactnessFields(FoldingForm& form, job::Job& job, TextFields& texts)
    : FieldGroup(form, job), m_texts(texts) {
    m_form.addSection(tr("Exactness"), "Exactness", false);
    m_precision = new QComboBox(&m_form);
    m_precision->addItem(tr("Single"), static_cast<int>(method::Precision::Single));
    m_precision->addItem(tr("Double"), static_cast<int>(method::Precision::Double));
    m_form.addRow(
        tr("Precision"), m_precision, "precision",
        tr("Floating-point precision of the scores. With Double the map is written as float64"));
    m_promise = m_texts.make(promiseText(job::Job{}.promise), &m_form);
    m_form.addRow(
        tr("Promise"), m_promise, "promise",
        tr("Largest empirical error bound of a score that is not marked LOWCONF, such as 1e-4"));
    m_recompute = new QCheckBox(tr("Recompute in double"), &m_form);
    m_form.addRow(
        QString(), m_recompute, "recompute",
        tr("On: scores whose empirical bound breaks the promise are recomputed in double. Off: "
           "they are marked LOWCONF, pink in the heatmap"));
    m_recompute->setAccessibleName(tr("Recompute"));
    m_audit = new QComboBox(&m_form);
    m_audit->addItem(tr("Auto"), static_cast<int>(job::Audit::Auto));
    m_audit->addItem(tr("On"), static_cast<int>(job::Audit::On));
    m_audit->addItem(tr("Off"), static_cast<int>(job::Audit::Off));
    m_form.addRow(
        tr("Self-audit"), m_audit, "audit",
        tr("After the run, recomputes the peaks and a sample of scores by the definition and "
           "compares them. Auto: only if this takes less than 2 % of the run"));
    m_statistics = new QComboBox(&m_form);
    m_statistics->addItem(tr("Auto"), static_cast<int>(method::WindowStatistics::Auto));
    m_statistics->addItem(tr("Window sums"), static_cast<int>(method::WindowStatistics::Box));
    m_statistics->addItem(tr("Correlations"), static_cast<int>(method::WindowStatistics::Fourier));
    m_form.addRow(
        tr("Sums"), m_statistics, "statistics",
        tr("How the sums of the scene under the template are computed. Window sums: only for "
           "templates without a mask. Correlations: with the template's support, as in the "
           "papers"));
    for (QComboBox* combo : {m_precision, m_audit, m_statistics}) {
        connect(combo, &QComboBox::currentIndexChanged, this, &ExactnessFields::changed);
    }
    connect(m_recompute, &QCheckBox::toggled, this, &ExactnessFields::changed);
    connect(m_promise, &QLineEdit::editingFinished, this, &ExactnessFields::readPromise);
}

void ExactnessFields::read(job::Job& job) const {
    job.precision = static_cast<method::Precision>(m_precision->currentData().toInt());
    job.recompute = m_recompute->isChecked();
    job.audit = static_cast<job::Audit>(m_audit->currentData().toInt());
    job.statistics = static_cast<method::WindowStatistics>(m_statistics->currentData().toInt());
}

void ExactnessFields::show() {
    m_texts.accept(m_promise);
    m_precision->setCurrentIndex(m_precision->findData(static_cast<int>(m_job.precision)));
    m_promise->setText(promiseText(m_job.promise));
    m_recompute->setChecked(m_job.recompute);
    m_audit->setCurrentIndex(m_audit->findData(static_cast<int>(m_job.audit)));
    m_statistics->setCurrentIndex(m_statistics->findData(static_cast<int>(m_job.statistics)));
}

void ExactnessFields::readPromise() {
    const std::string text = m_promise->text().trimmed().toStdString();
    double promise = job::Job{}.promise;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, promise);
    const bool good = text.empty() || (error == std::errc{} && rest == end &&
                                       promise >= job::kLeastPromise && promise <= 1);
    if (!good) {
        m_texts.refuse(m_promise,
                       tr("The promise must be a number from %1 to 1, such as 1e-4, not \"%2\".")
                           .arg(promiseText(job::kLeastPromise), toQString(text)));
        return;
    }
    m_texts.accept(m_promise);
    Q_EMIT fitChanged();
    m_promise->setText(promiseText(promise));
    if (promise != m_job.promise) {
        m_job.promise = promise;
        Q_EMIT changed();
    }
}

} // namespace flcc::ui
