#pragma once

#include <QListWidget>

#include <vector>

#include "engine/base/pixels.h"
#include "engine/features/suggest.h"

namespace flcc::ui {

/// Boxes that a match can find well, as pictures, the best first.
class SuggestionList : public QListWidget {
    Q_OBJECT

  public:
    explicit SuggestionList(QWidget* parent = nullptr);

    /// Shows suggestions that number `blobs` of a scene.
    void setSuggestions(std::vector<features::Suggestion> suggestions,
                        std::vector<features::Blob> blobs, const base::AnyView& scene);
    void forget(); ///< shows none
    [[nodiscard]] const std::vector<features::Suggestion>& suggestions() const {
        return m_suggestions;
    }

  Q_SIGNALS:
    /// A suggestion became the current one; `centre` is that of its blob.
    void chosen(const flcc::base::Box& box, const flcc::base::Point& centre);
    void accepted(const flcc::base::Box& box); ///< by a double-click

  private:
    std::vector<features::Suggestion> m_suggestions; ///< of `m_blobs`
    std::vector<features::Blob> m_blobs;
};

} // namespace flcc::ui
