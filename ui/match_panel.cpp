#include "ui/match_panel.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/box_editor.h"
#include "ui/match_fields.h"
#include "ui/plan_card.h"
#include "ui/scene_list.h"
#include "ui/settings.h"
#include "ui/template_list.h"
#include "ui/text.h"
#include "ui/theme.h"

namespace flcc::ui {
namespace {

constexpr int kMargin = 10;
constexpr int kLeastRows = 3;      // of controls, where the window is low
constexpr int kSliderSteps = 1000; // from 0 to 1

} // namespace

MatchPanel::MatchPanel(Document& document, std::vector<plan::Device> devices, QWidget* parent)
    : QWidget(parent), m_document(document), m_devices(std::move(devices)) {
    setObjectName(QStringLiteral("matchPanel"));
    m_card = new PlanCard(this);
    m_main = makeForm();
    m_advanced = makeHead(tr("Advanced"), "Advanced");
    const auto scrolled = [this](const char* name, QWidget* content) {
        auto* area = new QScrollArea(this);
        area->setObjectName(QLatin1String(name));
        area->setWidgetResizable(true);
        area->setFrameShape(QFrame::NoFrame);
        area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        area->setWidget(content);
        return area;
    };
    m_mainScroll = scrolled("matchMainScroll", m_main);
    m_mainScroll->setMinimumHeight(kLeastRows * fontMetrics().lineSpacing());
    auto* content = makeAdvanced();
    m_scroll = scrolled("matchScroll", content);
    m_scroll->setMinimumHeight(kLeastRows * fontMetrics().lineSpacing());
    alignLabels({qobject_cast<QFormLayout*>(m_main->layout()),
                 qobject_cast<QFormLayout*>(content->layout())});
    for (QScrollArea* area : {m_mainScroll, m_scroll}) {
        area->setMinimumWidth(area->widget()->minimumSizeHint().width() +
                              area->verticalScrollBar()->sizeHint().width());
    }
    content->installEventFilter(this);
    m_main->installEventFilter(this);
    for (Section& section : m_sections) {
        unfold(section, section.open);
    }
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_mainScroll, 1000); // up to its full height, then the others
    auto* head = new QHBoxLayout;
    head->setContentsMargins(kMargin, 0, kMargin, 2);
    head->addWidget(m_advanced);
    layout->addLayout(head);
    layout->addWidget(m_scroll, 1);
    layout->addStretch();
    auto* frame = new QHBoxLayout;
    frame->setContentsMargins(kMargin, 4, kMargin, 0);
    frame->addWidget(m_card);
    layout->addLayout(frame);
    m_buttons = makeButtons();
    layout->addWidget(m_buttons);
    const QString key = QStringLiteral("match/openAdvanced");
    connect(m_advanced, &QToolButton::clicked, this, [this, key](bool open) {
        Settings::setFlag(key, open);
        setAdvanced(open);
    });
    setAdvanced(Settings::flag(key, false));
    connect(m_card, &PlanCard::fixChosen, this, [this](const PlanFix& fix) {
        if (!fix.change) {
            Q_EMIT binRequested();
            return;
        }
        job::Job fixed = settings();
        fix.change(fixed);
        setSettings(fixed);
    });
    connect(m_card, &PlanCard::contentChanged, this, &MatchPanel::shareHeight);
    connect(m_card, &PlanCard::reportShown, this, &MatchPanel::showFixes);
    connect(&m_document, &Document::sceneChanged, this, [this] {
        // Outputs named in a job file belong to the job's scene.
        const job::Job none;
        m_job.templateOut = none.templateOut;
        m_job.planReport = none.planReport;
        m_job.map = none.map;
        m_job.status = none.status;
        m_job.index = none.index;
        m_job.peaks = none.peaks;
        m_job.report = none.report;
        m_job.heatmap = none.heatmap;
        m_job.slice = none.slice;
        m_job.region = none.region;
        accept(m_region);
        showPlanReport();
        updateData();
    });
    connect(this, &MatchPanel::settingsChanged, this, &MatchPanel::nameChanges);
    connect(&m_document, &Document::masksChanged, this, [this] {
        updateData();
        nameChanges();
    });
    connect(&m_document, &Document::templateChanged, this, &MatchPanel::updateData);
    connect(&m_document, &Document::scenesChanged, this, &MatchPanel::updateData);
    connect(&m_document, &Document::boxChanged, this, &MatchPanel::updateData);
    setSettings(job::Job{});
    refreshTheme();
    updateData();
}

