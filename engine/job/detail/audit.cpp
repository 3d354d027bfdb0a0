#include "engine/job/detail/audit.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>

#include "engine/job/detail/text.h"
#include "engine/method/canonical.h"
#include "engine/reference/lcc.h"

namespace flcc::job::detail {

namespace {

constexpr std::size_t kDrawn = 64;
constexpr std::uint64_t kSeed = 20041108;
/// Share of a run the audit may take with auto.
constexpr double kShare = 0.02;
/// What reference::Lcc takes for a voxel of a panel, and for a panel beside.
constexpr double kVoxelNs = 8;
constexpr double kPanelNs = 300;

double predictedMs(const AuditInput& input) {
    const auto places = static_cast<double>(input.peaks.size() + kDrawn + input.lowest.size());
    const auto voxels = static_cast<double>(base::voxelCount(input.templ.extents()));
    return 1e-6 * (places + 1) * (voxels * kVoxelNs + kPanelNs);
}

/// Collects what differs.
class Auditor {
  public:
    explicit Auditor(const AuditInput& input)
        : m_input(input), m_reference(input.templ, input.problem.outside, input.problem.minOverlap),
          m_first(method::firstPlacement(input.problem)),
          m_own(method::canonicalBound(base::voxelCount(input.templ.extents()))) {}

    void peak(const match::Peak& peak) {
        const reference::Score truth = m_reference.at(m_input.scene, peak.corner);
        compare(peak.score, truth.value, peak.bound, "the peak at", peak.corner);
        voxel(mapVoxel(peak.corner), truth);
    }

    void voxel(const base::Index& at) {
        const base::Index corner{at.x + m_first.x, at.y + m_first.y, at.z + m_first.z};
        voxel(at, m_reference.at(m_input.scene, corner));
    }

    /// Where the map has the placement whose first voxel lies on `corner`.
    [[nodiscard]] base::Index mapVoxel(const base::Index& corner) const {
        return {corner.x - m_first.x, corner.y - m_first.y, corner.z - m_first.z};
    }

    [[nodiscard]] AuditReport report() {
        if (!m_ratios.empty()) {
            const auto half = m_ratios.begin() + std::ssize(m_ratios) / 2;
            std::nth_element(m_ratios.begin(), half, m_ratios.end());
            m_report.medianOverBound = *half;
        }
        const bool good = m_report.wrongStatus == 0 && m_report.largestOverBound <= 1;
        m_report.verdict = good ? AuditVerdict::Passed : AuditVerdict::Failed;
        return m_report;
    }

  private:
    void voxel(const base::Index& at, const reference::Score& truth) {
        const base::Status status = m_input.map.status.view().at(at);
        const bool scored = base::hasValue(status);
        // LOWCONF stands before PARTIAL.
        const bool same = truth.status == status ||
                          (status == base::Status::LowConf && base::hasValue(truth.status));
        if (!same) {
            if (m_report.wrongStatus++ == 0 && m_report.largestOverBound <= 1) {
                m_report.reason = "voxel " + base::toString(at) + " of the map is " +
                                  std::string(base::name(status)) + " but its pixels make it " +
                                  std::string(base::name(truth.status));
            }
            ++m_report.checked;
            return;
        }
        const method::MapFacts& facts = m_input.facts;
        const double bound = status == base::Status::LowConf ? facts.largestLowConf
                             : status == base::Status::Partial
                                 ? std::max(facts.largestBound, m_input.problem.promise)
                                 : facts.largestBound;
        const bool twofold = m_input.map.exact.data() != nullptr;
        const double value = twofold ? m_input.map.exact.view().at(at)
                                     : static_cast<double>(m_input.map.value.view().at(at));
        compare(value, truth.value, scored ? bound : 0.0, "voxel", at);
    }

    void compare(double value, double truth, double bound, const char* what,
                 const base::Index& at) {
        ++m_report.checked;
        double deviation = std::abs(value - truth);
        if (!std::isfinite(deviation)) {
            deviation = std::numeric_limits<double>::infinity();
        }
        const double ratio = deviation / (bound + m_own);
        if (ratio > 1 && m_report.largestOverBound <= 1 && m_report.wrongStatus == 0) {
            m_report.reason = std::string(what) + " " + base::toString(at) + " has " +
                              shortest(value) + " where the definition gives " + shortest(truth);
        }
        m_report.largestDeviation = std::max(m_report.largestDeviation, deviation);
        m_report.largestOverBound = std::max(m_report.largestOverBound, ratio);
        m_ratios.push_back(ratio);
    }

    const AuditInput& m_input;
    reference::Lcc m_reference;
    base::Index m_first; ///< the placement of the map's first voxel
    double m_own;
    AuditReport m_report;
    std::vector<double> m_ratios;
};

base::Index indexOf(std::int64_t linear, const base::Extents& extents) {
    return {linear % extents.x, linear / extents.x % extents.y, linear / (extents.x * extents.y)};
}

} // namespace

std::optional<std::string> auditRefusal(Audit wanted, const AuditInput& input, double runMs) {
    if (wanted == Audit::Off) {
        return "switched off";
    }
    const double ms = predictedMs(input);
    if (wanted == Audit::Auto && ms > kShare * runMs) {
        return "it would take about " + fixed(ms, 2) + " ms, more than 2 % of the run";
    }
    return std::nullopt;
}

AuditReport audit(const AuditInput& input, const std::stop_token& stop) {
    const auto start = std::chrono::steady_clock::now();
    Auditor auditor(input);
    for (const match::Peak& peak : input.peaks) {
        if (stop.stop_requested()) {
            return {};
        }
        auditor.peak(peak);
    }
    const base::Extents& extents = input.map.value.extents();
    // The generator is the same everywhere; the distributions of the library are not.
    std::mt19937_64 random(kSeed);
    const auto count = static_cast<std::uint64_t>(base::voxelCount(extents));
    for (std::size_t i = 0; i < kDrawn && !stop.stop_requested(); ++i) {
        auditor.voxel(indexOf(static_cast<std::int64_t>(random() % count), extents));
    }
    for (const base::Index& corner : input.lowest) {
        if (stop.stop_requested()) {
            return {};
        }
        const base::Index at = auditor.mapVoxel(corner);
        if (base::hasValue(input.map.status.view().at(at))) {
            auditor.voxel(at);
        }
    }
    AuditReport report = auditor.report();
    report.ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return report;
}

} // namespace flcc::job::detail
