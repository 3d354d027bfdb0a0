#pragma once

#include <QWidget>

#include "ui/document/document.h"

class QAction;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QScrollArea;
class QSlider;
class QToolButton;

namespace flcc::ui {

class GalleryDelegate;
class GalleryView;
class PeaksPanel;
class ViewsPanel;

/// The peaks of the shown result as pictures, the templates pinned at the left. Its rows and its
/// selection are those of the table of peaks; contrast is that of the views.
class GalleryPanel : public QWidget {
    Q_OBJECT

  public:
    GalleryPanel(Document& document, PeaksPanel& peaks, ViewsPanel& views,
                 QWidget* parent = nullptr);

    /// The key of this action works in the gallery, too.
    void addKey(QAction* action);
    /// A button of this action above the pictures.
    void addButton(QAction* action);

  private:
    void buildBar();
    void buildList();
    [[nodiscard]] QToolButton* addSwitch(const char* name, const QString& text, const QString& tip);
    void followResult();
    void followContrast();
    void showTemplates();
    void sort();

    Document& m_document;
    PeaksPanel& m_peaks;
    ViewsPanel& m_views;
    GalleryDelegate* m_delegate = nullptr;
    GalleryView* m_list = nullptr;
    QScrollArea* m_pinned = nullptr; ///< holds m_templates
    QLabel* m_templates = nullptr;
    QComboBox* m_sort = nullptr;
    QToolButton* m_order = nullptr;
    QSlider* m_size = nullptr;
    QToolButton* m_cross = nullptr;
    QToolButton* m_turned = nullptr;
    QToolButton* m_ownScale = nullptr;
    QHBoxLayout* m_bar = nullptr;
};

} // namespace flcc::ui
