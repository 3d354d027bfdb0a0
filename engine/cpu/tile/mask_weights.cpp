#include "engine/cpu/tile/mask_weights.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "engine/base/finite.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using base::Image;
using base::Index;

/// The masks that templates use.
struct MaskTable {
    std::mutex lock;
    std::vector<std::weak_ptr<const MaskWeights>> masks;
};

MaskTable& maskTable() {
    static MaskTable table;
    return table;
}

} // namespace

std::shared_ptr<const MaskWeights> MaskWeights::of(const method::CanonicalTemplate& templ,
                                                   const TransformShape& points,
                                                   const TransformShape& inDouble, bool keep) {
    MaskTable& table = maskTable();
    const std::lock_guard lock(table.lock);
    std::erase_if(table.masks, [](const auto& one) { return one.expired(); });
    for (const std::weak_ptr<const MaskWeights>& one : table.masks) {
        std::shared_ptr<const MaskWeights> known = one.lock();
        if (known && known->serves(templ, points, inDouble, keep)) {
            return known;
        }
    }
    auto made = std::make_shared<const MaskWeights>(templ, points, inDouble, keep);
    table.masks.push_back(made);
    return made;
}

MaskWeights::MaskWeights(const method::CanonicalTemplate& templ, const TransformShape& points,
                         const TransformShape& inDouble, bool keep)
    : m_points(points), m_doublePoints(inDouble), m_keep(keep),
      m_support(templ.support().extents()), m_total(templ.total()), m_norm(std::sqrt(m_total)) {
    std::copy_n(templ.support().data(), m_support.count(), m_support.data());
    if (!templ.weights().empty()) {
        m_weights = Image<double>(m_support.extents());
        std::copy_n(templ.weights().data(), m_weights.count(), m_weights.data());
        double squares = 0;
        for (std::int64_t i = 0; i < m_weights.count(); ++i) {
            squares += m_weights.data()[i] * m_weights.data()[i];
        }
        m_norm = std::sqrt(squares);
    }
    const Extents& m = m_support.extents();
    for (std::int64_t i = 0; i < m_support.count(); ++i) {
        if (m_support.data()[i] == 0) {
            continue;
        }
        const Index at{i % m.x, i / m.x % m.y, i / (m.x * m.y)};
        if (at.x > 0 && m_support.data()[i - 1] != 0) {
            ++m_runs.back().length;
        } else {
            m_runs.push_back({at, 1});
        }
    }
    if (m.z == 1 && binary()) {
        m_edges.emplace(m_runs, m.y);
    }
    m_spectrum =
        TileTransform<float>::of(points)->templateSpectrum(normalised().view(), oneAfterTheOther());
}

Image<double> MaskWeights::normalised() const {
    Image<double> weights(m_support.extents());
    for (std::int64_t i = 0; i < weights.count(); ++i) {
        const double weight =
            m_weights.empty() ? static_cast<double>(m_support.data()[i]) : m_weights.data()[i];
        weights.data()[i] = weight / m_norm;
    }
    return weights;
}

bool MaskWeights::serves(const method::CanonicalTemplate& templ, const TransformShape& points,
                         const TransformShape& inDouble, bool keep) const {
    const Image<std::uint8_t>& support = templ.support();
    return points == m_points && inDouble == m_doublePoints && keep == m_keep &&
           support.extents() == m_support.extents() &&
           std::equal(support.data(), support.data() + support.count(), m_support.data()) &&
           templ.weights().count() == m_weights.count() &&
           std::equal(m_weights.data(), m_weights.data() + m_weights.count(),
                      templ.weights().data());
}

const double* MaskWeights::inDouble(double* work, double* to) const {
    const auto make = [&](double* spectrum) {
        TileTransform<double>::of(m_doublePoints)
            ->templateSpectrum(normalised().view(), oneAfterTheOther(), work, spectrum);
    };
    if (!m_keep) {
        make(to);
        return to;
    }
    std::call_once(m_once, [&] {
        m_inDouble = Image<double>({TileTransform<double>::spectrumValues(m_doublePoints), 1, 1});
        make(m_inDouble.data());
    });
    return m_inDouble.data();
}

std::vector<std::uint8_t> MaskWeights::nonFinitePanels(const base::AnyView& scene,
                                                       const base::Box& seen) const {
    const Extents& m = m_support.extents();
    const Extents& n = seen.extents;
    const Extents out{n.x - m.x + 1, n.y - m.y + 1, n.z - m.z + 1};
    std::vector<std::uint8_t> touched(static_cast<std::size_t>(base::voxelCount(out)));
    std::vector<std::int32_t> before(static_cast<std::size_t>(n.x + 1)); // a row's prefix counts
    std::visit(
        [&](const auto& pixels) {
            for (std::int64_t i = 0; i < n.y * n.z; ++i) {
                const Index at{0, i % n.y, i / n.y};
                const auto* const row =
                    pixels.row(seen.corner.y + at.y, seen.corner.z + at.z) + seen.corner.x;
                for (std::int64_t x = 0; x < n.x; ++x) {
                    const auto here = static_cast<std::size_t>(x);
                    before[here + 1] = before[here] + (base::finite(row[x]) ? 0 : 1);
                }
                if (before.back() == 0) {
                    continue;
                }
                for (const SupportTemplate::Run& run : m_runs) {
                    const std::int64_t y = at.y - run.start.y;
                    const std::int64_t z = at.z - run.start.z;
                    if (y < 0 || y >= out.y || z < 0 || z >= out.z) {
                        continue;
                    }
                    std::uint8_t* const to = touched.data() + (z * out.y + y) * out.x;
                    const std::int32_t* const first = before.data() + run.start.x;
                    for (std::int64_t x = 0; x < out.x; ++x) {
                        to[x] |= static_cast<std::uint8_t>(first[x + run.length] != first[x]);
                    }
                }
            }
        },
        scene);
    return touched;
}

std::int64_t MaskWeights::bytes(const Extents& m, const TransformShape& points,
                                const TransformShape& inDouble, bool keep) {
    return 9 * base::voxelCount(m) + 4 * TileTransform<float>::spectrumValues(points) +
           (keep ? 8 * TileTransform<double>::spectrumValues(inDouble) : 0);
}

} // namespace flcc::cpu
