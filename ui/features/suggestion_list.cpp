#include "ui/features/suggestion_list.h"

#include <QIcon>
#include <QPixmap>

#include <utility>

#include "ui/base/text.h"
#include "ui/document/thumbnail.h"

namespace flcc::ui {
namespace {

constexpr int kIconSide = 64;

} // namespace

SuggestionList::SuggestionList(QWidget* parent) : QListWidget(parent) {
    setObjectName(QStringLiteral("blobSuggestions"));
    setAccessibleName(tr("Suggested templates"));
    setToolTip(tr("Boxes that a match can find well, the best first. Double-click cuts "
                  "the box as template"));
    setViewMode(QListView::IconMode);
    setIconSize({kIconSide, kIconSide});
    setResizeMode(QListView::Adjust);
    setMovement(QListView::Static);
    connect(this, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row >= 0 && row < static_cast<int>(m_suggestions.size())) {
            const features::Suggestion at = m_suggestions[static_cast<std::size_t>(row)];
            Q_EMIT chosen(at.box, m_blobs[at.blob].centre);
        }
    });
    connect(this, &QListWidget::itemDoubleClicked, this, [this] {
        const base::Box box = m_suggestions[static_cast<std::size_t>(currentRow())].box;
        Q_EMIT accepted(box); // the list may become another one meanwhile
    });
}

void SuggestionList::forget() {
    m_suggestions.clear();
    clear();
}

void SuggestionList::setSuggestions(std::vector<features::Suggestion> suggestions,
                                    std::vector<features::Blob> blobs, const base::AnyView& scene) {
    clear();
    m_suggestions = std::move(suggestions);
    m_blobs = std::move(blobs);
    for (const features::Suggestion& at : m_suggestions) {
        const base::AnyView part = base::partOf(scene, at.box);
        const QString text = tr("second %1").arg(at.second, 0, 'f', 2);
        auto* item = new QListWidgetItem(
            QIcon(QPixmap::fromImage(
                thumbnailOf(part, kIconSide).scaled(kIconSide, kIconSide, Qt::KeepAspectRatio))),
            text, this);
        item->setToolTip(tr("Box %1; strength %2; best score elsewhere %3; width of the peak %4 of "
                            "the box")
                             .arg(toQString(base::toString(at.box)))
                             .arg(m_blobs[at.blob].strength, 0, 'g', 4)
                             .arg(at.second, 0, 'f', 2)
                             .arg(at.width, 0, 'f', 2));
    }
}

} // namespace flcc::ui
