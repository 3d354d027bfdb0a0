#pragma once

#include "ui/base/row_list.h"
#include "ui/document/document.h"

namespace flcc::ui {

/// The scenes of a document, one row each: number, name, result of the last run, and a button that
/// removes the scene. The shown scene is checked. The list emits chosen() and removed() instead of
/// changing the document, because pixels may have to be read first.
class SceneList : public RowList {
    Q_OBJECT

  public:
    explicit SceneList(Document& document, QWidget* parent = nullptr);

  private:
    void rebuild();

    Document& m_document;
};

} // namespace flcc::ui
