#include "ui/views/view_tools.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/views/view_frame.h"
#include "ui/views/views_panel.h"

namespace flcc::ui {
namespace {

/// A press that moves less than this, in logical pixels, is a click.
constexpr double kClickDistance = 4;
constexpr double kZoomPerNotch = 1.2;
constexpr double kZoomPerPixel = 1.006;

base::Point rounded(const base::Point& point) {
    return {std::round(point[0]), std::round(point[1]), std::round(point[2])};
}

Qt::CursorShape cursorOf(viz::BoxPart part) {
    switch (part) {
    case viz::BoxPart::Inside:
        return Qt::SizeAllCursor;
    case viz::BoxPart::Left:
    case viz::BoxPart::Right:
        return Qt::SizeHorCursor;
    case viz::BoxPart::Top:
    case viz::BoxPart::Bottom:
        return Qt::SizeVerCursor;
    case viz::BoxPart::TopLeft:
    case viz::BoxPart::BottomRight:
        return Qt::SizeFDiagCursor;
    case viz::BoxPart::TopRight:
    case viz::BoxPart::BottomLeft:
        return Qt::SizeBDiagCursor;
    case viz::BoxPart::None:
        break;
    }
    return Qt::CrossCursor;
}

} // namespace

ViewTools::ViewTools(Document& document, ViewsPanel& views, QObject* parent)
    : QObject(parent), m_document(document), m_views(views) {
    for (ViewFrame* frame : m_views.frames()) {
        connectFrame(frame);
    }
    for (const auto signal : {&Document::resultShown, &Document::peaksReplaced}) {
        connect(&m_document, signal, this, &ViewTools::dropLine);
    }
}

/// The peaks of a lasso or a sweep have other numbers now.
void ViewTools::dropLine() {
    if (m_state.drag == Drag::Lasso || m_state.drag == Drag::Sweep) {
        m_state.frame->slice()->setStroke({});
        m_state = {};
        m_views.showSwept({}, false);
    }
}

void ViewTools::connectFrame(ViewFrame* frame) {
    SceneWidget* widget = frame->widget();
    if (widget == nullptr) {
        return;
    }
    connect(widget, &SceneWidget::pressed, this,
            [this, frame](const ScenePointer& pointer) { press(frame, pointer); });
    connect(widget, &SceneWidget::moved, this,
            [this, frame](const ScenePointer& pointer) { move(frame, pointer); });
    connect(widget, &SceneWidget::released, this,
            [this, frame](const ScenePointer& pointer) { release(frame, pointer); });
    connect(widget, &SceneWidget::doubleClicked, this, [this, frame](const ScenePointer& pointer) {
        if (pointer.button == Qt::LeftButton) {
            m_state = {};
            if (std::exchange(m_objectClicked, false) && m_document.isVolume()) {
                Q_EMIT objectClickWithdrawn();
            }
            m_views.maximise(frame);
        }
    });
    connect(widget, &SceneWidget::wheelTurned, this,
            [this, frame](const SceneWheel& turned) { wheel(frame, turned); });
    connect(widget, &SceneWidget::left, this, [this] { Q_EMIT hovered(std::nullopt); });
}

void ViewTools::setTool(Tool tool) {
    m_tool = tool;
    for (ViewFrame* frame : m_views.frames()) {
        if (frame->widget() != nullptr) {
            frame->widget()->setCursor(tool == Tool::Pan ? Qt::OpenHandCursor : Qt::CrossCursor);
        }
    }
    Q_EMIT toolChanged(tool);
}

void ViewTools::press(ViewFrame* frame, const ScenePointer& pointer) {
    if (!m_document.hasScene() || m_state.drag != Drag::None) {
        return;
    }
    m_state = {};
    m_objectClicked = false;
    m_state.frame = frame;
    m_state.start = pointer.display;
    m_state.last = pointer.display;
    m_state.grey = m_views.greyWindow();
    const bool shift = pointer.modifiers.testFlag(Qt::ShiftModifier);
    if (pointer.button == Qt::MiddleButton || (pointer.button == Qt::LeftButton && shift)) {
        m_state.drag = Drag::Pan;
    } else if (pointer.button == Qt::RightButton) {
        m_state.drag = Drag::Menu;
    } else if (pointer.button == Qt::LeftButton) {
        beginLeft(frame, pointer);
    }
}

void ViewTools::beginLeft(ViewFrame* frame, const ScenePointer& pointer) {
    if (frame->slice() == nullptr) {
        m_state.handle = frame->volume()->clipHandleAt(pointer.display);
        if (m_state.handle) {
            m_state.drag = Drag::Clip;
            m_state.box = frame->volume()->clipBox();
            m_state.crosshair = m_views.crosshair();
            m_state.gesture = m_document.newGesture();
            return;
        }
        m_state.drag = m_tool == Tool::Pan ? Drag::Pan : Drag::Rotate;
        return;
    }
    m_state.from = frame->slice()->planePointAt(pointer.display);
    switch (m_tool) {
    case Tool::Crosshair:
    case Tool::Peaks:
        m_state.drag = Drag::Crosshair;
        pick(frame, pointer);
        if (m_tool == Tool::Crosshair) {
            putCrosshair(frame, pointer);
        }
        break;
    case Tool::Pan:
        m_state.drag = Drag::Pan;
        break;
    case Tool::GreyWindow:
        m_state.drag = Drag::GreyWindow;
        break;
    case Tool::Box:
        m_state.gesture = m_document.newGesture();
        m_state.box = m_document.box();
        m_state.part = boxPartAt(*frame, pointer);
        m_state.drag = m_state.part == viz::BoxPart::None ? Drag::BoxSpan : Drag::BoxPart;
        break;
    case Tool::Mask:
        m_state.drag = Drag::Mask;
        m_state.erase = pointer.modifiers.testFlag(Qt::ControlModifier);
        m_state.lastPoint = m_state.from;
        drawMask(frame, pointer, MaskStroke::Phase::Begin);
        break;
    case Tool::Lasso:
    case Tool::Sweep:
        m_state.drag = m_tool == Tool::Lasso ? Drag::Lasso : Drag::Sweep;
        m_state.erase = pointer.modifiers.testFlag(Qt::ControlModifier);
        m_state.line = {m_state.from};
        break;
    }
}

void ViewTools::move(ViewFrame* frame, const ScenePointer& pointer) {
    Q_EMIT hovered(pointer.voxel);
    if (m_state.drag == Drag::None) {
        if (pointer.modifiers.testFlag(Qt::ShiftModifier) && pointer.buttons == Qt::NoButton) {
            putCrosshair(frame, pointer);
        }
        showCursor(frame, pointer);
        return;
    }
    const double ratio = frame->scene().pixelRatio();
    const double far =
        std::hypot(pointer.display.x - m_state.start.x, pointer.display.y - m_state.start.y);
    m_state.moved = m_state.moved || far >= kClickDistance * ratio;
    dragTo(frame, pointer);
    m_state.last = pointer.display;
}

void ViewTools::dragTo(ViewFrame* frame, const ScenePointer& pointer) {
    const double dx = pointer.display.x - m_state.last.x;
    const double dy = pointer.display.y - m_state.last.y;
    switch (m_state.drag) {
    case Drag::None:
        break;
    case Drag::Menu:
        if (m_state.moved) {
            m_state.drag = m_rightDrag == RightDrag::Zoom ? Drag::Zoom : Drag::GreyWindow;
        }
        break;
    case Drag::Pan:
        frame->scene().pan(dx, dy);
        break;
    case Drag::Zoom:
        frame->scene().zoomAt(m_state.start, std::pow(kZoomPerPixel, -dy));
        Q_EMIT m_views.viewChanged();
        break;
    case Drag::Rotate:
        if (m_state.moved) {
            frame->volume()->rotate(dx, dy);
        }
        break;
    case Drag::Clip:
        if (m_state.moved) {
            dragClip(*frame, pointer, false);
        }
        break;
    case Drag::GreyWindow: {
        // Right widens the window, up makes the picture brighter.
        const double width = m_state.grey.high - m_state.grey.low;
        const double level = (m_state.grey.high + m_state.grey.low) / 2 +
                             (pointer.display.y - m_state.start.y) * width / 300;
        const double wide = width * std::pow(1.01, pointer.display.x - m_state.start.x);
        m_views.setGreyWindow({level - wide / 2, level + wide / 2});
        break;
    }
    case Drag::Crosshair:
        if (m_tool == Tool::Crosshair) {
            putCrosshair(frame, pointer);
        }
        break;
    case Drag::BoxPart:
    case Drag::BoxSpan:
        if (m_state.moved) {
            dragBox(frame, pointer);
        }
        break;
    case Drag::Mask:
        drawMask(frame, pointer, MaskStroke::Phase::Continue);
        break;
    case Drag::Lasso:
    case Drag::Sweep:
        if (m_state.moved) {
            drawLine(frame, pointer);
        }
        break;
    }
}

std::int64_t ViewTools::newBoxDepth(const ViewFrame& frame, const base::Point& to) const {
    const viz::PlaneAxes axes = viz::axesOf(frame.slice()->orientation());
    const base::Extents extents = m_document.sceneExtents();
    const std::array<std::int64_t, 3> counts{extents.x, extents.y, extents.z};
    const double side = std::max(std::abs(to[axes.right] - m_state.from[axes.right]),
                                 std::abs(to[axes.down] - m_state.from[axes.down]));
    return std::clamp<std::int64_t>(std::llround(side) + 1, 1, counts[axes.depth]);
}

/// Moves a face of the template box or of the region, or the crosshair, through which the other
/// clips go.
void ViewTools::dragClip(const ViewFrame& frame, const ScenePointer& pointer, bool done) {
    const viz::VolumeScene& volume = *frame.volume();
    const viz::ClipHandle& handle = *m_state.handle;
    const double shift = volume.shiftAlong(handle, m_state.start, pointer.display);
    if (!m_state.box) {
        base::Point voxel = m_state.crosshair;
        voxel[handle.axis] = std::round(voxel[handle.axis] + shift);
        m_views.setCrosshair(voxel);
        return;
    }
    const base::Box box = volume.resizedClip(*m_state.box, handle, shift);
    if (volume.clip() == viz::VolumeClip::Box) {
        m_document.setBox(box, m_state.gesture);
    } else {
        Q_EMIT regionDragged(box, done);
    }
}

void ViewTools::dragBox(ViewFrame* frame, const ScenePointer& pointer) {
    const base::Point to = frame->slice()->planePointAt(pointer.display);
    if (m_state.drag == Drag::BoxPart && m_state.box) {
        m_document.setBox(frame->slice()->draggedBox(*m_state.box, m_state.part, m_state.from, to),
                          m_state.gesture);
    } else {
        m_document.setBox(frame->slice()->spannedBox(m_state.from, to, newBoxDepth(*frame, to)),
                          m_state.gesture);
    }
}

void ViewTools::drawMask(ViewFrame* frame, const ScenePointer& pointer, MaskStroke::Phase phase) {
    const base::Point to = frame->slice()->planePointAt(pointer.display);
    const MaskStroke stroke{phase,
                            m_state.from,
                            m_state.lastPoint,
                            to,
                            frame->slice()->spannedBox(m_state.from, to, newBoxDepth(*frame, to)),
                            m_state.erase};
    m_state.lastPoint = to;
    Q_EMIT maskDrawn(stroke);
}

/// Extends the line of a lasso or a sweep.
void ViewTools::drawLine(ViewFrame* frame, const ScenePointer& pointer) {
    const base::Point to = frame->slice()->planePointAt(pointer.display);
    if (m_state.drag == Drag::Sweep) {
        sweep(*frame, m_state.line.back(), to);
    }
    m_state.line.push_back(to);
    frame->slice()->setStroke({m_state.line, m_state.drag == Drag::Lasso});
}

/// Peaks under the stroke are shown as they will be, and decided on when the button is released.
void ViewTools::sweep(const ViewFrame& frame, const base::Point& from, const base::Point& to) {
    const std::size_t before = m_state.swept.size();
    for (const int peak : m_views.peaksAlong(frame, from, to)) {
        m_state.swept.insert(peak);
    }
    if (m_state.swept.size() > before) {
        m_views.showSwept(m_state.swept, m_state.erase);
    }
}

void ViewTools::endLine(ViewFrame* frame, const ScenePointer& pointer, const State& state) {
    frame->slice()->setStroke({});
    if (state.drag == Drag::Lasso) {
        if (state.moved) {
            Q_EMIT peaksLassoed(m_views.peaksInside(*frame, state.line), state.erase);
        } else {
            m_document.selectPeak(m_views.peakAt(*frame, pointer.display));
        }
        return;
    }
    std::set<int> swept = state.swept;
    const int under = state.moved ? -1 : m_views.peakAt(*frame, pointer.display);
    if (under >= 0) {
        swept.insert(under);
    }
    m_views.showSwept({}, false);
    Q_EMIT peaksSwept({swept.begin(), swept.end()}, state.erase);
}

void ViewTools::release(ViewFrame* frame, const ScenePointer& pointer) {
    const State state = m_state;
    if (state.drag == Drag::None || state.frame != frame) {
        return;
    }
    if (state.drag == Drag::Clip && state.moved) {
        dragClip(*frame, pointer, true);
    }
    if (state.drag == Drag::Mask) {
        drawMask(frame, pointer, MaskStroke::Phase::End);
    }
    m_state = {};
    if (state.drag == Drag::Lasso || state.drag == Drag::Sweep) {
        endLine(frame, pointer, state);
    }
    if ((state.drag == Drag::BoxSpan || state.drag == Drag::BoxPart) && state.moved) {
        m_views.showBox(state.drag == Drag::BoxSpan);
    }
    if (state.drag == Drag::Menu) {
        Q_EMIT contextMenuRequested(pointer.globalPosition.toPoint());
    } else if (state.drag == Drag::Rotate && !state.moved) {
        pick(frame, pointer);
    } else if ((state.drag == Drag::BoxPart || state.drag == Drag::BoxSpan) && !state.moved) {
        const base::Point at = rounded(frame->slice()->planePointAt(pointer.display));
        m_objectClicked = true;
        Q_EMIT objectClicked({static_cast<std::int64_t>(at[0]), static_cast<std::int64_t>(at[1]),
                              static_cast<std::int64_t>(at[2])});
    } else if (state.drag == Drag::Crosshair && m_tool == Tool::Peaks && !state.moved &&
               m_document.selectedPeak() < 0) {
        putCrosshair(frame, pointer);
        if (pointer.modifiers.testFlag(Qt::ControlModifier)) {
            Q_EMIT peakPlaced(m_views.crosshair());
        }
    }
    showCursor(frame, pointer);
}

void ViewTools::putCrosshair(ViewFrame* frame, const ScenePointer& pointer) {
    if (frame->slice() != nullptr) {
        m_views.setCrosshair(rounded(frame->slice()->planePointAt(pointer.display)));
    } else if (pointer.voxel) {
        m_views.setCrosshair(rounded(*pointer.voxel));
    }
}

void ViewTools::pick(ViewFrame* frame, const ScenePointer& pointer) {
    const int peak = m_views.peakAt(*frame, pointer.display);
    if (peak >= 0 || m_tool == Tool::Peaks) {
        m_document.selectPeak(peak);
    }
}

void ViewTools::showCursor(ViewFrame* frame, const ScenePointer& pointer) {
    if (frame->volume() != nullptr) {
        const bool handle = frame->volume()->clipHandleAt(pointer.display).has_value();
        frame->widget()->setCursor(handle                ? Qt::SizeAllCursor
                                   : m_tool == Tool::Pan ? Qt::OpenHandCursor
                                                         : Qt::CrossCursor);
    }
    if (m_tool == Tool::Box && frame->slice() != nullptr) {
        frame->widget()->setCursor(cursorOf(boxPartAt(*frame, pointer)));
    }
}

/// The part of the box that a drag takes. With Ctrl a drag spans a new box, also inside the old
/// one.
viz::BoxPart ViewTools::boxPartAt(const ViewFrame& frame, const ScenePointer& pointer) const {
    return pointer.modifiers.testFlag(Qt::ControlModifier)
               ? viz::BoxPart::None
               : frame.slice()->templateBoxPartAt(pointer.display);
}

void ViewTools::wheel(ViewFrame* frame, const SceneWheel& turned) {
    const bool ctrl = turned.modifiers.testFlag(Qt::ControlModifier);
    const bool stack = frame->slice() != nullptr && frame->slice()->sliceCount() > 1;
    const bool slices =
        m_wheelMode == WheelMode::Automatic ? stack : m_wheelMode == WheelMode::Slice;
    if (ctrl || !slices || !stack) {
        frame->scene().zoomAt(turned.display, std::pow(kZoomPerNotch, turned.steps));
        Q_EMIT m_views.viewChanged();
        return;
    }
    // Touchpads send parts of a notch: they add up to whole slices.
    m_wheelRest += turned.steps;
    const double whole = std::trunc(m_wheelRest);
    m_wheelRest -= whole;
    const bool shift = turned.modifiers.testFlag(Qt::ShiftModifier);
    m_views.setSlice(frame,
                     frame->slice()->slice() - static_cast<std::int64_t>(whole) * (shift ? 10 : 1));
}

void ViewTools::nudge(int right, int down) {
    const ViewFrame* frame = m_views.activeFrame();
    if (frame->slice() == nullptr || !m_document.hasScene()) {
        return;
    }
    const auto [flipRight, flipDown] = frame->slice()->flips();
    right = flipRight ? -right : right;
    down = flipDown ? -down : down;
    const viz::PlaneAxes axes = viz::axesOf(frame->slice()->orientation());
    if (m_tool == Tool::Box && m_document.box()) {
        std::array<std::int64_t, 3> shift{0, 0, 0};
        shift[axes.right] = right;
        shift[axes.down] = down;
        base::Box box = *m_document.box();
        box.corner.x += shift[0];
        box.corner.y += shift[1];
        box.corner.z += shift[2];
        m_document.setBox(box);
        return;
    }
    base::Point voxel = m_views.crosshair();
    voxel[axes.right] += right;
    voxel[axes.down] += down;
    m_views.setCrosshair(voxel);
}

} // namespace flcc::ui
