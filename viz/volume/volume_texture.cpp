#include "viz/volume/volume_texture.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <vtkDataArray.h>
#include <vtkPointData.h>

#include "viz/pixels/grey_pixels.h"

namespace flcc::viz::detail {
namespace {

constexpr std::int64_t kLongestSide = 512;
constexpr std::int64_t kSamplesPerAxis = 2; // of a texel of a thinned map, at least
constexpr int kMiddle = 128;

std::int64_t texelsOf(std::int64_t voxels, std::int64_t step) { return (voxels + step - 1) / step; }

/// How strongly a map byte stands out.
int strength(std::uint8_t byte, match::ColourMap map) {
    return map == match::ColourMap::Diverging ? std::abs(int{byte} - kMiddle) : int{byte};
}

} // namespace

std::array<std::int64_t, 3> texelSteps(const base::Extents& extents, std::int64_t budget) {
    const auto n = byAxis(extents);
    std::array<std::int64_t, 3> steps{};
    for (std::int64_t step = 1;; ++step) {
        std::int64_t count = 1;
        std::int64_t longest = 1;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            steps[axis] = std::max<std::int64_t>(1, std::min(step, n[axis]));
            const std::int64_t side = texelsOf(n[axis], steps[axis]);
            count *= side;
            longest = std::max(longest, side);
        }
        if (count <= budget && longest <= kLongestSide) {
            return steps;
        }
    }
}

base::Extents texelCount(const base::Extents& extents, const std::array<std::int64_t, 3>& steps) {
    return {texelsOf(extents.x, steps[0]), texelsOf(extents.y, steps[1]),
            texelsOf(extents.z, steps[2])};
}

void VolumeTexture::setShape(const base::Extents& extents, const base::Point& first,
                             const base::Point& spacing, bool marked, std::int64_t budget) {
    m_source = extents;
    m_bytes = marked ? 2 : 1;
    m_step = texelSteps(extents, budget);
    m_count = byAxis(texelCount(extents, m_step));
    m_image->SetDimensions(static_cast<int>(m_count[0]), static_cast<int>(m_count[1]),
                           static_cast<int>(m_count[2]));
    std::array<double, 3> texel{};
    std::array<double, 3> origin{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        texel[axis] = spacing[axis] * static_cast<double>(m_step[axis]);
        origin[axis] = first[axis] + (texel[axis] - spacing[axis]) / 2;
    }
    m_image->SetSpacing(texel.data());
    m_image->SetOrigin(origin.data());
    m_image->AllocateScalars(VTK_UNSIGNED_CHAR, m_bytes);
    erase();
}

void VolumeTexture::erase() {
    auto* out = static_cast<std::uint8_t*>(m_image->GetScalarPointer());
    std::fill_n(out, m_count[0] * m_count[1] * m_count[2] * m_bytes, std::uint8_t{0});
    touch();
}

void VolumeTexture::touch() {
    // VTK scales its tables by the range of the bytes and cannot draw a volume without one; a
    // transparent corner gives even a constant volume a range.
    std::fill_n(static_cast<std::uint8_t*>(m_image->GetScalarPointer()), m_bytes, std::uint8_t{0});
    m_image->GetPointData()->GetScalars()->Modified(); // its range is remembered otherwise
    m_image->Modified();
}

std::int64_t VolumeTexture::thinning() const {
    return *std::max_element(m_step.begin(), m_step.end());
}

double VolumeTexture::texelSize() const {
    const double* spacing = m_image->GetSpacing();
    return std::min({spacing[0], spacing[1], spacing[2]});
}