/// The card gets the height it needs as far as the other parts leave it; open advanced controls
/// keep some rows.
void MatchPanel::shareHeight() {
    const int width = this->width() - 2 * kMargin;
    const bool advanced = m_advanced->isChecked();
    const int controls = advanced ? m_scroll->widget()->sizeHint().height() : 0;
    const int room = height() - m_buttons->sizeHint().height() - m_main->sizeHint().height() -
                     m_advanced->sizeHint().height() - kMargin;
    const int least = m_card->leastHeight(width);
    // On a small screen fields and plan need the place of a box that is not there.
    m_box->keepPlace(room - m_box->missingHeight() - controls >= m_card->fullHeight(width));
    int card = std::clamp(room - controls, least, std::max(least, m_card->fullHeight(width)));
    if (card - least < fontMetrics().height()) {
        card = least; // no half a line
    }
    m_mainScroll->setMaximumHeight(m_main->sizeHint().height());
    m_scroll->setMaximumHeight(std::max(controls, 1));
    m_card->setFixedHeight(card);
}

void MatchPanel::setAdvanced(bool open) {
    m_advanced->setChecked(open);
    m_advanced->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    m_advanced->setToolTip(open ? tr("Hides the settings that are seldom needed")
                                : tr("Shows masks, edges, device, method and exactness"));
    m_scroll->setVisible(open);
    shareHeight();
}

void MatchPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    shareHeight();
}

bool MatchPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::LayoutRequest) {
        shareHeight(); // a section was folded, a template was added
    }
    return QWidget::eventFilter(watched, event);
}

QFormLayout* MatchPanel::makeFormLayout(QWidget* widget) {
    auto* form = new QFormLayout(widget);
    form->setContentsMargins(kMargin, 6, kMargin, 2);
    form->setHorizontalSpacing(10);
    form->setVerticalSpacing(3);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    return form;
}

/// What is always visible.
QWidget* MatchPanel::makeForm() {
    auto* widget = new QWidget(this);
    auto* form = makeFormLayout(widget);
    addOperation(form);
    addData(form);
    addPeaks(form);
    showOperation();
    return widget;
}

QWidget* MatchPanel::makeAdvanced() {
    auto* widget = new QWidget(this);
    auto* form = makeFormLayout(widget);
    addScenes(form);
    addEdges(form);
    addComputation(form);
    addMethod(form);
    addExactness(form);
    return widget;
}

/// All labels are as wide as the widest, so that folding a section does not move the others.
void MatchPanel::alignLabels(std::initializer_list<QFormLayout*> forms) {
    std::vector<QWidget*> labels;
    int widest = 0;
    for (const QFormLayout* form : forms) {
        for (int row = 0; row < form->rowCount(); ++row) {
            if (const QLayoutItem* item = form->itemAt(row, QFormLayout::LabelRole)) {
                labels.push_back(item->widget());
                widest = std::max(widest, item->widget()->sizeHint().width());
            }
        }
    }
    for (QWidget* label : labels) {
        label->setMinimumWidth(widest);
    }
}

QToolButton* MatchPanel::makeHead(const QString& title, const char* name) {
    auto* head = new QToolButton(this);
    head->setObjectName(QStringLiteral("fold") + QLatin1String(name));
    head->setText(title);
    head->setAccessibleName(title);
    head->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    head->setAutoRaise(true);
    head->setCheckable(true);
    head->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    QFont bold = font();
    bold.setBold(true);
    head->setFont(bold);
    return head;
}

/// Adds a heading that folds the rows up to the next heading.
void MatchPanel::addSection(QFormLayout* form, const QString& title, const char* name,
                            bool initiallyOpen) {
    QToolButton* head = makeHead(title, name);
    const QString key = QStringLiteral("match/open") + QLatin1String(name);
    form->addRow(head);
    const auto index = m_sections.size();
    m_sections.push_back({head, form, title, form->rowCount(), Settings::flag(key, initiallyOpen)});
    connect(head, &QToolButton::clicked, this, [this, index, key](bool open) {
        Settings::setFlag(key, open);
        unfold(m_sections[index], open);
    });
}

