#include "ui/match/fields/noise_fields.h"

#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QImage>
#include <QLabel>
#include <QPixmap>
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
#include "ui/match/fields/sections.h"

namespace flcc::ui {

namespace {

constexpr int kPictureSide = kThumbnailSide;

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

NoiseFields::NoiseFields(FoldingForm& form, job::Job& job, OptionFields& options,
                         Document& document)
    : FieldGroup(form, job), m_options(options), m_document(document),
      m_work(std::make_unique<LatestWork>()) {
    m_form.addSection(tr("Prepared for noise"), "Noise", false);
    for (const std::string_view option : optionsOf(Section::Noise)) {
        if (option == "wedge" || option == "ctf") {
            addFile(option);
        } else {
            m_options.addRow(m_form, option);
        }
    }
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
    connect(&m_options, &OptionFields::changed, this, [this](const QString& option) {
        if (std::ranges::count(optionsOf(Section::Noise), option.toStdString()) > 0) {
            showTemplate();
        }
    });
}

NoiseFields::~NoiseFields() = default;

bool NoiseFields::Shown::same(const Shown& other) const {
    const bool one = !scene.owner_before(other.scene) && !other.scene.owner_before(scene);
    return one && preparation == other.preparation && invert == other.invert &&
           spacing == other.spacing && templ == other.templ && mask == other.mask;
}

/// A field with a button that asks for a file.
void NoiseFields::addFile(std::string_view option) {
    QWidget* const field = m_options.make(option, &m_form);
    const QString label = field->accessibleName();
    const QByteArray button = QByteArray(option.data(), std::ssize(option)) + "File";
    QToolButton* const open =
        m_form.smallButton(button.constData(), {}, label, tr("Choose a file"));
    open->setText(QStringLiteral("..."));
    open->setAccessibleName(tr("%1: choose a file").arg(label));
    m_form.addRowWithButtons(label, field->toolTip(), field, {open});
    connect(open, &QToolButton::clicked, this, [this, option, label] { choose(option, label); });
}

void NoiseFields::choose(std::string_view option, const QString& label) {
    auto* const dialog =
        new QFileDialog(&m_form, label, Settings::folder(QStringLiteral("tilts")),
                        tr("Tilts (*.tlt *.rawtlt *.mdoc *.star *.xml *.defocus);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this, option](const QString& file) {
        Settings::rememberFolder(QStringLiteral("tilts"), file);
        m_options.write(option, file);
    });
    dialog->open();
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
    job::Job now = m_job;
    m_options.read(now);
    Shown next{now.preparation,          now.invert,   m_document.spacing(),
               m_document.scene().image, templ->image, mask != nullptr ? mask->image : nullptr};
    if (m_shown && m_shown->same(next)) {
        return;
    }
    m_shown = next;
    m_work->cancel();
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
