#pragma once

#include <QDialog>

#include <memory>

#include "viz/volume_scene.h"

class QComboBox;
class QFormLayout;
class QPushButton;
class QSlider;

namespace flcc::ui {

class TransferCurve;
class ViewsPanel;

/// The transfer function of the 3D view: a preset, the threshold below which nothing is drawn, the
/// opacity, and the curve of opacity and colour over the histogram of the scene. Changes show at
/// once; a point that is moved makes the curve the user's own.
class VolumeEditor : public QDialog {
    Q_OBJECT

  public:
    explicit VolumeEditor(ViewsPanel& views, QWidget* parent = nullptr);

  private:
    void addCurve();
    void addSliders();
    void apply();
    void applyOwn(); ///< the curve as it is drawn
    void showTransfer(const viz::VolumeTransfer& transfer);
    void setTransfer(const viz::VolumeTransfer& transfer); ///< chosen here, and remembered
    void updateHistogram();
    void askColour();

    ViewsPanel& m_views;
    QFormLayout* m_form = nullptr;
    QComboBox* m_look = nullptr;
    QSlider* m_threshold = nullptr;
    QSlider* m_opacity = nullptr;
    TransferCurve* m_curve = nullptr;
    QPushButton* m_colour = nullptr;
    QPushButton* m_remove = nullptr;
    std::weak_ptr<const void> m_counted; ///< the pixels in the histogram
    viz::GreyWindow m_countedWindow;
};

} // namespace flcc::ui
