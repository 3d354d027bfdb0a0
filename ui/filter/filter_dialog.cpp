#include "ui/filter/filter_dialog.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

#include "ui/base/option_names.h"
#include "ui/base/save_dialog.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/filter/filter_form.h"
#include "ui/plan/plan_card.h"
#include "ui/views/views_panel.h"
#include "ui/work/job_file.h"

namespace flcc::ui {
namespace {

double nowMs() {
    return std::chrono::duration<double, std::milli>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// The plan for the card, which shows reports of matches.
job::JobReport cardReport(const job::ConvolveReport& report) {
    job::JobReport card;
    for (const plan::CandidateReport& row : report.candidates) {
        // The best candidate of each method, and of each with FFTW.
        if (std::ranges::none_of(card.plan.candidates, [&row](const auto& known) {
                return known.candidate.label() == row.candidate.label();
            })) {
            card.plan.candidates.push_back(row);
        }
    }
    card.plan.limits = report.limits;
    card.plan.calibrated = report.calibrated;
    card.plan.planningMs = report.planningMs;
    return card;
}

/// The window between percentiles of some rows.
viz::GreyWindow windowOf(const base::AnyView& plane) {
    constexpr std::int64_t kVoxels = 100'000;
    return std::visit(
        [](const auto& view) {
            const base::Extents& n = view.extents();
            const std::int64_t step = std::max<std::int64_t>(1, n.x * n.y / kVoxels);
            using View = std::decay_t<decltype(view)>;
            return viz::autoWindow(View(view.data(), {n.x, (n.y + step - 1) / step, 1},
                                        view.rowStride() * step, view.sliceStride()));
        },
        plane);
}

} // namespace

/// What a preview found on the background thread.
struct FilterDialog::Shown {
    std::uint64_t number = 0;
    QString problem; ///< why there is no preview
    job::ConvolvePreview preview;
    QImage original; ///< null: as before
    Original of;
    QImage filtered;
    double aspect = 1;
    std::string kernelFile;
    std::shared_ptr<const job::SceneImage> kernel;
};

FilterDialog::FilterDialog(Document& document, RunController& controller, ViewsPanel& views,
                           Window window, QWidget* parent)
    : WorkDialog(controller, RunController::Task::Filter, QStringLiteral("filter"), tr("Filter"),
                 parent),
      m_document(document), m_controller(controller), m_views(views), m_window(std::move(window)) {
    auto* content = new QWidget(this);
    auto* row = new QHBoxLayout(content);
    row->setContentsMargins(0, 4, 0, 4);
    row->setSpacing(12);
    row->addWidget(buildControls());
    row->addWidget(buildPreview(), 1);
    addContent(content, 1);
    setStartText(tr("Apply"));
    m_saveJob = addButton("SaveJob", tr("Save job …"));
    m_saveJob->setIcon(icon(QStringLiteral("save")));
    m_saveJob->setToolTip(tr("Saves the convolution as a file for flcc-cli convolve --job, which "
                             "with --stream filters the slices of a stack one by one"));
    connect(m_saveJob, &QPushButton::clicked, this, &FilterDialog::askJobFile);
    m_copy = addButton("CopyLine", tr("Copy command line"));
    m_copy->setIcon(icon(QStringLiteral("copy")));
    m_copy->setToolTip(tr("Copies the convolution as a command line of flcc-cli"));
    connect(m_copy, &QPushButton::clicked, this, [this] {
        if (hasFile()) {
            say(copyCommandLine(namedJob("filtered.mha")), false);
        }
    });
    for (auto* button : findChildren<QPushButton*>()) {
        button->setAutoDefault(false); // Return in a field must not close the dialog
        button->setDefault(false);
    }
    m_delay.setSingleShot(true);
    m_delay.setInterval(0);
    connect(&m_delay, &QTimer::timeout, this, &FilterDialog::request);
    connect(m_form, &FilterForm::changed, this, &FilterDialog::change);
    connect(m_card, &PlanCard::calibrateRequested, this, &FilterDialog::calibrateRequested);
    connect(&m_document, &Document::sceneChanged, this, [this] {
        ++m_scenes;
        onScene();
    });
    connect(&m_document, &Document::sceneShown, this, &FilterDialog::onScene);
    connect(&m_document, &Document::spacingChanged, this, &FilterDialog::onScene);
    connect(&m_views, &ViewsPanel::crosshairMoved, this, &FilterDialog::onView);
    connect(&m_views, &ViewsPanel::activeFrameChanged, this, &FilterDialog::onView);
    // Other work stops previews; they are made again after it.
    connect(&m_controller, &RunController::finished, this, [this] {
        if (isPreviewDue() && !m_controller.isPending(RunController::Task::Preview)) {
            m_delay.start();
        }
    });
    connect(&m_controller, &RunController::failed, this,
            [this](RunController::Task task, const QString& sentence) {
                if (task == RunController::Task::Preview) { // memory ran out
                    refuse(sentence);
                }
            });
    const QSize room = this->screen()->availableGeometry().size() - QSize(40, 60);
    resize(QSize(900, 600).boundedTo(room));
    onScene();
}

FilterDialog::~FilterDialog() = default;

QWidget* FilterDialog::buildControls() {
    auto* area = new QScrollArea(this);
    area->setObjectName(QStringLiteral("filterControls"));
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* side = new QWidget(area);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 4, 0);
    m_form = new FilterForm(side);
    m_card = new PlanCard(side);
    m_card->setMostOthers(static_cast<int>(filter::methodNames().size()));
    m_card->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    const auto fit = [this] { m_card->setFixedHeight(m_card->fullHeight(m_card->width())); };
    connect(m_card, &PlanCard::contentChanged, this, fit, Qt::QueuedConnection);
    column->addWidget(m_form);
    column->addWidget(m_card);
    m_parts = new QLabel(side);
    m_parts->setObjectName(QStringLiteral("filterPartsTable"));
    m_parts->setTextFormat(Qt::RichText);
    m_parts->setWordWrap(true);
    m_parts->setToolTip(tr("Table 1 of Karas and Svoboda for this scene and kernel: dif divides in "
                           "frequency, dit in time, tiling cuts scene and kernel into tiles"));
    m_parts->hide();
    column->addWidget(m_parts);
    column->addStretch(1);
    area->setWidget(side);
    area->setFixedWidth(fontMetrics().averageCharWidth() * 58);
    return area;
}

QWidget* FilterDialog::buildPreview() {
    auto* side = new QWidget(this);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    m_preview = new FilterPreview(side);
    m_caption = new QLabel(side);
    m_caption->setObjectName(QStringLiteral("filterCaption"));
    m_originalBox = new QCheckBox(tr("Show the original"), side);
    m_originalBox->setObjectName(QStringLiteral("filterOriginal"));
    m_originalBox->setToolTip(tr("Shows the slice without the filter, to compare"));
    connect(m_originalBox, &QCheckBox::toggled, m_preview, &FilterPreview::showOriginal);
    auto* below = new QHBoxLayout;
    below->addWidget(m_caption, 1);
    below->addWidget(m_originalBox);
    column->addWidget(m_preview, 1);
    column->addLayout(below);
    return side;
}

void FilterDialog::onScene() {
    if (m_document.hasScene()) {
        m_form->setScene(m_document.sceneExtents(), m_document.geometry());
    }
    change();
}

filter::Plane FilterDialog::plane() const {
    const viz::SliceScene* slice = m_views.activeFrame()->slice();
    const std::size_t depth =
        slice != nullptr && m_document.isVolume() ? viz::axesOf(slice->orientation()).depth : 2;
    return {depth, std::llround(m_views.crosshair()[depth])};
}

void FilterDialog::onView() {
    if (plane() != m_plane) {
        change();
    }
}

void FilterDialog::setJob(const job::ConvolveJob& job) { m_form->setJob(job); }

job::ConvolveJob FilterDialog::job() const {
    job::ConvolveJob job = m_form->job();
    const job::Job settings = m_window.settings();
    job.threads = settings.threads;
    job.memoryBytes = settings.memoryBytes;
    job.spacing = m_document.spacing();
    return job;
}

job::ConvolveImages FilterDialog::images(const job::ConvolveJob& job) const {
    return {m_document.scene().image, m_kernel && job.kernel == m_kernelFile ? m_kernel : nullptr};
}

QString FilterDialog::sceneTitle() const {
    const SceneEntry& scene = m_document.scene();
    const QString name = scene.path.empty() ? scene.name : scene.name.section(QChar('.'), 0, 0);
    return tr("%1 – %2").arg(name, m_form->title());
}

void FilterDialog::change() {
    ++m_wanted;
    m_changed = nowMs();
    setStartable(false); // until it is planned
    m_delay.start();
}

void FilterDialog::request() {
    if (isStarted()) {
        return; // workingChanged() asks again
    }
    const job::ConvolveJob job = this->job();
    if (!m_document.hasScene()) {
        refuse(tr("There is no scene to filter: open one first."));
        return;
    }
    if (job.kernel.empty()) {
        refuse(tr("Choose a file whose voxels are the weights of the kernel."));
        return;
    }
    m_plane = plane();
    const auto* slice = m_views.frames()[m_plane.depth == 2   ? 0
                                         : m_plane.depth == 1 ? 1
                                                              : 2]
                            ->slice();
    const Original wanted{m_document.scene().image, m_plane, m_views.greyWindow(), slice->flips()};
    const bool drawn = !m_preview->original().isNull() &&
                       m_original.scene.lock() == m_document.scene().image &&
                       m_original.plane == wanted.plane && m_original.window == wanted.window &&
                       m_original.flips == wanted.flips;
    const QPointer<FilterDialog> self(this);
    m_controller.start(
        RunController::Task::Preview, tr("Previewing the filter"),
        [self, number = m_wanted, job, images = images(job), plane = m_plane, wanted,
         drawn](const std::stop_token& stop, job::JobSink*) -> RunController::Done {
            auto shown = std::make_shared<Shown>();
            shown->number = number;
            try {
                job::ConvolveImages own = images;
                if (!own.kernel && job::isKernelFile(job.kernel)) {
                    own.kernel = job::loadCompanion(job.kernel, {}, {}, stop);
                }
                shown->kernelFile = job.kernel;
                shown->kernel = own.kernel;
                if (stop.stop_requested()) {
                    return {};
                }
                shown->preview = job::previewConvolve(job, own, plane, stop);
                if (shown->preview.cancelled) {
                    return {}; // something newer is wanted
                }
                const base::Point spacing = job::statedGeometry(*images.scene, job.spacing).spacing;
                const auto [right, down] = filter::axesAcross(plane.depth);
                shown->aspect = spacing[down] / spacing[right];
                if (!drawn) {
                    shown->original = planePicture(base::viewOf(images.scene->pixels), plane.depth,
                                                   plane.position, wanted.window, wanted.flips);
                }
                shown->of = wanted;
                const base::AnyView filtered = base::viewOf(shown->preview.plane);
                shown->filtered = planePicture(filtered, 2, 0, windowOf(filtered), wanted.flips);
            } catch (const std::bad_alloc&) {
                throw; // reported by the controller, which allocates nothing for that
            } catch (const std::exception& error) {
                shown->problem = inWindowWords(error);
            }
            return [self, shown] {
                if (self) {
                    self->take(shown);
                }
            };
        });
}

void FilterDialog::take(const std::shared_ptr<const Shown>& shown) {
    if (shown->number != m_wanted) {
        return;
    }
    m_kernel = shown->kernel;
    m_kernelFile = shown->kernelFile;
    if (!shown->problem.isEmpty()) {
        refuse(shown->problem);
        return;
    }
    m_shown = m_wanted;
    m_previewMs = nowMs() - m_changed;
    m_preview->setPictures(shown->original.isNull() ? m_preview->original() : shown->original,
                           shown->filtered, shown->aspect);
    m_original = shown->of;
    constexpr std::array<const char*, 3> kPlanes{"YZ", "XZ", "XY"};
    m_caption->setText(m_document.isVolume() ? tr("Preview: %1, slice %2")
                                                   .arg(QLatin1String(kPlanes[m_plane.depth]))
                                                   .arg(m_plane.position)
                                             : tr("Preview"));
    m_caption->setToolTip(tr("Shown %1 after the change").arg(durationText(m_previewMs)));
    const QString refused =
        shown->preview.refused ? inWindowWords(*shown->preview.refused) : QString();
    m_card->showReport(cardReport(shown->preview.report), tr("No method can do this"));
    m_card->show();
    showParts(shown->preview.report);
    if (!refused.isEmpty()) {
        say(refused, true);
        return;
    }
    say(tr("Apply adds the scene “%1” to the list; the scene stays as it is.").arg(sceneTitle()));
    setStartable(true);
}

/// Shows the formulas of a division into parts, if the plan chose one.
void FilterDialog::showParts(const job::ConvolveReport& report) {
    const bool divided =
        !report.candidates.empty() && report.candidates.front().candidate.parts > 0;
    m_parts->setVisible(divided);
    if (!divided) {
        return;
    }
    QString rows;
    for (const filter::Decomposition& row : report.decompositions) {
        rows += tr("<tr><td>%1&nbsp;&nbsp;</td><td align=right>%2&nbsp;&nbsp;</td>"
                   "<td align=right>%3&nbsp;&nbsp;</td><td align=right>%4</td></tr>")
                    .arg(toQString(row.method), QString::number(row.operations, 'g', 3),
                         QString::number(row.transfers, 'g', 3),
                         bytesText(static_cast<std::int64_t>(row.bytes)));
    }
    m_parts->setText(tr("<table><tr><td colspan=4>%1 parts, by formula:</td></tr><tr><td></td>"
                        "<td align=right>operations&nbsp;&nbsp;</td>"
                        "<td align=right>values moved&nbsp;&nbsp;</td>"
                        "<td align=right>a part</td></tr>%2</table>")
                         .arg(report.parts)
                         .arg(rows));
}

/// Says why the filter cannot be applied.
void FilterDialog::refuse(const QString& sentence) {
    m_shown = m_wanted;
    m_preview->clear();
    m_caption->clear();
    m_card->hide();
    m_parts->hide();
    say(sentence, true);
    setStartable(false);
}

WorkDialog::Work FilterDialog::work() {
    const job::ConvolveJob job = this->job();
    return [this, job, images = images(job), source = m_document.scene(), title = sceneTitle(),
            scenes = m_scenes](const std::stop_token& stop, const Tell& tell) {
        News sink(tell);
        auto result =
            std::make_shared<job::ConvolveResult>(job::runConvolve(job, images, stop, &sink));
        return [this, result, source, title, scenes] {
            if (result->cancelled) {
                say(tr("Stopped; no scene was added."));
            } else if (scenes != m_scenes) {
                say(tr("Another scene was opened; the filtered one was dropped."));
            } else {
                add(*result, source, title);
            }
        };
    };
}

void FilterDialog::add(job::ConvolveResult& result, const SceneEntry& source,
                       const QString& title) {
    auto image = std::make_shared<job::SceneImage>();
    image->pixels = std::move(result.pixels);
    image->geometry = result.geometry;
    image->directed = source.image && source.image->directed;
    image->source = title.toStdString();
    SceneEntry entry;
    entry.image = image;
    entry.name = title;
    entry.origin = source.made ? source.origin : source.path;
    const plan::CandidateReport& chosen = result.report.candidates.front();
    const job::ResultReport& values = *result.report.result;
    QString sentence =
        tr("%1: %2, %3; values from %4 to %5, error at most %6 of the largest "
           "magnitude under the kernel")
            .arg(title, toQString(chosen.candidate.label()),
                 durationText(result.report.run->executeMs.median), numberText(values.minimum),
                 numberText(values.maximum), QString::number(values.relativeBound, 'g', 2));
    if (values.repeated > 0) {
        sentence += tr("; %1 values were computed again").arg(values.repeated);
    }
    m_document.addMadeScene(std::move(entry));
    Q_EMIT applied(sentence);
    close();
}

void FilterDialog::workingChanged(bool working) {
    m_form->setEnabled(!working);
    m_saveJob->setEnabled(!working);
    m_copy->setEnabled(!working);
    if (!working && isPreviewDue()) {
        m_delay.start();
    }
}

/// Says why a job cannot name the scene where it cannot.
bool FilterDialog::hasFile() {
    const bool named = !m_document.scene().path.empty();
    if (!named) {
        say(unsavedScene(m_document.scene()), true);
    }
    return named;
}

void FilterDialog::askJobFile() {
    if (!hasFile()) {
        return;
    }
    askWhereToSave(
        this,
        {tr("Save job"), tr("Job (*.json)"), "filterJobDialog", QStringLiteral("filter.json"),
         "job"},
        [this](const QString& file) { return saveJob(file); },
        [this](const QString& sentence, bool failed) { say(sentence, failed); });
}

job::ConvolveJob FilterDialog::namedJob(const std::filesystem::path& output) const {
    job::ConvolveJob job = this->job();
    putScene(job, m_document.scene());
    job.output = output;
    return job;
}

/// The job writes its result beside the job file.
QString FilterDialog::saveJob(const QString& file) {
    return saveJobFile(namedJob(toPath(file).replace_extension(".mha")), file, m_window.inputs());
}

} // namespace flcc::ui
