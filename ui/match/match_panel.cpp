#include "ui/match/match_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <utility>

#include "ui/base/option_names.h"
#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/forms/folding_form.h"
#include "ui/forms/option_fields.h"
#include "ui/forms/text_fields.h"
#include "ui/match/changed_settings.h"
#include "ui/match/fields/computation_fields.h"
#include "ui/match/fields/edge_fields.h"
#include "ui/match/fields/law_fields.h"
#include "ui/match/fields/match_fields.h"
#include "ui/match/fields/method_fields.h"
#include "ui/match/fields/noise_fields.h"
#include "ui/match/fields/operation_fields.h"
#include "ui/match/fields/peak_fields.h"
#include "ui/match/fields/pose_fields.h"
#include "ui/match/fields/region_field.h"
#include "ui/match/fields/run_bar.h"
#include "ui/match/images/box_editor.h"
#include "ui/match/images/scene_rows.h"
#include "ui/match/images/template_fit.h"
#include "ui/match/images/template_rows.h"
#include "ui/plan/plan_card.h"

namespace flcc::ui {

namespace {

constexpr int kLeastRows = 3; // of controls, where the window is low

/// The sections whose headings say that something is changed.
constexpr std::array<std::pair<Section, const char*>, 6> kFolded{{{Section::Poses, "Poses"},
                                                                  {Section::Noise, "Noise"},
                                                                  {Section::Law, "Law"},
                                                                  {Section::Exactness, "Exactness"},
                                                                  {Section::Method, "Method"},
                                                                  {Section::Edges, "Edges"}}};

} // namespace

MatchPanel::MatchPanel(Document& document, std::vector<plan::Device> devices, QWidget* parent)
    : QWidget(parent), m_document(document) {
    setObjectName(QStringLiteral("matchPanel"));
    m_texts = new TextFields(this);
    m_card = new PlanCard(this);
    m_options = new OptionFields("match", *m_texts, {}, this);
    m_main = new FoldingForm(this);
    m_operation = new OperationFields(*m_main, m_job);
    m_templates = new TemplateRows(*m_main, m_job, m_document);
    m_region = new RegionField(*m_main, m_job, *m_texts, m_document);
    m_peaks = new PeakFields(*m_main, m_job, *m_options, *m_operation);
    m_advancedForm = new FoldingForm(this);
    m_scenes = new SceneRows(*m_advancedForm, m_job, m_document);
    m_edges = new EdgeFields(*m_advancedForm, m_job, *m_options, m_document);
    m_computation = new ComputationFields(*m_advancedForm, m_job, *m_options, std::move(devices));
    // Below the computation, which stays in sight on 1280x800.
    m_poses = new PoseFields(*m_advancedForm, m_job, *m_options, m_document);
    m_noise = new NoiseFields(*m_advancedForm, m_job, *m_options, m_document);
    m_method = new MethodFields(*m_advancedForm, m_job, *m_options);
    m_advancedForm->addSection(tr("Exactness"), "Exactness", false);
    for (const std::string_view option : optionsOf(Section::Exactness)) {
        m_options->addRow(*m_advancedForm, option);
    }
    m_law = new LawFields(*m_advancedForm, m_job, *m_options);
    m_run = new RunBar(this);
    build();
    connectFields();
    connectTemplates();
    connect(&m_document, &Document::sceneChanged, this,
            [this] { setSettings(forAnotherScene(settings())); });
    connect(this, &MatchPanel::settingsChanged, this, &MatchPanel::nameChanges);
    connect(&m_document, &Document::masksChanged, this, [this] {
        updateData();
        nameChanges();
    });
    connect(&m_document, &Document::templateChanged, this, &MatchPanel::updateData);
    connect(&m_document, &Document::scenesChanged, this, &MatchPanel::updateData);
    connect(&m_document, &Document::boxChanged, this, &MatchPanel::updateData);
    setSettings(job::Job{});
    updateData();
}

void MatchPanel::build() {
    m_advanced = FoldingForm::makeHead(tr("Advanced"), "Advanced", this);
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
    m_scroll = scrolled("matchScroll", m_advancedForm);
    m_scroll->setMinimumHeight(kLeastRows * fontMetrics().lineSpacing());
    // Folding a section does not move the others.
    FoldingForm::alignLabels({m_main, m_advancedForm});
    for (QScrollArea* area : {m_mainScroll, m_scroll}) {
        area->setMinimumWidth(area->widget()->minimumSizeHint().width() +
                              area->verticalScrollBar()->sizeHint().width());
    }
    for (FoldingForm* form : {m_main, m_advancedForm}) {
        form->installEventFilter(this);
        form->restoreFolds();
    }
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_mainScroll, 1000); // up to its full height, then the others
    auto* head = new QHBoxLayout;
    head->setContentsMargins(kFormMargin, 0, kFormMargin, 2);
    head->addWidget(m_advanced);
    layout->addLayout(head);
    layout->addWidget(m_scroll, 1);
    layout->addStretch();
    auto* frame = new QHBoxLayout;
    frame->setContentsMargins(kFormMargin, 4, kFormMargin, 0);
    frame->addWidget(m_card);
    layout->addLayout(frame);
    layout->addWidget(m_run);
    const QString key = QStringLiteral("match/openAdvanced");
    connect(m_advanced, &QToolButton::clicked, this, [this, key](bool open) {
        Settings::setFlag(key, open);
        setAdvanced(open);
    });
    setAdvanced(Settings::flag(key, false));
}

