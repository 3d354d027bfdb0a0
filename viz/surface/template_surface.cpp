#include "viz/surface/template_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <vtkCellArray.h>
#include <vtkCellArrayIterator.h>
#include <vtkFloatArray.h>
#include <vtkFlyingEdges3D.h>
#include <vtkImageData.h>
#include <vtkMath.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkUnsignedCharArray.h>

#include "viz/pixels/map_pixels.h"

namespace flcc::viz::detail {
namespace {

constexpr std::int64_t kSamplesPerSide = 128; // of a template that is larger
constexpr std::int64_t kPad = 2;              // cells around the template, which close the surface

/// Averages of a template's voxels in cells, with a frame of kPad cells. Cells without a voxel that
/// counts are NaN.
struct CellGrid {
    std::int64_t step = 1; ///< voxels a cell on each axis
    std::array<std::int64_t, 3> count{};
    std::vector<float> values;

    [[nodiscard]] std::size_t at(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return static_cast<std::size_t>((z * count[1] + y) * count[0] + x);
    }
    /// In the template, not in its frame.
    [[nodiscard]] bool isInner(const std::array<std::int64_t, 3>& cell, std::int64_t margin) const {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            // A flat template has no edge across its plane.
            const std::int64_t edge = kPad + (count[axis] > 2 * kPad + 1 ? margin : 0);
            if (cell[axis] < edge || cell[axis] >= count[axis] - edge) {
                return false;
            }
        }
        return true;
    }
    template <class Visit> void each(const Visit& visit) const {
        for (std::int64_t z = 0; z < count[2]; ++z) {
            for (std::int64_t y = 0; y < count[1]; ++y) {
                for (std::int64_t x = 0; x < count[0]; ++x) {
                    visit(std::array{x, y, z}, values[at(x, y, z)]);
                }
            }
        }
    }
};

CellGrid cellsOf(const TemplateShape& shape, std::int64_t longestSide) {
    const auto voxels = byAxis(base::extentsOf(*shape.pixels));
    const std::int64_t longest = *std::max_element(voxels.begin(), voxels.end());
    CellGrid grid;
    grid.step = (longest + longestSide - 1) / longestSide;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        grid.count[axis] = (voxels[axis] + grid.step - 1) / grid.step + 2 * kPad;
    }
    const auto size = static_cast<std::size_t>(grid.count[0] * grid.count[1] * grid.count[2]);
    std::vector<double> sums(size);
    std::vector<int> counts(size);
    const std::int64_t stride =
        std::min(grid.step, (longest + kSamplesPerSide - 1) / kSamplesPerSide);
    const base::Image<std::uint8_t>* support =
        shape.support && byAxis(shape.support->extents()) == voxels ? shape.support.get() : nullptr;
    std::visit(
        [&](const auto& image) {
            for (std::int64_t z = 0; z < voxels[2]; z += stride) {
                for (std::int64_t y = 0; y < voxels[1]; y += stride) {
                    const auto* row = image.view().row(y, z);
                    for (std::int64_t x = 0; x < voxels[0]; x += stride) {
                        const auto value = static_cast<double>(row[x]);
                        if (!std::isfinite(value) ||
                            (support != nullptr && support->view().at(x, y, z) == 0)) {
                            continue;
                        }
                        const std::size_t cell = grid.at(x / grid.step + kPad, y / grid.step + kPad,
                                                         z / grid.step + kPad);
                        sums[cell] += value;
                        ++counts[cell];
                    }
                }
            }
        },
        *shape.pixels);
    grid.values.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
        grid.values[i] = counts[i] > 0 ? static_cast<float>(sums[i] / counts[i])
                                       : std::numeric_limits<float>::quiet_NaN();
    }
    return grid;
}

/// The mean of the cells at the edge of what counts.
float surroundings(const CellGrid& grid) {
    double sum = 0;
    std::int64_t count = 0;
    grid.each([&](const std::array<std::int64_t, 3>& cell, float value) {
        if (!std::isfinite(value)) {
            return;
        }
        bool edge = !grid.isInner(cell, 1);
        for (std::size_t axis = 0; axis < 3 && !edge; ++axis) {
            for (const int side : {-1, 1}) {
                std::array<std::int64_t, 3> next = cell;
                next[axis] += side;
                edge = edge || (grid.isInner(next, 0) &&
                                !std::isfinite(grid.values[grid.at(next[0], next[1], next[2])]));
            }
        }
        if (edge) {
            sum += value;
            ++count;
        }
    });
    return count > 0 ? static_cast<float>(sum / static_cast<double>(count)) : 0.0F;
}

