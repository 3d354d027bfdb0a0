#include "ui/help/manual.h"

#include <QFile>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextTable>
#include <QWidget>

#include <algorithm>

// Q_INIT_RESOURCE does not work inside a namespace.
static void initialiseManual() { Q_INIT_RESOURCE(manual); }

namespace flcc::ui {
namespace {

constexpr const char* kPageProperty = "manualPage";

QString textOf(const QString& name) {
    QFile file(QStringLiteral(":/manual/%1.md").arg(name));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// The row of the table that a block is in; -1 outside of tables.
int rowOf(const QTextBlock& block) {
    const QTextCursor cursor(block);
    const QTextTable* const table = cursor.currentTable();
    return table == nullptr ? -1 : table->cellAt(cursor).row();
}

ManualPage pageOf(const QString& name) {
    QTextDocument document;
    document.setMarkdown(textOf(name));
    ManualPage page;
    page.name = name;
    int lastRow = -1;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        if (page.title.isEmpty() && block.blockFormat().headingLevel() > 0) {
            page.title = block.text();
        }
        const int row = rowOf(block);
        if (row >= 0 && row == lastRow) {
            // Between two blocks of a document is one position.
            page.paragraphs.back().text += QChar('\n') + block.text();
        } else {
            page.paragraphs.push_back({block.position(), block.text()});
        }
        lastRow = row;
    }
    return page;
}

} // namespace

Manual::Manual() {
    initialiseManual();
    QStringList names{QStringLiteral("index")};
    static const QRegularExpression link(QStringLiteral("\\]\\(([a-z0-9-]+)\\.md\\)"));
    for (auto found = link.globalMatch(textOf(names.front())); found.hasNext();) {
        const QString name = found.next().captured(1);
        if (!names.contains(name)) {
            names.append(name);
        }
    }
    for (const QString& name : names) {
        m_pages.push_back(pageOf(name));
    }
}

QUrl Manual::urlOf(const QString& name) {
    return QUrl(QStringLiteral("qrc:/manual/%1.md").arg(name));
}

int Manual::numberOf(const QUrl& url) const {
    const auto found = std::ranges::find_if(m_pages, [&](const ManualPage& page) {
        return urlOf(page.name) == url.adjusted(QUrl::RemoveFragment);
    });
    return found == m_pages.end() ? -1 : static_cast<int>(found - m_pages.begin());
}

std::vector<ManualHit> Manual::search(const QString& words) const {
    std::vector<ManualHit> hits;
    const QStringList parts = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    if (parts.isEmpty()) {
        return hits;
    }
    for (std::size_t page = 1; page < m_pages.size(); ++page) {
        const std::vector<ManualParagraph>& paragraphs = m_pages[page].paragraphs;
        for (std::size_t i = 0; i < paragraphs.size(); ++i) {
            const QString& text = paragraphs[i].text;
            const bool all = std::ranges::all_of(parts, [&](const QString& part) {
                return text.contains(part, Qt::CaseInsensitive);
            });
            if (all) {
                hits.push_back(
                    {static_cast<int>(page), static_cast<int>(i),
                     static_cast<int>(text.indexOf(parts.front(), 0, Qt::CaseInsensitive)),
                     static_cast<int>(parts.front().size())});
            }
        }
    }
    return hits;
}

const ManualParagraph& Manual::paragraphOf(const ManualHit& hit) const {
    return m_pages[static_cast<std::size_t>(hit.page)]
        .paragraphs[static_cast<std::size_t>(hit.paragraph)];
}

int Manual::positionOf(const ManualHit& hit) const {
    return paragraphOf(hit).position + hit.offset;
}

QString Manual::excerpt(const ManualHit& hit) const {
    constexpr int kBefore = 24;
    constexpr int kLength = 90;
    const QString text = QString(paragraphOf(hit).text).replace(QChar('\n'), QChar(' '));
    int begin = std::max(0, hit.offset - kBefore);
    begin = begin == 0 ? 0 : static_cast<int>(text.indexOf(QLatin1Char(' '), begin)) + 1;
    begin = std::min(begin, hit.offset);
    int end = begin + kLength;
    end = end >= text.size() ? static_cast<int>(text.size())
                             : std::max(static_cast<int>(text.lastIndexOf(QLatin1Char(' '), end)),
                                        hit.offset + hit.length);
    return (begin > 0 ? QStringLiteral("… ") : QString()) + text.mid(begin, end - begin) +
           (end < text.size() ? QStringLiteral(" …") : QString());
}

void setManualPage(QWidget& widget, const char* name) {
    widget.setProperty(kPageProperty, QLatin1String(name));
}

QString manualPageOf(const QWidget* widget) {
    for (; widget != nullptr; widget = widget->parentWidget()) {
        if (const QString name = widget->property(kPageProperty).toString(); !name.isEmpty()) {
            return name;
        }
    }
    return {};
}

} // namespace flcc::ui
