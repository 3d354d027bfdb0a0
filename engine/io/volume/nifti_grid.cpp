#include "engine/io/volume/nifti_grid.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/io/format/reading.h"

namespace flcc::io::detail {

namespace {

using Matrix = std::array<std::array<double, 4>, 3>;

double columnLength(const Matrix& matrix, std::size_t column) {
    return std::hypot(matrix[0][column], matrix[1][column], matrix[2][column]);
}

/// The columns without the offset, each of length 1; row-major. Columns of length 0 stay so.
std::array<double, 9> unitColumns(const Matrix& matrix) {
    std::array<double, 9> unit{};
    for (std::size_t column = 0; column < 3; ++column) {
        const double length = columnLength(matrix, column);
        for (std::size_t row = 0; row < 3; ++row) {
            unit[3 * row + column] = length > 0 ? matrix[row][column] / length : 0;
        }
    }
    return unit;
}

double determinant(const std::array<double, 9>& m) {
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
           m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/// True if the rows have length 1 and are at right angles, with the tolerance of ITK.
bool isOrthonormal(const std::array<double, 9>& m) {
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            const double product =
                m[3 * i] * m[3 * j] + m[3 * i + 1] * m[3 * j + 1] + m[3 * i + 2] * m[3 * j + 2];
            if (!(std::abs(product - (i == j ? 1 : 0)) <= 1e-4)) {
                return false;
            }
        }
    }
    return true;
}

/// The formulas of the NIfTI standard, in double; rounded to float32 where the header holds those,
/// as the reference library does.
Matrix quaternionMatrix(const NiftiGrid& grid) {
    auto [b, c, d] = grid.quaternion;
    double a = 1 - (b * b + c * c + d * d);
    if (a < 1e-7) { // half a turn
        const double length = std::sqrt(b * b + c * c + d * d);
        b /= length;
        c /= length;
        d /= length;
        a = 0;
    } else {
        a = std::sqrt(a);
    }
    const std::array<std::array<double, 3>, 3> turn{
        {{a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)},
         {2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b)},
         {2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - c * c - b * b}}};
    Matrix matrix{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            const double length = grid.spacing[column] > 0 ? grid.spacing[column] : 1;
            const double value =
                turn[row][column] * (column == 2 && grid.handedness < 0 ? -length : length);
            matrix[row][column] = grid.single ? static_cast<float>(value) : value;
        }
        matrix[row][3] = grid.offset[row];
    }
    return matrix;
}

bool hasInverse(const Matrix& matrix) { return std::abs(determinant(unitColumns(matrix))) > 1e-6; }

/// True if both place a voxel of the grid at the same point, within a hundredth of a voxel.
bool samePlaces(const Matrix& a, const Matrix& b, const base::Extents& extents, double spacing) {
    const std::array<std::int64_t, 3> last{extents.x - 1, extents.y - 1, extents.z - 1};
    for (std::size_t row = 0; row < 3; ++row) {
        double off = std::abs(a[row][3] - b[row][3]);
        for (std::size_t column = 0; column < 3; ++column) {
            off += std::abs(a[row][column] - b[row][column]) * static_cast<double>(last[column]);
        }
        if (!(off <= 0.01 * spacing)) {
            return false;
        }
    }
    return true;
}

/// The matrix that places the grid, and whether it is the header's own (sform). Nothing if the
/// header has none.
struct Placement {
    Matrix matrix{};
    bool own = false;
};
std::optional<Placement> placementOf(const std::filesystem::path& path, const NiftiGrid& grid,
                                     std::size_t axes, ImageInfo& info) {
    const bool turned = grid.quaternionCode > 0;
    const bool placed = grid.matrixCode > 0;
    if (!turned && !placed) {
        info.notes.emplace_back("its header does not place it in space (qform_code and sform_code "
                                "are 0); it was read as unturned, at the origin");
        return std::nullopt;
    }
    const Matrix byTurn = turned ? quaternionMatrix(grid) : Matrix{};
    if (!placed) {
        return Placement{byTurn, false};
    }
    if (!hasInverse(grid.matrix)) {
        if (!turned) {
            failInput(path, "its header gives axes that lie in one plane");
        }
        info.notes.emplace_back("the axes of its sform lie in one plane; the qform was taken");
        return Placement{byTurn, false};
    }
    const double smallest =
        std::min({columnLength(grid.matrix, 0), columnLength(grid.matrix, 1),
                  axes > 2 ? columnLength(grid.matrix, 2) : columnLength(grid.matrix, 0)});
    if (turned && !samePlaces(grid.matrix, byTurn, info.extents, smallest)) {
        info.notes.emplace_back(
            "its sform and its qform place it differently; the sform was taken, "
            "as by nibabel, FSL and SPM");
    }
    return Placement{grid.matrix, true};
}

} // namespace

