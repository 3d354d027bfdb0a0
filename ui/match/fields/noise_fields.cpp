#include "ui/match/fields/noise_fields.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPixmap>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>
#include <new>
#include <tuple>
#include <utility>

#include "engine/base/error.h"
#include "ui/base/latest_work.h"
#include "ui/base/option_names.h"
#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/document/document.h"
#include "ui/document/thumbnail.h"
#include "ui/match/fields/text_fields.h"

namespace flcc::ui {

namespace {

constexpr int kPictureSide = kThumbnailSide;

QLatin1String nameOf(std::string job::Preparation::*member) {
    return QLatin1String(member == &job::Preparation::band    ? "band"
                         : member == &job::Preparation::wedge ? "wedge"
                                                              : "ctf");
}

/// A picture of values from 0 to 1.
QImage greyOf(const base::Image<float>& image) {
    const base::Extents& n = image.extents();
    QImage made(static_cast<int>(n.x), static_cast<int>(n.y), QImage::Format_Grayscale8);
    for (int y = 0; y < made.height(); ++y) {
        uchar* const row = made.scanLine(y);
        for (int x = 0; x < made.width(); ++x) {
            row[x] = static_cast<uchar>(255 * std::clamp(image.view().at(x, y, 0), 0.0F, 1.0F));
        }
    }
    return made.scaled(kPictureSide, kPictureSide, Qt::KeepAspectRatio, Qt::SmoothTransformation);
}

} // namespace

NoiseFields::NoiseFields(FoldingForm& form, job::Job& job, TextFields& texts, Document& document)
    : FieldGroup(form, job), m_texts(texts), m_document(document),
      m_work(std::make_unique<LatestWork>()) {
    m_form.addSection(tr("Prepared for noise"), "Noise", false);
    m_band = addText(tr("Band"), "band", tr("none; 3,40 or 30,400A"),
                     tr("Leaves only wavelengths between two lengths, of templates and scene: the "
                        "shortest and the longest, in voxels or with a unit. 0 leaves a side open"),
                     &job::Preparation::band);
    m_form.addRow(tr("Band"), m_band, "band", m_band->toolTip());
    m_whiten = new QCheckBox(tr("Whiten by the scene"), &m_form);
    m_form.addRow(QString(), m_whiten, "whiten",
                  tr("Divides templates and scene by the mean amplitudes of the scene at each "
                     "frequency, so that coloured noise becomes white"));
    m_whiten->setAccessibleName(m_whiten->text());
    m_wedge = addText(tr("Wedge"), "wedge", tr("none; 60,60 or a file"),
                      tr("Takes from the templates what the tilts of a tomogram do not tell: A,B "
                         "for tilts from -A to B degrees about y, or a file with the tilts: .tlt, "
                         ".rawtlt, .mdoc, .star of RELION 5, .xml of Warp"),
                      &job::Preparation::wedge);
    addFile(tr("Wedge"), m_wedge, "wedge", m_wedge->toolTip());
    m_ctf = addText(tr("CTF"), "ctf", tr("none; 3,300,2.7,0.07 or a file"),
                    tr("Gives the templates the contrast transfer of the microscope: .star of "
                       "RELION 5, .xml of Warp, .defocus of IMOD, or defocus in um, voltage in kV, "
                       "Cs in mm and amplitude contrast. flipped: before it for a scene whose "
                       "phases are flipped"),
                    &job::Preparation::ctf);
    addFile(tr("CTF"), m_ctf, "ctf", m_ctf->toolTip());
    m_polarity = new QComboBox(&m_form);
    m_polarity->addItems({tr("As the template"), tr("Other sign"), tr("Both signs")});
    m_form.addRow(tr("Polarity"), m_polarity, "polarity",
                  tr("The sign of what is found: that of the templates, the other one, or the "
                     "better of both, which takes twice the time"));
    auto* const pictures = new QHBoxLayout;
    m_picture = new QLabel(&m_form);
    m_spectrum = new QLabel(&m_form);
    for (const auto& [label, name, tip] :
         {std::tuple(m_picture, "preparedTemplate",
                     tr("The middle slice of the template as it is compared, in no pose")),
          std::tuple(m_spectrum, "preparedSpectrum",
                     tr("Its power spectrum, four decades from white to black, frequency 0 in the "
                        "middle. Of a volume the plane of x and z: the wedge lies above and "
                        "below"))}) {
        label->setObjectName(QLatin1String(name));
        label->setToolTip(tip);
        label->setAccessibleName(tip);
        label->setFixedSize(kPictureSide, kPictureSide);
        label->setAlignment(Qt::AlignCenter);
        pictures->addWidget(label);
    }
    pictures->addStretch();
    m_form.addRow(tr("Template"), m_picture->toolTip(), m_picture, pictures);
    m_state = new QLabel(&m_form);
    m_state->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed); // one line of any length
    m_form.addRow(QString(), m_state, "prepared", tr("What was done to the template"));
    m_picture->installEventFilter(this);
    connect(m_whiten, &QCheckBox::toggled, this, [this](bool on) {
        m_job.preparation.whiten = on;
        showTemplate();
        Q_EMIT changed();
    });
    connect(m_polarity, &QComboBox::currentIndexChanged, this, [this](int which) {
        m_job.preparation.polarity = static_cast<job::Polarity>(which);
        showTemplate();
        Q_EMIT changed();
    });
}

NoiseFields::~NoiseFields() = default;

