#include "viz/surface/support_surface.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <vtkProperty.h>

#include "viz/pixels/map_pixels.h"

namespace flcc::viz::detail {
namespace {

constexpr std::int64_t kMostCells = 64; // cells, so that a noisy mask stays within a frame
constexpr double kOpacity = 0.4;

/// A support in cells of `step` voxels; each is what its middle voxel is.
class Cells {
  public:
    explicit Cells(const base::Image<std::uint8_t>& support)
        : m_support(support), m_voxels(byAxis(support.extents())) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            m_step[axis] = (m_voxels[axis] + kMostCells - 1) / kMostCells;
            m_count[axis] = (m_voxels[axis] + m_step[axis] - 1) / m_step[axis];
        }
    }

    [[nodiscard]] const std::array<std::int64_t, 3>& count() const { return m_count; }
    [[nodiscard]] bool inside(const std::array<std::int64_t, 3>& cell) const {
        std::array<std::int64_t, 3> voxel{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (cell[axis] < 0 || cell[axis] >= m_count[axis]) {
                return false;
            }
            voxel[axis] =
                std::min(cell[axis] * m_step[axis] + m_step[axis] / 2, m_voxels[axis] - 1);
        }
        return m_support.view().at(voxel[0], voxel[1], voxel[2]) != 0;
    }
    /// Where a cell begins, in voxels.
    [[nodiscard]] double edge(std::int64_t cell, std::size_t axis) const {
        return static_cast<double>(std::min(cell * m_step[axis], m_voxels[axis])) - 0.5;
    }

  private:
    const base::Image<std::uint8_t>& m_support;
    std::array<std::int64_t, 3> m_voxels;
    std::array<std::int64_t, 3> m_step{};
    std::array<std::int64_t, 3> m_count{};
};

} // namespace

SupportSurface::SupportSurface() {
    m_data->SetPoints(m_points);
    m_data->SetPolys(m_cells);
    m_mapper->SetInputData(m_data);
    m_actor->SetMapper(m_mapper);
    m_actor->PickableOff();
    vtkProperty& look = *m_actor->GetProperty();
    look.SetInterpolationToFlat();
    look.SetOpacity(kOpacity);
    look.SetAmbient(0.35);
    look.SetDiffuse(0.75);
    look.BackfaceCullingOn(); // one layer, whatever the direction
    hide();
}

void SupportSurface::setSupport(const base::Image<std::uint8_t>& support) {
    m_points->Reset();
    m_cells->Reset();
    const Cells cells(support);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::size_t u = (axis + 1) % 3;
        const std::size_t v = (axis + 2) % 3;
        // The faces across `axis`, a column of them along u as one.
        const auto side = [&](std::array<std::int64_t, 3> cell) {
            const bool after = cells.inside(cell);
            --cell[axis];
            return int{cells.inside(cell)} - int{after}; // 1: faces up the axis, -1: down
        };
        std::array<std::int64_t, 3> cell{};
        for (cell[axis] = 0; cell[axis] <= cells.count()[axis]; ++cell[axis]) {
            for (cell[v] = 0; cell[v] < cells.count()[v]; ++cell[v]) {
                for (cell[u] = 0; cell[u] < cells.count()[u];) {
                    const std::int64_t first = cell[u];
                    const int facing = side(cell);
                    while (++cell[u] < cells.count()[u] && side(cell) == facing) {
                    }
                    if (facing == 0) {
                        continue;
                    }
                    std::array<vtkIdType, 4> ids{};
                    for (std::size_t corner = 0; corner < 4; ++corner) {
                        const bool far = corner == 1 || corner == 2;
                        base::Point at{};
                        at[axis] = cells.edge(cell[axis], axis);
                        at[u] = cells.edge(far ? cell[u] : first, u);
                        at[v] = cells.edge(cell[v] + (corner >= 2 ? 1 : 0), v);
                        ids[facing > 0 ? corner : 3 - corner] =
                            m_points->InsertNextPoint(at.data());
                    }
                    m_cells->InsertNextCell(4, ids.data());
                }
            }
        }
    }
    m_points->Modified();
    m_cells->Modified();
    m_data->Modified();
}

void SupportSurface::show(const base::Index& corner, const base::Point& aspect,
                          const match::Colour& colour) {
    const auto first = byAxis(corner);
    base::Point at{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        at[axis] = static_cast<double>(first[axis]) * aspect[axis];
    }
    m_actor->SetPosition(at.data());
    base::Point scale = aspect;
    m_actor->SetScale(scale.data());
    m_actor->GetProperty()->SetColor(colour[0] / 255.0, colour[1] / 255.0, colour[2] / 255.0);
    m_actor->SetVisibility(m_points->GetNumberOfPoints() > 0 ? 1 : 0);
}

} // namespace flcc::viz::detail
