#pragma once

#include <QWidget>

#include <array>

#include "ui/document/document.h"

class QGridLayout;
class QLabel;
class QPushButton;
class QSpinBox;

namespace flcc::ui {

class BoxQualityView;

/// The template box as numbers: first voxel and size along each axis.
class BoxEditor : public QWidget {
    Q_OBJECT

  public:
    explicit BoxEditor(Document& document, QWidget* parent = nullptr);
    /// Whether the judgement of the box has its place, with a hint, while there is no box: the
    /// fields below then stay where they are when a box is drawn.
    void keepPlace(bool keep);
    /// The height that the judgement needs beside what is shown now.
    [[nodiscard]] int missingHeight() const;

  Q_SIGNALS:
    void cutRequested();
    void addRequested();

  private:
    void onSceneChanged();
    void nameFields();
    void arrange();
    void onBoxChanged();
    void apply();

    Document& m_document;
    std::array<QSpinBox*, 6> m_fields{}; ///< x y z w h d
    std::array<QLabel*, 6> m_labels{};
    QGridLayout* m_grid = nullptr;
    QLabel* m_size = nullptr;
    BoxQualityView* m_quality = nullptr;
    QLabel* m_hint = nullptr; ///< in its place while there is no box
    bool m_keepsPlace = false;
    QPushButton* m_cut = nullptr;
    /// Adds the box as another template; shown when there is a template.
    QPushButton* m_add = nullptr;
};

} // namespace flcc::ui
