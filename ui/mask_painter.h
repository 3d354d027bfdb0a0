#pragma once

#include <QObject>

#include <cstdint>
#include <memory>
#include <optional>

#include "engine/job/mask_shape.h"
#include "ui/document.h"
#include "ui/view_tools.h"

namespace flcc::ui {

class LatestWork;

/// Draws masks of the template and of the scene with the mouse. Each stroke is one undo step. A
/// first stroke that adds starts with an empty mask, one that erases with a full one.
///
/// The mask of the template is drawn where the template is shown: in a template box of its size,
/// at the place where it was cut, or at the selected peak.
class MaskPainter : public QObject {
    Q_OBJECT

  public:
    enum class Target { Template, Scene };
    enum class Shape { Brush, Sphere, Box, Threshold };
    struct Settings {
        Target target = Target::Template;
        Shape shape = Shape::Brush;
        bool erase = false;
        double radius = 5; ///< voxels, of brush and sphere
        double soft = 0;   ///< voxels, of the sphere of a template
    };

    explicit MaskPainter(Document& document, QObject* parent = nullptr);

    void setSettings(const Settings& settings) { m_settings = settings; }
    [[nodiscard]] const Settings& settings() const { return m_settings; }

    void stroke(const MaskStroke& stroke);
    /// The sphere around the middle of the template, with the radius of the settings.
    void putSphere();
    /// Makes the voxels with values from `low` to `high` the mask, in the background.
    void putRange(double low, double high);
    void invert();
    void clear();
    /// The place of the template in the scene, or nothing.
    [[nodiscard]] std::optional<base::Box> place() const;

  Q_SIGNALS:
    void message(const QString& sentence);
    void radiusDrawn(double radius); ///< a drag has changed the radius of the sphere

  private:
    struct Canvas {
        std::shared_ptr<job::MaskImage> image;
        base::Index corner; ///< the scene voxel of its first voxel
    };
    [[nodiscard]] std::optional<base::Box> requirePlace();
    [[nodiscard]] std::optional<Canvas> makeCanvas(bool full);
    void commit(const std::shared_ptr<const job::MaskImage>& image, Target target);
    void draw(const MaskStroke& stroke);

    Document& m_document;
    LatestWork* m_work = nullptr;
    Settings m_settings;
    std::optional<Canvas> m_canvas;                 ///< of the current stroke
    std::shared_ptr<const job::MaskImage> m_before; ///< its start, for shapes that follow the mouse
    int m_gesture = 0;
    bool m_excludes = false; ///< the stroke makes a mask that leaves out all the rest
};

} // namespace flcc::ui