/// Each cell and its neighbours along each axis, as 1 : 2 : 1. Single noisy cells would have
/// surfaces of their own.
void smooth(CellGrid& grid) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (grid.count[axis] == 2 * kPad + 1) {
            continue; // a flat template would fade into its frame
        }
        const std::vector<float> before = grid.values;
        for (std::int64_t z = 0; z < grid.count[2]; ++z) {
            for (std::int64_t y = 0; y < grid.count[1]; ++y) {
                for (std::int64_t x = 0; x < grid.count[0]; ++x) {
                    std::array<std::int64_t, 3> low{x, y, z};
                    std::array<std::int64_t, 3> high = low;
                    low[axis] = std::max<std::int64_t>(low[axis] - 1, 0);
                    high[axis] = std::min(high[axis] + 1, grid.count[axis] - 1);
                    grid.values[grid.at(x, y, z)] = before[grid.at(x, y, z)] / 2 +
                                                    before[grid.at(low[0], low[1], low[2])] / 4 +
                                                    before[grid.at(high[0], high[1], high[2])] / 4;
                }
            }
        }
    }
}

/// The level between two classes of values whose means lie farthest apart (Otsu 1979).
double otsuLevel(const std::vector<float>& values, double low, double high) {
    constexpr std::size_t kBins = 256;
    std::array<double, kBins> histogram{};
    const double scale = (kBins - 1) / (high - low);
    for (const float value : values) {
        histogram[static_cast<std::size_t>((value - low) * scale + 0.5)] += 1;
    }
    const double all = static_cast<double>(values.size());
    double total = 0;
    for (std::size_t i = 0; i < kBins; ++i) {
        total += static_cast<double>(i) * histogram[i];
    }
    double below = 0;
    double belowSum = 0;
    double best = -1;
    double level = 0;
    for (std::size_t i = 0; i + 1 < kBins; ++i) {
        below += histogram[i];
        belowSum += static_cast<double>(i) * histogram[i];
        if (below == 0 || below == all) {
            continue;
        }
        const double apart = belowSum / below - (total - belowSum) / (all - below);
        const double between = below * (all - below) * apart * apart;
        if (between > best) {
            best = between;
            // Between the two bins, in the middle where bins between them are empty.
            std::size_t next = i + 1;
            while (histogram[next] == 0) {
                ++next;
            }
            level = static_cast<double>(i + next) / 2;
        }
    }
    return low + level / scale;
}

} // namespace

vtkSmartPointer<vtkPolyData> templateSurface(const TemplateShape& shape, const base::Point& aspect,
                                             std::int64_t longestSide) {
    CellGrid grid = cellsOf(shape, longestSide);
    const float around = surroundings(grid);
    std::vector<std::size_t> inner;
    grid.each([&](const std::array<std::int64_t, 3>& cell, float value) {
        const std::size_t at = grid.at(cell[0], cell[1], cell[2]);
        if (std::isfinite(value)) {
            inner.push_back(at);
        } else {
            grid.values[at] = around;
        }
    });
    smooth(grid);
    std::vector<float> values;
    values.reserve(inner.size());
    for (const std::size_t at : inner) {
        values.push_back(grid.values[at]);
    }
    if (values.empty()) {
        return vtkSmartPointer<vtkPolyData>::New();
    }
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    if (!(*low < *high)) {
        return vtkSmartPointer<vtkPolyData>::New();
    }
    const double level = otsuLevel(values, *low, *high);
    // Shares of the range, the object above: values of any size, normals that point outwards.
    const double sign = around > level ? -1 : 1;
    const vtkNew<vtkImageData> cells;
    cells->SetDimensions(static_cast<int>(grid.count[0]), static_cast<int>(grid.count[1]),
                         static_cast<int>(grid.count[2]));
    const auto voxels = byAxis(base::extentsOf(*shape.pixels));
    base::Point spacing{};
    base::Point origin{};
    const auto step = static_cast<double>(grid.step);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        spacing[axis] = step * aspect[axis];
        origin[axis] = ((step - 1) / 2 - static_cast<double>(voxels[axis] - 1) / 2 -
                        static_cast<double>(kPad) * step) *
                       aspect[axis];
    }
    cells->SetSpacing(spacing.data());
    cells->SetOrigin(origin.data());
    cells->AllocateScalars(VTK_FLOAT, 1);
    auto* out = static_cast<float*>(cells->GetScalarPointer());
    const double range = static_cast<double>(*high) - *low;
    for (const float value : grid.values) {
        *out++ = static_cast<float>(sign * (value - level) / range);
    }
    const vtkNew<vtkFlyingEdges3D> edges;
    edges->SetInputData(cells);
    edges->SetValue(0, 0);
    edges->ComputeScalarsOff();
    edges->ComputeNormalsOn();
    edges->Update();
    return edges->GetOutput();
}

