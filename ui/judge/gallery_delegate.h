#pragma once

#include <QCache>
#include <QImage>
#include <QStyledItemDelegate>

#include <memory>

#include "ui/document/document.h"
#include "ui/judge/panel_picture.h"
#include "viz/scene.h"

namespace flcc::ui {

class PeaksFilter;
class PeaksModel;

/// Draws a peak as a picture of its panel, with rank, score and decision. Pictures are made when
/// they come into view, and kept in a cache.
class GalleryDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    GalleryDelegate(const Document& document, const PeaksFilter& rows, const PeaksModel& peaks,
                    QObject* parent);

    void setSide(int side); ///< of a panel, in logical pixels
    void setWindow(const viz::GreyWindow& window);
    void setCross(bool on);    ///< marks the centre of each panel
    void setTurned(bool on);   ///< panels of peaks with a pose lie as their template does
    void setOwnScale(bool on); ///< each picture has its own contrast
    void forget();             ///< the pictures belong to another scene or result

    /// The picture of a template, as one of a peak.
    [[nodiscard]] QImage templatePicture(int number, double ratio) const;
    void drawPanels(QPainter& painter, const QImage& picture, const QRect& room) const;
    /// Number of pictures that were made and kept.
    [[nodiscard]] int pictures() const { return static_cast<int>(m_pictures.count()); }
    [[nodiscard]] QSize cellSize(const QFont& font) const;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const override;

  private:
    [[nodiscard]] QImage pictureOf(const match::Peak& peak, double ratio) const;
    [[nodiscard]] QImage drawn(const BoxValues& values, const base::Extents& extents,
                               int side) const;
    [[nodiscard]] base::Extents largest() const;

    const Document& m_document;
    const PeaksFilter& m_rows;
    const PeaksModel& m_peaks;
    int m_side = 88;
    bool m_cross = false;
    bool m_turned = true;
    bool m_ownScale = false;
    viz::GreyWindow m_window;
    mutable QCache<QString, QImage> m_pictures; ///< by place, template and size
};

} // namespace flcc::ui
