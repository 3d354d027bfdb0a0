#pragma once

#include "ui/base/row_list.h"
#include "ui/document/document.h"

namespace flcc::ui {

/// The templates of a document, one row each: number, name, extents, and a button that removes the
/// template. The active template is checked; a click on another makes that one active.
class TemplateList : public RowList {
    Q_OBJECT

  public:
    explicit TemplateList(Document& document, QWidget* parent = nullptr);

  private:
    void rebuild();

    Document& m_document;
};

} // namespace flcc::ui
