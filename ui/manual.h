#pragma once

#include <QString>
#include <QUrl>

#include <vector>

class QWidget;

namespace flcc::ui {

/// A paragraph of a page, or a row of a table: its cells with a line break between them.
struct ManualParagraph {
    int position = 0; ///< of its first character in the page's QTextDocument
    QString text;
};

/// A page of the manual.
struct ManualPage {
    QString name;  ///< the name of its file without ".md"
    QString title; ///< its first heading
    std::vector<ManualParagraph> paragraphs;
};

/// A paragraph that contains every word of a search.
struct ManualHit {
    int page = 0;
    int paragraph = 0;
    int offset = 0; ///< of the first searched word in the paragraph's text
    int length = 0; ///< of that word
};

/// The manual in the program's resources. The first page is the index; the pages that the index
/// links to follow in the order of its links.
class Manual {
  public:
    Manual();

    [[nodiscard]] const std::vector<ManualPage>& pages() const { return m_pages; }
    /// The number of the page at `url`; -1 if there is none.
    [[nodiscard]] int numberOf(const QUrl& url) const;
    [[nodiscard]] static QUrl urlOf(const QString& name);
    /// The paragraphs of all pages but the index, in their order. Case does not matter.
    [[nodiscard]] std::vector<ManualHit> search(const QString& words) const;
    /// Where the first searched word begins in the page's QTextDocument.
    [[nodiscard]] int positionOf(const ManualHit& hit) const;
    /// The words around a hit, for a list.
    [[nodiscard]] QString excerpt(const ManualHit& hit) const;

  private:
    [[nodiscard]] const ManualParagraph& paragraphOf(const ManualHit& hit) const;

    std::vector<ManualPage> m_pages;
};

/// Says which page explains `widget` and what is inside.
void setManualPage(QWidget& widget, const char* name);
/// The page that explains `widget`, or the nearest of its parents that has one; empty if none has.
[[nodiscard]] QString manualPageOf(const QWidget* widget);

} // namespace flcc::ui
