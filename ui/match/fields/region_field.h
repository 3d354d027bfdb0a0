#pragma once

#include <optional>

#include "engine/base/extents.h"
#include "ui/match/fields/field_group.h"

class QLineEdit;
class QToolButton;

namespace flcc::ui {

class Document;
class TextFields;

/// The part of the scene that is searched.
class RegionField : public FieldGroup {
    Q_OBJECT

  public:
    RegionField(FoldingForm& form, job::Job& job, TextFields& texts, Document& document);

    /// Searches this box of the scene only; empty: all of it.
    void set(const std::optional<base::Box>& region);
    void clear(); ///< the region of the scene before, without a signal
    /// `anew`: also in place of what is typed.
    void show(bool anew = false);

  Q_SIGNALS:
    void typed(const std::optional<flcc::base::Box>& region); ///< so far, for the views

  private:
    void read();

    TextFields& m_texts;
    Document& m_document;
    QLineEdit* m_region = nullptr;
    QToolButton* m_useBox = nullptr;
    QToolButton* m_clear = nullptr;
};

} // namespace flcc::ui
