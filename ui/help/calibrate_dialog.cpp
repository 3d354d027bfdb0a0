#include "ui/help/calibrate_dialog.h"

#include <QFormLayout>
#include <QLabel>
#include <QSpinBox>

#include "ui/base/text.h"

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
    m_seconds->setToolTip(
        tr("Longest time of the calibration. The most used tiles are measured first"));
    auto* label = new QLabel(tr("Time"), form);
    label->setBuddy(m_seconds);
    layout->addRow(label, m_seconds);
    addContent(form, 0);
    say(tr("Measures how fast this machine computes multiply-adds and Fourier transforms. Plans "
           "then predict the times of this machine and choose faster methods. You can stop at any "
           "time. Run nothing else meanwhile."));
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
        say(tr("Stopped before the measurements were complete. Nothing was saved."));
        return;
    }
    const method::InstructionRate& rate = result.model.instructionRates.front();
    const std::filesystem::path file = job::knowledgeFile();
    QString sentence = !stopped ? tr("Calibrated.")
                       : result.file.empty()
                           ? tr("Stopped.")
                           : tr("Stopped. The measurements made so far are used.");
    sentence += QChar('\n') +
                tr("%1 multiply-adds per nanosecond and thread with %2; %3 tile shapes measured.")
                    .arg(rate.multiplyAddsPerNs, 0, 'f', 1)
                    .arg(toQString(rate.instructions))
                    .arg(result.model.shapeTimes.size());
    sentence +=
        QChar('\n') +
        (!result.file.empty() ? tr("Saved in %1").arg(pathText(result.file))
         : file.empty()
             ? tr("The calibration was not saved: set HOME or XDG_CACHE_HOME to a folder.")
             : tr("The calibration could not be saved in %1 and is lost. The Log tab says why.")
                   .arg(pathText(file)));
    say(sentence);
}

} // namespace flcc::ui
