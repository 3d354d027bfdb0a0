#include "viz/detail/tiled_plane.h"

#include <algorithm>

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

#include "engine/match/colour_map.h"

namespace flcc::viz::detail {
namespace {

constexpr std::int64_t kPlaneTile = 1024;

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

TexelRect common(const TexelRect& a, const TexelRect& b) {
    return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right),
            std::min(a.bottom, b.bottom)};
}

struct TiledPlane::Tile {
    TexelRect shown;  ///< what its rectangle covers
    TexelRect stored; ///< with the neighbours that interpolation reads
    TexelRect dirty;
    vtkNew<vtkImageData> image;
    vtkNew<vtkTexture> texture;
    vtkNew<vtkPolyData> corners;
    vtkNew<vtkPolyDataMapper> mapper;
    vtkNew<vtkActor> actor;
};

TiledPlane::TiledPlane(vtkRenderer& renderer, Kind kind, double depth)
    : m_renderer(renderer), m_kind(kind), m_depth(depth) {}

TiledPlane::~TiledPlane() { clear(); }

void TiledPlane::clear() {
    for (const auto& tile : m_tiles) {
        m_renderer.RemoveActor(tile->actor);
    }
    m_tiles.clear();
}

void TiledPlane::setShape(std::int64_t width, std::int64_t height,
                          const std::array<double, 2>& first, const std::array<double, 2>& step) {
    clear();
    m_first = first;
    m_step = step;
    const TexelRect all{0, 0, width, height};
    for (std::int64_t top = 0; top < height; top += kPlaneTile) {
        for (std::int64_t left = 0; left < width; left += kPlaneTile) {
            auto tile = std::make_unique<Tile>();
            tile->shown = common({left, top, left + kPlaneTile, top + kPlaneTile}, all);
            tile->stored =
                common({left - 1, top - 1, left + kPlaneTile + 1, top + kPlaneTile + 1}, all);
            tile->dirty = tile->stored;
            place(*tile);
            m_renderer.AddActor(tile->actor);
            m_tiles.push_back(std::move(tile));
        }
    }
    setVisible(m_visible);
    setOpacity(m_opacity);
    setInterpolated(m_interpolated);
    setPixelRatio(m_pixelRatio);
}

void TiledPlane::place(Tile& tile) const {
    const TexelRect& s = tile.stored;
    const auto storedWidth = static_cast<double>(s.right - s.left);
    const auto storedHeight = static_cast<double>(s.bottom - s.top);
    tile.image->SetDimensions(static_cast<int>(s.right - s.left),
                              static_cast<int>(s.bottom - s.top), 1);
    tile.image->AllocateScalars(VTK_UNSIGNED_CHAR, m_kind == Kind::Grey ? 1 : 4);
    tile.texture->SetInputData(tile.image);
    tile.texture->SetColorModeToDirectScalars();
    tile.texture->RepeatOff();
    tile.texture->EdgeClampOn();
    tile.texture->MipmapOn();

    const vtkNew<vtkPoints> points;
    const vtkNew<vtkFloatArray> coordinates;
    coordinates->SetNumberOfComponents(2);
    coordinates->SetName("TextureCoordinates");
    const TexelRect& r = tile.shown;
    const std::array<std::array<std::int64_t, 2>, 4> edges{
        {{r.left, r.top}, {r.right, r.top}, {r.right, r.bottom}, {r.left, r.bottom}}};
    for (const auto& [x, y] : edges) {
        points->InsertNextPoint((m_first[0] + static_cast<double>(x) - 0.5) * m_step[0],
                                (m_first[1] + static_cast<double>(y) - 0.5) * m_step[1], m_depth);
        coordinates->InsertNextTuple2(static_cast<double>(x - s.left) / storedWidth,
                                      static_cast<double>(y - s.top) / storedHeight);
    }
    const vtkNew<vtkCellArray> cells;
    cells->InsertNextCell({0, 1, 2, 3});
    tile.corners->SetPoints(points);
    tile.corners->SetPolys(cells);
    tile.corners->GetPointData()->SetTCoords(coordinates);
    tile.mapper->SetInputData(tile.corners);
    tile.actor->SetMapper(tile.mapper);
    tile.actor->SetTexture(tile.texture);
    tile.actor->PickableOff();
    tile.actor->GetProperty()->LightingOff();
    tile.actor->GetProperty()->SetColor(1, 1, 1);
    if (m_kind == Kind::Grey) {
        tile.actor->ForceOpaqueOn();
    } else {
        tile.actor->ForceTranslucentOn();
        tile.actor->GetShaderProperty()->AddFragmentShaderReplacement("//VTK::TCoord::Impl", true,
                                                                      hatchShader(), false);
    }
}

void TiledPlane::invalidate() {
    for (const auto& tile : m_tiles) {
        tile->dirty = tile->stored;
    }
}

void TiledPlane::invalidate(const TexelRect& rect) {
    for (const auto& tile : m_tiles) {
        const TexelRect part = common(rect, tile->stored);
        if (part.empty()) {
            continue;
        }
        TexelRect& d = tile->dirty;
        d = d.empty() ? part
                      : TexelRect{std::min(d.left, part.left), std::min(d.top, part.top),
                                  std::max(d.right, part.right), std::max(d.bottom, part.bottom)};
    }
}

void TiledPlane::update(const Fill& fill) {
    const std::int64_t texelBytes = m_kind == Kind::Grey ? 1 : 4;
    for (const auto& tile : m_tiles) {
        if (tile->dirty.empty()) {
            continue;
        }
        const TexelRect& s = tile->stored;
        const std::int64_t rowBytes = (s.right - s.left) * texelBytes;
        auto* texels = static_cast<std::uint8_t*>(tile->image->GetScalarPointer());
        fill(tile->dirty,
             texels + (tile->dirty.top - s.top) * rowBytes +
                 (tile->dirty.left - s.left) * texelBytes,
             rowBytes);
        tile->dirty = {};
        tile->image->Modified();
    }
}

void TiledPlane::setVisible(bool on) {
    m_visible = on;
    for (const auto& tile : m_tiles) {
        tile->actor->SetVisibility(on ? 1 : 0);
    }
}

void TiledPlane::setOpacity(double opacity) {
    m_opacity = opacity;
    for (const auto& tile : m_tiles) {
        tile->actor->GetProperty()->SetOpacity(opacity);
    }
}

void TiledPlane::setInterpolated(bool on) {
    m_interpolated = on;
    for (const auto& tile : m_tiles) {
        tile->texture->SetInterpolate(on ? 1 : 0);
    }
}

void TiledPlane::setPixelRatio(double ratio) {
    m_pixelRatio = ratio;
    if (m_kind == Kind::Colour) {
        for (const auto& tile : m_tiles) {
            tile->actor->GetShaderProperty()->GetFragmentCustomUniforms()->SetUniformf(
                "hatchWidth", static_cast<float>(4 * ratio));
        }
    }
}

} // namespace flcc::viz::detail