void MatchPanel::unfold(Section& section, bool open) {
    section.open = open;
    section.head->setChecked(open);
    section.head->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    section.head->setToolTip(open ? tr("Folds this section") : tr("Unfolds this section"));
    int row = section.firstRow;
    const auto next = [&] {
        const QLayoutItem* item = section.form->itemAt(row, QFormLayout::SpanningRole);
        return item == nullptr || std::ranges::none_of(m_sections, [&](const Section& other) {
                   return other.head == item->widget();
               });
    };
    for (; row < section.form->rowCount() && next(); ++row) {
        section.form->setRowVisible(row, open);
    }
}

/// Marks the headings of sections in which a value differs from its default.
void MatchPanel::nameChanges() {
    const job::Job now = settings();
    const job::Job usual;
    const auto say = [this](const char* name, bool changed) {
        const QString object = QStringLiteral("fold") + QLatin1String(name);
        for (const Section& section : m_sections) {
            if (section.head->objectName() == object) {
                section.head->setText(changed ? tr("%1, changed").arg(section.title)
                                              : section.title);
            }
        }
    };
    const bool exactness = now.precision != usual.precision || now.promise != usual.promise ||
                           now.recompute != usual.recompute || now.audit != usual.audit ||
                           now.statistics != usual.statistics;
    const bool method = now.method != usual.method || now.tile != usual.tile ||
                        now.planning != usual.planning || !now.planReport.empty() ||
                        now.transforms != usual.transforms;
    const bool edges = !m_document.masks().empty() || m_document.sceneMask() ||
                       now.extent != usual.extent || now.outside != usual.outside ||
                       now.partialPeaks != usual.partialPeaks;
    const bool computation = now.device != usual.device || now.threads != usual.threads ||
                             now.memoryBytes != usual.memoryBytes;
    say("Exactness", exactness);
    say("Method", method);
    say("Edges", edges);
    m_advanced->setText(exactness || method || edges || computation ? tr("Advanced, changed")
                                                                    : tr("Advanced"));
}

QToolButton* MatchPanel::smallButton(const char* name, const QString& text, const QString& tip) {
    auto* made = new QToolButton(this);
    made->setObjectName(QLatin1String(name));
    made->setAccessibleName(text);
    made->setToolTip(tip);
    made->setAutoRaise(true);
    return made;
}