bool NoiseFields::Shown::same(const Shown& other) const {
    const bool one = !scene.owner_before(other.scene) && !other.scene.owner_before(scene);
    return one && preparation == other.preparation && invert == other.invert &&
           spacing == other.spacing && templ == other.templ && mask == other.mask;
}

QLineEdit* NoiseFields::addText(const QString& label, const char* name, const QString& placeholder,
                                const QString& tip, std::string job::Preparation::*member) {
    QLineEdit* const field = m_texts.make(placeholder, &m_form);
    field->setObjectName(QLatin1String(name));
    field->setAccessibleName(label);
    field->setToolTip(tip);
    connect(field, &QLineEdit::editingFinished, this,
            [this, field, member] { take(field, member); });
    return field;
}

/// A field with a button that asks for a file.
void NoiseFields::addFile(const QString& label, QLineEdit* field, const char* name,
                          const QString& tip) {
    const QByteArray button = QByteArray(name) + "File";
    QToolButton* const open =
        m_form.smallButton(button.constData(), {}, label, tr("Choose a file"));
    open->setText(QStringLiteral("..."));
    open->setAccessibleName(tr("%1: choose a file").arg(label));
    m_form.addRowWithButtons(label, tip, field, {open});
    connect(open, &QToolButton::clicked, this, [this, field] { choose(field); });
}

void NoiseFields::choose(QLineEdit* field) {
    auto* const dialog =
        new QFileDialog(&m_form, field->accessibleName(), Settings::folder(QStringLiteral("tilts")),
                        tr("Tilts (*.tlt *.rawtlt *.mdoc *.star *.xml *.defocus);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this, field](const QString& file) {
        Settings::rememberFolder(QStringLiteral("tilts"), file);
        field->setText(file);
        take(field, field == m_wedge ? &job::Preparation::wedge : &job::Preparation::ctf);
    });
    dialog->open();
}

void NoiseFields::take(QLineEdit* field, std::string job::Preparation::*member) {
    const std::string text = field->text().trimmed().toStdString();
    job::Preparation read;
    read.*member = text;
    try {
        job::requirePreparation(read);
    } catch (const base::Error& error) {
        QString sentence = inWindowWords(error);
        const QString option = QStringLiteral("--") + nameOf(member);
        m_texts.refuse(field, sentence.replace(option, field->accessibleName()));
        return;
    }
    m_texts.accept(field);
    const bool news = m_job.preparation.*member != text;
    m_job.preparation.*member = text;
    if (news) {
        showTemplate();
        Q_EMIT changed();
    }
}

void NoiseFields::read(job::Job& job) const { job.preparation = m_job.preparation; }

void NoiseFields::show() {
    const QSignalBlocker quietWhiten(m_whiten);
    const QSignalBlocker quietPolarity(m_polarity);
    const job::Preparation& now = m_job.preparation;
    for (const auto& [field, text] :
         {std::pair(m_band, now.band), std::pair(m_wedge, now.wedge), std::pair(m_ctf, now.ctf)}) {
        m_texts.accept(field);
        field->setText(toQString(text));
    }
    m_whiten->setChecked(now.whiten);
    m_polarity->setCurrentIndex(static_cast<int>(now.polarity));
    showTemplate();
}

bool NoiseFields::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Show) {
        showTemplate();
    }
    return FieldGroup::eventFilter(watched, event);
}

void NoiseFields::showTemplate() {
    const TemplateEntry* const templ = m_document.templ();
    if (!m_picture->isVisible()) {
        return;
    }
    if (templ == nullptr || !m_document.hasScene()) {
        m_work->cancel();
        m_shown.reset();
        showReason(tr("Shown once a template is there"));
        return;
    }
    const MaskEntry* const mask = m_document.mask();
    Shown next{m_job.preparation,        m_job.invert, m_document.spacing(),
               m_document.scene().image, templ->image, mask != nullptr ? mask->image : nullptr};
    if (m_shown && m_shown->same(next)) {
        return;
    }
    m_shown = next;
    m_work->cancel();
    job::Job now = m_job;
    now.spacing = next.spacing;
    m_work->start([this, now, next, scene = m_document.scene().image](const std::stop_token& stop) {
        std::shared_ptr<const job::PreparedTemplate> made;
        QString reason;
        try {
            made = job::preparedTemplate(now, scene, next.templ, next.mask, stop);
        } catch (const base::Error& error) {
            reason = inWindowWords(error);
        } catch (const std::bad_alloc&) {
            reason = tr("There is not enough memory for this picture");
        }
        return [this, made, reason] {
            if (made) {
                showPrepared(*made);
            } else if (!reason.isEmpty()) {
                showReason(reason);
            }
        };
    });
}

void NoiseFields::showPrepared(const job::PreparedTemplate& prepared) {
    m_picture->setPixmap(
        QPixmap::fromImage(thumbnailOf(base::AnyView(prepared.pixels.view()), kPictureSide)));
    m_spectrum->setPixmap(QPixmap::fromImage(greyOf(prepared.spectrum)));
    const QString text = toQString(job::preparationText(prepared.report));
    m_state->setText(text.isEmpty() ? tr("Compared as it is") : text);
    m_state->setToolTip(m_state->text());
}

void NoiseFields::showReason(const QString& reason) {
    m_picture->clear();
    m_spectrum->clear();
    m_state->setText(reason);
    m_state->setToolTip(reason);
}

} // namespace flcc::ui
