#include "ui/match/fields/method_fields.h"

#include <QComboBox>
#include <QLineEdit>
#include <QToolButton>

#include <algorithm>
#include <initializer_list>

#include "engine/base/error.h"
#include "engine/job/command_line.h"
#include "engine/plan/planner.h"
#include "ui/base/elided_label.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/match/fields/match_fields.h"
#include "ui/match/fields/text_fields.h"

namespace flcc::ui {

MethodFields::MethodFields(FoldingForm& form, job::Job& job, TextFields& texts)
    : FieldGroup(form, job), m_texts(texts) {
    m_form.addSection(tr("Method and planning"), "Method", false);
    m_planning = new QComboBox(&m_form);
    m_planning->addItem(tr("Measure on a sample"), static_cast<int>(plan::Planning::Measure));
    m_planning->addItem(tr("Estimate"), static_cast<int>(plan::Planning::Estimate));
    m_planning->addItem(tr("Time everything"), static_cast<int>(plan::Planning::Exhaustive));
    m_form.addRow(tr("Planning"), m_planning, "planning",
                  tr("Measure times the plausible candidates on a sample of the scene"));
    m_method = new QComboBox(&m_form);
    m_method->addItem(tr("Auto"), QStringLiteral("auto"));
    for (const method::Method* method : plan::methods()) {
        if (const QString name = toQString(method->name()); m_method->findData(name) < 0) {
            m_method->addItem(toQString(method->traits().title), name); // once, of all devices
        }
    }
    m_form.addRow(tr("Method"), m_method, "method",
                  tr("Auto takes the candidate with the shortest predicted time"));
    m_tile = m_texts.make(tr("auto"), &m_form);
    m_form.addRow(
        tr("Tile"), m_tile, "tile",
        tr("Transform lengths or block size as W,H or W,H,D; empty: the planner's choice"));
    m_transforms = new QComboBox(&m_form);
    m_transforms->addItem(tr("Auto"), static_cast<int>(method::Transforms::Auto));
    m_transforms->addItem(tr("Own"), static_cast<int>(method::Transforms::Own));
    m_transforms->addItem(QStringLiteral("FFTW"), static_cast<int>(method::Transforms::Fftw));
    m_form.addRow(
        tr("Transforms"), m_transforms, "transforms",
        tr("Fourier transforms on the processor. Auto: the faster kind. Own: of this program, "
           "for lengths that are products of 2, 3, 5 and 7. FFTW: for any length"));
    addPlanReport();
    for (QComboBox* combo : {m_method, m_planning, m_transforms}) {
        connect(combo, &QComboBox::currentIndexChanged, this, &MethodFields::changed);
    }
    connect(m_tile, &QLineEdit::editingFinished, this, &MethodFields::readTile);
}

void MethodFields::read(job::Job& job) const {
    job.method = m_method->currentData().toString().toStdString();
    job.planning = static_cast<plan::Planning>(m_planning->currentData().toInt());
    job.transforms = static_cast<method::Transforms>(m_transforms->currentData().toInt());
}

void MethodFields::show() {
    m_texts.accept(m_tile);
    m_method->setCurrentIndex(std::max(0, m_method->findData(toQString(m_job.method))));
    m_tile->setText(tileText(m_job.tile));
    m_planning->setCurrentIndex(m_planning->findData(static_cast<int>(m_job.planning)));
    m_transforms->setCurrentIndex(m_transforms->findData(static_cast<int>(m_job.transforms)));
    showPlanReport();
}

void MethodFields::addPlanReport() {
    const QString tip =
        tr("Runs the candidate chosen in an earlier plan report, which then decides "
           "device, method, tile, threads, transforms and planning");
    m_planReport = new ElidedLabel(&m_form);
    m_planReport->setObjectName(QStringLiteral("planReport"));
    m_planReport->setAccessibleName(tr("Plan report"));
    m_openPlanReport = m_form.smallButton("openPlanReport", icon(QStringLiteral("open")),
                                          tr("Choose plan report"), tip);
    m_clearPlanReport = m_form.smallButton("clearPlanReport", icon(QStringLiteral("close")),
                                           tr("No plan report"), tr("Plans anew instead"));
    connect(m_openPlanReport, &QToolButton::clicked, this, &MethodFields::openPlanReportRequested);
    connect(m_clearPlanReport, &QToolButton::clicked, this, [this] { setPlanReport({}); });
    m_form.addRowWithButtons(tr("Replay"), tip, m_planReport,
                             {m_openPlanReport, m_clearPlanReport});
}

void MethodFields::setPlanReport(const std::filesystem::path& report) {
    if (report == m_job.planReport) {
        return;
    }
    m_job.planReport = report;
    showPlanReport();
    Q_EMIT changed();
}

void MethodFields::showPlanReport() {
    const bool replays = !m_job.planReport.empty();
    m_planReport->showText(replays ? pathText(m_job.planReport.filename()) : tr("none"));
    if (replays) {
        m_planReport->setToolTip(pathText(m_job.planReport));
    }
    m_clearPlanReport->setEnabled(replays);
    for (QWidget* decided :
         std::initializer_list<QWidget*>{m_method, m_tile, m_planning, m_transforms}) {
        decided->setEnabled(!replays);
    }
    Q_EMIT replayChanged(replays);
}

void MethodFields::readTile() {
    const QString text = m_tile->text().trimmed();
    try {
        const base::Extents tile =
            text.isEmpty() ? base::Extents{0, 0, 0} : job::parseTile(text.toStdString());
        m_texts.accept(m_tile);
        Q_EMIT fitChanged();
        if (tile != m_job.tile) {
            m_job.tile = tile;
            Q_EMIT changed();
        }
    } catch (const base::Error& error) {
        m_texts.refuse(m_tile, inWindowWords(error));
    }
}

} // namespace flcc::ui
