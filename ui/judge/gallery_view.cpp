#include "ui/judge/gallery_view.h"

#include <QScrollBar>

namespace flcc::ui {

GalleryView::GalleryView(QWidget* parent) : QListView(parent) {
    setFlow(QListView::LeftToRight);
    setWrapping(true);
    setResizeMode(QListView::Adjust);
    setUniformItemSizes(true); // 20 000 cells are laid out without asking for each size
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setMouseTracking(false);
}

void GalleryView::setModel(QAbstractItemModel* model) {
    QListView::setModel(model);
    connect(model, &QAbstractItemModel::modelAboutToBeReset, this,
            [this] { m_place = verticalScrollBar()->value(); });
    connect(
        model, &QAbstractItemModel::modelReset, this,
        [this] {
            doItemsLayout();
            verticalScrollBar()->setValue(m_place);
        },
        Qt::QueuedConnection);
}

QItemSelectionModel::SelectionFlags GalleryView::selectionCommand(const QModelIndex& index,
                                                                  const QEvent* event) const {
    return QListView::selectionCommand(index, event) | QItemSelectionModel::Rows;
}

} // namespace flcc::ui
