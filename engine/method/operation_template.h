#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/status.h"
#include "engine/method/masked_view.h"
#include "engine/method/operation.h"
#include "engine/method/outside.h"

namespace flcc::method {

/// The value of one placement.
struct OperationValue {
    double value = 0;
    double bound = 0; ///< on the error of the value
    /// What `--promise` is compared with: bound / scale.
    double scale = 1;
    /// OK, PARTIAL, FLAT (the operation is undefined there), NONFINITE or NOT_COMPUTED.
    base::Status status = base::Status::Ok;
};

/// A template as every operation but lcc needs it: the voxels of its support. Gives the canonical
/// value of a placement, by definition from the stored pixels. Sums of integers of up to 32 bits
/// are exact; others are in double, with their bounds. Under weights w of a mask each term of a sum
/// counts w times: sum w P T, sum w |P - T|; means are weighted too.
///
/// A panel that leaves the scene or its mask is PARTIAL: with Outside::Zero its voxels beyond count
/// as 0, with Outside::Overlap only the voxels inside count, for the template too.
class OperationTemplate {
  public:
    /// **Errors**: as requireUsableTemplate().
    OperationTemplate(const MaskedView& templ, Operation operation);

    [[nodiscard]] const base::Extents& extents() const { return m_extents; }
    /// Voxels of the support.
    [[nodiscard]] std::int64_t count() const { return std::ssize(m_support); }
    [[nodiscard]] bool isWholeBox() const { return count() == base::voxelCount(m_extents); }
    [[nodiscard]] bool weighted() const { return !m_weights.empty(); }
    /// sum |T|
    [[nodiscard]] double magnitude() const;
    /// The weight of a voxel, in the order of forVoxels().
    [[nodiscard]] long double weight(std::size_t voxel) const {
        return weighted() ? m_weights[voxel] : 1;
    }
    /// Calls `visit(Index, long double)` for every voxel of the support, x fastest.
    template <class Visit> void forVoxels(const Visit& visit) const {
        for (std::size_t i = 0; i < m_support.size(); ++i) {
            visit(m_support[i], m_values[i]);
        }
    }
    /// True if the template's pixels and those of a scene of this type are integers of up to 32
    /// bits, and there are no weights.
    [[nodiscard]] bool isInteger(base::PixelType scene) const;

    /// `corner` is the scene voxel under the template's first voxel; it may lie outside.
    [[nodiscard]] OperationValue value(Operation operation, const MaskedView& scene,
                                       const base::Index& corner, Outside outside,
                                       double minOverlap) const;

    /// The value of an operation whose quantities are known. `whole`: the panel is not PARTIAL. For
    /// an operation of absoluteDifferences the scale is that of `magnitudes`, sum |P| + |T|. `unit`
    /// is that of the quantities; a value beyond the range of double is the largest double, with a
    /// bound that breaks every promise.
    [[nodiscard]] static OperationValue finish(Operation operation, const Quantities& of,
                                               bool whole, const ValueUnit& unit = {},
                                               double magnitudes = 0);

    /// Bytes of the object.
    [[nodiscard]] static std::int64_t bytes(const base::Extents& templ, bool weighted);

  private:
    template <class T>
    [[nodiscard]] OperationValue valueIn(Operation operation, const base::View<const T>& pixels,
                                         const MaskedView& scene, const base::Index& corner,
                                         Outside outside, double minOverlap) const;

    base::Extents m_extents;
    base::PixelType m_type;
    std::vector<base::Index> m_support;
    std::vector<std::int64_t> m_whole; ///< values of integers of up to 32 bits; else empty
    std::vector<long double> m_values;
    std::vector<long double> m_weights; ///< empty if all are 1
};

} // namespace flcc::method
