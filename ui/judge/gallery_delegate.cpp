#include "ui/judge/gallery_delegate.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

#include "ui/base/theme.h"
#include "ui/results/peaks_model.h"

namespace flcc::ui {
namespace {

constexpr int kPadding = 5;
constexpr int kPanelGap = 2;
constexpr int kMostPictures = 4000;

} // namespace

GalleryDelegate::GalleryDelegate(const Document& document, const PeaksFilter& rows,
                                 const PeaksModel& peaks, QObject* parent)
    : QStyledItemDelegate(parent), m_document(document), m_rows(rows), m_peaks(peaks),
      m_pictures(kMostPictures) {}

void GalleryDelegate::setSide(int side) { m_side = side; }

void GalleryDelegate::setWindow(const viz::GreyWindow& window) {
    if (window.low != m_window.low || window.high != m_window.high) {
        m_window = window;
        forget();
    }
}

void GalleryDelegate::setCross(bool on) { m_cross = on; }

void GalleryDelegate::setTurned(bool on) {
    m_turned = on;
    forget();
}

void GalleryDelegate::setOwnScale(bool on) {
    m_ownScale = on;
    forget();
}

QImage GalleryDelegate::drawn(const BoxValues& values, const base::Extents& extents,
                              int side) const {
    return boxPicture(values, extents, m_ownScale ? ownWindow(values, extents, side) : m_window,
                      side, accents().card.rgb());
}

void GalleryDelegate::forget() { m_pictures.clear(); }

base::Extents GalleryDelegate::largest() const {
    base::Extents most{1, 1, 1};
    if (const ResultEntry* result = m_document.result()) {
        for (const auto& templ : result->job->templates) {
            const base::Extents each = templ->extents();
            most = {std::max(most.x, each.x), std::max(most.y, each.y), std::max(most.z, each.z)};
        }
    }
    return most;
}

QImage GalleryDelegate::templatePicture(int number, double ratio) const {
    const ResultEntry* result = m_document.result();
    if (result == nullptr || number >= static_cast<int>(result->job->templates.size())) {
        return {};
    }
    const auto& templ = result->job->templates[static_cast<std::size_t>(number)];
    return drawn(valuesOf(base::viewOf(templ->pixels), {{0, 0, 0}, templ->extents()}),
                 templ->extents(), static_cast<int>(std::lround(m_side * ratio)));
}

QImage GalleryDelegate::pictureOf(const match::Peak& peak, double ratio) const {
    const ResultEntry* result = m_document.result();
    if (result == nullptr || !m_document.hasScene()) {
        return {};
    }
    const int side = static_cast<int>(std::lround(m_side * ratio));
    const QString key = QStringLiteral("%1 %2 %3 %4 %5")
                            .arg(peak.corner.x)
                            .arg(peak.corner.y)
                            .arg(peak.corner.z)
                            .arg(peak.templ)
                            .arg(side);
    if (const QImage* known = m_pictures.object(key)) {
        return *known;
    }
    const auto& templ = result->job->templates[static_cast<std::size_t>(peak.templ)];
    const base::AnyView image = base::viewOf(m_document.scene().image->pixels);
    const base::Extents extents = templ->extents();
    const QImage made = drawn(m_turned && peak.pose
                                  ? turnedBack(image, peak, extents, result->job->geometry.spacing)
                                  : valuesOf(image, {peak.corner, extents}),
                              extents, side);
    m_pictures.insert(key, new QImage(made));
    return made;
}

QSize GalleryDelegate::cellSize(const QFont& font) const {
    const int panels = panelsOf(largest());
    return {panels * m_side + (panels - 1) * kPanelGap + 2 * kPadding,
            m_side + 2 * kPadding + QFontMetrics(font).height()};
}

QSize GalleryDelegate::sizeHint(const QStyleOptionViewItem& option,
                                const QModelIndex& /*index*/) const {
    return cellSize(option.font);
}

/// The panels of a picture side by side, each m_side along its edges.
void GalleryDelegate::drawPanels(QPainter& painter, const QImage& picture,
                                 const QRect& room) const {
    if (picture.isNull()) {
        return;
    }
    const int square = picture.height();
    for (int panel = 0; panel * square < picture.width(); ++panel) {
        painter.drawImage(
            QRect(room.left() + panel * (m_side + kPanelGap), room.top(), m_side, m_side), picture,
            QRect(panel * square, 0, square, square));
    }
}

void GalleryDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
    const int row = m_rows.mapToSource(index).row();
    if (row < 0 || row >= m_peaks.rowCount()) {
        return;
    }
    const match::Peak& peak = m_peaks.peaks()[static_cast<std::size_t>(row)];
    const match::Decision decision = m_peaks.decision(row);
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    painter->save();
    const QRect cell = option.rect.adjusted(1, 1, -1, -1);
    const QColor ink = decision == match::Decision::Keep     ? accents().good
                       : decision == match::Decision::Unsure ? accents().warning
                                                             : accents().muted;
    if (selected) {
        painter->fillRect(cell, option.palette.highlight());
    }
    const int panels = panelsOf(largest());
    const QRect room(cell.left() + kPadding - 1, cell.top() + kPadding - 1,
                     panels * m_side + (panels - 1) * kPanelGap, m_side);
    const QImage picture = pictureOf(peak, painter->device()->devicePixelRatio());
    painter->setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter->fillRect(room, accents().card);
    painter->setOpacity(decision == match::Decision::Reject ? 0.35 : 1);
    drawPanels(*painter, picture, room);
    painter->setOpacity(1);
    if (m_cross) {
        painter->setPen(accents().warning);
        for (int panel = 0; panel < panels; ++panel) {
            const QPoint middle(room.left() + panel * (m_side + kPanelGap) + m_side / 2,
                                room.center().y());
            painter->drawLine(middle - QPoint(6, 0), middle + QPoint(6, 0));
            painter->drawLine(middle - QPoint(0, 6), middle + QPoint(0, 6));
        }
    }
    if (decision != match::Decision::Undecided) {
        painter->setPen(QPen(ink, 2));
        painter->drawRect(room.adjusted(0, 0, -1, -1));
    }
    const QRect text(room.left(), room.bottom() + 2, room.width(), cell.bottom() - room.bottom());
    painter->setPen(selected                              ? option.palette.highlightedText().color()
                    : decision == match::Decision::Reject ? accents().muted
                                                          : option.palette.text().color());
    const QString word = PeaksModel::decisionText(decision);
    QString label = QStringLiteral("%1 · %2").arg(row + 1).arg(peak.score, 0, 'f', 3);
    if (option.fontMetrics.horizontalAdvance(label + QChar(' ') + word) > text.width()) {
        label = QStringLiteral("%1 · %2").arg(row + 1).arg(peak.score, 0, 'f', 2);
    }
    painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter, label);
    if (!word.isEmpty()) {
        if (!selected) {
            painter->setPen(ink);
        }
        const int left = option.fontMetrics.horizontalAdvance(label + QChar(' '));
        painter->drawText(text.adjusted(left, 0, 0, 0), Qt::AlignRight | Qt::AlignVCenter,
                          option.fontMetrics.elidedText(word, Qt::ElideRight, text.width() - left));
    }
    painter->restore();
}

} // namespace flcc::ui
