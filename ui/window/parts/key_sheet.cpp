#include "ui/window/parts/key_sheet.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include <utility>
#include <vector>

#include "ui/base/actions.h"
#include "ui/base/theme.h"

namespace flcc::ui {
namespace {

/// What the mouse does in the views, for the key sheet.
std::vector<std::pair<QString, QString>> mouseGestures() {
    const auto tr = [](const char* text) { return KeySheet::tr(text); };
    return {
        {tr("Left drag"), tr("What the active tool does; rotates the 3D view")},
        {tr("Left click"), tr("Sets the crosshair or picks a peak; in 3D picks a peak")},
        {tr("Left click with tool 4"), tr("Fits the template box to the object under the cursor")},
        {tr("Ctrl+left drag with tool 4"), tr("Draws a new template box, also inside the old one")},
        {tr("Ctrl+left click with tool 5"), tr("Adds the peak nearest to the cursor")},
        {tr("Left drag with tool 7"), tr("Selects the peaks that it goes around; Ctrl: more")},
        {tr("Left drag with tool 8"),
         tr("Rejects the peaks that it passes; Ctrl: takes rejections back")},
        {tr("Middle drag, Shift+left drag"), tr("Moves the picture")},
        {tr("Right drag"), tr("Zooms (View > Right drag: window and level)")},
        {tr("Right click"), tr("Opens the menu of the view")},
        {tr("Double-click"), tr("Maximises the view, or shows all views again")},
        {tr("Wheel"), tr("Zooms an image; goes through the slices of a volume")},
        {tr("Shift+wheel"), tr("Goes ten slices in a volume")},
        {tr("Ctrl+wheel"), tr("Zooms at the cursor")},
        {tr("Shift+move"), tr("Moves the crosshair in all views")},
        {tr("Drop files"), tr("Opens them as scenes; with Shift as templates")}};
}

} // namespace

KeySheet::KeySheet(const Actions& actions, QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("keySheet"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Keys"));
    auto* list = new QWidget(this);
    auto* form = new QFormLayout(list);
    QFont bold = list->font();
    bold.setBold(true);
    const auto addRow = [form, list, &bold](const QString& keys, const QString& effect) {
        auto* key = new QLabel(keys, list);
        key->setFont(bold);
        auto* text = new QLabel(effect, list);
        text->setWordWrap(true);
        form->addRow(key, text);
    };
    const auto addHeading = [form, list](const QString& text) {
        auto* heading = new QLabel(text, list);
        heading->setForegroundRole(kMutedText);
        form->addRow(heading);
    };
    addHeading(tr("Mouse in a view"));
    for (const auto& [gesture, effect] : mouseGestures()) {
        addRow(gesture, effect);
    }
    addHeading(tr("Keys"));
    for (const QAction* action : actions.all()) {
        if (!action->shortcuts().isEmpty()) {
            addRow(QKeySequence::listToString(action->shortcuts(), QKeySequence::NativeText),
                   action->whatsThis());
        }
    }
    auto* note = new QLabel(tr("Single letters, digits and arrows work while a view has the "
                               "focus."),
                            this);
    note->setForegroundRole(kMutedText);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(list);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    QObject::connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(scroll, 1);
    layout->addWidget(note);
    layout->addWidget(buttons);
    resize(680, 640);
}

} // namespace flcc::ui
