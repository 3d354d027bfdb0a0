#pragma once

#include <QWidget>

#include "ui/document.h"

class QScrollArea;

namespace flcc::ui {

/// The templates of a document, one row each: number, name, extents, a button that removes it. The
/// active one is checked; a click on another one makes it active. Shows nothing for one template.
class TemplateList : public QWidget {
    Q_OBJECT

  public:
    explicit TemplateList(Document& document, QWidget* parent = nullptr);
    void refreshTheme();

  private:
    void rebuild();
    QWidget* makeRow(int index, QWidget* parent);

    Document& m_document;
    QScrollArea* m_area = nullptr;
};

} // namespace flcc::ui
