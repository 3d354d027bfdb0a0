#pragma once

#include <optional>

#include "ui/match/fields/field_group.h"

class QCheckBox;
class QLabel;

namespace flcc::ui {

class AngleDial;
class DirectionSphere;
class Document;

/// Rotations, scales and hands in which the templates are searched, and how many there are.
class PoseFields : public FieldGroup {
    Q_OBJECT

  public:
    PoseFields(FoldingForm& form, job::Job& job, OptionFields& options, Document& document);

    void read(job::Job& job) const; ///< after the options were read
    void show();
    /// Counts again: another template or spacing needs other rotations.
    void showCount();

  private:
    void addStatistics();
    void addCover();
    void addResume();
    void chooseFolder();
    [[nodiscard]] job::Poses poses() const; ///< as the fields say
    /// The search as its fields say, counted; empty where templates are searched as they are.
    [[nodiscard]] std::optional<job::PosesReport> counted() const;
    [[nodiscard]] bool isFlat() const;
    void showCover(const std::optional<job::PosesReport>& poses);

    OptionFields& m_options;
    Document& m_document;
    QCheckBox* m_statistics = nullptr;
    QLabel* m_count = nullptr;
    AngleDial* m_dial = nullptr;         ///< of images
    DirectionSphere* m_sphere = nullptr; ///< of volumes
};

} // namespace flcc::ui
