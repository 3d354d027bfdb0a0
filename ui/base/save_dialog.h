#pragma once

#include <QString>

#include <functional>

class QWidget;

namespace flcc::ui {

/// What a dialog that saves one file asks.
struct SaveQuestion {
    QString title;
    QString filter;
    const char* name = ""; ///< object name of the dialog
    QString file;          ///< suggested name; its suffix is added to names without one
    const char* folder;    ///< purpose under which the folder is remembered
};

/// Asks for the name of a file to write. The suffix that is added follows the chosen filter.
void askFileName(QWidget* parent, const SaveQuestion& question,
                 const std::function<void(const QString& file)>& then);

/// Asks where to save. `save` writes the file and returns the sentence that says so; an exception
/// of it becomes a sentence. `say` receives either sentence, and whether saving failed.
void askWhereToSave(QWidget* parent, const SaveQuestion& question,
                    const std::function<QString(const QString& file)>& save,
                    const std::function<void(const QString& sentence, bool failed)>& say);

} // namespace flcc::ui
