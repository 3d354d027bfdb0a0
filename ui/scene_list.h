#pragma once

#include "ui/document.h"
#include "ui/row_list.h"

namespace flcc::ui {

/// The scenes of a document, one row each: number, name, what its last run found, a button that
/// removes it. The one in the views is checked; showing and removing are told by chosen() and
/// removed(), as pixels may have to be read for them.
class SceneList : public RowList {
    Q_OBJECT

  public:
    explicit SceneList(Document& document, QWidget* parent = nullptr);
    void refreshTheme() { rebuild(); }

  private:
    void rebuild();

    Document& m_document;
};

} // namespace flcc::ui
