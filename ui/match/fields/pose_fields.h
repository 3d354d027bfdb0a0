#pragma once

#include <optional>

#include "ui/match/fields/field_group.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace flcc::ui {

class AngleDial;
class DirectionSphere;
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
    void addCover();
    void addResume();
    void chooseFolder();
    QLineEdit* addText(const QString& label, const char* name, const QString& placeholder,
                       const QString& tip, std::string job::Poses::*member);
    /// The search as its fields say, counted; empty where templates are searched as they are.
    [[nodiscard]] std::optional<job::PosesReport> counted() const;
    [[nodiscard]] bool isFlat() const;
    void showCover(const std::optional<job::PosesReport>& poses);
    void take(QLineEdit* field, std::string job::Poses::*member);

    TextFields& m_texts;
    Document& m_document;
    QLineEdit* m_rotations = nullptr;
    QLineEdit* m_symmetry = nullptr;
    QLineEdit* m_scales = nullptr;
    QCheckBox* m_mirror = nullptr;
    QCheckBox* m_refine = nullptr;
    QCheckBox* m_hands = nullptr;
    QCheckBox* m_statistics = nullptr;
    QCheckBox* m_yes = nullptr;
    QLineEdit* m_resume = nullptr;
    QToolButton* m_resumeOpen = nullptr;
    QComboBox* m_search = nullptr;
    QLabel* m_count = nullptr;
    AngleDial* m_dial = nullptr;         ///< of images
    DirectionSphere* m_sphere = nullptr; ///< of volumes
};

} // namespace flcc::ui