PeakSurfaces::PeakSurfaces(vtkRenderer& renderer) : m_renderer(renderer) {
    m_mapper->SetColorModeToDirectScalars();
    m_actor->SetMapper(m_mapper);
    m_actor->PickableOff();
    m_actor->VisibilityOff();
    m_actor->GetProperty()->SetAmbient(0.2);
    m_actor->GetProperty()->SetDiffuse(0.8);
    m_actor->GetProperty()->SetSpecular(0.2);
    m_renderer.AddActor(m_actor);
}

PeakSurfaces::~PeakSurfaces() { m_renderer.RemoveActor(m_actor); }

void PeakSurfaces::add(const base::Point& at, const std::array<double, 9>& frame,
                       const match::Colour& colour) {
    m_placed.push_back({at, frame, colour});
}

void PeakSurfaces::finish(vtkPolyData& surface) {
    const vtkIdType points = surface.GetNumberOfPoints();
    const auto copies = static_cast<vtkIdType>(m_placed.size());
    const bool shown = copies > 0 && surface.GetNumberOfPolys() > 0;
    m_actor->SetVisibility(shown ? 1 : 0);
    if (!shown) {
        return;
    }
    const vtkNew<vtkPoints> places;
    places->SetNumberOfPoints(copies * points);
    const vtkNew<vtkFloatArray> normals;
    normals->SetNumberOfComponents(3);
    normals->SetNumberOfTuples(copies * points);
    const vtkNew<vtkUnsignedCharArray> colours;
    colours->SetNumberOfComponents(3);
    colours->SetNumberOfTuples(copies * points);
    const vtkNew<vtkCellArray> triangles;
    triangles->AllocateExact(copies * surface.GetNumberOfPolys(),
                             3 * copies * surface.GetNumberOfPolys());
    vtkDataArray* const normal = surface.GetPointData()->GetNormals();
    vtkIdType next = 0;
    for (const Placed& placed : m_placed) {
        const std::array<double, 9>& m = placed.frame;
        const bool mirrored = vtkMath::Determinant3x3(m.data(), m.data() + 3, m.data() + 6) < 0;
        // Normals stand upright on what a matrix made of a surface if its inverse, transposed,
        // takes them there: its cofactors do up to a factor.
        std::array<double, 9> cofactors{};
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j) {
                const auto at = [&](std::size_t row, std::size_t column) {
                    return m[3 * (row % 3) + column % 3];
                };
                cofactors[3 * i + j] = (mirrored ? -1 : 1) * (at(i + 1, j + 1) * at(i + 2, j + 2) -
                                                              at(i + 1, j + 2) * at(i + 2, j + 1));
            }
        }
        const auto times = [](const std::array<double, 9>& a, const base::Point& v) {
            return base::Point{a[0] * v[0] + a[1] * v[1] + a[2] * v[2],
                               a[3] * v[0] + a[4] * v[1] + a[5] * v[2],
                               a[6] * v[0] + a[7] * v[1] + a[8] * v[2]};
        };
        const vtkIdType first = next;
        for (vtkIdType i = 0; i < points; ++i, ++next) {
            base::Point point{};
            surface.GetPoint(i, point.data());
            point = times(m, point);
            places->SetPoint(next, point[0] + placed.at[0], point[1] + placed.at[1],
                             point[2] + placed.at[2]);
            base::Point up{};
            normal->GetTuple(i, up.data());
            up = times(cofactors, up);
            vtkMath::Normalize(up.data());
            normals->SetTuple(next, up.data());
            colours->SetTypedTuple(next, placed.colour.data());
        }
        const auto corners = vtk::TakeSmartPointer(surface.GetPolys()->NewIterator());
        for (corners->GoToFirstCell(); !corners->IsDoneWithTraversal(); corners->GoToNextCell()) {
            vtkIdType count = 0;
            const vtkIdType* ids = nullptr;
            corners->GetCurrentCell(count, ids);
            const std::array<vtkIdType, 3> cell{first + ids[0], first + ids[mirrored ? 2 : 1],
                                                first + ids[mirrored ? 1 : 2]};
            triangles->InsertNextCell(3, cell.data());
        }
    }
    const vtkNew<vtkPolyData> mesh;
    mesh->SetPoints(places);
    mesh->SetPolys(triangles);
    mesh->GetPointData()->SetNormals(normals);
    mesh->GetPointData()->SetScalars(colours);
    m_mapper->SetInputData(mesh);
}

} // namespace flcc::viz::detail
