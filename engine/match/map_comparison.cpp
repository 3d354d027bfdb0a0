#include "engine/match/map_comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "engine/base/error.h"
#include "engine/base/status.h"

namespace flcc::match {

namespace {

using base::Extents;
using base::Index;

/// The values of one row.
template <class Real>
void readRow(const base::AnyView& image, std::int64_t y, std::int64_t z, std::vector<Real>& row) {
    std::visit(
        [&](const auto& view) {
            const auto* const from = view.row(y, z);
            std::transform(from, from + row.size(), row.data(),
                           [](auto value) { return static_cast<Real>(value); });
        },
        image);
}

/// Calls `visit(y, z, a, b)` for every row of both images; false if stopped.
template <class Real, class Visit>
bool forRows(const base::AnyView& a, const base::AnyView& b, const std::stop_token& stop,
             const Visit& visit) {
    const Extents n = base::extentsOf(a);
    std::vector<Real> rowA(static_cast<std::size_t>(n.x));
    std::vector<Real> rowB(rowA.size());
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            if (stop.stop_requested()) {
                return false;
            }
            readRow(a, y, z, rowA);
            readRow(b, y, z, rowB);
            visit(y, z, rowA, rowB);
        }
    }
    return true;
}

/// The smallest box around voxels that come row by row.
class Around {
  public:
    void add(std::int64_t y, std::int64_t z, std::int64_t first, std::int64_t last) {
        if (!m_any) {
            m_low = {first, y, z};
            m_high = {last, y, z};
            m_any = true;
        }
        m_low = {std::min(m_low.x, first), std::min(m_low.y, y), std::min(m_low.z, z)};
        m_high = {std::max(m_high.x, last), std::max(m_high.y, y), std::max(m_high.z, z)};
    }
    [[nodiscard]] std::optional<base::Box> box() const {
        return m_any ? std::optional(base::Box{m_low,
                                               {m_high.x - m_low.x + 1, m_high.y - m_low.y + 1,
                                                m_high.z - m_low.z + 1}})
                     : std::nullopt;
    }

  private:
    bool m_any = false;
    Index m_low;
    Index m_high;
};

/// The sums of the first pass, over voxels that are finite in both images. They are divided by the
/// largest magnitude at the end of each row, so that no sum leaves the range of its type.
struct Means {
    double largestA = 0;
    double largestB = 0;
    double meanA = 0;
    double meanB = 0;
    double meanDifference = 0;
    std::int64_t count = 0;
};

