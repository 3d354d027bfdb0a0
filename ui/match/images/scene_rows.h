#pragma once

#include "ui/match/fields/field_group.h"

class QToolButton;

namespace flcc::ui {

class Document;
class ElidedLabel;
class SceneList;

/// The scenes that are searched.
class SceneRows : public FieldGroup {
    Q_OBJECT

  public:
    SceneRows(FoldingForm& form, job::Job& job, Document& document);

    /// The list cannot change during a run, because the results belong to its entries.
    void show(bool running);

  Q_SIGNALS:
    void addRequested();
    void chosen(int scene);
    void removeRequested(int scene);

  private:
    Document& m_document;
    ElidedLabel* m_scene = nullptr;
    QToolButton* m_add = nullptr;
    SceneList* m_scenes = nullptr;
};

} // namespace flcc::ui
