#pragma once

#include "ui/match/fields/field_group.h"

class QToolButton;

namespace flcc::ui {

class Document;
class ElidedLabel;

/// Masks, and placements beyond the edges.
class EdgeFields : public FieldGroup {
    Q_OBJECT

  public:
    EdgeFields(FoldingForm& form, job::Job& job, OptionFields& options, Document& document);

    /// Shows the masks, and enables the fields that have an effect with them.
    void showMasks();

  Q_SIGNALS:
    void openMaskRequested();
    void openSceneMaskRequested();

  private:
    Document& m_document;
    OptionFields& m_options;
    ElidedLabel* m_mask = nullptr;
    QToolButton* m_openMask = nullptr;
    QToolButton* m_clearMask = nullptr;
    ElidedLabel* m_sceneMask = nullptr;
    QToolButton* m_openSceneMask = nullptr;
    QToolButton* m_clearSceneMask = nullptr;
};

} // namespace flcc::ui
