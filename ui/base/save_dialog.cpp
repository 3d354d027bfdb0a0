#include "ui/base/save_dialog.h"

#include <QFileDialog>
#include <QFileInfo>

#include <exception>

#include "ui/base/option_names.h"
#include "ui/base/settings.h"

namespace flcc::ui {

void askFileName(QWidget* parent, const SaveQuestion& question,
                 const std::function<void(const QString& file)>& then) {
    auto* dialog = new QFileDialog(
        parent, question.title, Settings::folder(QLatin1String(question.folder)), question.filter);
    dialog->setObjectName(QLatin1String(question.name));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QFileInfo(question.file).suffix());
    dialog->selectFile(question.file);
    QObject::connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        // "MHA (*.mha)": the first pattern's extension.
        const qsizetype star = filter.indexOf(QStringLiteral("*."));
        const qsizetype end = filter.indexOf(QChar(')'), star);
        if (star >= 0) {
            dialog->setDefaultSuffix(
                filter.mid(star + 2, end - star - 2).section(QChar(' '), 0, 0));
        }
    });
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, then);
    dialog->open();
}

void askWhereToSave(QWidget* parent, const SaveQuestion& question,
                    const std::function<QString(const QString& file)>& save,
                    const std::function<void(const QString& sentence, bool failed)>& say) {
    const QString folder = QLatin1String(question.folder);
    askFileName(parent, question, [save, say, folder](const QString& file) {
        try {
            const QString sentence = save(file);
            Settings::rememberFolder(folder, file);
            say(sentence, false);
        } catch (const std::exception& error) {
            say(inWindowWords(error), true);
        }
    });
}

} // namespace flcc::ui
