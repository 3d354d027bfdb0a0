#include <QComboBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QToolButton>

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/tile_pool.h"
#include "engine/job/arguments.h"
#include "engine/plan/planner.h"
#include "ui/base/elided_label.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/match/match_fields.h"
#include "ui/match/match_panel.h"
#include "ui/work/device_choice.h"

// Where and how a run computes.

namespace flcc::ui {

void MatchPanel::addComputation(QFormLayout* form) {
    addSection(form, tr("Computation"), "Computation", true);
    auto* device = new DeviceBox(this);
    connect(device, &DeviceBox::aboutToOpen, this, &MatchPanel::deviceMemoryRequested);
    m_device = device;
    m_device->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_device->setMinimumContentsLength(16);
    fillDevices(*m_device, m_devices,
                {tr("Auto"), tr("The device with the shortest predicted time"), tr("Any GPU"),
                 tr("The GPU with the shortest predicted time")});
    addRow(form, tr("Device"), m_device, "device",
           tr("Where the run computes; devices that cannot be used say why"));
    m_threads = new QSpinBox(this);
    m_threads->setRange(0, base::availableThreads());
    m_threads->setSpecialValueText(tr("all (%1)").arg(base::availableThreads()));
    addRow(form, tr("Threads"), m_threads, "threads",
           tr("Threads of the run, at most those of the machine; 0 is all"));
    m_memory = textField(tr("what is free"));
    addRow(form, tr("Memory limit"), m_memory, "memory",
           tr("Memory the run may take beyond the scene, such as 4 GiB or 500 MB; empty: what the "
              "machine has free"));
    connect(m_device, &QComboBox::currentIndexChanged, this, &MatchPanel::settingsChanged);
    connect(m_threads, &QSpinBox::valueChanged, this, &MatchPanel::settingsChanged);
    connect(m_memory, &QLineEdit::editingFinished, this, &MatchPanel::readMemory);
}

void MatchPanel::setDevices(std::vector<plan::Device> devices) {
    m_devices = std::move(devices);
    ui::refreshDevices(*m_device, m_devices);
}

void MatchPanel::refreshDevices() { setDevices(plan::devices(plan::DeviceDetail::Names)); }

QString MatchPanel::deviceName(const std::string& id) const {
    for (const plan::Device& device : m_devices) {
        if (device.id == id) {
            return toQString(device.name);
        }
    }
    return {};
}

/// What the planner decides unless somebody else does.
void MatchPanel::addMethod(QFormLayout* form) {
    addSection(form, tr("Method and planning"), "Method", false);
    m_planning = new QComboBox(this);
    m_planning->addItem(tr("Measure on a sample"), static_cast<int>(plan::Planning::Measure));
    m_planning->addItem(tr("Estimate"), static_cast<int>(plan::Planning::Estimate));
    m_planning->addItem(tr("Time everything"), static_cast<int>(plan::Planning::Exhaustive));
    addRow(form, tr("Planning"), m_planning, "planning",
           tr("Measure times the plausible candidates on a sample of the scene"));
    m_method = new QComboBox(this);
    m_method->addItem(tr("Auto"), QStringLiteral("auto"));
    for (const method::Method* method : plan::methods()) {
        if (const QString name = toQString(method->name()); m_method->findData(name) < 0) {
            m_method->addItem(toQString(method->traits().title), name); // once, of all devices
        }
    }
    addRow(form, tr("Method"), m_method, "method",
           tr("Auto takes the candidate with the shortest predicted time"));
    m_tile = textField(tr("auto"));
    addRow(form, tr("Tile"), m_tile, "tile",
           tr("Transform lengths or block size as W,H or W,H,D; empty: the planner's choice"));
    m_transforms = new QComboBox(this);
    m_transforms->addItem(tr("Auto"), static_cast<int>(method::Transforms::Auto));
    m_transforms->addItem(tr("Own"), static_cast<int>(method::Transforms::Own));
    m_transforms->addItem(QStringLiteral("FFTW"), static_cast<int>(method::Transforms::Fftw));
    addRow(form, tr("Transforms"), m_transforms, "transforms",
           tr("Fourier transforms on the processor. Auto: the faster kind. Own: of this program, "
              "for lengths that are products of 2, 3, 5 and 7. FFTW: for any length"));
    addPlanReport(form);
    for (QComboBox* combo : {m_method, m_planning, m_transforms}) {
        connect(combo, &QComboBox::currentIndexChanged, this, &MatchPanel::settingsChanged);
    }
    connect(m_tile, &QLineEdit::editingFinished, this, &MatchPanel::readTile);
}

void MatchPanel::addPlanReport(QFormLayout* form) {
    const QString tip =
        tr("Runs the candidate chosen in an earlier plan report, which then decides "
           "device, method, tile, threads, transforms and planning");
    m_planReport = new ElidedLabel(this);
    m_planReport->setObjectName(QStringLiteral("planReport"));
    m_planReport->setAccessibleName(tr("Plan report"));
    m_openPlanReport = smallButton("openPlanReport", tr("Choose plan report"), tip);
    m_clearPlanReport =
        smallButton("clearPlanReport", tr("No plan report"), tr("Plans anew instead"));
    connect(m_openPlanReport, &QToolButton::clicked, this, &MatchPanel::openPlanReportRequested);
    connect(m_clearPlanReport, &QToolButton::clicked, this, [this] { setPlanReport({}); });
    addRowWithButtons(form, tr("Replay"), tip, m_planReport, {m_openPlanReport, m_clearPlanReport});
}

void MatchPanel::setPlanReport(const std::filesystem::path& report) {
    if (report == m_job.planReport) {
        return;
    }
    m_job.planReport = report;
    showPlanReport();
    Q_EMIT settingsChanged();
}

/// What a plan report decides cannot be chosen beside it.
void MatchPanel::showPlanReport() {
    const bool replays = !m_job.planReport.empty();
    m_planReport->showText(replays ? pathText(m_job.planReport.filename()) : tr("none"));
    if (replays) {
        m_planReport->setToolTip(pathText(m_job.planReport));
    }
    m_clearPlanReport->setEnabled(replays);
    for (QWidget* decided : std::initializer_list<QWidget*>{m_device, m_method, m_tile, m_threads,
                                                            m_planning, m_transforms}) {
        decided->setEnabled(!replays);
    }
}

/// Why a job's device cannot run; empty when it can.
QString MatchPanel::reasonAgainst(const std::string& device) const {
    if (device == "auto") {
        return {};
    }
    for (const plan::Device& each : m_devices) {
        if (each.usable &&
            (device == each.id || (device == "cuda" && each.id.starts_with("cuda:")))) {
            return {};
        }
        if (!each.usable && (device == each.id || device.starts_with(each.id + ":"))) {
            return toQString(each.reason);
        }
    }
    for (const plan::Device& each : m_devices) { // none of the GPUs can be used
        if (device == "cuda" && each.id.starts_with("cuda:")) {
            return toQString(each.reason);
        }
    }
    return tr("there is no such device");
}

/// Makes the job's device the current one; a device that is not there gets an entry that says so.
void MatchPanel::showDevice() {
    const QString id = toQString(m_job.device);
    int row = m_device->findData(id);
    if (row < 0) {
        auto* item = new QStandardItem(
            tr("%1: %2").arg(deviceText(m_job.device), reasonAgainst(m_job.device)));
        item->setFlags(item->flags() & ~(Qt::ItemIsEnabled | Qt::ItemIsSelectable));
        item->setData(id, Qt::UserRole);
        item->setToolTip(reasonAgainst(m_job.device));
        auto* model = qobject_cast<QStandardItemModel*>(m_device->model());
        model->appendRow(item);
        row = model->rowCount() - 1;
    }
    m_device->setCurrentIndex(row);
}

void MatchPanel::readTile() {
    const QString text = m_tile->text().trimmed();
    try {
        const base::Extents tile =
            text.isEmpty() ? base::Extents{0, 0, 0} : job::parseTile(text.toStdString());
        accept(m_tile);
        updateData();
        if (tile != m_job.tile) {
            m_job.tile = tile;
            Q_EMIT settingsChanged();
        }
    } catch (const base::Error& error) {
        refuse(m_tile, inWindowWords(error.what()));
    }
}

void MatchPanel::readMemory() {
    const QString text = m_memory->text().trimmed();
    try {
        const std::int64_t bytes = text.isEmpty() ? 0 : job::parseSize(text.toStdString());
        accept(m_memory);
        updateData();
        if (bytes != m_job.memoryBytes) {
            m_job.memoryBytes = bytes;
            Q_EMIT settingsChanged();
        }
    } catch (const base::Error& error) {
        refuse(m_memory, inWindowWords(error.what()));
    }
}

} // namespace flcc::ui
