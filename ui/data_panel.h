#pragma once

#include <QWidget>

#include "ui/data_model.h"

class QListView;

namespace flcc::ui {

/// Scene, templates and results with thumbnails; a click on a template makes it the active one, on
/// a result shows it.
class DataPanel : public QWidget {
    Q_OBJECT

  public:
    explicit DataPanel(Document& document, QWidget* parent = nullptr);

  private:
    DataModel* m_model = nullptr;
    QListView* m_list = nullptr;
};

} // namespace flcc::ui
