#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/pixels.h"
#include "engine/match/colour_map.h"
#include "viz/picture.h"

class vtkRenderWindow;
class vtkRenderer;

namespace flcc::viz {

/// A position on the screen in device pixels from the top left; whole numbers are the centres of
/// pixels.
struct DisplayPoint {
    double x = 0;
    double y = 0;
};

/// Grey values shown as black (low) and white (high).
struct GreyWindow {
    double low = 0;
    double high = 1;
    friend bool operator==(const GreyWindow&, const GreyWindow&) = default;
};

/// The window between two percentiles of the finite voxels, from about 250 000 of them; never
/// empty. **Cost**: milliseconds; call it once and share the window between views.
[[nodiscard]] GreyWindow autoWindow(const base::AnyView& view, double lowPercent = 0.2,
                                    double highPercent = 99.8);

/// How many of about 250 000 voxels lie in each of `bins` equal parts of the window; those outside
/// of it are left out. **Cost**: as autoWindow.
[[nodiscard]] std::vector<std::int64_t> histogramOf(const base::AnyView& view,
                                                    const GreyWindow& window, int bins);

/// Colours of a view that follow the program's palette.
struct ViewColours {
    match::Colour background{24, 26, 30};
    match::Colour text{235, 238, 242};
    match::Colour accent{255, 196, 61}; ///< template box, selected peak
    match::Colour crosshair{86, 204, 242};
    match::Colour region{105, 219, 124}; ///< the part of the scene that is searched
};

/// The accent of texts on a dark plate, which is the same on every background.
inline constexpr match::Colour kPlateAccent{255, 196, 61};

/// Peaks up to this number show it beside their box.
inline constexpr int kNumberedPeaks = 10;

/// The colour of peaks that do not count: rejected ones, and those below the threshold.
inline constexpr match::Colour kGreyMark{150, 150, 150};

/// A peak as it is drawn.
struct PeakMark {
    base::Point centre{0, 0, 0}; ///< scene voxels, sub-voxel
    double score = 0;
    int number = 0;               ///< shown beside the box when it is 1..kNumberedPeaks
    base::Extents templ{0, 0, 0}; ///< empty: the extents given with the list
    bool shaded = true;           ///< shade it with the template's support while it is selected
    int shape = -1;               ///< index of its TemplateShape; -1: none
    bool grey = false;            ///< grey instead of the colour of its score
    bool chosen = false;          ///< one of several that a person selected
    std::optional<match::Colour> colour{}; ///< of its own; empty: by grey and score
    /// Row-major: takes the template about its centre to where it lies. Its box and its surface are
    /// drawn so.
    std::optional<std::array<double, 9>> turn{};
};

/// The line of a drag over a slice that selects or sweeps peaks.
struct Stroke {
    std::vector<base::Point> path; ///< voxels
    bool closed = false;           ///< a lasso: its end is joined with its begin
};

/// A template as a view in 3D shows it at its peaks.
struct TemplateShape {
    std::shared_ptr<const base::AnyImage> pixels;
    std::shared_ptr<const base::Image<std::uint8_t>> support{}; ///< null: every voxel counts
};

/// A text, or a plate with bars and texts, that stands over a picture; edges in device pixels from
/// the top left of the view.
struct Label {
    std::string text; ///< of a plate: its name
    double left = 0;
    double top = 0;
    double right = 0;
    double bottom = 0;
};

/// A blob as it is drawn.
struct BlobMark {
    base::Point centre{};       ///< voxels
    double radius = 1;          ///< in the unit of `edges`
    base::Point edges{1, 1, 1}; ///< of a voxel
};
inline constexpr match::Colour kBlobColour{255, 196, 0};

/// Everything that VTK draws in one view, without a window. A host (a widget, a test) attaches a
/// render window, sets its size, calls prepare() before each Render(), and forwards the mouse.
///
/// **Threads**: the one that owns the window. **Errors**: const queries never throw.
class Scene {
  public:
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;
    virtual ~Scene();

    /// Adds the renderers to `window`; nullptr removes them. Detach before the window is destroyed,
    /// with the window's context current.
    void attach(vtkRenderWindow* window);
    [[nodiscard]] vtkRenderWindow* window() const;

    /// The view's size in device pixels, and device pixels per logical pixel (text and line width).
    void resize(int width, int height, double pixelRatio = 1.0);
    [[nodiscard]] int width() const { return m_width; }
    [[nodiscard]] int height() const { return m_height; }
    [[nodiscard]] double pixelRatio() const { return m_pixelRatio; }

    void setColours(const ViewColours& colours);
    [[nodiscard]] const ViewColours& colours() const { return m_colours; }

    /// Called whenever the picture is out of date; the host asks for a repaint.
    void setChangedListener(std::function<void()> listener);

    /// Brings every VTK object up to date; the host renders afterwards. Does nothing without a
    /// window.
    void prepare();

    /// Tells VTK that other code has changed the OpenGL state. The host calls this with the context
    /// current, before each Render() and before it blits.
    void takeOverGraphicsState();

    /// Renders the attached window and returns the picture. `clean` leaves out texts, bars and
    /// marks, makes the background transparent and everything else opaque.
    [[nodiscard]] Picture snapshot(bool clean = false);

    /// The voxel coordinates of a display position; empty when the position hits nothing (outside
    /// the image, or beside the volume).
    [[nodiscard]] virtual std::optional<base::Point> voxelAt(DisplayPoint display) const = 0;
    /// The display position of a point in voxel coordinates.
    [[nodiscard]] virtual DisplayPoint displayOf(const base::Point& voxel) const = 0;

    /// The labels that the last prepare() drew, the most important first. No two of them overlap: a
    /// label that finds no free place is left out.
    [[nodiscard]] virtual const std::vector<Label>& labels() const = 0;

    /// Draws blobs. The blob `selected`, an index into the list, is highlighted.
    virtual void setBlobs(std::vector<BlobMark> blobs,
                          std::optional<std::size_t> selected = {}) = 0;

    /// Shows the whole scene.
    virtual void fit() = 0;
    /// Magnifies by `factor` with `anchor` staying where it is.
    virtual void zoomAt(DisplayPoint anchor, double factor) = 0;
    /// Moves the picture by device pixels.
    virtual void pan(double dx, double dy) = 0;

  protected:
    Scene();
    void changed();
    [[nodiscard]] bool isClean() const { return m_clean; }

    virtual void addRenderers(vtkRenderWindow& window) = 0;
    virtual void removeRenderers(vtkRenderWindow& window) = 0;
    virtual void update() = 0;  ///< prepare()
    virtual void resized() = 0; ///< the size or the pixel ratio changed
    virtual void coloursChanged() = 0;

  private:
    vtkRenderWindow* m_window = nullptr;
    int m_width = 1;
    int m_height = 1;
    double m_pixelRatio = 1;
    bool m_clean = false;
    ViewColours m_colours;
    std::function<void()> m_listener;
};

} // namespace flcc::viz
