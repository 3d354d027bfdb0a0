#include "ui/window/application.h"

#include <new>

#include "ui/base/text.h"

namespace flcc::ui {

Application::Application(int& argc, char** argv)
    : QApplication(argc, argv), m_sentence(noMemoryText()) {}

bool Application::notify(QObject* receiver, QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride && activePopupWidget() != nullptr) {
        // Qt otherwise searches the shortcuts of the view behind an open menu first. The popup gets
        // the event before: the list of a combo box takes Return here.
        QApplication::notify(receiver, event);
        event->accept();
        return true;
    }
    try {
        return QApplication::notify(receiver, event);
    } catch (const std::bad_alloc&) {
    }
    try {
        Q_EMIT memoryFailed(m_sentence);
    } catch (const std::bad_alloc&) { // there is not enough even for a message
    }
    return false;
}

} // namespace flcc::ui
