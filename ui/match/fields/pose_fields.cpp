#include "ui/match/fields/pose_fields.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QLabel>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/rotation/cover.h"
#include "ui/base/option_names.h"
#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/document/document.h"
#include "ui/match/fields/angle_dial.h"
#include "ui/match/fields/direction_sphere.h"
#include "ui/match/fields/sections.h"

namespace flcc::ui {

PoseFields::PoseFields(FoldingForm& form, job::Job& job, OptionFields& options, Document& document)
    : FieldGroup(form, job), m_options(options), m_document(document) {
    m_form.addSection(tr("Rotations and scales"), "Poses", false);
    for (const std::string_view option : optionsOf(Section::Poses)) {
        if (option == "search-statistics") {
            addStatistics(); // a switch here, and files on the command line
        } else {
            m_options.addRow(m_form, option);
        }
    }
    m_count = new QLabel(&m_form);
    // One line of any length: QFormLayout of Qt 6.4 writes beyond its rows where a row that depends
    // on the width is folded away.
    m_count->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_form.addRow(QString(), m_count, "poseCount",
                  tr("How many orientations each template is searched in"));
    addCover();
    addResume();
    connect(&m_options, &OptionFields::changed, this, [this](const QString& option) {
        if (std::ranges::count(optionsOf(Section::Poses), option.toStdString()) > 0) {
            showCount();
        }
    });
}

void PoseFields::addStatistics() {
    m_statistics = new QCheckBox(tr("Statistics of the search"), &m_form);
    m_form.addRow(QString(), m_statistics, "searchStatistics",
                  tr("Of lcc: also keeps mean and deviation of the scores of all orientations or "
                     "templates at each placement, and z: how many deviations the best one lies "
                     "above the mean. 32 bytes more for each placement while it runs"));
    m_statistics->setAccessibleName(m_statistics->text());
    connect(m_statistics, &QCheckBox::toggled, this, [this](bool on) {
        m_job.searchStatistics = on;
        if (!on) {
            m_job.searchMaps.clear();
        }
        Q_EMIT changed();
    });
}

void PoseFields::addCover() {
    auto* both = new QWidget(&m_form); // one of them is shown
    auto* rows = new QVBoxLayout(both);
    rows->setContentsMargins(0, 0, 0, 0);
    m_dial = new AngleDial(both);
    m_dial->setObjectName(QStringLiteral("poseDial"));
    m_dial->setAccessibleName(tr("Angles"));
    m_dial->setToolTip(
        tr("The searched angles, counter-clockwise; 0 is on top, as the tick in the box of a peak. "
           "Drag the filled knobs to change the range, the hollow one to change the step. Space "
           "selects the next knob, arrow keys move it"));
    m_sphere = new DirectionSphere(both);
    m_sphere->setObjectName(QStringLiteral("poseSphere"));
    m_sphere->setAccessibleName(tr("Directions"));
    m_sphere->setToolTip(
        tr("The directions from which the template is seen, about its own axes: the searched ones, "
           "and in other colours those that are equal to them by the symmetry. Drag or use the "
           "arrow keys to turn the sphere, double-click to turn it back"));
    rows->addWidget(m_dial);
    rows->addWidget(m_sphere);
    m_form.addRow(QString(), both, "poseCover", {});
    connect(m_dial, &AngleDial::edited, this, [this](const AngleDial::Range& range) {
        const auto text = [](double value) { return QString::number(value, 'g', 10); };
        m_options.write("rotations", range.whole ? text(range.step)
                                                 : text(range.from) + QChar(':') + text(range.to) +
                                                       QChar(':') + text(range.step));
    });
}

void PoseFields::addResume() {
    QWidget* const folder = m_options.make("resume", &m_form);
    QToolButton* const open =
        m_form.smallButton("resumeOpen", icon(QStringLiteral("open")), tr("Choose a folder"),
                           tr("Chooses the folder that keeps searches"));
    m_form.addRowWithButtons(folder->accessibleName(), folder->toolTip(), folder, {open});
    connect(open, &QToolButton::clicked, this, &PoseFields::chooseFolder);
}

void PoseFields::chooseFolder() {
    const QString purpose = QStringLiteral("resume");
    auto* dialog = new QFileDialog(&m_form, tr("Keep progress in"), Settings::folder(purpose));
    dialog->setObjectName(QStringLiteral("resumeDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, [this, purpose](const QString& folder) {
        Settings::rememberFolder(purpose, folder + QStringLiteral("/file"));
        m_options.write("resume", folder);
    });
    dialog->open();
}

void PoseFields::read(job::Job& job) const {
    job.searchStatistics = m_job.searchStatistics;
    job.searchMaps = m_job.searchMaps;
    if (job.poses.rotations.empty()) {
        job.poses.symmetry.clear(); // it leaves out equal rotations
    }
    if (!job.poses.any()) {
        job.resume.clear(); // it keeps searches over poses
    }
}

void PoseFields::show() {
    const QSignalBlocker quiet(m_statistics);
    m_statistics->setChecked(m_job.searchStatistics);
    showCount();
}

void PoseFields::showCount() {
    QString text = tr("Templates are searched as they are");
    std::optional<job::PosesReport> poses;
    try {
        poses = counted();
        if (poses) {
            text = tr("%L1 orientations each").arg(poses->members);
            text += poses->step > 0 ? tr(", step %1°").arg(poses->step, 0, 'f', 2) : QString();
            text += poses->nside > 0 ? tr(" (%L1 directions, %2 angles)")
                                           .arg(poses->turns / poses->inPlane)
                                           .arg(poses->inPlane)
                                     : QString();
        }
        showCover(poses);
    } catch (const base::Error& error) {
        text = inWindowWords(error);
    }
    m_count->setText(text);
    m_count->setToolTip(text);
}

bool PoseFields::isFlat() const {
    return !m_document.isVolume() ||
           (m_document.templ() != nullptr && m_document.templ()->image->extents().z == 1);
}

job::Poses PoseFields::poses() const {
    job::Job now = m_job;
    m_options.read(now);
    read(now);
    return now.poses;
}

std::optional<job::PosesReport> PoseFields::counted() const {
    const job::Poses now = poses();
    return now.any() ? std::optional(job::describePoses(now, isFlat(), m_document.geometry()))
                     : std::nullopt;
}

/// Dial or sphere. A cover of very many turns is drawn coarser: its dots would touch.
void PoseFields::showCover(const std::optional<job::PosesReport>& poses) {
    constexpr std::int64_t kMostTurns = 200'000;
    const bool flat = isFlat();
    m_dial->setVisible(flat);
    m_sphere->setVisible(!flat);
    const job::Poses now = this->poses();
    job::Poses shown = now;
    shown.scales.clear();
    const bool any = !shown.rotations.empty();
    const bool many = !flat && poses && poses->turns > kMostTurns;
    if (many) {
        shown.rotations = "4";
    }
    shown.symmetry = any ? shown.symmetry : std::string();
    const rotation::Cover cover = job::coverOf(shown, flat, m_document.geometry());
    if (!flat) {
        m_sphere->setCover(
            cover,
            !any ? tr("one direction")
            : many
                ? tr("more directions than are shown")
                : tr("%L1 directions").arg(std::ssize(cover.turns) / std::max(cover.inPlane, 1)));
        return;
    }
    std::vector<double> degrees;
    degrees.reserve(cover.turns.size());
    for (const rotation::Quaternion& turn : cover.turns) {
        degrees.push_back(rotation::inPlaneDegrees(turn));
    }
    const rotation::Rotations text = rotation::parseRotations(now.rotations);
    const double period = 360.0 / static_cast<double>(cover.group.elements.size());
    std::optional<AngleDial::Range> range;
    if (!any) {
        range = AngleDial::Range{.from = 0, .to = 0, .step = 10, .whole = false};
    } else if (text.kind == rotation::Rotations::Kind::Step) {
        range = AngleDial::Range{.from = 0, .to = period, .step = text.step, .whole = true};
    } else if (text.kind == rotation::Rotations::Kind::Range) {
        range =
            AngleDial::Range{.from = text.from, .to = text.to, .step = text.step, .whole = false};
    }
    m_dial->setAngles(std::move(degrees), range, period);
}

} // namespace flcc::ui
