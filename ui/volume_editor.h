#pragma once

#include <QDialog>

class QComboBox;
class QSlider;

namespace flcc::ui {

class ViewsPanel;

/// The transfer function of the 3D view: a preset, the threshold below which nothing is drawn, and
/// the opacity. Changes show at once.
class VolumeEditor : public QDialog {
    Q_OBJECT

  public:
    explicit VolumeEditor(ViewsPanel& views, QWidget* parent = nullptr);

  private:
    void apply();

    ViewsPanel& m_views;
    QComboBox* m_look = nullptr;
    QSlider* m_threshold = nullptr;
    QSlider* m_opacity = nullptr;
};

} // namespace flcc::ui
