#include "ui/match/fields/pose_fields.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
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
#include "ui/match/fields/text_fields.h"

namespace flcc::ui {

namespace {

QLatin1String nameOf(std::string job::Poses::*member) {
    return QLatin1String(member == &job::Poses::rotations  ? "rotations"
                         : member == &job::Poses::symmetry ? "symmetry"
                                                           : "scales");
}

void require(const std::string& text, std::string job::Poses::*member) {
    if (member == &job::Poses::rotations) {
        (void)rotation::parseRotations(text);
    } else if (member == &job::Poses::scales) {
        (void)rotation::parseScales(text);
    } else if (!text.empty()) {
        (void)rotation::pointGroup(text);
    }
}

} // namespace

PoseFields::PoseFields(FoldingForm& form, job::Job& job, TextFields& texts, Document& document)
    : FieldGroup(form, job), m_texts(texts), m_document(document) {
    m_form.addSection(tr("Rotations and scales"), "Poses", false);
    m_rotations = addText(
        tr("Rotations"), "rotations", tr("none; 10 or 0:180:10"),
        tr("Also searches turned templates. A step in degrees: the whole circle, or all "
           "orientations of a volume; FROM:TO:STEP: a part of the circle; auto:DIAMETER: the step "
           "that an object of this diameter needs at the resolution of the scene; list:FILE: the "
           "angles of a file. Counter-clockwise. Empty: templates as they are"),
        &job::Poses::rotations);
    m_symmetry = addText(tr("Symmetry"), "symmetry", tr("C1; C4, D2, T, O, I"),
                         tr("Point group of the templates on the axes of RELION: of rotations that "
                            "give the same template one is searched"),
                         &job::Poses::symmetry);
    m_scales = addText(tr("Scales"), "scales", tr("1; 0.9,1,1.1 or 0.8:1.25:1.05"),
                       tr("Also searches templates of other sizes: factors, or FROM:TO:FACTOR"),
                       &job::Poses::scales);
    m_mirror = new QCheckBox(tr("Mirrored templates too"), &m_form);
    m_form.addRow(QString(), m_mirror, "mirror",
                  tr("Also searches the templates mirrored along x: the other hand"));
    m_refine = new QCheckBox(tr("Refine poses of peaks"), &m_form);
    m_form.addRow(
        QString(), m_refine, "refinePoses",
        tr("Also finds the best angle, size and place of each peak between those that are "
           "searched"));
    m_hands = new QCheckBox(tr("Compare with the other hand"), &m_form);
    m_form.addRow(QString(), m_hands, "handedness",
                  tr("Of lcc: a second search, for the mirrored templates alone, tells which hand "
                     "the scene holds; the curves of both are in the tab of the threshold"));
    m_statistics = new QCheckBox(tr("Statistics of the search"), &m_form);
    m_form.addRow(QString(), m_statistics, "searchStatistics",
                  tr("Of lcc: also keeps mean and deviation of the scores of all orientations or "
                     "templates at each placement, and z: how many deviations the best one lies "
                     "above the mean. 32 bytes more for each placement while it runs"));
    m_yes = new QCheckBox(tr("More than %1 orientations").arg(job::kMostPoses), &m_form);
    m_form.addRow(QString(), m_yes, "manyPoses",
                  tr("Allows a search that may take hours; the plan tells its time"));
    m_search = new QComboBox(&m_form);
    m_search->addItems({tr("Exhaustive"), tr("Pruned"), tr("Heuristic"), tr("Auto")});
    m_form.addRow(tr("Search"), m_search, "search",
                  tr("Exhaustive: scores every placement. Pruned: leaves out what cannot reach the "
                     "least score, with the same peaks and no map. Heuristic: faster, may miss "
                     "peaks. Auto: the faster of the first two, where the job allows both"));
    connect(m_search, &QComboBox::currentIndexChanged, this, [this](int row) {
        m_job.poses.search = static_cast<job::Search>(row);
        Q_EMIT changed();
    });
    m_count = new QLabel(&m_form);
    // One line of any length: QFormLayout of Qt 6.4 writes beyond its rows where a row that depends
    // on the width is folded away.
    m_count->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_form.addRow(QString(), m_count, "poseCount",
                  tr("How many orientations each template is searched in"));
    addCover();
    addResume();
    for (QCheckBox* const box : {m_mirror, m_refine, m_hands, m_statistics, m_yes}) {
        box->setAccessibleName(box->text());
        connect(box, &QCheckBox::toggled, this, [this] {
            m_job.poses.mirror = m_mirror->isChecked();
            m_job.poses.refine = m_refine->isChecked();
            m_job.poses.yes = m_yes->isChecked();
            m_job.handedness = m_hands->isChecked();
            m_job.searchStatistics = m_statistics->isChecked();
            if (!m_job.searchStatistics) {
                m_job.searchMaps.clear();
            }
            showCount();
            Q_EMIT changed();
        });
    }
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
        m_rotations->setText(range.whole ? text(range.step)
                                         : text(range.from) + QChar(':') + text(range.to) +
                                               QChar(':') + text(range.step));
        take(m_rotations, &job::Poses::rotations);
    });
}

