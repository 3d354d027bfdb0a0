#pragma once

#include "ui/match/fields/field_group.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;

namespace flcc::ui {

class Document;
class TextFields;

/// Rotations, scales and hands in which the templates are searched, and how many there are.
class PoseFields : public FieldGroup {
    Q_OBJECT

  public:
    PoseFields(FoldingForm& form, job::Job& job, TextFields& texts, Document& document);

    void read(job::Job& job) const;
    void show();
    /// Counts again: another template or spacing needs other rotations.
    void showCount();

  private:
    QLineEdit* addText(const QString& label, const char* name, const QString& placeholder,
                       const QString& tip, std::string job::Poses::*member);
    [[nodiscard]] QString countText() const;
    void take(QLineEdit* field, std::string job::Poses::*member);

    TextFields& m_texts;
    Document& m_document;
    QLineEdit* m_rotations = nullptr;
    QLineEdit* m_symmetry = nullptr;
    QLineEdit* m_scales = nullptr;
    QCheckBox* m_mirror = nullptr;
    QCheckBox* m_refine = nullptr;
    QCheckBox* m_yes = nullptr;
    QComboBox* m_search = nullptr;
    QLabel* m_count = nullptr;
};

} // namespace flcc::ui