void VolumeTexture::fillGrey(const base::AnyView& image, const GreyWindow& window,
                             const base::Image<std::uint8_t>* support) {
    auto* out = static_cast<std::uint8_t*>(m_image->GetScalarPointer());
    const auto n = byAxis(m_source);
    std::visit(
        [&](const auto& view) {
            using Voxel = std::remove_cvref_t<decltype(*view.data())>;
            using Real = typename GreyTable<Voxel>::Real;
            const GreyTable<Voxel> grey(window);
            const bool reduced = view.extents() == texels();
            // The mean of two voxels an axis where voxels are skipped: bounded work, less noise.
            const auto second = [&](std::int64_t at, std::size_t axis) {
                return std::min(at + m_step[axis] / 2, n[axis] - 1);
            };
            for (std::int64_t k = 0; k < m_count[2]; ++k) {
                for (std::int64_t j = 0; j < m_count[1]; ++j) {
                    const std::int64_t y0 = reduced ? j : j * m_step[1];
                    const std::int64_t z0 = reduced ? k : k * m_step[2];
                    const auto* a = view.row(y0, z0);
                    if (reduced) {
                        for (std::int64_t i = 0; i < m_count[0]; ++i) {
                            *out = grey(static_cast<Real>(a[i]));
                            out += m_bytes;
                        }
                        continue;
                    }
                    const auto* b = view.row(second(y0, 1), z0);
                    const auto* c = view.row(y0, second(z0, 2));
                    const auto* d = view.row(second(y0, 1), second(z0, 2));
                    for (std::int64_t i = 0; i < m_count[0]; ++i) {
                        const std::int64_t x0 = i * m_step[0];
                        const std::int64_t x1 = second(x0, 0);
                        Real mean = 0;
                        for (const auto* row : {a, b, c, d}) {
                            mean += static_cast<Real>(row[x0]) / 8 + static_cast<Real>(row[x1]) / 8;
                        }
                        *out = grey(mean);
                        out += m_bytes;
                    }
                }
            }
        },
        image);
    if (support != nullptr) {
        sortBySupport(*support);
    }
    touch();
}

/// Each texel is what the voxel in its middle is.
void VolumeTexture::sortBySupport(const base::Image<std::uint8_t>& support) {
    auto* out = static_cast<std::uint8_t*>(m_image->GetScalarPointer());
    const auto n = byAxis(m_source);
    const auto middle = [&](std::int64_t texel, std::size_t axis) {
        return std::min(texel * m_step[axis] + m_step[axis] / 2, n[axis] - 1);
    };
    for (std::int64_t k = 0; k < m_count[2]; ++k) {
        for (std::int64_t j = 0; j < m_count[1]; ++j) {
            const std::uint8_t* row = support.view().row(middle(j, 1), middle(k, 2));
            for (std::int64_t i = 0; i < m_count[0]; ++i, out += 2) {
                const bool inside = row[middle(i, 0)] != 0;
                out[1] = inside ? std::uint8_t{0} : out[0];
                out[0] = inside ? out[0] : std::uint8_t{0};
            }
        }
    }
    // A range for each byte, even where all of the texels count, or none.
    out = static_cast<std::uint8_t*>(m_image->GetScalarPointer());
    for (int byte = 0; byte < 2; ++byte) {
        out[2 + byte] = std::max<std::uint8_t>(out[2 + byte], 1);
    }
}

void VolumeTexture::addRegion(const method::MatchMap& map, const base::Box& region,
                              const match::HeatmapScale& scale) {
    auto* texelsOut = static_cast<std::uint8_t*>(m_image->GetScalarPointer());
    const auto low = static_cast<float>(scale.low);
    const float factor = greyScale({scale.low, scale.high});
    const auto values = map.value.view();
    const auto states = map.status.view();
    const base::Index& c = region.corner;
    const base::Extents& e = region.extents;
    std::array<std::int64_t, 3> stride{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        stride[axis] = std::max<std::int64_t>(1, m_step[axis] / kSamplesPerAxis);
    }
    for (std::int64_t z = c.z; z < c.z + e.z; z += stride[2]) {
        for (std::int64_t y = c.y; y < c.y + e.y; y += stride[1]) {
            const float* value = values.row(y, z);
            const base::Status* status = states.row(y, z);
            std::uint8_t* row =
                texelsOut + (z / m_step[2] * m_count[1] + y / m_step[1]) * m_count[0] * m_bytes;
            for (std::int64_t x = c.x; x < c.x + e.x; x += stride[0]) {
                if (!base::hasValue(status[x])) {
                    continue;
                }
                const std::uint8_t byte = std::max<std::uint8_t>(greyOf(value[x], low, factor), 1);
                const int byteAt = marked() && status[x] == base::Status::LowConf ? 1 : 0;
                std::uint8_t& texel = row[x / m_step[0] * m_bytes + byteAt];
                if (texel == 0 || strength(byte, scale.map) > strength(texel, scale.map)) {
                    texel = byte;
                }
            }
        }
    }
    touch();
}

} // namespace flcc::viz::detail