void PoseFields::addResume() {
    const QString tip = tr(
        "A folder that keeps the finished part of a search: Pause stops it, and Run goes on from "
        "there, also after a restart of the program. Empty: nothing is kept");
    m_resume = m_texts.make(tr("nothing is kept"), &m_form);
    m_resume->setObjectName(QStringLiteral("resume"));
    m_resume->setAccessibleName(tr("Progress"));
    m_resume->setToolTip(tip);
    m_resumeOpen =
        m_form.smallButton("resumeOpen", icon(QStringLiteral("open")), tr("Choose a folder"),
                           tr("Chooses the folder that keeps searches"));
    m_form.addRowWithButtons(tr("Progress"), tip, m_resume, {m_resumeOpen});
    connect(m_resumeOpen, &QToolButton::clicked, this, &PoseFields::chooseFolder);
    connect(m_resume, &QLineEdit::editingFinished, this, [this] {
        const std::filesystem::path folder = toPath(m_resume->text().trimmed());
        if (folder != m_job.resume) {
            m_job.resume = folder;
            Q_EMIT changed();
        }
    });
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
        m_resume->setText(folder);
        m_job.resume = toPath(folder);
        Q_EMIT changed();
    });
    dialog->open();
}

QLineEdit* PoseFields::addText(const QString& label, const char* name, const QString& placeholder,
                               const QString& tip, std::string job::Poses::*member) {
    QLineEdit* const field = m_texts.make(placeholder, &m_form);
    m_form.addRow(label, field, name, tip);
    connect(field, &QLineEdit::editingFinished, this,
            [this, field, member] { take(field, member); });
    return field;
}

void PoseFields::take(QLineEdit* field, std::string job::Poses::*member) {
    const std::string text = field->text().trimmed().toStdString();
    try {
        require(text, member);
    } catch (const base::Error& error) {
        // The command line names its option, the window the field.
        QString sentence = inWindowWords(error);
        const QString option = QStringLiteral("--") + nameOf(member);
        m_texts.refuse(field, sentence.replace(option, field->accessibleName()));
        return;
    }
    m_texts.accept(field);
    const bool news = m_job.poses.*member != text;
    m_job.poses.*member = text;
    showCount();
    if (news) {
        Q_EMIT changed();
    }
}

void PoseFields::read(job::Job& job) const {
    job.poses = m_job.poses;
    job.handedness = m_job.handedness;
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
    const QSignalBlocker quietMirror(m_mirror);
    const QSignalBlocker quietRefine(m_refine);
    const QSignalBlocker quietHands(m_hands);
    const QSignalBlocker quietStatistics(m_statistics);
    const QSignalBlocker quietYes(m_yes);
    for (const auto& [field, text] :
         {std::pair(m_rotations, m_job.poses.rotations),
          std::pair(m_symmetry, m_job.poses.symmetry), std::pair(m_scales, m_job.poses.scales)}) {
        m_texts.accept(field);
        field->setText(toQString(text));
    }
    m_resume->setText(pathText(m_job.resume));
    m_mirror->setChecked(m_job.poses.mirror);
    m_refine->setChecked(m_job.poses.refine);
    m_hands->setChecked(m_job.handedness);
    m_statistics->setChecked(m_job.searchStatistics);
    m_yes->setChecked(m_job.poses.yes);
    const QSignalBlocker quietSearch(m_search);
    m_search->setCurrentIndex(static_cast<int>(m_job.poses.search));
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

std::optional<job::PosesReport> PoseFields::counted() const {
    job::Job now = m_job;
    read(now);
    return now.poses.any()
               ? std::optional(job::describePoses(now.poses, isFlat(), m_document.geometry()))
               : std::nullopt;
}

/// Dial or sphere. A cover of very many turns is drawn coarser: its dots would touch.
void PoseFields::showCover(const std::optional<job::PosesReport>& poses) {
    constexpr std::int64_t kMostTurns = 200'000;
    const bool flat = isFlat();
    m_dial->setVisible(flat);
    m_sphere->setVisible(!flat);
    job::Poses shown = m_job.poses;
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
    const rotation::Rotations text = rotation::parseRotations(m_job.poses.rotations);
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
