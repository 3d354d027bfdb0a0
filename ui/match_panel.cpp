#include "ui/match_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

#include "engine/base/error.h"
#include "engine/base/tile_pool.h"
#include "engine/job/arguments.h"
#include "ui/box_editor.h"
#include "ui/plan_card.h"
#include "ui/text.h"
#include "ui/theme.h"

namespace flcc::ui {
namespace {

constexpr int kMostThreads = 4096;

/// A label that shortens its text instead of widening the panel.
void setElided(QLabel* label, const QString& text) {
    label->setText(label->fontMetrics().elidedText(text, Qt::ElideMiddle, 160));
    label->setMinimumWidth(1);
    label->setToolTip(text);
}

QString tileText(const base::Extents& tile) {
    if (tile.x == 0) {
        return {};
    }
    QString text = QStringLiteral("%1,%2").arg(tile.x).arg(tile.y);
    if (tile.z > 0) {
        text += QStringLiteral(",%1").arg(tile.z);
    }
    return text;
}

QString memoryText(std::int64_t bytes) {
    constexpr std::int64_t kMiB = 1024LL * 1024;
    if (bytes == 0) {
        return {};
    }
    if (bytes % (1024 * kMiB) == 0) {
        return QStringLiteral("%1GiB").arg(bytes / (1024 * kMiB));
    }
    return bytes % kMiB == 0 ? QStringLiteral("%1MiB").arg(bytes / kMiB) : QString::number(bytes);
}

/// The number that a field shows: `exact` while the field shows that, rounded or cut to its range.
double numberOf(const QDoubleSpinBox& field, double exact) {
    const double shown = std::clamp(exact, field.minimum(), field.maximum());
    return field.textFromValue(field.value()) == field.textFromValue(shown) ? exact : field.value();
}

template <class T> T numberOf(const QSpinBox& field, T exact) {
    const T shown = std::clamp<T>(exact, field.minimum(), field.maximum());
    return field.value() == shown ? exact : static_cast<T>(field.value());
}

/// What the distance field holds for "auto"; 0 is a distance of its own, that of no suppression.
constexpr double kAutoDistance = -1;

} // namespace

MatchPanel::MatchPanel(Document& document, std::vector<plan::Device> devices, QWidget* parent)
    : QWidget(parent), m_document(document), m_devices(std::move(devices)) {
    setObjectName(QStringLiteral("matchPanel"));
    m_card = new PlanCard(this);
    auto* scroll = new QScrollArea(this);
    scroll->setObjectName(QStringLiteral("matchScroll"));
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* content = new QWidget(scroll);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(10, 6, 10, 6);
    column->setSpacing(8);
    column->addWidget(makeForm());
    column->addWidget(m_card);
    column->addStretch(1);
    scroll->setWidget(content);
    scroll->setMinimumWidth(content->minimumSizeHint().width() +
                            scroll->verticalScrollBar()->sizeHint().width());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(scroll, 1);
    layout->addWidget(makeButtons());
    connect(&m_document, &Document::sceneChanged, this, [this] {
        // Outputs that a job file named belong to its own scene.
        const job::Job none;
        m_job.templateOut = none.templateOut;
        m_job.planReport = none.planReport;
        m_job.map = none.map;
        m_job.status = none.status;
        m_job.peaks = none.peaks;
        m_job.report = none.report;
        m_job.heatmap = none.heatmap;
        m_job.slice = none.slice;
        m_job.region = none.region;
        showPlanReport();
        updateData();
    });
    connect(&m_document, &Document::templateChanged, this, &MatchPanel::updateData);
    connect(&m_document, &Document::boxChanged, this, &MatchPanel::updateData);
    setSettings(job::Job{});
    refreshTheme();
    updateData();
}

QWidget* MatchPanel::makeForm() {
    auto* widget = new QWidget(this);
    auto* form = new QFormLayout(widget);
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(10);
    form->setVerticalSpacing(4);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    addData(form);
    addComputation(form);
    addExactness(form);
    addPeaks(form);
    return widget;
}

void MatchPanel::addHeading(QFormLayout* form, const QString& text) {
    auto* label = new QLabel(text, this);
    QFont bold = font();
    bold.setBold(true);
    label->setFont(bold);
    label->setContentsMargins(0, form->rowCount() > 0 ? 6 : 0, 0, 0);
    form->addRow(label);
}

void MatchPanel::addRow(QFormLayout* form, const QString& label, QWidget* field, const char* name,
                        const QString& tip) {
    field->setObjectName(QLatin1String(name));
    field->setAccessibleName(label);
    field->setToolTip(tip);
    auto* text = new QLabel(label, this);
    text->setBuddy(field);
    text->setToolTip(tip);
    form->addRow(text, field);
}

void MatchPanel::addData(QFormLayout* form) {
    m_scene = new QLabel(this);
    addRow(form, tr("Scene"), m_scene, "matchScene", tr("The image that is searched"));
    m_templ = new QLabel(this);
    m_templ->setObjectName(QStringLiteral("matchTemplate"));
    m_templ->setAccessibleName(tr("Template"));
    m_openTemplate = new QToolButton(this);
    m_openTemplate->setObjectName(QStringLiteral("openTemplate"));
    m_openTemplate->setAccessibleName(tr("Open template"));
    m_openTemplate->setToolTip(tr("Opens a template from a file"));
    m_openTemplate->setAutoRaise(true);
    m_saveTemplate = new QToolButton(this);
    m_saveTemplate->setObjectName(QStringLiteral("saveTemplate"));
    m_saveTemplate->setAccessibleName(tr("Save template"));
    m_saveTemplate->setToolTip(tr("Saves the template with its place and source"));
    m_saveTemplate->setAutoRaise(true);
    connect(m_openTemplate, &QToolButton::clicked, this, &MatchPanel::openTemplateRequested);
    connect(m_saveTemplate, &QToolButton::clicked, this, &MatchPanel::saveTemplateRequested);
    auto* row = new QHBoxLayout;
    row->setSpacing(0);
    row->addWidget(m_templ, 1);
    row->addWidget(m_openTemplate);
    row->addWidget(m_saveTemplate);
    form->addRow(tr("Template"), row);
    m_invert = new QCheckBox(tr("Invert the contrast"), this);
    addRow(form, QString(), m_invert, "invert",
           tr("Changes the sign of the template: finds dark copies of a bright template"));
    m_invert->setAccessibleName(tr("Invert"));
    connect(m_invert, &QCheckBox::toggled, this, &MatchPanel::settingsChanged);

    addRegion(form);

    addHeading(form, tr("Template box"));
    m_box = new BoxEditor(m_document, this);
    connect(m_box, &BoxEditor::cutRequested, this, &MatchPanel::cutRequested);
    form->addRow(m_box);
}

QLineEdit* MatchPanel::textField(const QString& placeholder) {
    auto* field = new QLineEdit(this);
    field->setPlaceholderText(placeholder);
    return field;
}

void MatchPanel::addComputation(QFormLayout* form) {
    addHeading(form, tr("Computation"));
    m_device = new QComboBox(this);
    m_device->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_device->setMinimumContentsLength(16);
    fillDevices();
    addRow(form, tr("Device"), m_device, "device",
           tr("Where the run computes; devices that cannot be used say why"));
    m_method = new QComboBox(this);
    m_method->addItem(tr("Auto"), QStringLiteral("auto"));
    m_method->addItem(tr("Direct"), QStringLiteral("direct"));
    m_method->addItem(tr("Tiled Fourier"), QStringLiteral("tiled"));
    m_method->addItem(tr("Whole-scene Fourier"), QStringLiteral("fourier"));
    m_method->addItem(tr("Scene and template tiled"), QStringLiteral("tiled-template"));
    addRow(form, tr("Method"), m_method, "method",
           tr("Auto takes the candidate with the shortest predicted time"));
    m_tile = textField(tr("auto"));
    addRow(form, tr("Tile"), m_tile, "tile",
           tr("Transform lengths or block size as W,H or W,H,D; empty: the planner's choice"));
    m_threads = new QSpinBox(this);
    m_threads->setRange(0, kMostThreads);
    m_threads->setSpecialValueText(tr("all (%1)").arg(base::availableThreads()));
    addRow(form, tr("Threads"), m_threads, "threads", tr("Threads of the run; 0 is all"));
    m_memory = textField(tr("what is free"));
    addRow(form, tr("Memory limit"), m_memory, "memory",
           tr("Memory the run may take beyond the scene, such as 4GiB or 500MB; empty: what the "
              "machine has free"));
    m_planning = new QComboBox(this);
    m_planning->addItem(tr("Measure on a sample"), static_cast<int>(plan::Planning::Measure));
    m_planning->addItem(tr("Estimate"), static_cast<int>(plan::Planning::Estimate));
    m_planning->addItem(tr("Time everything"), static_cast<int>(plan::Planning::Exhaustive));
    addRow(form, tr("Planning"), m_planning, "planning",
           tr("Measure times the plausible candidates on a sample of the scene"));
    addPlanReport(form);
    for (QComboBox* combo : {m_device, m_method, m_planning}) {
        connect(combo, &QComboBox::currentIndexChanged, this, &MatchPanel::settingsChanged);
    }
    connect(m_threads, &QSpinBox::valueChanged, this, &MatchPanel::settingsChanged);
    connect(m_tile, &QLineEdit::editingFinished, this, &MatchPanel::readTile);
    connect(m_memory, &QLineEdit::editingFinished, this, &MatchPanel::readMemory);
}

void MatchPanel::addPlanReport(QFormLayout* form) {
    const QString tip =
        tr("Runs the candidate chosen in an earlier plan report, which then decides "
           "device, method, tile, threads and planning");
    m_planReport = new QLabel(this);
    m_planReport->setObjectName(QStringLiteral("planReport"));
    m_planReport->setAccessibleName(tr("Plan report"));
    const auto button = [this](const char* name, const QString& text, const QString& hint) {
        auto* made = new QToolButton(this);
        made->setObjectName(QLatin1String(name));
        made->setAccessibleName(text);
        made->setToolTip(hint);
        made->setAutoRaise(true);
        return made;
    };
    m_openPlanReport = button("openPlanReport", tr("Choose plan report"), tip);
    m_clearPlanReport = button("clearPlanReport", tr("No plan report"), tr("Plans anew instead"));
    connect(m_openPlanReport, &QToolButton::clicked, this, &MatchPanel::openPlanReportRequested);
    connect(m_clearPlanReport, &QToolButton::clicked, this, [this] { setPlanReport({}); });
    auto* row = new QHBoxLayout;
    row->setSpacing(0);
    row->addWidget(m_planReport, 1);
    row->addWidget(m_openPlanReport);
    row->addWidget(m_clearPlanReport);
    auto* label = new QLabel(tr("Replay"), this);
    label->setToolTip(tip);
    form->addRow(label, row);
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
    setElided(m_planReport, replays ? pathText(m_job.planReport.filename()) : tr("none"));
    if (replays) {
        m_planReport->setToolTip(pathText(m_job.planReport));
    }
    m_clearPlanReport->setEnabled(replays);
    for (QWidget* decided :
         std::initializer_list<QWidget*>{m_device, m_method, m_tile, m_threads, m_planning}) {
        decided->setEnabled(!replays);
    }
}

void MatchPanel::addPeaks(QFormLayout* form) {
    addHeading(form, tr("Peaks"));
    m_minScore = new QDoubleSpinBox(this);
    m_minScore->setRange(-1, 1);
    m_minScore->setSingleStep(0.05);
    m_minScore->setDecimals(3);
    addRow(form, tr("Threshold"), m_minScore, "minScore",
           tr("Lowest score of a peak (comma: lower, full stop: higher)"));
    m_maxPeaks = new QSpinBox(this);
    m_maxPeaks->setRange(1, std::numeric_limits<int>::max());
    addRow(form, tr("Most peaks"), m_maxPeaks, "maxPeaks", tr("The list ends after this many"));
    m_distance = new QDoubleSpinBox(this);
    m_distance->setRange(kAutoDistance, 1e9);
    m_distance->setDecimals(1);
    m_distance->setSpecialValueText(tr("auto"));
    m_distance->setSuffix(tr(" voxels"));
    addRow(form, tr("Distance"), m_distance, "minDistance",
           tr("Least distance between two peaks in voxels; 0: none is suppressed; auto, below 0: "
              "half the template's extents on every axis"));
    connect(m_minScore, &QDoubleSpinBox::valueChanged, this, [this] {
        Q_EMIT thresholdChanged(threshold());
        Q_EMIT settingsChanged();
    });
    connect(m_distance, &QDoubleSpinBox::valueChanged, this, [this](double distance) {
        if (distance < 0) {
            m_distance->setValue(kAutoDistance); // nothing lies between auto and 0
        }
    });
    connect(m_maxPeaks, &QSpinBox::valueChanged, this, &MatchPanel::settingsChanged);
    connect(m_distance, &QDoubleSpinBox::valueChanged, this, &MatchPanel::settingsChanged);
}

void MatchPanel::fillDevices() {
    auto* model = new QStandardItemModel(m_device);
    auto* automatic = new QStandardItem(tr("Auto"));
    automatic->setData(QStringLiteral("auto"), Qt::UserRole);
    automatic->setToolTip(tr("The device with the shortest predicted time"));
    model->appendRow(automatic);
    for (const plan::Device& device : m_devices) {
        const QString id = toQString(device.id);
        const QString name = toQString(device.name);
        const QString reason = toQString(device.reason);
        QString text;
        QString tip;
        if (device.id == "cpu") {
            text =
                tr("CPU: %1, %2").arg(threadsText(device.threads), toQString(device.instructions));
            tip = name;
        } else {
            text = device.id == "cuda" ? tr("CUDA") : name;
            tip = tr("%1 free of %2")
                      .arg(bytesText(device.memoryFree), bytesText(device.memoryTotal));
        }
        auto* item = new QStandardItem(text);
        if (!device.usable) {
            item->setText(tr("%1: %2").arg(text, reason));
            item->setFlags(item->flags() & ~(Qt::ItemIsEnabled | Qt::ItemIsSelectable));
            tip = reason;
        }
        item->setData(id, Qt::UserRole);
        item->setToolTip(tip);
        model->appendRow(item);
    }
    m_device->setModel(model);
    m_device->view()->setTextElideMode(Qt::ElideRight);
    m_device->view()->setMinimumWidth(std::min(560, m_device->view()->sizeHintForColumn(0) + 24));
}

QWidget* MatchPanel::makeButtons() {
    auto* bar = new QWidget(this);
    m_plan = new QPushButton(tr("Plan"), bar);
    m_plan->setObjectName(QStringLiteral("planButton"));
    m_plan->setAccessibleName(tr("Plan"));
    m_plan->setToolTip(tr("Plans the run without starting it"));
    m_run = new QPushButton(bar);
    m_run->setObjectName(QStringLiteral("runButton"));
    m_run->setDefault(true);
    connect(m_plan, &QPushButton::clicked, this, &MatchPanel::planRequested);
    connect(m_run, &QPushButton::clicked, this, [this] {
        if (m_running) {
            Q_EMIT cancelRequested();
        } else {
            Q_EMIT runRequested();
        }
    });
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(10, 6, 10, 8);
    row->setSpacing(8);
    row->addWidget(m_plan, 1);
    row->addWidget(m_run, 2);
    return bar;
}

void MatchPanel::setRunning(bool running) {
    m_running = running;
    m_run->setText(running ? tr("Cancel") : tr("Run"));
    m_run->setAccessibleName(m_run->text());
    m_run->setToolTip(running ? tr("Ends the run and keeps what is done (Esc)")
                              : tr("Finds the template in the scene (Ctrl+Return)"));
    m_run->setIcon(icon(running ? QStringLiteral("cancel") : QStringLiteral("run")));
    updateData();
}

void MatchPanel::updateData() {
    const bool scene = m_document.hasScene();
    setElided(m_scene, scene ? m_document.scene().name : tr("none"));
    const auto& templ = m_document.templ();
    setElided(m_templ, templ              ? templ->name
                       : m_document.box() ? tr("the box, cut when you run")
                                          : tr("none"));
    m_openTemplate->setEnabled(scene);
    m_saveTemplate->setEnabled(templ.has_value());
    const bool ready = scene && (templ || m_document.box());
    m_plan->setEnabled(ready && !m_running);
    m_run->setEnabled(ready || m_running);
    showRegion();
}

void MatchPanel::readTile() {
    const QString text = m_tile->text().trimmed();
    try {
        const base::Extents tile =
            text.isEmpty() ? base::Extents{0, 0, 0} : job::parseTile(text.toStdString());
        if (tile != m_job.tile) {
            m_job.tile = tile;
            Q_EMIT settingsChanged();
        }
    } catch (const base::Error& error) {
        m_tile->setText(tileText(m_job.tile));
        Q_EMIT problem(toQString(error.what()));
    }
}

void MatchPanel::readMemory() {
    const QString text = m_memory->text().trimmed();
    try {
        const std::int64_t bytes = text.isEmpty() ? 0 : job::parseSize(text.toStdString());
        if (bytes != m_job.memoryBytes) {
            m_job.memoryBytes = bytes;
            Q_EMIT settingsChanged();
        }
    } catch (const base::Error& error) {
        m_memory->setText(memoryText(m_job.memoryBytes));
        Q_EMIT problem(toQString(error.what()));
    }
}

job::Job MatchPanel::settings() const {
    job::Job job = m_job;
    job.invert = m_invert->isChecked();
    readExactness(job);
    job.minScore = threshold();
    job.maxPeaks = numberOf(*m_maxPeaks, m_job.maxPeaks);
    job.minDistance.reset();
    if (m_distance->value() >= 0) {
        job.minDistance = numberOf(*m_distance, m_job.minDistance.value_or(m_distance->value()));
    }
    if (job.planReport.empty()) {
        job.device = m_device->currentData().toString().toStdString();
        job.method = m_method->currentData().toString().toStdString();
        job.threads = numberOf(*m_threads, m_job.threads);
        job.planning = static_cast<plan::Planning>(m_planning->currentData().toInt());
    } else {
        const job::Job none;
        job.device = none.device;
        job.method = none.method;
        job.tile = none.tile;
        job.threads = none.threads;
        job.planning = none.planning;
    }
    return job;
}

void MatchPanel::setSettings(const job::Job& job) {
    {
        // One settingsChanged() for all controls.
        const QSignalBlocker blocker(this);
        m_job = job;
        m_invert->setChecked(job.invert);
        showRegion();
        showExactness();
        showDevice();
        m_method->setCurrentIndex(std::max(0, m_method->findData(toQString(job.method))));
        m_tile->setText(tileText(job.tile));
        m_threads->setValue(job.threads);
        m_memory->setText(memoryText(job.memoryBytes));
        m_planning->setCurrentIndex(m_planning->findData(static_cast<int>(job.planning)));
        m_minScore->setValue(job.minScore);
        m_maxPeaks->setValue(
            static_cast<int>(std::min<std::int64_t>(job.maxPeaks, m_maxPeaks->maximum())));
        m_distance->setValue(job.minDistance.value_or(kAutoDistance));
        showPlanReport();
    }
    setRunning(m_running);
    Q_EMIT thresholdChanged(threshold());
    Q_EMIT settingsChanged();
    const QString reason = reasonAgainst(job.device);
    if (!reason.isEmpty()) {
        Q_EMIT problem(tr("The device %1 of the job cannot be used: %2. Choose another one.")
                           .arg(toQString(job.device), reason));
    }
}

/// Why a job's device cannot run; empty when it can.
QString MatchPanel::reasonAgainst(const std::string& device) const {
    if (device == "auto") {
        return {};
    }
    for (const plan::Device& each : m_devices) {
        if (each.id == device && each.usable) {
            return {};
        }
        if (!each.usable && (device == each.id || device.starts_with(each.id + ":"))) {
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

double MatchPanel::threshold() const { return numberOf(*m_minScore, m_job.minScore); }

void MatchPanel::setThreshold(double score) { m_minScore->setValue(score); }

void MatchPanel::refreshTheme() {
    m_openTemplate->setIcon(icon(QStringLiteral("open")));
    m_saveTemplate->setIcon(icon(QStringLiteral("save")));
    m_openPlanReport->setIcon(icon(QStringLiteral("open")));
    m_clearPlanReport->setIcon(icon(QStringLiteral("cancel")));
    m_useBox->setIcon(icon(QStringLiteral("box")));
    m_clearRegion->setIcon(icon(QStringLiteral("cancel")));
    m_plan->setIcon(icon(QStringLiteral("plan")));
    m_run->setIcon(icon(m_running ? QStringLiteral("cancel") : QStringLiteral("run")));
    m_box->refreshTheme();
    m_card->refreshTheme();
}

} // namespace flcc::ui
