#include "ui/open/spacing_dialog.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/base/text.h"
#include "ui/document/document.h"
#include "ui/open/spacing_fields.h"

namespace flcc::ui {

void askSpacing(QWidget& window, Document& document) {
    if (!document.hasScene()) {
        return;
    }
    auto* dialog = new QDialog(&window);
    dialog->setObjectName(QStringLiteral("spacingDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(Document::tr("Set spacing"));
    auto* column = new QVBoxLayout(dialog);
    const job::SceneImage& scene = *document.scene().image;
    const QString several = document.scenes().size() > 1
                                ? Document::tr(" The spacing holds for all scenes of the list.")
                                : QString();
    auto* text = new QLabel(
        Document::tr(
            "%1 has the spacing %2. State another one if that is wrong or missing. Scale bar, "
            "positions, peaks and exports follow; scores do not depend on it.%3")
            .arg(document.scene().name, spacingText(scene.geometry, document.isVolume()), several),
        dialog);
    text->setWordWrap(true);
    text->setMinimumWidth(420);
    column->addWidget(text);
    auto* fields = new SpacingFields(dialog);
    fields->setVolume(document.isVolume());
    const base::Geometry now = document.geometry();
    fields->setSpacing({now.spacing, now.unit});
    column->addWidget(fields);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, dialog);
    QPushButton* set = buttons->button(QDialogButtonBox::Ok);
    set->setObjectName(QStringLiteral("spacingSet"));
    set->setText(Document::tr("Set"));
    set->setToolTip(Document::tr("States this spacing; Ctrl+Z takes it back"));
    QPushButton* own =
        buttons->addButton(Document::tr("Spacing of the file"), QDialogButtonBox::ResetRole);
    own->setObjectName(QStringLiteral("spacingOfFile"));
    own->setToolTip(Document::tr("Takes the spacing from the file again"));
    own->setEnabled(document.spacing().has_value());
    QPushButton* resolution =
        buttons->addButton(Document::tr("Resolution of the file"), QDialogButtonBox::ResetRole);
    resolution->setObjectName(QStringLiteral("spacingOfResolution"));
    resolution->setToolTip(Document::tr("Fills in the distance of pixels by the pixels per inch or "
                                        "centimetre that the file states"));
    resolution->setEnabled(scene.resolution.has_value() && !document.isVolume());
    column->addWidget(buttons);
    QObject::connect(resolution, &QPushButton::clicked, dialog,
                     [fields, millimetres = scene.resolution] {
                         fields->setSpacing({{(*millimetres)[0], (*millimetres)[1], 1}, "mm"});
                     });
    QObject::connect(fields, &SpacingFields::changed, dialog,
                     [set, fields] { set->setEnabled(fields->isValid()); });
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, [dialog, fields, &document] {
        if (fields->isValid()) {
            document.setSpacing(fields->spacing());
            dialog->accept();
        }
    });
    QObject::connect(own, &QPushButton::clicked, dialog, [dialog, &document] {
        document.setSpacing(std::nullopt);
        dialog->accept();
    });
    fields->setFocus();
    dialog->open();
}

} // namespace flcc::ui