void MatchPanel::connectFields() {
    for (FieldGroup* group : std::initializer_list<FieldGroup*>{
             m_operation, m_templates, m_region, m_peaks, m_poses, m_noise, m_law, m_scenes,
             m_edges, m_computation, m_method}) {
        connect(group, &FieldGroup::fitChanged, this, &MatchPanel::updateData);
        connect(group, &FieldGroup::changed, this, &MatchPanel::settingsChanged);
    }
    connect(m_options, &OptionFields::checked, this, &MatchPanel::updateData);
    connect(m_options, &OptionFields::changed, this, [this](const QString& option) {
        if (option == QStringLiteral("extent") || option == QStringLiteral("outside")) {
            updateData(); // other placements, and which template fits
        }
        Q_EMIT settingsChanged();
    });
    connect(m_texts, &TextFields::changed, this, &MatchPanel::updateData);
    connect(m_texts, &TextFields::problem, this, &MatchPanel::problem);
    connect(m_operation, &OperationFields::operationChanged, this, [this] {
        m_peaks->showOperation();
        updateData(); // a constant template is no template for every operation
        Q_EMIT thresholdChanged(threshold());
        Q_EMIT settingsChanged();
    });
    connect(m_peaks, &PeakFields::thresholdChanged, this, &MatchPanel::thresholdChanged);
    connect(m_region, &RegionField::typed, this, &MatchPanel::regionTyped);
    connect(m_method, &MethodFields::replayChanged, m_computation,
            [this](bool replays) { m_computation->setEnabled(!replays); });
    connect(m_method, &MethodFields::openPlanReportRequested, this,
            &MatchPanel::openPlanReportRequested);
    connect(m_computation, &ComputationFields::deviceMemoryRequested, this,
            &MatchPanel::deviceMemoryRequested);
    connect(m_card, &PlanCard::fixChosen, this, [this](const PlanFix& fix) {
        if (!fix.change) {
            Q_EMIT binRequested();
            return;
        }
        job::Job fixed = settings();
        fix.change(fixed);
        editSettings(fixed);
    });
    connect(m_card, &PlanCard::contentChanged, this, &MatchPanel::shareHeight);
    connect(m_card, &PlanCard::reportShown, this, &MatchPanel::showFixes);
    connect(m_run, &RunBar::planRequested, this, &MatchPanel::planRequested);
    connect(m_run, &RunBar::runRequested, this, &MatchPanel::runRequested);
    connect(m_run, &RunBar::cancelRequested, this, &MatchPanel::cancelRequested);
}

/// What others have to open, cut or save.
void MatchPanel::connectTemplates() {
    connect(m_templates, &TemplateRows::cutRequested, this, &MatchPanel::cutRequested);
    connect(m_templates, &TemplateRows::addCutRequested, this, &MatchPanel::addCutRequested);
    connect(m_templates, &TemplateRows::openTemplateRequested, this,
            &MatchPanel::openTemplateRequested);
    connect(m_templates, &TemplateRows::addTemplatesRequested, this,
            &MatchPanel::addTemplatesRequested);
    connect(m_templates, &TemplateRows::saveTemplateRequested, this,
            &MatchPanel::saveTemplateRequested);
    connect(m_scenes, &SceneRows::addRequested, this, &MatchPanel::addScenesRequested);
    connect(m_scenes, &SceneRows::chosen, this, &MatchPanel::sceneChosen);
    connect(m_scenes, &SceneRows::removeRequested, this, &MatchPanel::removeSceneRequested);
    connect(m_edges, &EdgeFields::openMaskRequested, this, &MatchPanel::openMaskRequested);
    connect(m_edges, &EdgeFields::openSceneMaskRequested, this,
            &MatchPanel::openSceneMaskRequested);
}

/// The card gets the height it needs as far as the other parts leave it; open advanced controls
/// keep some rows.
void MatchPanel::shareHeight() {
    const int width = this->width() - 2 * kFormMargin;
    const bool advanced = m_advanced->isChecked();
    const int controls = advanced ? m_scroll->widget()->sizeHint().height() : 0;
    const int room = height() - m_run->sizeHint().height() - m_main->sizeHint().height() -
                     m_advanced->sizeHint().height() - kFormMargin;
    const int least = m_card->leastHeight(width);
    // On a small screen fields and plan need the place of a box that is not there.
    m_templates->box().keepPlace(room - m_templates->box().missingHeight() - controls >=
                                 m_card->fullHeight(width));
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
                                : tr("Shows rotations, filters against noise, masks, edges, "
                                     "device, method and exactness"));
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

