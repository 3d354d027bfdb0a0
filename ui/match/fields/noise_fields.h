#pragma once

#include <memory>
#include <optional>

#include "ui/match/fields/field_group.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;

namespace flcc::ui {

class Document;
class LatestWork;
class TextFields;

/// How templates and scene are prepared for noise, and the shown template as it is compared, with
/// its spectrum.
class NoiseFields : public FieldGroup {
    Q_OBJECT

  public:
    NoiseFields(FoldingForm& form, job::Job& job, TextFields& texts, Document& document);
    ~NoiseFields() override;

    void read(job::Job& job) const;
    void show();
    /// Makes the pictures again where they are seen: for another template, mask, scene or spacing.
    void showTemplate();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QLineEdit* addText(const QString& label, const char* name, const QString& placeholder,
                       const QString& tip, std::string job::Preparation::*member);
    void addFile(const QString& label, QLineEdit* field, const char* name, const QString& tip);
    void take(QLineEdit* field, std::string job::Preparation::*member);
    void choose(QLineEdit* field);
    void showPrepared(const job::PreparedTemplate& prepared);
    void showReason(const QString& reason);

    TextFields& m_texts;
    Document& m_document;
    QLineEdit* m_band = nullptr;
    QCheckBox* m_whiten = nullptr;
    QLineEdit* m_wedge = nullptr;
    QLineEdit* m_ctf = nullptr;
    QComboBox* m_polarity = nullptr;
    QLabel* m_picture = nullptr;
    QLabel* m_spectrum = nullptr;
    QLabel* m_state = nullptr;
    /// What the pictures show, or soon will.
    struct Shown {
        job::Preparation preparation;
        bool invert = false;
        std::optional<base::Spacing> spacing;
        std::weak_ptr<const job::SceneImage> scene; ///< which may be large
        std::shared_ptr<const job::SceneImage> templ;
        std::shared_ptr<const job::MaskImage> mask;

        [[nodiscard]] bool same(const Shown& other) const;
    };
    std::optional<Shown> m_shown; ///< empty: nothing
    std::unique_ptr<LatestWork> m_work;
};

} // namespace flcc::ui
