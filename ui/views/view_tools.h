#pragma once

#include <QObject>
#include <QPoint>

#include <optional>
#include <set>
#include <vector>

#include "engine/base/extents.h"
#include "ui/bridge/scene_widget.h"
#include "ui/document/document.h"
#include "viz/slice_scene.h"
#include "viz/volume_scene.h"

namespace flcc::ui {

class ViewFrame;
class ViewsPanel;

/// The action of the left button in a view.
enum class Tool { Crosshair, Pan, GreyWindow, Box, Peaks, Mask, Lasso, Sweep };
enum class WheelMode { Automatic, Slice, Zoom };
enum class RightDrag { Zoom, GreyWindow };

/// A step of drawing with the tool Mask, in voxels of the scene.
struct MaskStroke {
    enum class Phase { Begin, Continue, End };
    Phase phase = Phase::Begin;
    base::Point from{0, 0, 0}; ///< where the button was pressed
    base::Point last{0, 0, 0}; ///< of the step before
    base::Point to{0, 0, 0};
    base::Box box;      ///< spanned from `from` to `to`
    bool erase = false; ///< Ctrl is held
};

/// Turns mouse and arrow keys in the views into changes of the views and the document.
class ViewTools : public QObject {
    Q_OBJECT

  public:
    ViewTools(Document& document, ViewsPanel& views, QObject* parent = nullptr);

    void setTool(Tool tool);
    [[nodiscard]] Tool tool() const { return m_tool; }
    void setWheelMode(WheelMode mode) { m_wheelMode = mode; }
    void setRightDrag(RightDrag mode) { m_rightDrag = mode; }

    /// Moves the box (template box tool) or the crosshair (other tools) by voxels to the right and
    /// down in the active view.
    void nudge(int right, int down);

  Q_SIGNALS:
    void toolChanged(flcc::ui::Tool tool);
    /// The voxel position under the cursor; empty outside the scene.
    void hovered(const std::optional<flcc::base::Point>& voxel);
    void contextMenuRequested(const QPoint& globalPosition);
    void maskDrawn(const flcc::ui::MaskStroke& stroke);
    /// A Ctrl+click with the tool Peaks, where no peak is.
    void peakPlaced(const flcc::base::Point& voxel);
    /// A line was drawn around peaks of the shown result with the tool Lasso. `more`: with Ctrl,
    /// they add to those that are selected.
    void peaksLassoed(const std::vector<int>& peaks, bool more);
    /// A drag with the tool Sweep went over peaks. `back`: with Ctrl, it takes rejections back.
    void peaksSwept(const std::vector<int>& peaks, bool back);
    /// A click with the tool Template box.
    void objectClicked(const flcc::base::Index& voxel);
    /// That click was the first of a double click.
    void objectClickWithdrawn();
    /// A handle of the clip of the 3D view was dragged; `done`: the button was released.
    void regionDragged(const flcc::base::Box& region, bool done);

  private:
    enum class Drag {
        None,
        Pan,
        Zoom,
        GreyWindow,
        Crosshair,
        BoxPart,
        BoxSpan,
        Mask,
        Lasso,
        Sweep,
        Rotate,
        Clip,
        Menu
    };
    struct State {
        Drag drag = Drag::None;
        ViewFrame* frame = nullptr;
        viz::DisplayPoint start;
        viz::DisplayPoint last;
        base::Point from{0, 0, 0};
        base::Point lastPoint{0, 0, 0}; ///< of a mask
        bool erase = false;
        std::vector<base::Point> line; ///< of a lasso or a sweep
        std::set<int> swept;
        viz::BoxPart part = viz::BoxPart::None;
        std::optional<base::Box> box;
        std::optional<viz::ClipHandle> handle; ///< of the clip
        base::Point crosshair{0, 0, 0};        ///< before a handle is dragged
        viz::GreyWindow grey;
        int gesture = 0;
        bool moved = false;
    };

    void connectFrame(ViewFrame* frame);
    void press(ViewFrame* frame, const ScenePointer& pointer);
    void move(ViewFrame* frame, const ScenePointer& pointer);
    void release(ViewFrame* frame, const ScenePointer& pointer);
    void wheel(ViewFrame* frame, const SceneWheel& wheel);
    void beginLeft(ViewFrame* frame, const ScenePointer& pointer);
    void dragTo(ViewFrame* frame, const ScenePointer& pointer);
    void dragClip(const ViewFrame& frame, const ScenePointer& pointer, bool done);
    void dragBox(ViewFrame* frame, const ScenePointer& pointer);
    void drawMask(ViewFrame* frame, const ScenePointer& pointer, MaskStroke::Phase phase);
    void drawLine(ViewFrame* frame, const ScenePointer& pointer);
    void sweep(const ViewFrame& frame, const base::Point& from, const base::Point& to);
    void dropLine();
    void endLine(ViewFrame* frame, const ScenePointer& pointer, const State& state);
    void putCrosshair(ViewFrame* frame, const ScenePointer& pointer);
    void pick(ViewFrame* frame, const ScenePointer& pointer);
    void showCursor(ViewFrame* frame, const ScenePointer& pointer);
    [[nodiscard]] viz::BoxPart boxPartAt(const ViewFrame& frame, const ScenePointer& pointer) const;
    [[nodiscard]] std::int64_t newBoxDepth(const ViewFrame& frame, const base::Point& to) const;

    Document& m_document;
    ViewsPanel& m_views;
    Tool m_tool = Tool::Crosshair;
    WheelMode m_wheelMode = WheelMode::Automatic;
    RightDrag m_rightDrag = RightDrag::Zoom;
    State m_state;
    bool m_objectClicked = false; ///< by the last click
    double m_wheelRest = 0;
};

} // namespace flcc::ui
