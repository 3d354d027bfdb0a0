#include "ui/open/image_questions.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/job/command_line.h"
#include "ui/base/text.h"

namespace flcc::ui {

namespace {

/// The box that a text names; nothing for another text.
std::optional<base::Box> partOf(const QString& text) {
    try {
        return job::parseBox(text.simplified().remove(QLatin1Char(' ')).toStdString());
    } catch (const base::Error&) {
        return std::nullopt;
    }
}

} // namespace

bool ImageQuestions::isSlide(const io::ImageInfo& info) { return info.format == "slide"; }

void ImageQuestions::askImage(
    QWidget& window, const std::filesystem::path& path, const std::vector<io::ImageChoice>& images,
    const std::function<void(std::optional<std::filesystem::path>)>& then) {
    std::error_code ignored;
    const bool series = std::filesystem::is_directory(path, ignored);
    auto* dialog = new QDialog(&window);
    dialog->setObjectName(QStringLiteral("imageDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(series ? tr("Which series?") : tr("Which dataset?"));
    auto* column = new QVBoxLayout(dialog);
    auto* text = new QLabel(
        (series ? tr("The folder %1 holds %2 series.") : tr("The file %1 holds %2 datasets."))
            .arg(pathText(path.has_filename() ? path.filename() : path))
            .arg(images.size()),
        dialog);
    text->setWordWrap(true);
    column->addWidget(text);
    auto* list = new QTreeWidget(dialog);
    list->setObjectName(QStringLiteral("imageList"));
    list->setAccessibleName(series ? tr("Series") : tr("Datasets"));
    list->setToolTip(tr("Choose one and press Return, or double-click it"));
    list->setRootIsDecorated(false);
    list->setHeaderLabels(series
                              ? QStringList{tr("Description"), tr("Slices"), tr("Size"), tr("Kind")}
                              : QStringList{tr("Path"), tr("Size (x first)"), tr("Type")});
    for (const io::ImageChoice& image : images) {
        QStringList cells{toQString(image.name)};
        if (series) {
            cells << QString::number(image.count);
        }
        cells << toQString(image.sizes).replace(QChar('x'), QStringLiteral(" × "))
              << toQString(image.kind);
        list->addTopLevelItem(new QTreeWidgetItem(cells));
    }
    list->setCurrentItem(list->topLevelItem(0));
    list->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    list->setMinimumSize(460, 180);
    column->addWidget(list);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, dialog);
    buttons->button(QDialogButtonBox::Open)->setObjectName(QStringLiteral("imageOpen"));
    column->addWidget(buttons);
    QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    QObject::connect(list, &QTreeWidget::itemActivated, dialog, &QDialog::accept);
    QObject::connect(dialog, &QDialog::accepted, &window, [list, images, then] {
        const int row = list->indexOfTopLevelItem(list->currentItem());
        then(row < 0 ? std::nullopt : std::optional(images[static_cast<std::size_t>(row)].path));
    });
    QObject::connect(dialog, &QDialog::rejected, &window, [then] { then(std::nullopt); });
    list->setFocus();
    dialog->open();
}

void ImageQuestions::askPart(QWidget& window, const std::filesystem::path& path,
                             const io::ImageInfo& info, const OpenChoice& known,
                             const std::function<void(std::optional<OpenChoice>)>& then) {
    auto* dialog = new QDialog(&window);
    dialog->setObjectName(QStringLiteral("choiceDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    // The images of a file have channels and frames of their own, so that the image comes first.
    const bool slide = isSlide(info);
    const bool images = slide || (info.images > 1 && !known.reading->image);
    dialog->setWindowTitle(slide    ? tr("Which level and part?")
                           : images ? tr("Which image?")
                                    : tr("Which channel and frame?"));
    auto* form = new QFormLayout(dialog);
    QString sentence =
        slide ? tr("%1 is a slide of %2 level(s); level %3 has %4. Choose the level to open, and "
                   "the part of it if it is too large.")
                    .arg(fileName(path))
                    .arg(info.images)
                    .arg(info.image)
                    .arg(sizeText(info.extents))
        : images ? tr("%1 holds %2 images; number %3 has %4. Choose which one to open. Images "
                      "count from 0.")
                       .arg(fileName(path))
                       .arg(info.images)
                       .arg(info.image)
                       .arg(sizeText(info.extents))
                 : tr("%1 has %2 channel(s) and %3 frame(s) of %4. Choose which one to open. "
                      "Channels and frames count from 0.")
                       .arg(fileName(path))
                       .arg(info.channels)
                       .arg(info.frames)
                       .arg(sizeText(info.extents));
    auto* text = new QLabel(withNotes(std::move(sentence), info.notes), dialog);
    text->setWordWrap(true);
    text->setMinimumWidth(360);
    form->addRow(text);
    const auto number = [dialog, form](const QString& label, const char* name, int count,
                                       std::optional<int> value) -> QSpinBox* {
        if (count <= 1) {
            return nullptr;
        }
        auto* field = new QSpinBox(dialog);
        field->setObjectName(QLatin1String(name));
        field->setAccessibleName(label);
        field->setToolTip(tr("%1, from 0 to %2").arg(label).arg(count - 1));
        field->setRange(0, count - 1);
        field->setValue(value.value_or(0));
        form->addRow(label, field);
        return field;
    };
    QSpinBox* image = number(slide ? tr("Level") : tr("Image"), "choiceImage",
                             images ? info.images : 1, info.image);
    QSpinBox* channel =
        number(tr("Channel"), "choiceChannel", images ? 1 : info.channels, known.channel);
    QSpinBox* frame = number(tr("Frame"), "choiceFrame", images ? 1 : info.frames, known.frame);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, dialog);
    form->addRow(buttons);
    QLineEdit* part = nullptr;
    if (slide) {
        part = new QLineEdit(dialog);
        part->setObjectName(QStringLiteral("choicePart"));
        part->setAccessibleName(tr("Part"));
        part->setPlaceholderText(tr("all"));
        part->setToolTip(tr("Corner and size in pixels of the level, X,Y:W,H, such as "
                            "2000,1500:1024,1024; empty: the whole level"));
        form->insertRow(form->rowCount() - 1, tr("Part"), part);
        QPushButton* open = buttons->button(QDialogButtonBox::Open);
        QObject::connect(part, &QLineEdit::textChanged, open, [open](const QString& box) {
            open->setEnabled(box.trimmed().isEmpty() || partOf(box));
        });
    }
    QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    QObject::connect(dialog, &QDialog::accepted, &window,
                     [image, part, channel, frame, reading = known.reading, then] {
                         OpenChoice choice;
                         choice.reading = reading;
                         if (image != nullptr) {
                             choice.reading->image = image->value();
                         }
                         if (part != nullptr) {
                             choice.reading->part = partOf(part->text());
                         }
                         if (channel != nullptr) {
                             choice.channel = channel->value();
                         }
                         if (frame != nullptr) {
                             choice.frame = frame->value();
                         }
                         then(choice);
                     });
    QObject::connect(dialog, &QDialog::rejected, &window, [then] { then(std::nullopt); });
    dialog->open();
}

} // namespace flcc::ui
