#pragma once

#include <QFrame>

#include <array>
#include <vector>

#include "ui/views/mask_painter.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace flcc::ui {

/// The options of the tool Mask, above the views while that tool is active.
class MaskBar : public QFrame {
    Q_OBJECT

  public:
    MaskBar(Document& document, MaskPainter& painter, QWidget* parent = nullptr);

  Q_SIGNALS:
    void saveRequested(bool scene);

  private:
    void build();
    void buildChoices();
    void buildNumbers();
    void buildButtons();
    void arrange();
    void connectFields();
    [[nodiscard]] std::vector<QDoubleSpinBox*> lengths() const;
    static void nameField(QWidget* widget, const char* object, const QString& text,
                          const QString& tip);
    QLabel* makeLabel(const QString& text, QWidget* buddy);
    void apply();
    void showFields();
    [[nodiscard]] MaskPainter::Shape shape() const;

    Document& m_document;
    MaskPainter& m_painter;
    QComboBox* m_target = nullptr;
    QComboBox* m_shape = nullptr;
    QToolButton* m_erase = nullptr;
    QLabel* m_radiusLabel = nullptr;
    QDoubleSpinBox* m_radius = nullptr;
    QLabel* m_heightLabel = nullptr;
    QDoubleSpinBox* m_height = nullptr;
    QLabel* m_sidesLabel = nullptr;
    std::array<QDoubleSpinBox*, 3> m_sides{};
    QLabel* m_softLabel = nullptr;
    QDoubleSpinBox* m_soft = nullptr;
    QLabel* m_lowLabel = nullptr;
    QLineEdit* m_low = nullptr;
    QLabel* m_highLabel = nullptr;
    QLineEdit* m_high = nullptr;
    QPushButton* m_apply = nullptr;
    QPushButton* m_invert = nullptr;
    QPushButton* m_clear = nullptr;
    QPushButton* m_save = nullptr;
};

} // namespace flcc::ui