/// Marks the headings of sections in which a value differs from its default.
void MatchPanel::nameChanges() {
    std::set<Section> changed = changedSections(settings());
    if (!m_document.masks().empty() || m_document.sceneMask()) {
        changed.insert(Section::Edges);
    }
    for (const auto& [section, name] : kFolded) {
        m_advancedForm->markSection(name, changed.contains(section));
    }
    showReadiness();
    changed.erase(Section::Operation); // are always visible
    changed.erase(Section::Peaks);
    m_advanced->setText(changed.empty() ? tr("Advanced") : tr("Advanced, changed"));
}

void MatchPanel::setRunning(bool running) {
    m_run->setRunning(running, !settings().resume.empty());
    updateData();
}

void MatchPanel::setCancelling() { m_run->setCancelling(); }

void MatchPanel::setPlanReport(const std::filesystem::path& report) {
    m_method->setPlanReport(report);
}

void MatchPanel::setRegion(const std::optional<base::Box>& region) { m_region->set(region); }

void MatchPanel::setDevices(std::vector<plan::Device> devices) {
    m_computation->setDevices(std::move(devices));
}

void MatchPanel::refreshDevices() { setDevices(plan::devices(plan::DeviceDetail::Names)); }

QString MatchPanel::deviceName(const std::string& id) const {
    return m_computation->deviceName(id);
}

method::Operation MatchPanel::operation() const { return m_operation->operation(); }
double MatchPanel::threshold() const { return m_peaks->threshold(); }
void MatchPanel::setThreshold(double score) { m_peaks->setThreshold(score); }
void MatchPanel::showFoundThreshold(std::optional<double> score) { m_peaks->showFound(score); }

job::Job MatchPanel::settings() const {
    job::Job job = m_job;
    m_templates->read(job);
    m_options->read(job);
    m_operation->read(job);
    m_peaks->read(job);
    m_law->read(job);
    m_poses->read(job);
    if (job.planReport.empty()) {
        m_computation->read(job);
    } else {
        job.takePlan(job.planReport);
    }
    return job;
}

void MatchPanel::setSettings(const job::Job& job) {
    show(job);
    Q_EMIT settingsReplaced();
    tellShown(job);
}

void MatchPanel::editSettings(const job::Job& job) {
    show(job);
    Q_EMIT settingsEdited();
    tellShown(job);
}

void MatchPanel::show(const job::Job& job) {
    {
        // One settingsChanged() for all controls.
        const QSignalBlocker blocker(this);
        m_job = job;
        m_region->show(true);
        m_templates->show();
        m_computation->show();
        m_options->show(m_job);
        m_edges->showMasks();
        m_method->showPlanReport();
        m_operation->show();
        m_peaks->show();
        m_law->show();
        m_poses->show();
        m_noise->showTemplate();
    }
    setRunning(m_run->running());
}

void MatchPanel::tellShown(const job::Job& job) {
    Q_EMIT thresholdChanged(threshold());
    Q_EMIT settingsChanged();
    const QString reason = m_computation->reasonAgainst(job.device);
    if (!reason.isEmpty()) {
        Q_EMIT problem(tr("The device %1 of the job cannot be used: %2. Choose another device.")
                           .arg(toQString(job.device), reason));
    }
}

QString MatchPanel::reasonAgainstRun() const {
    if (const QString reason = m_texts->reason(); !reason.isEmpty()) {
        return reason;
    }
    if (const QString missing = m_document.missingScenes(); !missing.isEmpty()) {
        return missing;
    }
    if (!m_templateReason.isEmpty()) {
        return m_templateReason;
    }
    const job::Job now = settings();
    job::Job asked = now.asked(); // outputs are not written by a run of the window
    asked.resume = now.resume;
    const auto refused = job::refusedOptions(asked);
    return refused ? inWindowWords(*refused) : QString();
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

void MatchPanel::updateData() {
    const bool ready = m_document.hasScene() && (m_document.templ() != nullptr || m_document.box());
    m_scenes->show(m_run->running());
    m_templates->showData();
    m_peaks->setVolume(m_document.isVolume());
    m_templateReason = ready ? TemplateFit::reasonAgainst(m_document, settings()) : QString();
    m_region->show();
    m_edges->showMasks();
    m_poses->showCount();
    m_noise->showTemplate();
    showReadiness();
}

void MatchPanel::showReadiness() {
    const bool ready = m_document.hasScene() && (m_document.templ() != nullptr || m_document.box());
    m_run->setReady(ready, m_run->running() ? QString() : reasonAgainstRun());
    Q_EMIT readinessChanged();
}

} // namespace flcc::ui