template <class Real> bool isEqual(Real a, Real b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

/// Adds the mean of a row to the mean of the rows before.
void joinMean(double& mean, std::int64_t count, double rowMean, std::int64_t rowCount) {
    mean += (rowMean - mean) * (static_cast<double>(rowCount) / static_cast<double>(count));
}

template <class Real>
bool firstPass(const base::AnyView& a, const base::AnyView& b, double tolerance,
               const std::stop_token& stop, MapComparison& result, Means& means) {
    Around around;
    Real greatest = 0;
    const bool done = forRows<Real>(
        a, b, stop,
        [&](std::int64_t y, std::int64_t z, const std::vector<Real>& rowA,
            const std::vector<Real>& rowB) {
            std::int64_t first = -1;
            std::int64_t last = -1;
            std::int64_t count = 0;
            double meanA = 0;
            double meanB = 0;
            double meanDifference = 0;
            for (std::size_t x = 0; x < rowA.size(); ++x) {
                const Real va = rowA[x];
                const Real vb = rowB[x];
                const Real off = std::abs(va - vb);
                const bool finite = std::isfinite(va) && std::isfinite(vb);
                result.nanBoth += std::isnan(va) && std::isnan(vb) ? 1 : 0;
                result.nanOnlyA += std::isnan(va) && !std::isnan(vb) ? 1 : 0;
                result.nanOnlyB += !std::isnan(va) && std::isnan(vb) ? 1 : 0;
                if (finite) {
                    ++count;
                    const auto n = static_cast<double>(count);
                    meanA += (static_cast<double>(va) - meanA) / n;
                    meanB += (static_cast<double>(vb) - meanB) / n;
                    meanDifference += (static_cast<double>(va - vb) - meanDifference) / n;
                    means.largestA = std::max(means.largestA, std::abs(static_cast<double>(va)));
                    means.largestB = std::max(means.largestB, std::abs(static_cast<double>(vb)));
                    if (off > greatest) {
                        greatest = off;
                        result.greatestAt = {static_cast<std::int64_t>(x), y, z};
                        result.a = static_cast<double>(va);
                        result.b = static_cast<double>(vb);
                    }
                } else if (!isEqual(va, vb) && !std::isnan(va) && !std::isnan(vb)) {
                    ++result.infinite;
                }
                if (!isEqual(va, vb) && !(off <= static_cast<Real>(tolerance))) {
                    ++result.differing;
                    last = static_cast<std::int64_t>(x);
                    first = first < 0 ? last : first;
                }
            }
            if (first >= 0) {
                around.add(y, z, first, last);
            }
            if (count > 0) {
                means.count += count;
                joinMean(means.meanA, means.count, meanA, count);
                joinMean(means.meanB, means.count, meanB, count);
                joinMean(means.meanDifference, means.count, meanDifference, count);
            }
        });
    result.greatest = static_cast<double>(greatest);
    result.where = around.box();
    return done;
}

/// Mean squares about the means; values are scaled to about one, so that no square overflows.
template <class Real>
bool secondPass(const base::AnyView& a, const base::AnyView& b, const std::stop_token& stop,
                const Means& means, MapComparison& result) {
    const auto inverse = [](double size) {
        const double scale = 1 / size;
        return std::isfinite(scale) && scale > 0 ? scale : 1.0;
    };
    const double scaleA = inverse(means.largestA);
    const double scaleB = inverse(means.largestB);
    const double scaleDifference = inverse(result.greatest);
    double aa = 0;
    double bb = 0;
    double ab = 0;
    double squares = 0;
    const bool done = forRows<Real>(
        a, b, stop,
        [&](std::int64_t /*y*/, std::int64_t /*z*/, const std::vector<Real>& rowA,
            const std::vector<Real>& rowB) {
            std::array<double, 4> sums{0, 0, 0, 0};
            for (std::size_t x = 0; x < rowA.size(); ++x) {
                if (!std::isfinite(rowA[x]) || !std::isfinite(rowB[x])) {
                    continue;
                }
                const double da = static_cast<double>(rowA[x]) * scaleA - means.meanA * scaleA;
                const double db = static_cast<double>(rowB[x]) * scaleB - means.meanB * scaleB;
                const double off = static_cast<double>(rowA[x] - rowB[x]) * scaleDifference;
                sums[0] += da * da;
                sums[1] += db * db;
                sums[2] += da * db;
                sums[3] += off * off;
            }
            aa += sums[0];
            bb += sums[1];
            ab += sums[2];
            squares += sums[3];
        });
    if (means.count > 0) {
        result.rms = result.greatest * std::sqrt(squares / static_cast<double>(means.count));
    }
    if (means.count > 1 && aa > 0 && bb > 0) {
        result.correlation = std::clamp(ab / std::sqrt(aa * bb), -1.0, 1.0);
    }
    return done;
}

template <class Real>
bool compare(const base::AnyView& a, const base::AnyView& b, double tolerance,
             const std::stop_token& stop, MapComparison& result) {
    Means means;
    if (!firstPass<Real>(a, b, tolerance, stop, result, means)) {
        return false;
    }
    result.finite = means.count;
    result.mean = means.meanDifference;
    return secondPass<Real>(a, b, stop, means, result);
}

constexpr int kStatuses = 6;

/// The pairs of different values of two maps of statuses; none for other images.
std::vector<ValueChange> statusChanges(const base::AnyView& a, const base::AnyView& b) {
    using Bytes = base::View<const std::uint8_t>;
    if (!std::holds_alternative<Bytes>(a) || !std::holds_alternative<Bytes>(b)) {
        return {};
    }
    std::array<std::array<std::int64_t, kStatuses>, kStatuses> counts{};
    const Extents n = base::extentsOf(a);
    for (std::int64_t line = 0; line < n.y * n.z; ++line) {
        const std::uint8_t* const rowA = std::get<Bytes>(a).row(line % n.y, line / n.y);
        const std::uint8_t* const rowB = std::get<Bytes>(b).row(line % n.y, line / n.y);
        for (std::int64_t x = 0; x < n.x; ++x) {
            if (rowA[x] >= kStatuses || rowB[x] >= kStatuses) {
                return {};
            }
            ++counts[rowA[x]][rowB[x]];
        }
    }
    std::vector<ValueChange> changes;
    for (int from = 0; from < kStatuses; ++from) {
        for (int to = 0; to < kStatuses; ++to) {
            const std::int64_t voxels =
                counts[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
            if (from != to && voxels > 0) {
                changes.push_back({from, to, voxels});
            }
        }
    }
    return changes;
}

bool isWide(const base::AnyView& image) {
    return base::isInteger(base::pixelType(image)) &&
           base::bytesPerVoxel(base::pixelType(image)) == 8;
}

template <class Real, class Voxel>
base::Image<Voxel> subtracted(const base::AnyView& a, const base::AnyView& b,
                              const std::stop_token& stop) {
    base::Image<Voxel> difference(base::extentsOf(a));
    (void)forRows<Real>(a, b, stop,
                        [&](std::int64_t y, std::int64_t z, const std::vector<Real>& rowA,
                            const std::vector<Real>& rowB) {
                            std::transform(
                                rowA.begin(), rowA.end(), rowB.begin(), difference.view().row(y, z),
                                [](Real va, Real vb) { return static_cast<Voxel>(va - vb); });
                        });
    return difference;
}

/// Float32 holds all values of the type.
bool isSingle(const base::AnyView& image) {
    const base::PixelType type = base::pixelType(image);
    return base::bytesPerVoxel(type) <= 2 || type == base::PixelType::Float32;
}

} // namespace

MapComparison compareMaps(const base::AnyView& a, const base::AnyView& b, double tolerance,
                          const std::stop_token& stop) {
    const Extents n = base::extentsOf(a);
    if (n != base::extentsOf(b)) {
        throw base::Error(base::ErrorCode::Problem,
                          base::Message("maps-of-other-extents",
                                        "A has {a} voxels and B has {b}; only images of the same "
                                        "extents can be compared voxel by voxel",
                                        {{"a", n}, {"b", base::extentsOf(b)}}));
    }
    MapComparison result;
    result.voxels = base::voxelCount(n);
    const bool wide = isWide(a) || isWide(b);
    result.cancelled = !(wide ? compare<long double>(a, b, tolerance, stop, result)
                              : compare<double>(a, b, tolerance, stop, result));
    if (!result.cancelled) {
        result.changes = statusChanges(a, b);
    }
    return result;
}

base::AnyImage differenceMap(const base::AnyView& a, const base::AnyView& b,
                             const std::stop_token& stop) {
    if (isSingle(a) && isSingle(b)) {
        return subtracted<double, float>(a, b, stop);
    }
    return isWide(a) || isWide(b) ? subtracted<long double, double>(a, b, stop)
                                  : subtracted<double, double>(a, b, stop);
}

} // namespace flcc::match
