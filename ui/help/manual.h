#pragma once

#include <QString>
#include <QUrl>

#include <vector>

class QWidget;

namespace flcc::ui {

/// A paragraph of a page, or a row of a table: its cells with a line break between them.
struct ManualParagraph {
    int position = 0; ///< position of its first character in the page's QTextDocument
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
    int offset = 0; ///< of the first search word, in the paragraph's text
    int length = 0; ///< length of that word
};

/// The manual in the program's resources. The first page is the index. The pages follow in the
/// order of the index's links.
class Manual {
  public:
    Manual();

    [[nodiscard]] const std::vector<ManualPage>& pages() const { return m_pages; }
    /// The number of the page at `url`; -1 if there is none.
    [[nodiscard]] int numberOf(const QUrl& url) const;
    [[nodiscard]] static QUrl urlOf(const QString& name);
    /// Finds all paragraphs that contain every word, in the order of the pages, without the index.
    /// Ignores case.
    [[nodiscard]] std::vector<ManualHit> search(const QString& words) const;
    /// The position of the first search word in the page's QTextDocument.
    [[nodiscard]] int positionOf(const ManualHit& hit) const;
    /// The text around a hit, for a list.
    [[nodiscard]] QString excerpt(const ManualHit& hit) const;

  private:
    [[nodiscard]] const ManualParagraph& paragraphOf(const ManualHit& hit) const;

    std::vector<ManualPage> m_pages;
};

/// Sets the page that explains `widget` and its children.
void setManualPage(QWidget& widget, const char* name);
/// The page that explains `widget`, or the nearest of its parents that has one; empty if none has.
[[nodiscard]] QString manualPageOf(const QWidget* widget);

} // namespace flcc::ui