void setNiftiGeometry(const std::filesystem::path& path, const NiftiGrid& grid, std::size_t axes,
                      ImageInfo& info) {
    base::Geometry& geometry = info.geometry;
    const std::size_t used = std::min<std::size_t>(3, axes);
    std::copy_n(grid.spacing.begin(), used, geometry.spacing.begin());
    const std::optional<Placement> placement = placementOf(path, grid, axes, info);
    if (!placement) {
        return;
    }
    const Matrix& matrix = placement->matrix;
    for (std::size_t axis = 0; placement->own && axis < used; ++axis) {
        // The header's spacing is more exact than the length of a rounded column.
        const double length = columnLength(matrix, axis);
        if (std::abs(length - geometry.spacing[axis]) > 1e-6 * length) {
            geometry.spacing[axis] = length;
        }
    }
    Matrix left{}; // left-posterior-superior, of the axes in use
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < used; ++column) {
            left[row][column] = row < 2 ? -matrix[row][column] : matrix[row][column];
        }
        geometry.origin[row] = (row < 2 ? -matrix[row][3] : matrix[row][3]) + 0.0; // no -0
    }
    if (used == 2) { // a picture in space: the third axis is across it
        for (std::size_t row = 0; row < 3; ++row) {
            const std::size_t a = (row + 1) % 3;
            const std::size_t b = (row + 2) % 3;
            left[row][2] = left[a][0] * left[b][1] - left[b][0] * left[a][1];
        }
    } else if (used < 2) {
        left[1][1] = left[2][2] = 1;
    }
    const std::array<double, 9> direction = unitColumns(left);
    if (std::abs(determinant(direction)) > 1e-6) {
        std::transform(direction.begin(), direction.end(), geometry.direction.begin(),
                       [](double part) { return part + 0.0; });
    }
}

void setAnalyzeGeometry(const std::array<double, 3>& spacing, const std::array<int, 3>& origin,
                        int orient, ImageInfo& info) {
    const std::array<std::int64_t, 3> extents{info.extents.x, info.extents.y, info.extents.z};
    bool given = false;
    bool sensible = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        given = given || origin[axis] != 0;
        sensible = sensible && origin[axis] > -extents[axis] && origin[axis] < 2 * extents[axis];
    }
    const bool byOrigin = given && sensible;
    const std::array<double, 3> sign{1, -1, 1}; // in left-posterior-superior
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double middle =
            byOrigin ? origin[axis] - 1 : (static_cast<double>(extents[axis]) - 1) / 2;
        info.geometry.spacing[axis] = spacing[axis];
        info.geometry.direction[4 * axis] = sign[axis];
        info.geometry.origin[axis] = -sign[axis] * spacing[axis] * middle + 0.0; // no -0
    }
    info.notes.push_back(
        std::string("it is an Analyze 7.5 file: x was read as running to the left, y to the front, "
                    "z up, with ") +
        (byOrigin ? "SPM's origin" : "the middle of the grid at the origin"));
    if (orient != 0) {
        info.notes.push_back("the orientation code " + std::to_string(orient) +
                             " of its header was not used");
    }
}

NiftiGrid niftiGridOf(const base::Geometry& geometry) {
    NiftiGrid grid;
    grid.spacing = geometry.spacing;
    const std::array<double, 3> sign{-1, -1, 1};
    std::array<double, 9> turn{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            turn[3 * row + column] = sign[row] * geometry.direction[3 * row + column];
            grid.matrix[row][column] = turn[3 * row + column] * geometry.spacing[column];
        }
        grid.offset[row] = grid.matrix[row][3] = sign[row] * geometry.origin[row];
    }
    grid.matrixCode = 1;
    if (!isOrthonormal(turn)) {
        return grid;
    }
    grid.quaternionCode = 1;
    grid.handedness = determinant(turn) < 0 ? -1 : 1;
    for (std::size_t row = 0; row < 3; ++row) {
        turn[3 * row + 2] *= grid.handedness;
    }
    // The largest of the four parts is computed first, the others by division.
    const std::array<double, 4> squares{
        1 + turn[0] + turn[4] + turn[8], 1 + turn[0] - turn[4] - turn[8],
        1 - turn[0] + turn[4] - turn[8], 1 - turn[0] - turn[4] + turn[8]};
    const auto largest = static_cast<std::size_t>(std::max_element(squares.begin(), squares.end()) -
                                                  squares.begin());
    const double part = std::sqrt(squares[largest]) / 2;
    const double x = (turn[7] - turn[5]) / (4 * part);
    const double y = (turn[2] - turn[6]) / (4 * part);
    const double z = (turn[3] - turn[1]) / (4 * part);
    const double xy = (turn[1] + turn[3]) / (4 * part);
    const double xz = (turn[2] + turn[6]) / (4 * part);
    const double yz = (turn[5] + turn[7]) / (4 * part);
    const std::array<std::array<double, 4>, 4> parts{
        {{part, x, y, z}, {x, part, xy, xz}, {y, xy, part, yz}, {z, xz, yz, part}}};
    const double flip = parts[largest][0] < 0 ? -1 : 1; // a is not negative
    for (std::size_t i = 0; i < 3; ++i) {
        grid.quaternion[i] = flip * parts[largest][i + 1];
    }
    return grid;
}

} // namespace flcc::io::detail
