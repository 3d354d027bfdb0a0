#pragma once

#include <QObject>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "engine/job/mask_shape.h"
#include "ui/document/document.h"
#include "ui/views/view_tools.h"

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
    /// Cylinder and MiddleBox lie around the middle of a template.
    enum class Shape { Brush, Sphere, Cylinder, Box, MiddleBox, Threshold };
    struct Settings {
        Target target = Target::Template;
        Shape shape = Shape::Brush;
        bool erase = false;
        double radius = 5;  ///< voxels, of brush, sphere and cylinder
        double soft = 0;    ///< voxels, of shapes around the middle of a template
        double height = 10; ///< voxels, of the cylinder
        std::array<double, 3> sides{10, 10, 10}; ///< voxels, of the box around the middle

        /// A shape around the middle of the template, which a job can name.
        [[nodiscard]] bool inTheMiddle() const {
            return target == Target::Template &&
                   (shape == Shape::Sphere || shape == Shape::Cylinder ||
                    shape == Shape::MiddleBox);
        }
    };

    explicit MaskPainter(Document& document, QObject* parent = nullptr);

    void setSettings(const Settings& settings) { m_settings = settings; }
    [[nodiscard]] const Settings& settings() const { return m_settings; }

    void stroke(const MaskStroke& stroke);
    /// The shape of the settings around the middle of the template.
    void putShape();
    /// Makes the voxels with values from `low` to `high` the mask, in the background.
    void putRange(double low, double high);
    void invert();
    void clear();
    /// The place of the template in the scene, or nothing.
    [[nodiscard]] std::optional<base::Box> place() const;

  Q_SIGNALS:
    void message(const QString& sentence);
    void shapeDrawn(); ///< a drag has changed the lengths of a shape around the middle

  private:
    struct Canvas {
        std::shared_ptr<job::MaskImage> image;
        base::Index corner; ///< the scene voxel of its first voxel
    };
    [[nodiscard]] std::optional<base::Box> requirePlace();
    [[nodiscard]] std::optional<Canvas> makeCanvas(bool full);
    void commit(const std::shared_ptr<const job::MaskImage>& image, Target target);
    void draw(const MaskStroke& stroke);
    void drawMiddle(const MaskStroke& stroke);

    Document& m_document;
    LatestWork* m_work = nullptr;
    Settings m_settings;
    std::optional<Canvas> m_canvas;                 ///< of the current stroke
    std::shared_ptr<const job::MaskImage> m_before; ///< its start, for shapes that follow the mouse
    int m_gesture = 0;
    bool m_touched = false;  ///< the stroke changed a voxel
    bool m_excludes = false; ///< the stroke makes a mask that leaves out all the rest
};

} // namespace flcc::ui
