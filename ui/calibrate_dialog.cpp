#include "ui/calibrate_dialog.h"

#include <QFormLayout>
#include <QLabel>
#include <QSpinBox>

#include "ui/text.h"

namespace flcc::ui {

namespace {

constexpr int kMostSeconds = 3600;

} // namespace

CalibrateDialog::CalibrateDialog(RunController& controller, QWidget* parent)
    : WorkDialog(controller, RunController::Task::Calibrate, QStringLiteral("calibrate"),
                 tr("Calibrate this machine"), parent) {
    auto* form = new QWidget(this);
    auto* layout = new QFormLayout(form);
    layout->setContentsMargins(0, 6, 0, 6);
    m_seconds = new QSpinBox(form);
    m_seconds->setObjectName(QStringLiteral("calibrateSeconds"));
    m_seconds->setAccessibleName(tr("Time"));
    m_seconds->setRange(1, kMostSeconds);
    m_seconds->setValue(static_cast<int>(plan::kCalibrationSeconds));
    m_seconds->setSuffix(tr(" s"));
    m_seconds->setToolTip(tr("Longest time it takes; the tiles used most are measured first"));
    auto* label = new QLabel(tr("Time"), form);
    label->setBuddy(m_seconds);
    layout->addRow(label, m_seconds);
    addContent(form, 0);
    say(tr("Measures how fast this machine multiplies, adds and transforms. Plans then predict "
           "times of this machine and runs are faster. It can be stopped at any time; leave the "
           "machine alone meanwhile."));
    resize(460, 200);
}

void CalibrateDialog::workingChanged(bool working) { m_seconds->setEnabled(!working); }

WorkDialog::Work CalibrateDialog::work() {
    return [this, seconds = m_seconds->value()](const std::stop_token& stop, const Tell& tell) {
        const job::Calibrated result = job::calibrate(0, seconds, stop, tell);
        return [this, result, stopped = stop.stop_requested()] { showResult(result, stopped); };
    };
}

void CalibrateDialog::showResult(const job::Calibrated& result, bool stopped) {
    if (result.cancelled) {
        say(tr("Stopped before the measurements fitted together; nothing was kept."));
        return;
    }
    const method::InstructionRate& rate = result.model.instructionRates.front();
    QString sentence = stopped ? tr("Stopped; what was measured is kept.") : tr("Calibrated.");
    sentence += QChar('\n') + tr("%1 multiply-adds a nanosecond and thread with %2; %3 tile shapes "
                                 "measured.")
                                  .arg(rate.multiplyAddsPerNs, 0, 'f', 1)
                                  .arg(toQString(rate.instructions))
                                  .arg(result.model.shapeTimes.size());
    sentence += QChar('\n') + (result.file.empty() ? tr("There is no place to keep it in.")
                                                   : tr("Kept in %1").arg(pathText(result.file)));
    say(sentence);
}

} // namespace flcc::ui
