#pragma once

#include <QListView>

namespace flcc::ui {

/// A list of pictures in rows, whose selection is that of a table: whole rows. It keeps its place
/// when the list is replaced.
class GalleryView : public QListView {
    Q_OBJECT

  public:
    explicit GalleryView(QWidget* parent = nullptr);

    void setModel(QAbstractItemModel* model) override;

  protected:
    [[nodiscard]] QItemSelectionModel::SelectionFlags
    selectionCommand(const QModelIndex& index, const QEvent* event) const override;

  private:
    int m_place = 0; ///< of the scroll bar before the model was reset
};

} // namespace flcc::ui
