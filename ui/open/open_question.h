#pragma once

#include <QString>

#include <functional>

class QWidget;

namespace flcc::ui {

class Document;

/// What happens to the work in the window when another scene is opened.
enum class OpenAs {
    New,           ///< templates, masks and results go
    Add,           ///< the file joins the list of scenes
    KeepTemplates, ///< the results go, the templates stay
};

/// Calls `then` at once if opening `name` would lose nothing; otherwise asks first, without
/// blocking the program. If the user cancels, `then` is not called. `canAdd`: the list of scenes
/// can grow. `running`: opening ends a run. `onlyNew`: neither Add nor KeepTemplates make sense.
void askBeforeOpening(QWidget& window, const Document& document, const QString& name, bool canAdd,
                      bool running, bool onlyNew, const std::function<void(OpenAs)>& then);

/// Asks whether to quit during a run; calls `quit` if the user wants that.
void askBeforeQuitting(QWidget& window, const std::function<void()>& quit);

} // namespace flcc::ui
