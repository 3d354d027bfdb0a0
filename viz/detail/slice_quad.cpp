#include "viz/detail/slice_quad.h"

#include <algorithm>
#include <cmath>

#include <vtkCellArray.h>
#include <vtkPointData.h>
#include <vtkProperty.h>

#include "viz/detail/grey_pixels.h"

namespace flcc::viz::detail {

SliceQuad::SliceQuad(Orientation orientation) : m_axes(axesOf(orientation)) {
    const vtkNew<vtkFloatArray> coordinates;
    coordinates->SetNumberOfComponents(2);
    coordinates->SetName("TextureCoordinates");
    for (const auto& [u, v] : {std::array{0.0, 0.0}, {1.0, 0.0}, {1.0, 1.0}, {0.0, 1.0}}) {
        m_points->InsertNextPoint(u, v, 0);
        coordinates->InsertNextTuple2(u, v);
    }
    const vtkNew<vtkCellArray> cells;
    cells->InsertNextCell({0, 1, 2, 3});
    m_corners->SetPoints(m_points);
    m_corners->SetPolys(cells);
    m_corners->GetPointData()->SetTCoords(coordinates);
    m_mapper->SetInputData(m_corners);
    m_texture->SetInputData(m_picture);
    m_texture->SetColorModeToDirectScalars();
    m_texture->RepeatOff();
    m_texture->EdgeClampOn();
    m_texture->MipmapOn();
    m_texture->InterpolateOn();
    m_actor->SetMapper(m_mapper);
    m_actor->SetTexture(m_texture);
    m_actor->PickableOff();
    m_actor->ForceOpaqueOn();
    m_actor->GetProperty()->LightingOff();
}

void SliceQuad::update(const Content& content, std::int64_t slice) {
    const auto n = byAxis(base::extentsOf(content.image));
    m_width = n[m_axes.right];
    m_height = n[m_axes.down];
    const auto texels = static_cast<std::size_t>(m_width * m_height);
    m_grey.resize(texels);
    greyPixels(content.image, m_axes, slice, content.window, {0, 0, m_width, m_height},
               m_grey.data(), m_width);
    const int* size = m_picture->GetDimensions();
    if (size[0] != m_width || size[1] != m_height || m_picture->GetScalarPointer() == nullptr) {
        m_picture->SetDimensions(static_cast<int>(m_width), static_cast<int>(m_height), 1);
        m_picture->AllocateScalars(VTK_UNSIGNED_CHAR, 3);
    }
    auto* out = static_cast<std::uint8_t*>(m_picture->GetScalarPointer());
    for (std::size_t i = 0; i < texels; ++i) {
        out[3 * i] = out[3 * i + 1] = out[3 * i + 2] = m_grey[i];
    }
    if (content.map != nullptr) {
        blendMap(content, slice);
    }
    m_picture->Modified();

    for (vtkIdType corner = 0; corner < 4; ++corner) {
        std::array<double, 3> at{};
        const bool last[2] = {corner == 1 || corner == 2, corner >= 2};
        at[m_axes.right] =
            ((last[0] ? static_cast<double>(m_width) : 0.0) - 0.5) * content.aspect[m_axes.right];
        at[m_axes.down] =
            ((last[1] ? static_cast<double>(m_height) : 0.0) - 0.5) * content.aspect[m_axes.down];
        at[m_axes.depth] = static_cast<double>(slice) * content.aspect[m_axes.depth];
        m_points->SetPoint(corner, at.data());
    }
    m_points->Modified();
    m_corners->Modified();
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
    map.pixels(m_axes, mapSlice, content.scale, content.colours, {0, 0, width, height},
               m_map.data(), width * 4);
    auto* out = static_cast<std::uint8_t*>(m_picture->GetScalarPointer());
    // Half-voxel offsets of even templates are rounded here; the slices show them exactly.
    const auto left = static_cast<std::int64_t>(std::floor(map.offset()[m_axes.right]));
    const auto top = static_cast<std::int64_t>(std::floor(map.offset()[m_axes.down]));
    const double opacity = content.opacity;
    for (std::int64_t j = 0; j < height; ++j) {
        for (std::int64_t i = 0; i < width; ++i) {
            const std::uint8_t* texel = m_map.data() + (j * width + i) * 4;
            if (texel[3] == 0 || i + left >= m_width || j + top >= m_height) {
                continue;
            }
            const io::Colour hatch = (i + j) / 4 % 2 == 0 ? io::kHatchLight : io::kHatchDark;
            std::uint8_t* pixel = out + ((j + top) * m_width + i + left) * 3;
            for (std::size_t c = 0; c < 3; ++c) {
                const double colour = texel[3] == 255 ? texel[c] : hatch[c];
                pixel[c] =
                    static_cast<std::uint8_t>(pixel[c] * (1 - opacity) + colour * opacity + 0.5);
            }
        }
    }
}

} // namespace flcc::viz::detail
