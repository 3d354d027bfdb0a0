#include <algorithm>
#include <array>

#include "engine/base/error.h"
#include "engine/io/format/backends.h"
#include "engine/io/format/headers.h"
#include "engine/io/volume/nifti_grid.h"

namespace flcc::io::detail {

namespace {

/// Codes of the pixel types, in the order of PixelType.
constexpr std::array<std::int16_t, 10> kCodes{2, 256, 512, 4, 768, 8, 1280, 1024, 16, 64};
constexpr std::int64_t kLongestAxis = 32767; // of NIfTI-1

/// The geometry with lengths in mm or um, the units that the format has.
base::Geometry inKnownUnit(base::Geometry geometry) {
    const double factor = geometry.unit == "nm" ? 1e-3 : geometry.unit == "A" ? 1e-4 : 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        geometry.spacing[axis] *= factor;
        geometry.origin[axis] *= factor;
    }
    return geometry;
}

/// Where the fields of a version lie in its header.
struct Layout {
    std::size_t size;
    std::size_t type;
    std::size_t lengths;
    std::size_t spacings;
    std::size_t slope;
    std::size_t description;
    std::size_t descriptionSize;
    std::size_t codes;
    std::size_t quaternion; ///< followed by the offset and the matrix
};
constexpr Layout kFirst{348, 70, 40, 76, 112, 148, 80, 252, 256};
constexpr Layout kSecond{540, 12, 16, 104, 176, 240, 80, 344, 352};

/// `Length`, `Code` and `Real` are the types of the version's numbers.
template <class Length, class Code, class Real>
std::string headerOf(const Layout& at, const base::AnyView& pixels, const NiftiGrid& grid) {
    const base::Extents extents = base::extentsOf(pixels);
    const base::PixelType type = base::pixelType(pixels);
    std::string header(at.size + 4, '\0'); // four zeros: no extensions
    putField(header, 0, static_cast<std::int32_t>(at.size));
    putField(header, at.type, kCodes[static_cast<std::size_t>(type)]);
    putField(header, at.type + 2, static_cast<std::int16_t>(8 * base::bytesPerVoxel(type)));
    const std::array<std::int64_t, 8> lengths{
        base::isFlat2D(extents) ? 2 : 3, extents.x, extents.y, extents.z, 1, 1, 1, 1};
    const std::array<double, 8> spacings{
        grid.handedness, grid.spacing[0], grid.spacing[1], grid.spacing[2], 1, 1, 1, 1};
    for (std::size_t i = 0; i < 8; ++i) {
        putField(header, at.lengths + sizeof(Length) * i, static_cast<Length>(lengths[i]));
        putField(header, at.spacings + sizeof(Real) * i, static_cast<Real>(spacings[i]));
    }
    putField(header, at.slope, Real{1});
    const std::string description = "written by FLCC";
    std::copy(description.begin(), description.end(),
              header.begin() + static_cast<std::ptrdiff_t>(at.description));
    putField(header, at.codes, static_cast<Code>(grid.quaternionCode));
    putField(header, at.codes + sizeof(Code), static_cast<Code>(grid.matrixCode));
    std::vector<double> reals(grid.quaternion.begin(), grid.quaternion.end());
    reals.insert(reals.end(), grid.offset.begin(), grid.offset.end());
    for (const auto& row : grid.matrix) {
        reals.insert(reals.end(), row.begin(), row.end());
    }
    for (std::size_t i = 0; i < reals.size(); ++i) {
        putField(header, at.quaternion + sizeof(Real) * i, static_cast<Real>(reals[i]));
    }
    return header;
}

} // namespace

void writeNifti(const std::filesystem::path& path, const std::filesystem::path& target,
                const base::AnyView& pixels, const base::Geometry& geometry, bool packed,
                const std::stop_token& stop) {
    const base::Extents extents = base::extentsOf(pixels);
    const NiftiGrid grid = niftiGridOf(inKnownUnit(geometry));
    const bool second = std::max({extents.x, extents.y, extents.z}) > kLongestAxis;
    const int unit = geometry.unit == "px" || geometry.unit.empty() ? 0
                     : geometry.unit == "mm"                        ? 2
                                                                    : 3;
    std::string header;
    if (second) {
        header = headerOf<std::int64_t, std::int32_t, double>(kSecond, pixels, grid);
        std::copy_n("n+2\0\r\n\032\n", 8, header.begin() + 4);
        putField(header, 168, std::int64_t{544}); // where the voxels begin
        putField(header, 500, std::int32_t{unit});
    } else {
        header = headerOf<std::int16_t, std::int16_t, float>(kFirst, pixels, grid);
        std::copy_n("n+1", 4, header.begin() + 344);
        putField(header, 108, 352.0F);
        header[123] = static_cast<char>(unit);
    }
    (packed ? writePacked : writeRaw)(path, target, header, pixels, stop);
}

} // namespace flcc::io::detail
