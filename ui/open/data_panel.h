#pragma once

#include <QWidget>

#include "ui/open/data_model.h"

class QListView;
class QMenu;

namespace flcc::ui {

/// Scenes, templates and results with thumbnails. A click on a template makes it active; a click on
/// a scene or a result shows it.
class DataPanel : public QWidget {
    Q_OBJECT

  public:
    explicit DataPanel(Document& document, QWidget* parent = nullptr);

  Q_SIGNALS:
    void sceneChosen(int scene); ///< the user clicked this scene to show it
    void resultChosen();         ///< the user clicked a result, which is shown now

    /// The menu of a scene opens; receivers add what can be done with scenes.
    void sceneMenuRequested(QMenu* menu);

  private:
    void askTitle(int result);

    Document& m_document;
    DataModel* m_model = nullptr;
    QListView* m_list = nullptr;
};

} // namespace flcc::ui
