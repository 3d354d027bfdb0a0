#pragma once

#include <QWidget>

#include "ui/data_model.h"

class QListView;

namespace flcc::ui {

/// Scenes, templates and results with thumbnails; a click on a template makes it the active one, on
/// a result shows it.
class DataPanel : public QWidget {
    Q_OBJECT

  public:
    explicit DataPanel(Document& document, QWidget* parent = nullptr);

  Q_SIGNALS:
    void sceneChosen(int scene); ///< one of several, to be shown

  private:
    DataModel* m_model = nullptr;
    QListView* m_list = nullptr;
};

} // namespace flcc::ui
