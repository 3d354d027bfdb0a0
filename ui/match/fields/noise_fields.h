#pragma once

#include <memory>
#include <optional>

#include "ui/match/fields/field_group.h"

class QLabel;

namespace flcc::ui {

class Document;
class LatestWork;

/// How templates and scene are prepared for noise, and the shown template as it is compared, with
/// its spectrum.
class NoiseFields : public FieldGroup {
    Q_OBJECT

  public:
    NoiseFields(FoldingForm& form, job::Job& job, OptionFields& options, Document& document);
    ~NoiseFields() override;

    /// Makes the pictures again where they are seen: for another template, mask, scene or spacing.
    void showTemplate();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void addFile(std::string_view option);
    void choose(std::string_view option, const QString& label);
    void showPrepared(const job::PreparedTemplate& prepared);
    void showReason(const QString& reason);

    OptionFields& m_options;
    Document& m_document;
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
