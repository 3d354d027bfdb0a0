#include "ui/window/parts/dialogs.h"

#include <QApplication>
#include <QMainWindow>
#include <QMessageBox>

#include "engine/job/knowledge.h"
#include "engine/job/report.h"
#include "ui/base/message_bar.h"
#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/batch/batch_dialog.h"
#include "ui/features/features_panel.h"
#include "ui/features/pairs_dialog.h"
#include "ui/filter/filter_dialog.h"
#include "ui/help/calibrate_dialog.h"
#include "ui/help/manual.h"
#include "ui/help/manual_window.h"
#include "ui/help/self_test_dialog.h"
#include "ui/judge/average_dialog.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/open/opener.h"
#include "ui/results/exporter.h"
#include "ui/results/figure_dialog.h"
#include "ui/window/parts/docks.h"
#include "ui/window/parts/key_sheet.h"
#include "viz/messages.h"

namespace flcc::ui {

Dialogs::Dialogs(const Parts& parts) : m_parts(parts) {}
Dialogs::~Dialogs() = default;

void Dialogs::showManual() {
    if (!m_manual) {
        m_manual = std::make_unique<ManualWindow>();
    }
    m_manual->open(manualPageOf(QApplication::focusWidget()));
}

void Dialogs::showKeySheet() { (new KeySheet(m_parts.actions, &m_parts.window))->open(); }

void Dialogs::showSelfTest() { (new SelfTestDialog(m_parts.controller, &m_parts.window))->open(); }

void Dialogs::showCalibrate() {
    (new CalibrateDialog(m_parts.controller, &m_parts.window))->open();
}

void Dialogs::showFigures() {
    const auto inputs = [this] { return m_parts.exporter.inputs(); };
    (new FigureDialog(m_parts.controller, inputs, &m_parts.window))->open();
}

void Dialogs::showAbout() {
    const job::Environment about = job::environment();
    QString text =
        tr("<h3>FLCC %1</h3><p>Template matching by local correlation coefficients."
           "</p><p>%2, %3</p><p>")
            .arg(QApplication::applicationVersion(), toQString(about.processor).toHtmlEscaped(),
                 toQString(about.instructions).toHtmlEscaped());
    text += QStringLiteral("Qt %1<br>VTK %2<br>")
                .arg(QLatin1String(qVersion()), toQString(viz::vtkVersionText()));
    for (const auto& [name, version] : about.versions) {
        text += QStringLiteral("%1 %2<br>")
                    .arg(toQString(name).toHtmlEscaped(), toQString(version).toHtmlEscaped());
    }
    text += QStringLiteral("</p><p>");
    for (const std::string& device : about.devices) {
        text += toQString(device).toHtmlEscaped() + QStringLiteral("<br>");
    }
    text += QStringLiteral("</p><p>") + toQString(job::licenceText()).toHtmlEscaped();
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("About FLCC"),
                                text + QStringLiteral("</p>"), QMessageBox::Close, &m_parts.window);
    box->setObjectName(QStringLiteral("about"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setIconPixmap(programIcon().pixmap(64, 64));
    box->open();
}

void Dialogs::showFeatures() {
    m_parts.docks.showFeatures();
    m_parts.features.find();
}

void Dialogs::showBatch() {
    if (!m_batch) {
        m_batch = new BatchDialog(
            m_parts.document, m_parts.controller, [this] { return m_parts.flow.currentJob(); },
            &m_parts.window);
        setManualPage(*m_batch, "many-files");
        m_batch->setAttribute(Qt::WA_DeleteOnClose);
        QObject::connect(
            m_batch, &BatchDialog::openRequested, &m_parts.opener,
            [this](const QString& file) { m_parts.opener.offerScenes({toPath(file)}); });
    }
    m_batch->show();
    m_batch->raise();
}

PairsDialog* Dialogs::showPairs() {
    auto* dialog = new PairsDialog(
        m_parts.document, m_parts.controller, m_parts.views,
        {[this] { return m_parts.features.job(); }, [this] { return m_parts.exporter.inputs(); }},
        &m_parts.window);
    setManualPage(*dialog, "blobs");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->show();
    return dialog;
}

FilterDialog& Dialogs::showFilter() {
    if (m_filter) {
        m_filter->raise();
        m_filter->activateWindow();
        return *m_filter;
    }
    m_filter = new FilterDialog(
        m_parts.document, m_parts.controller, m_parts.views,
        {[this] { return m_parts.match.settings(); }, [this] { return m_parts.exporter.inputs(); }},
        &m_parts.window);
    setManualPage(*m_filter, "filters");
    QObject::connect(
        m_filter, &FilterDialog::applied, &m_parts.window,
        [this](const QString& text) { m_parts.message.tell(MessageBar::Kind::Info, text); });
    QObject::connect(m_filter, &FilterDialog::calibrateRequested, &m_parts.window,
                     [this] { showCalibrate(); });
    m_filter->show();
    return *m_filter;
}

void Dialogs::showAverage() {
    if (m_average == nullptr) {
        m_average = new AverageDialog(m_parts.document, m_parts.peaks, &m_parts.window);
        setManualPage(*m_average, "averages");
        QObject::connect(
            m_average, &AverageDialog::told, &m_parts.window,
            [this](const QString& text) { m_parts.message.tell(MessageBar::Kind::Info, text); });
        QObject::connect(m_average, &AverageDialog::searchRequested, &m_parts.flow,
                         &MatchFlow::run);
    }
    m_average->show();
    m_average->raise();
    m_average->activateWindow();
}

void Dialogs::offerCalibration() {
    const QString offered = QStringLiteral("calibration/declined");
    if (job::knowledge()->model || Settings::flag(offered, false)) {
        return;
    }
    Settings::setFlag(offered, true);
    m_parts.message.offer(
        tr("This machine is not calibrated. Calibrating takes two minutes, can be stopped at any "
           "time, and makes plans better."),
        tr("Calibrate …"), [this] { showCalibrate(); }, {});
}

void Dialogs::closeManual() {
    if (m_manual) {
        m_manual->close();
    }
}

} // namespace flcc::ui
