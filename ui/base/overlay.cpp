#include "ui/base/overlay.h"

#include <QEvent>
#include <QLayout>
#include <QWidget>

#include <utility>

namespace flcc::ui {

Overlay::Overlay(QWidget& area, std::vector<QWidget*> bars)
    : QObject(&area), m_area(area), m_bars(std::move(bars)) {
    m_area.installEventFilter(this);
    for (QWidget* bar : m_bars) {
        bar->installEventFilter(this);
    }
}

bool Overlay::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
    case QEvent::Resize:
        if (watched == &m_area) {
            place();
        }
        break;
    case QEvent::ShowToParent:
    case QEvent::HideToParent:
    case QEvent::LayoutRequest:
        place();
        break;
    default:
        break;
    }
    return QObject::eventFilter(watched, event);
}

void Overlay::setOver(bool over) {
    m_over = over;
    place();
}

void Overlay::place() {
    const int width = m_area.width();
    int top = 0;
    for (QWidget* bar : m_bars) {
        if (bar->isHidden()) {
            continue;
        }
        const int height =
            bar->hasHeightForWidth() ? bar->heightForWidth(width) : bar->sizeHint().height();
        bar->setGeometry(0, top, width, height);
        bar->raise();
        top += height;
    }
    m_area.layout()->setContentsMargins(0, m_over ? 0 : top, 0, 0);
}

} // namespace flcc::ui