/// A field and the buttons beside it as one row.
void MatchPanel::addRowWithButtons(QFormLayout* form, const QString& label, const QString& tip,
                                   QWidget* field, std::initializer_list<QToolButton*> buttons) {
    auto* row = new QHBoxLayout;
    row->setSpacing(0);
    row->addWidget(field, 1);
    for (QToolButton* button : buttons) {
        row->addWidget(button);
    }
    auto* text = new QLabel(label, this);
    text->setBuddy(field);
    text->setToolTip(tip);
    form->addRow(text, row);
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

void MatchPanel::addPeaks(QFormLayout* form) {
    m_minScore = new QDoubleSpinBox(this);
    m_minScore->setObjectName(QStringLiteral("minScore"));
    m_minScore->setAccessibleName(tr("Threshold"));
    m_minScore->setRange(-1, 1);
    m_minScore->setSingleStep(0.05);
    m_minScore->setDecimals(3);
    const QString tip = tr("Lowest score of a peak (comma: lower, full stop: higher). After a run, "
                           "the peaks come from the map that is there");
    m_minScore->setToolTip(tip);
    m_slider = new QSlider(Qt::Horizontal, this);
    m_slider->setObjectName(QStringLiteral("minScoreSlider"));
    m_slider->setAccessibleName(tr("Threshold"));
    m_slider->setToolTip(tip);
    m_slider->setRange(0, kSliderSteps);
    m_slider->setPageStep(kSliderSteps / 20);
    connect(m_slider, &QSlider::valueChanged, this,
            [this](int step) { m_minScore->setValue(static_cast<double>(step) / kSliderSteps); });
    auto* threshold = new QHBoxLayout;
    threshold->addWidget(m_slider, 1);
    threshold->addWidget(m_minScore);
    auto* label = new QLabel(tr("Threshold"), this);
    label->setBuddy(m_minScore);
    label->setToolTip(tip);
    form->addRow(label, threshold);
    m_maxPeaks = new QSpinBox(this);
    m_maxPeaks->setRange(1, std::numeric_limits<int>::max());
    addRow(form, tr("Most peaks"), m_maxPeaks, "maxPeaks",
           tr("Largest number of peaks in the list"));
    m_distance = new QDoubleSpinBox(this);
    m_distance->setRange(kAutoDistance, 1e9);
    m_distance->setDecimals(1);
    m_distance->setSpecialValueText(tr("auto"));
    m_distance->setSuffix(tr(" voxels"));
    addRow(form, tr("Distance"), m_distance, "minDistance",
           tr("Least distance between two peaks in voxels. 0: no peak is suppressed. auto (below "
              "0): half the template's extents on every axis"));
    connect(m_minScore, &QDoubleSpinBox::valueChanged, this, [this](double score) {
        if (operation().isLcc()) {
            // Negative thresholds are rare: the slider has them only while one is set.
            const QSignalBlocker blocker(m_slider);
            m_slider->setMinimum(score < 0 ? -kSliderSteps : 0);
            m_slider->setValue(static_cast<int>(std::lround(score * kSliderSteps)));
        }
        Q_EMIT thresholdChanged(this->threshold());
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
    row->setContentsMargins(kMargin, 8, kMargin, 8);
    row->setSpacing(8);
    row->addWidget(m_plan, 1);
    row->addWidget(m_run, 2);
    return bar;
}

void MatchPanel::setRunning(bool running) {
    m_running = running;
    m_run->setText(running ? tr("Cancel") : tr("Run"));
    m_run->setAccessibleName(m_run->text());
    m_run->setIcon(icon(running ? QStringLiteral("cancel") : QStringLiteral("run")));
    updateData();
}

void MatchPanel::setCancelling() {
    if (m_running) {
        m_run->setText(tr("Cancelling …"));
        m_run->setEnabled(false);
    }
}

job::Job MatchPanel::settings() const {
    job::Job job = m_job;
    job.invert = m_invert->isChecked();
    job.stream = m_stream->isChecked() && m_stream->isEnabled();
    readExactness(job);
    readEdges(job);
    job.operation = operation();
    readThreshold(job);
    const bool all = job.operation.traits().sumsChannels && m_channels->currentIndex() == 1;
    if (all) {
        job.channel = job::kAllChannels;
    } else if (job.channel == job::kAllChannels) {
        job.channel.reset();
    }
    job.maxPeaks = numberOf(*m_maxPeaks, m_job.maxPeaks);
    job.minDistance.reset();
    if (m_distance->value() >= 0) {
        job.minDistance = numberOf(*m_distance, m_job.minDistance.value_or(m_distance->value()));
    }
    if (job.planReport.empty()) {
        job.device = m_device->currentData().toString().toStdString();
        job.method = m_method->currentData().toString().toStdString();
        job.threads = static_cast<int>(numberOf(*m_threads, m_job.threads));
        job.planning = static_cast<plan::Planning>(m_planning->currentData().toInt());
        job.transforms = static_cast<method::Transforms>(m_transforms->currentData().toInt());
    } else {
        const job::Job none;
        job.device = none.device;
        job.method = none.method;
        job.tile = none.tile;
        job.threads = none.threads;
        job.planning = none.planning;
        job.transforms = none.transforms;
    }
    return job;
}

void MatchPanel::setSettings(const job::Job& job) {
    {
        // One settingsChanged() for all controls.
        const QSignalBlocker blocker(this);
        m_job = job;
        m_job.threads = std::min(job.threads, m_threads->maximum());
        for (QLineEdit* field : {m_tile, m_promise, m_region, m_memory}) {
            accept(field);
        }
        m_invert->setChecked(job.invert);
        m_stream->setChecked(job.stream);
        showRegion();
        showExactness();
        showEdges();
        showDevice();
        m_method->setCurrentIndex(std::max(0, m_method->findData(toQString(job.method))));
        m_tile->setText(tileText(job.tile));
        m_threads->setValue(m_job.threads);
        m_memory->setText(memoryText(job.memoryBytes));
        m_planning->setCurrentIndex(m_planning->findData(static_cast<int>(job.planning)));
        m_transforms->setCurrentIndex(m_transforms->findData(static_cast<int>(job.transforms)));
        const QSignalBlocker quiet(m_operation);
        m_channels->setCurrentIndex(job.channel == job::kAllChannels ? 1 : 0);
        m_operation->setCurrentIndex(m_operation->findData(toQString(method::name(job.operation))));
        showOperation();
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
        Q_EMIT problem(tr("The device %1 of the job cannot be used: %2. Choose another device.")
                           .arg(toQString(job.device), reason));
    }
}

void MatchPanel::refuse(QLineEdit* field, const QString& sentence) {
    if (std::ranges::find(m_refused, std::pair(field, sentence)) != m_refused.end()) {
        return; // reported already; the field was only left
    }
    accept(field);
    m_refused.emplace_back(field, sentence);
    field->setProperty("refused", true);
    field->setStyleSheet(
        QStringLiteral("QLineEdit { border: 1px solid %1; }").arg(accents().bad.name()));
    updateData();
    Q_EMIT problem(sentence);
}

void MatchPanel::accept(QLineEdit* field) {
    std::erase_if(m_refused, [field](const auto& each) { return each.first == field; });
    field->setModified(false);
    if (field->property("refused").toBool()) {
        field->setProperty("refused", false);
        field->setStyleSheet({});
    }
}

QString MatchPanel::reasonAgainstRun() const {
    return m_refused.empty() ? m_templateReason : m_refused.front().second;
}

/// Buttons for a plan that has no candidate.
void MatchPanel::showFixes() {
    const std::optional<job::JobReport>& report = m_card->report();
    if (report && report->plan.chosen() == nullptr && report->groups.empty()) {
        m_card->setFixes(planFixes(report->plan, settings(), m_document.box(),
                                   m_document.searchedScenes() == 1));
    } else {
        m_card->setFixes({});
    }
}

double MatchPanel::threshold() const {
    return operation().isLcc() ? numberOf(*m_minScore, m_job.minScore.value_or(0.5))
                               : -std::numeric_limits<double>::infinity();
}

void MatchPanel::setThreshold(double score) {
    if (operation().isLcc()) {
        m_minScore->setValue(score);
    }
}

void MatchPanel::refreshTheme() {
    m_addScenes->setIcon(icon(QStringLiteral("add")));
    m_scenes->refreshTheme();
    m_openTemplate->setIcon(icon(QStringLiteral("open")));
    m_addTemplate->setIcon(icon(QStringLiteral("add")));
    m_saveTemplate->setIcon(icon(QStringLiteral("save")));
    m_templates->refreshTheme();
    m_openPlanReport->setIcon(icon(QStringLiteral("open")));
    m_clearPlanReport->setIcon(icon(QStringLiteral("close")));
    for (QToolButton* open : {m_openMask, m_openSceneMask}) {
        open->setIcon(icon(QStringLiteral("open")));
    }
    for (QToolButton* clear : {m_clearMask, m_clearSceneMask}) {
        clear->setIcon(icon(QStringLiteral("close")));
    }
    m_useBox->setIcon(icon(QStringLiteral("box")));
    m_clearRegion->setIcon(icon(QStringLiteral("close")));
    m_plan->setIcon(icon(QStringLiteral("plan")));
    m_run->setIcon(icon(m_running ? QStringLiteral("cancel") : QStringLiteral("run")));
    for (const auto& [field, sentence] : m_refused) {
        field->setStyleSheet(
            QStringLiteral("QLineEdit { border: 1px solid %1; }").arg(accents().bad.name()));
    }
    for (QToolButton* head : findChildren<QToolButton*>()) {
        if (head->objectName().startsWith(QStringLiteral("fold"))) {
            // Text and arrow begin where the labels do. A style sheet keeps the palette it was
            // made with, so it names the colour.
            head->setStyleSheet(
                QStringLiteral("QToolButton { border: none; padding: 1px 0 0 0; "
                               "margin-left: -2px; text-align: left; color: %1; }")
                    .arg(QApplication::palette().color(QPalette::WindowText).name()));
        }
    }
    m_box->refreshTheme();
    m_card->refreshTheme();
}

} // namespace flcc::ui
