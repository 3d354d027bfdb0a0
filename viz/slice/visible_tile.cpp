#include "viz/slice/visible_tile.h"

#include <algorithm>
#include <string>
#include <utility>

#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkShaderProperty.h>
#include <vtkTexture.h>
#include <vtkUniforms.h>
#include <vtkUnsignedCharArray.h>

#include "engine/match/colour_map.h"

namespace flcc::viz::detail {
namespace {

std::string vec3(const match::Colour& colour) {
    std::string text = "vec3(";
    for (std::size_t i = 0; i < 3; ++i) {
        text += std::to_string(colour[i] / 255.0) + (i < 2 ? "," : ")");
    }
    return text;
}

/// After VTK has read the texel: hatch in the pixels of the screen, so that stripes stay in place
/// and keep their width whatever the zoom is.
std::string hatchShader() {
    return "//VTK::TCoord::Impl\n"
           "  if (tcolor.a < 0.25) { discard; }\n"
           "  if (tcolor.a < 0.75) {\n"
           "    float stripe = mod(floor((gl_FragCoord.x - gl_FragCoord.y) / hatchWidth), 2.0);\n"
           "    gl_FragData[0] = vec4(stripe < 0.5 ? " +
           vec3(match::kHatchLight) + " : " + vec3(match::kHatchDark) +
           ", opacity);\n"
           "  } else {\n"
           "    gl_FragData[0] = vec4(tcolor.rgb, opacity);\n"
           "  }\n";
}

} // namespace

struct VisibleTile::Quad {
    vtkNew<vtkImageData> image;
    vtkNew<vtkTexture> texture;
    vtkNew<vtkPoints> points;
    vtkNew<vtkFloatArray> coordinates;
    vtkNew<vtkPolyData> corners;
    vtkNew<vtkPolyDataMapper> mapper;
    vtkNew<vtkActor> actor;
    double depth = 0;
};

VisibleTile::VisibleTile(vtkRenderer& renderer, Kind kind, double depth)
    : m_renderer(renderer), m_kind(kind), m_quad(std::make_unique<Quad>()) {
    Quad& q = *m_quad;
    q.depth = depth;
    q.texture->SetInputData(q.image);
    q.texture->SetColorModeToDirectScalars();
    q.texture->RepeatOff();
    q.texture->EdgeClampOn();
    q.texture->InterpolateOff();
    q.coordinates->SetNumberOfComponents(2);
    q.coordinates->SetName("TextureCoordinates");
    q.coordinates->SetNumberOfTuples(4);
    q.points->SetNumberOfPoints(4);
    const vtkNew<vtkCellArray> cells;
    cells->InsertNextCell({0, 1, 2, 3});
    q.corners->SetPoints(q.points);
    q.corners->SetPolys(cells);
    q.corners->GetPointData()->SetTCoords(q.coordinates);
    q.mapper->SetInputData(q.corners);
    q.actor->SetMapper(q.mapper);
    q.actor->SetTexture(q.texture);
    q.actor->PickableOff();
    q.actor->GetProperty()->LightingOff();
    q.actor->GetProperty()->SetColor(1, 1, 1);
    // The planes are drawn in their order, and VTK blends by the shader's alpha in its pass of
    // opaque things, too. Its pass of translucent things would sort them by pixels of several
    // bytes, which costs as much again as all else in a software renderer.
    q.actor->ForceOpaqueOn();
    if (m_kind == Kind::Colour) {
        q.actor->GetShaderProperty()->AddFragmentShaderReplacement("//VTK::TCoord::Impl", true,
                                                                   hatchShader(), false);
    }
    setPixelRatio(1);
    q.actor->VisibilityOff();
    m_renderer.AddActor(q.actor);
}

VisibleTile::~VisibleTile() { m_renderer.RemoveActor(m_quad->actor); }

void VisibleTile::clear() {
    m_exists = false;
    m_texels = {};
    m_rect = {};
    m_dirty = true;
    m_quad->actor->VisibilityOff();
}

void VisibleTile::setShape(std::int64_t width, std::int64_t height,
                           const std::array<double, 2>& first) {
    clear();
    m_exists = width > 0 && height > 0;
    m_count = {width, height};
    m_first = first;
}

void VisibleTile::invalidate() { m_dirty = true; }

void VisibleTile::update(const PlaneView& view, const Fill& fill) {
    m_quad->actor->VisibilityOff();
    if (!m_exists || !m_visible) {
        return;
    }
    const std::array<std::array<double, 2>, 2> shown = view.visible();
    TexelGrid grid;
    std::array<std::int64_t, 2> low{};
    std::array<std::int64_t, 2> high{};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        TexelAxis& texels = axis == 0 ? grid.right : grid.down;
        texels.count = m_count[axis];
        const double perPixel = 1 / (view.zoom() * view.aspect()[axis]);
        if (perPixel > 1) {
            texels.pitch = perPixel;
            // The edges of texels are those of pixels: both count from the edge of the view's
            // voxel 0.
            texels.shift = -m_first[axis];
        }
        // From the outer edge of the plane's voxel 0; one texel more for interpolation.
        const double edge = m_first[axis] - 0.5;
        const auto count = static_cast<double>(m_count[axis]);
        low[axis] = std::max(texels.texelAt(shown[axis][0] - edge) - 1, texels.texelAt(0.5));
        high[axis] =
            std::min(texels.texelAt(shown[axis][1] - edge) + 2, texels.texelAt(count - 0.5) + 1);
    }
    const TexelRect rect{low[0], low[1], high[0], high[1]};
    if (rect.empty()) {
        return;
    }
    if (m_dirty || rect != m_rect || grid != m_grid) {
        refill(grid, rect, fill);
        place(view);
    }
    m_quad->actor->VisibilityOn();
}

