#pragma once

#include <QFrame>

#include <memory>
#include <variant>

#include "ui/bridge/scene_widget.h"
#include "viz/slice_scene.h"
#include "viz/volume_scene.h"

class QLabel;
class QSlider;
class QToolButton;

namespace flcc::ui {

/// One view with its title line and, for a stack, its slice slider. It shows a slice or the 3D
/// picture.
class ViewFrame : public QFrame {
    Q_OBJECT

  public:
    ViewFrame(std::shared_ptr<viz::SliceScene> scene, const QString& title, const QString& name,
              QWidget* parent = nullptr);
    ViewFrame(std::shared_ptr<viz::VolumeScene> scene, const QString& title, const QString& name,
              QWidget* parent = nullptr);

    [[nodiscard]] viz::SliceScene* slice() const { return m_slice.get(); }    ///< or null
    [[nodiscard]] viz::VolumeScene* volume() const { return m_volume.get(); } ///< or null
    [[nodiscard]] viz::Scene& scene() const;
    /// Null when this process cannot show OpenGL views.
    [[nodiscard]] SceneWidget* widget() const { return m_widget; }

    /// Updates slider and "n / N" from the scene.
    void updateSlice();
    void setNote(const QString& note); ///< text to the right of the title
    void setActive(bool active);
    void setMaximised(bool maximised);
    void setTitleVisible(bool visible);

  Q_SIGNALS:
    void sliceRequested(qint64 slice);
    void maximiseRequested();

  private:
    void build(std::shared_ptr<viz::Scene> scene, const QString& title, const QString& name);

    std::shared_ptr<viz::SliceScene> m_slice;
    std::shared_ptr<viz::VolumeScene> m_volume;
    SceneWidget* m_widget = nullptr;
    QWidget* m_header = nullptr;
    QLabel* m_title = nullptr;
    QLabel* m_note = nullptr;
    QToolButton* m_maximise = nullptr;
    QWidget* m_sliceRow = nullptr;
    QSlider* m_slider = nullptr;
    QLabel* m_sliceText = nullptr;
};

} // namespace flcc::ui
