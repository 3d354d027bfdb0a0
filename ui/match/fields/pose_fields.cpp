#include "ui/match/fields/pose_fields.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>

#include "engine/base/error.h"
#include "engine/rotation/cover.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/document/document.h"
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
    m_yes = new QCheckBox(tr("More than %1 orientations").arg(job::kMostPoses), &m_form);
    m_form.addRow(QString(), m_yes, "manyPoses",
                  tr("Allows a search that may take hours; the plan tells its time"));
    m_search = new QComboBox(&m_form);
    m_search->addItems({tr("Exhaustive"), tr("Pruned"), tr("Heuristic")});
    m_form.addRow(tr("Search"), m_search, "search",
                  tr("Exhaustive: scores every placement. Pruned: leaves out what cannot reach the "
                     "least score, with the same peaks and no map. Heuristic: faster, may miss "
                     "peaks"));
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
    for (QCheckBox* const box : {m_mirror, m_refine, m_yes}) {
        box->setAccessibleName(box->text());
        connect(box, &QCheckBox::toggled, this, [this] {
            m_job.poses.mirror = m_mirror->isChecked();
            m_job.poses.refine = m_refine->isChecked();
            m_job.poses.yes = m_yes->isChecked();
            showCount();
            Q_EMIT changed();
        });
    }
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
    if (job.poses.rotations.empty()) {
        job.poses.symmetry.clear(); // it leaves out equal rotations
    }
}

void PoseFields::show() {
    const QSignalBlocker quietMirror(m_mirror);
    const QSignalBlocker quietRefine(m_refine);
    const QSignalBlocker quietYes(m_yes);
    for (const auto& [field, text] :
         {std::pair(m_rotations, m_job.poses.rotations),
          std::pair(m_symmetry, m_job.poses.symmetry), std::pair(m_scales, m_job.poses.scales)}) {
        m_texts.accept(field);
        field->setText(toQString(text));
    }
    m_mirror->setChecked(m_job.poses.mirror);
    m_refine->setChecked(m_job.poses.refine);
    m_yes->setChecked(m_job.poses.yes);
    const QSignalBlocker quietSearch(m_search);
    m_search->setCurrentIndex(static_cast<int>(m_job.poses.search));
    showCount();
}

void PoseFields::showCount() {
    const QString text = countText();
    m_count->setText(text);
    m_count->setToolTip(text);
}

QString PoseFields::countText() const {
    job::Job now = m_job;
    read(now);
    if (!now.poses.any()) {
        return tr("Templates are searched as they are");
    }
    const bool flat = !m_document.isVolume() || (m_document.templ() != nullptr &&
                                                 m_document.templ()->image->extents().z == 1);
    try {
        const job::PosesReport poses = job::describePoses(now.poses, flat, m_document.geometry());
        QString text = tr("%L1 orientations each").arg(poses.members);
        if (poses.step > 0) {
            text += tr(", step %1°").arg(poses.step, 0, 'f', 2);
        }
        if (poses.nside > 0) {
            text += tr(" (%L1 directions, %2 angles)")
                        .arg(poses.turns / poses.inPlane)
                        .arg(poses.inPlane);
        }
        return text;
    } catch (const base::Error& error) {
        return inWindowWords(error);
    }
}

} // namespace flcc::ui