void VisibleTile::refill(const TexelGrid& grid, const TexelRect& rect, const Fill& fill) {
    const std::int64_t texelBytes = m_kind == Kind::Grey ? 1 : 4;
    const std::int64_t width = rect.right - rect.left;
    const std::int64_t rowBytes = width * texelBytes;
    std::vector<std::uint8_t> texels(static_cast<std::size_t>(rowBytes * (rect.bottom - rect.top)));
    const auto fillPart = [&](const TexelRect& part) {
        if (!part.empty()) {
            fill(grid, part,
                 texels.data() + (part.top - rect.top) * rowBytes +
                     (part.left - rect.left) * texelBytes,
                 rowBytes);
        }
    };
    const TexelRect kept = m_dirty || grid != m_grid ? TexelRect{} : common(rect, m_rect);
    if (kept.empty()) {
        fillPart(rect);
    } else {
        const std::int64_t before = (m_rect.right - m_rect.left) * texelBytes;
        for (std::int64_t y = kept.top; y < kept.bottom; ++y) {
            std::copy_n(m_texels.data() + (y - m_rect.top) * before +
                            (kept.left - m_rect.left) * texelBytes,
                        (kept.right - kept.left) * texelBytes,
                        texels.data() + (y - rect.top) * rowBytes +
                            (kept.left - rect.left) * texelBytes);
        }
        fillPart({rect.left, rect.top, rect.right, kept.top});
        fillPart({rect.left, kept.top, kept.left, kept.bottom});
        fillPart({kept.right, kept.top, rect.right, kept.bottom});
        fillPart({rect.left, kept.bottom, rect.right, rect.bottom});
    }
    const vtkNew<vtkUnsignedCharArray> scalars;
    scalars->SetNumberOfComponents(static_cast<int>(texelBytes));
    scalars->SetArray(texels.data(), static_cast<vtkIdType>(texels.size()), 1);
    m_quad->image->SetDimensions(static_cast<int>(width), static_cast<int>(rect.bottom - rect.top),
                                 1);
    m_quad->image->GetPointData()->SetScalars(scalars);
    m_quad->image->Modified();
    m_texels = std::move(texels); // after VTK has let go of the old ones
    m_grid = grid;
    m_rect = rect;
    m_dirty = false;
}

void VisibleTile::place(const PlaneView& view) {
    std::array<std::array<double, 2>, 2> world{};
    std::array<std::array<double, 2>, 2> texture{};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const TexelAxis& texels = axis == 0 ? m_grid.right : m_grid.down;
        const auto first = static_cast<double>(axis == 0 ? m_rect.left : m_rect.top);
        const auto last = static_cast<double>(axis == 0 ? m_rect.right : m_rect.bottom);
        for (std::size_t end = 0; end < 2; ++end) {
            // Texels at the edge of the plane may reach beyond it.
            const double edge = std::clamp((end == 0 ? first : last) * texels.pitch + texels.shift,
                                           0.0, static_cast<double>(m_count[axis]));
            world[axis][end] = (edge + m_first[axis] - 0.5) * view.aspect()[axis];
            texture[axis][end] = ((edge - texels.shift) / texels.pitch - first) / (last - first);
        }
    }
    constexpr std::array<std::array<std::size_t, 2>, 4> kCorners{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
    for (std::size_t i = 0; i < 4; ++i) {
        const auto [x, y] = kCorners[i];
        m_quad->points->SetPoint(static_cast<vtkIdType>(i), world[0][x], world[1][y],
                                 m_quad->depth);
        m_quad->coordinates->SetTuple2(static_cast<vtkIdType>(i), texture[0][x], texture[1][y]);
    }
    m_quad->points->Modified();
    m_quad->coordinates->Modified();
    m_quad->corners->Modified();
}

void VisibleTile::setVisible(bool on) {
    m_visible = on;
    if (!on) {
        m_quad->actor->VisibilityOff();
    }
}

void VisibleTile::setOpacity(double opacity) { m_quad->actor->GetProperty()->SetOpacity(opacity); }

void VisibleTile::setInterpolated(bool on) { m_quad->texture->SetInterpolate(on ? 1 : 0); }

void VisibleTile::setPixelRatio(double ratio) {
    if (m_kind == Kind::Colour) {
        m_quad->actor->GetShaderProperty()->GetFragmentCustomUniforms()->SetUniformf(
            "hatchWidth", static_cast<float>(4 * ratio));
    }
}

} // namespace flcc::viz::detail
