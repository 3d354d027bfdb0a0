#include "viz/volume/slice_quad.h"

#include <algorithm>
#include <array>
#include <cmath>

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

#include "viz/pixels/grey_pixels.h"

namespace flcc::viz::detail {
namespace {

constexpr std::int64_t kTile = 4096;

void blend(std::uint8_t* pixel, const match::Colour& colour, double opacity) {
    for (std::size_t c = 0; c < 3; ++c) {
        pixel[c] = static_cast<std::uint8_t>(pixel[c] * (1 - opacity) + colour[c] * opacity + 0.5);
    }
}

} // namespace

struct SliceQuad::Tile {
    TexelRect shown;  ///< what its rectangle covers
    TexelRect stored; ///< with the neighbours that interpolation reads
    vtkNew<vtkImageData> picture;
    vtkNew<vtkTexture> texture;
    vtkNew<vtkPoints> points;
    vtkNew<vtkPolyData> corners;
    vtkNew<vtkPolyDataMapper> mapper;
    vtkNew<vtkActor> actor;

    Tile(const TexelRect& shownRect, const TexelRect& storedRect);
    void fill(const std::uint8_t* rgba, std::int64_t width);
};

SliceQuad::Tile::Tile(const TexelRect& shownRect, const TexelRect& storedRect)
    : shown(shownRect), stored(storedRect) {
    const std::int64_t width = stored.right - stored.left;
    const std::int64_t height = stored.bottom - stored.top;
    const vtkNew<vtkFloatArray> coordinates;
    coordinates->SetNumberOfComponents(2);
    coordinates->SetName("TextureCoordinates");
    const std::array<std::array<std::int64_t, 2>, 4> edges{{{shown.left, shown.top},
                                                            {shown.right, shown.top},
                                                            {shown.right, shown.bottom},
                                                            {shown.left, shown.bottom}}};
    for (const auto& [x, y] : edges) {
        points->InsertNextPoint(0, 0, 0);
        coordinates->InsertNextTuple2(
            static_cast<double>(x - stored.left) / static_cast<double>(width),
            static_cast<double>(y - stored.top) / static_cast<double>(height));
    }
    const vtkNew<vtkCellArray> cells;
    cells->InsertNextCell({0, 1, 2, 3});
    corners->SetPoints(points);
    corners->SetPolys(cells);
    corners->GetPointData()->SetTCoords(coordinates);
    mapper->SetInputData(corners);
    picture->SetDimensions(static_cast<int>(width), static_cast<int>(height), 1);
    picture->AllocateScalars(VTK_UNSIGNED_CHAR, 4);
    texture->SetInputData(picture);
    texture->SetColorModeToDirectScalars();
    texture->RepeatOff();
    texture->EdgeClampOn();
    texture->MipmapOn();
    texture->InterpolateOn();
    actor->SetMapper(mapper);
    actor->SetTexture(texture);
    actor->PickableOff();
    actor->ForceOpaqueOn();
    actor->GetProperty()->LightingOff();
    actor->GetShaderProperty()->AddFragmentShaderReplacement(
        "//VTK::TCoord::Impl", true,
        "//VTK::TCoord::Impl\n  if (tcolor.a < 0.5) { discard; }\n"
        "  gl_FragData[0] = vec4(tcolor.rgb, opacity);\n",
        false);
}

/// Takes its part of a slice `width` texels wide.
void SliceQuad::Tile::fill(const std::uint8_t* rgba, std::int64_t width) {
    auto* out = static_cast<std::uint8_t*>(picture->GetScalarPointer());
    const std::int64_t rowBytes = (stored.right - stored.left) * 4;
    for (std::int64_t y = stored.top; y < stored.bottom; ++y) {
        out = std::copy_n(rgba + (y * width + stored.left) * 4, rowBytes, out);
    }
    picture->Modified();
}

SliceQuad::SliceQuad(vtkRenderer& renderer, Orientation orientation)
    : m_renderer(renderer), m_axes(axesOf(orientation)) {}

SliceQuad::~SliceQuad() = default;
SliceQuad::SliceQuad(SliceQuad&&) noexcept = default;

void SliceQuad::setVisible(bool on) {
    m_visible = on;
    for (const auto& tile : m_tiles) {
        tile->actor->SetVisibility(on ? 1 : 0);
    }
}

/// New tiles for the width and height.
void SliceQuad::cut() {
    for (const auto& tile : m_tiles) {
        m_renderer.RemoveActor(tile->actor);
    }
    m_tiles.clear();
    const TexelRect all{0, 0, m_width, m_height};
    for (std::int64_t top = 0; top < m_height; top += kTile) {
        for (std::int64_t left = 0; left < m_width; left += kTile) {
            m_tiles.push_back(std::make_unique<Tile>(
                common({left, top, left + kTile, top + kTile}, all),
                common({left - 1, top - 1, left + kTile + 1, top + kTile + 1}, all)));
            m_renderer.AddActor(m_tiles.back()->actor);
        }
    }
    setVisible(m_visible);
}

void SliceQuad::update(const Content& content, std::int64_t slice) {
    const auto n = byAxis(base::extentsOf(content.image));
    if (n[m_axes.right] != m_width || n[m_axes.down] != m_height) {
        m_width = n[m_axes.right];
        m_height = n[m_axes.down];
        cut();
    }
    const auto texels = static_cast<std::size_t>(m_width * m_height);
    m_grey.resize(texels);
    greyPixels(content.image, m_axes, slice, content.window, TexelGrid::ofVoxels(m_width, m_height),
               {0, 0, m_width, m_height}, m_grey.data(), m_width);
    m_rgba.resize(4 * texels);
    for (std::size_t i = 0; i < texels; ++i) {
        std::fill_n(m_rgba.data() + 4 * i, 3, m_grey[i]);
        m_rgba[4 * i + 3] = content.clearBlack && m_grey[i] == 0 ? 0 : 255;
    }
    if (content.sceneSupport != nullptr) {
        tintOutside(*content.sceneSupport, slice);
    }
    if (content.map != nullptr) {
        blendMap(content, slice);
    }
    for (const base::Box& at : content.shaded) {
        shade(*content.templSupport, at, slice);
    }
    for (const auto& tile : m_tiles) {
        tile->fill(m_rgba.data(), m_width);
        place(*tile, content.aspect, slice);
    }
}

void SliceQuad::place(Tile& tile, const base::Point& aspect, std::int64_t slice) const {
    const TexelRect& r = tile.shown;
    for (vtkIdType corner = 0; corner < 4; ++corner) {
        std::array<double, 3> at{};
        const std::int64_t x = corner == 1 || corner == 2 ? r.right : r.left;
        const std::int64_t y = corner >= 2 ? r.bottom : r.top;
        at[m_axes.right] = (static_cast<double>(x) - 0.5) * aspect[m_axes.right];
        at[m_axes.down] = (static_cast<double>(y) - 0.5) * aspect[m_axes.down];
        at[m_axes.depth] = static_cast<double>(slice) * aspect[m_axes.depth];
        tile.points->SetPoint(corner, at.data());
    }
    tile.points->Modified();
    tile.corners->Modified();
}

void SliceQuad::blendMap(const Content& content, std::int64_t slice) {
    const ShownMap& map = *content.map;
    const auto n = byAxis(map.extents());
    const std::int64_t mapSlice = map.sliceAt(slice, m_axes.depth);
    if (mapSlice < 0 || mapSlice >= n[m_axes.depth]) {
        return;
    }
    const std::int64_t width = n[m_axes.right];
    const std::int64_t height = n[m_axes.down];
    m_map.resize(static_cast<std::size_t>(width * height * 4));
    map.pixels(m_axes, mapSlice, content.scale, content.colours, TexelGrid::ofVoxels(width, height),
               {0, 0, width, height}, m_map.data(), width * 4);
    std::uint8_t* const out = m_rgba.data();
    // Half-voxel offsets of even templates are rounded here; the slices show them exactly.
    const auto left = static_cast<std::int64_t>(std::floor(map.offset()[m_axes.right]));
    const auto top = static_cast<std::int64_t>(std::floor(map.offset()[m_axes.down]));
    const double opacity = content.opacity;
    // Placements beyond the edges lie outside of the slice, before its first voxel too.
    for (std::int64_t j = std::max<std::int64_t>(0, -top); j < std::min(height, m_height - top);
         ++j) {
        for (std::int64_t i = std::max<std::int64_t>(0, -left); i < std::min(width, m_width - left);
             ++i) {
            const std::uint8_t* texel = m_map.data() + (j * width + i) * 4;
            if (texel[3] == 0) {
                continue;
            }
            const match::Colour hatch =
                (i + j) / 4 % 2 == 0 ? match::kHatchLight : match::kHatchDark;
            std::uint8_t* pixel = out + ((j + top) * m_width + i + left) * 4;
            blend(pixel, texel[3] == 255 ? match::Colour{texel[0], texel[1], texel[2]} : hatch,
                  opacity);
        }
    }
}

void SliceQuad::tintOutside(const base::Image<std::uint8_t>& support, std::int64_t slice) {
    const std::array<std::int64_t, 3> strides{1, support.view().rowStride(),
                                              support.view().sliceStride()};
    for (std::int64_t j = 0; j < m_height; ++j) {
        const std::uint8_t* const row =
            support.data() + slice * strides[m_axes.depth] + j * strides[m_axes.down];
        for (std::int64_t i = 0; i < m_width; ++i) {
            if (row[i * strides[m_axes.right]] == 0) {
                blend(m_rgba.data() + (j * m_width + i) * 4, kOutside, kOutsideOpacity);
            }
        }
    }
}

void SliceQuad::shade(const base::Image<std::uint8_t>& support, const base::Box& at,
                      std::int64_t slice) {
    const std::array<std::int64_t, 3> strides{1, support.view().rowStride(),
                                              support.view().sliceStride()};
    const auto corner = byAxis(at.corner);
    const auto size = byAxis(at.extents);
    const std::int64_t depth = slice - corner[m_axes.depth];
    if (depth < 0 || depth >= size[m_axes.depth]) {
        return;
    }
    const std::int64_t left = corner[m_axes.right];
    const std::int64_t top = corner[m_axes.down];
    for (std::int64_t j = std::max<std::int64_t>(0, -top);
         j < std::min(size[m_axes.down], m_height - top); ++j) {
        const std::uint8_t* const row =
            support.data() + depth * strides[m_axes.depth] + j * strides[m_axes.down];
        for (std::int64_t i = std::max<std::int64_t>(0, -left);
             i < std::min(size[m_axes.right], m_width - left); ++i) {
            const double opacity = shadeOf(row[i * strides[m_axes.right]]);
            if (opacity > 0) {
                blend(m_rgba.data() + ((j + top) * m_width + i + left) * 4, kTemplateShade,
                      opacity);
            }
        }
    }
}

} // namespace flcc::viz::detail
