#include "engine/reference/match_operation.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/base/error.h"
#include "engine/method/canonical.h"

namespace flcc::reference {

/// The voxels that count at a placement, and its status if that needs no value.
struct MatchOperation::Pairs {
    std::vector<long double> panel;
    std::vector<long double> templ;
    std::vector<long double> weights; ///< 1 without those of a mask
    base::Status status = base::Status::Ok;
};

namespace {

using Values = std::vector<long double>;

/// Exact for equal values, which have no variance then.
long double meanOf(const Values& values, const Values& weights) {
    if (std::all_of(values.begin(), values.end(), [&](auto one) { return one == values[0]; })) {
        return values[0];
    }
    long double sum = 0;
    long double total = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        sum += weights[i] * values[i];
        total += weights[i];
    }
    return sum / total;
}

/// sum w (a - ma)(b - mb)
long double products(const Values& a, const Values& b, const Values& w, long double ma = 0,
                     long double mb = 0) {
    long double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += w[i] * ((a[i] - ma) * (b[i] - mb));
    }
    return sum;
}

/// sum w |a - b|^power
long double differences(const Values& a, const Values& b, const Values& w, int power) {
    long double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const long double each = std::fabs(a[i] - b[i]);
        sum += w[i] * (power == 2 ? each * each : each);
    }
    return sum;
}

long double norms(const Values& a, const Values& b, const Values& w) {
    return std::sqrt(products(a, a, w)) * std::sqrt(products(b, b, w));
}

/// NaN where the value is undefined.
long double valueOf(std::string_view name, const Values& p, const Values& t, const Values& w) {
    if (name == "correlation") {
        return products(p, t, w);
    }
    if (name == "covariance") {
        return products(p, t, w, meanOf(p, w), meanOf(t, w));
    }
    if (name == "cosine") {
        return products(p, t, w) / norms(p, t, w);
    }
    if (name == "ssd") {
        return differences(p, t, w, 2);
    }
    if (name == "nssd") {
        const long double size = norms(p, t, w);
        return size > 0 ? differences(p, t, w, 2) / size : std::nanl("");
    }
    if (name == "sad") {
        return differences(p, t, w, 1);
    }
    throw base::Error(base::ErrorCode::Internal,
                      "the reference has no operation " + std::string(name));
}

} // namespace

MatchOperation::MatchOperation(method::Operation operation, const method::MaskedView& templ,
                               method::Outside outside, double minOverlap)
    : m_operation(operation), m_extents(templ.extents()), m_support(supportOf(templ)),
      m_outside(outside), m_minOverlap(minOverlap) {
    if (method::name(operation) == "lcc") {
        m_lcc.emplace(templ, outside, minOverlap);
        return;
    }
    std::visit(
        [&](const auto& pixels) {
            for (const base::Index& at : m_support) {
                m_templ.push_back(static_cast<long double>(pixels.at(at)));
                m_weights.push_back(templ.weights.data() == nullptr ? 1 : templ.weights.at(at));
            }
        },
        templ.pixels);
}

MatchOperation::Pairs MatchOperation::pairsAt(const method::MaskedView& scene,
                                              const base::Index& corner) const {
    return std::visit(
        [&](const auto& pixels) {
            const auto seen = seenPanel(pixels, scene.mask, m_support, corner);
            Pairs pairs;
            const bool overlap = m_outside == method::Outside::Overlap;
            bool finite = true;
            for (std::size_t i = 0; i < m_support.size(); ++i) {
                if (seen.inside[i] != 0 || !overlap) {
                    pairs.panel.push_back(static_cast<long double>(seen.values[i]));
                    pairs.templ.push_back(m_templ[i]);
                    pairs.weights.push_back(m_weights[i]);
                    finite = finite && std::isfinite(pairs.panel.back());
                }
            }
            const auto all = static_cast<double>(m_support.size());
            if (!method::isScored(static_cast<double>(seen.count), all, m_outside, m_minOverlap)) {
                pairs.status = base::Status::NotComputed;
            } else if (!finite) {
                pairs.status = base::Status::NonFinite;
            } else if (seen.count < std::ssize(m_support)) {
                pairs.status = base::Status::Partial;
            }
            return pairs;
        },
        scene.pixels);
}

Score MatchOperation::at(const method::MaskedView& scene, const base::Index& corner) const {
    if (m_lcc) {
        return m_lcc->at(scene, corner);
    }
    const Pairs pairs = pairsAt(scene, corner);
    if (!base::hasValue(pairs.status)) {
        return {0, pairs.status};
    }
    const long double value =
        valueOf(method::name(m_operation), pairs.panel, pairs.templ, pairs.weights);
    return std::isnan(value) ? Score{0, base::Status::Flat}
                             : Score{static_cast<double>(value), pairs.status};
}

double MatchOperation::errorAt(const method::MaskedView& scene, const base::Index& corner) const {
    if (m_lcc) {
        return method::canonicalBound(base::voxelCount(m_extents));
    }
    const Pairs pairs = pairsAt(scene, corner);
    const auto n = static_cast<double>(pairs.panel.size());
    long double panel = 0; // largest magnitudes
    long double templ = 0;
    for (std::size_t i = 0; i < pairs.panel.size(); ++i) {
        panel = std::fmax(panel, std::fabs(pairs.panel[i]));
        templ = std::fmax(templ, std::fabs(pairs.templ[i]));
    }
    const method::OperationTraits& traits = m_operation.traits();
    const long double largest = traits.byDefinition    ? panel + templ // of a term of the sums
                                : traits.comparesSides ? (panel + templ) * (panel + templ)
                                                       : panel * templ;
    const double value = std::fabs(at(scene, corner).value);
    return traits.isPure()
               ? (n + 8) * 0x1p-62 * (value + 1) + value * 0x1p-53
               : static_cast<double>(4 * largest * n * (n + 8) * 0x1p-63L) + value * 0x1p-53;
}

double MatchOperation::scaleAt(const method::MaskedView& scene, const base::Index& corner) const {
    const method::OperationTraits& traits = m_operation.traits();
    if (traits.absolutePromise) {
        return 1;
    }
    if (traits.isPure()) {
        return std::fmax(1, std::fabs(at(scene, corner).value));
    }
    const Pairs pairs = pairsAt(scene, corner);
    if (!traits.comparesSides) {
        return static_cast<double>(norms(pairs.panel, pairs.templ, pairs.weights));
    }
    long double sum = 0;
    for (std::size_t i = 0; i < pairs.panel.size(); ++i) {
        const long double p = pairs.panel[i];
        const long double t = pairs.templ[i];
        sum += pairs.weights[i] *
               (traits.byDefinition ? std::fabs(p) + std::fabs(t) : (p * p + t * t) / 2);
    }
    return static_cast<double>(sum);
}

ScoreMap MatchOperation::map(const method::MaskedView& scene, method::Extent extent) const {
    return scoreAll(placementsOf(scene, m_extents, extent),
                    [&](const base::Index& corner) { return at(scene, corner); });
}

} // namespace flcc::reference
