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

/// What is offered beside a new scene.
struct OpenOffers {
    bool add = false;     ///< the list of scenes can grow
    bool keep = true;     ///< a template fits into what is opened
    bool running = false; ///< opening ends a run
    bool onlyNew = false; ///< neither Add nor KeepTemplates make sense
};

/// Calls `then` at once if opening `name` would lose nothing; otherwise asks first, without
/// blocking the program. If the user cancels, `then` is not called. Return takes the answer that
/// removes nothing.
void askBeforeOpening(QWidget& window, const Document& document, const QString& name,
                      const OpenOffers& offers, const std::function<void(OpenAs)>& then);

/// Asks whether to quit during a run; calls `quit` if the user wants that.
void askBeforeQuitting(QWidget& window, const std::function<void()>& quit);

} // namespace flcc::ui
