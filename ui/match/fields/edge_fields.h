#pragma once

#include "ui/match/fields/field_group.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QToolButton;

namespace flcc::ui {

class Document;
class ElidedLabel;

/// Masks, and placements beyond the edges.
class EdgeFields : public FieldGroup {
    Q_OBJECT

  public:
    EdgeFields(FoldingForm& form, job::Job& job, Document& document);

    void read(job::Job& job) const;
    void show();
    /// Shows the masks, and enables the fields that have an effect with them.
    void showMasks();
    [[nodiscard]] bool inside() const; ///< only placements inside the scene get a score

  Q_SIGNALS:
    void openMaskRequested();
    void openSceneMaskRequested();

  private:
    Document& m_document;
    ElidedLabel* m_mask = nullptr;
    QToolButton* m_openMask = nullptr;
    QToolButton* m_clearMask = nullptr;
    ElidedLabel* m_sceneMask = nullptr;
    QToolButton* m_openSceneMask = nullptr;
    QToolButton* m_clearSceneMask = nullptr;
    QComboBox* m_extent = nullptr;
    QComboBox* m_outside = nullptr;
    QDoubleSpinBox* m_minOverlap = nullptr;
    QCheckBox* m_partialPeaks = nullptr;
};

} // namespace flcc::ui
