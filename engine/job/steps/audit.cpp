#include "engine/job/steps/audit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "engine/base/stopwatch.h"
#include "engine/job/report/text.h"
#include "engine/method/shared/posed_view.h"
#include "engine/reference/match_operation.h"

namespace flcc::job::detail {

namespace {

constexpr std::size_t kDrawn = 64;
constexpr std::uint64_t kSeed = 20041108;
/// Share of a run the audit may take with auto.
constexpr double kShare = 0.02;
/// Time of the definition for a panel, beside OperationTraits::definitionNs for each of its voxels.
constexpr double kPanelNs = 300;
/// Members of a bank of poses that are compared with the one that the index names.
constexpr int kOthers = 3;

double predictedMs(const AuditInput& input) {
    const auto places = static_cast<double>(input.peaks.size() + kDrawn + input.lowest.size());
    // A member of a bank of poses is made first, which takes about as long as 16 panels.
    constexpr double kMember = 17;
    const double compared =
        input.poses ? (1 + kOthers) * kMember : static_cast<double>(input.templates.size());
    const auto voxels = static_cast<double>(base::voxelCount(input.problem.templ)) * compared;
    const double voxelNs = input.problem.operation.traits().definitionNs;
    return 1e-6 * (places + 1) * (voxels * voxelNs + kPanelNs);
}

/// The definition of one template.
struct Definition {
    reference::MatchOperation value;
    bool counts = true; ///< at the placement in question

    Definition(const method::MaskedView& templ, const method::Problem& problem)
        : value(problem.operation, templ, problem.outside, problem.minOverlap) {}
};

/// The scores of the definition at one placement.
struct Truth {
    reference::Score best; ///< of all templates; the first one's where none has a score
    std::vector<reference::Score> each; ///< of every template
    double error = 0;                   ///< a bound on the error of the definition
    double scale = 1;                   ///< what the promise is multiplied with
};

/// Compares a run with the definition and collects the differences.
class Auditor {
  public:
    explicit Auditor(const AuditInput& input)
        : m_input(input), m_first(method::firstPlacement(input.problem)),
          m_sign(input.problem.operation.traits().sign()) {
        if (input.poses) {
            return; // they are made for each placement
        }
        for (const method::MaskedView& templ : input.templates) {
            m_references.emplace_back(templ, input.problem);
        }
    }

    void peak(const match::Peak& peak) {
        const Truth truth = truthAt(peak.corner);
        // Of a search over poses the member that the index names comes first.
        const reference::Score& own =
            truth.each[m_input.poses ? 0 : static_cast<std::size_t>(peak.templ)];
        compare(peak.score, own.value, peak.bound + truth.error, "the peak at", peak.corner);
        for (const reference::Score& other : truth.each) {
            // Where both count, no other template is better than the one that the peak names.
            if (other.status == base::Status::Ok && peak.status == base::Status::Ok &&
                m_sign * other.value > m_sign * own.value) {
                compare(peak.score, other.value, peak.bound + truth.error, "the peak at",
                        peak.corner);
            }
        }
        voxel(mapVoxel(peak.corner), truth);
    }

    void voxel(const base::Index& at) {
        voxel(at, truthAt({at.x + m_first.x, at.y + m_first.y, at.z + m_first.z}));
    }

    /// The map voxel of the placement whose first voxel lies on `corner`.
    [[nodiscard]] base::Index mapVoxel(const base::Index& corner) const {
        return {corner.x - m_first.x, corner.y - m_first.y, corner.z - m_first.z};
    }

    [[nodiscard]] base::Status statusAt(const base::Index& at) const {
        return m_input.reduced != nullptr ? m_input.reduced->asked(at).status
                                          : m_input.map->status.view().at(at);
    }

    [[nodiscard]] AuditReport report() {
        if (!m_ratios.empty()) {
            const auto half = m_ratios.begin() + std::ssize(m_ratios) / 2;
            std::nth_element(m_ratios.begin(), half, m_ratios.end());
            m_report.medianOverBound = *half;
        }
        // Of scores without LOWCONF. A promise that is not absolute is relative to the scale of a
        // value, which is above 1 also for a pure number such as nssd.
        const bool absolute = m_input.problem.operation.traits().absolutePromise;
        const double reported =
            absolute ? m_input.facts.largestBound : m_input.facts.largestRelative;
        const bool kept = reported <= m_input.problem.promise;
        bool good = m_report.wrongStatus == 0 && m_report.largestOverBound <= 1;
        if (good && !kept) {
            good = false;
            m_report.reason = std::string("the ") + (absolute ? "" : "relative ") +
                              "bound of scores without LOWCONF is " + shortest(reported) +
                              ", above the promise of " + shortest(m_input.problem.promise);
        }
        m_report.verdict = good ? AuditVerdict::Passed : AuditVerdict::Failed;
        return m_report;
    }

  private:
    /// The member that the index names at a placement and some others.
    [[nodiscard]] std::vector<Definition> membersAt(const base::Index& corner) const {
        const std::int32_t named = std::max<std::int32_t>(0, m_input.index.at(mapVoxel(corner)));
        std::mt19937_64 random(kSeed + static_cast<std::uint64_t>(named));
        std::vector<Definition> members;
        for (int i = 0; i <= kOthers; ++i) {
            const auto count = static_cast<std::uint64_t>(m_input.poses->count());
            const auto number =
                i == 0 ? std::int64_t{named} : static_cast<std::int64_t>(random() % count);
            const rotation::TurnedTemplate member = m_input.poses->member(number);
            members.emplace_back(method::viewOf(member), m_input.problem);
            members.back().counts = countsAt(number, mapVoxel(corner));
        }
        return members;
    }

    /// Whether a score of a member counts at a voxel of the map.
    [[nodiscard]] bool countsAt(std::int64_t member, const base::Index& voxel) const {
        if (m_input.counted.placements.empty()) {
            return true;
        }
        const base::Box& in = m_input.counted.placements[static_cast<std::size_t>(member)];
        const base::Index at{voxel.x - in.corner.x, voxel.y - in.corner.y, voxel.z - in.corner.z};
        return base::contains(in.extents, {at, {1, 1, 1}});
    }

    /// Whether a score comes before another one.
    [[nodiscard]] bool isBetter(const reference::Score& score, const reference::Score& than) const {
        const bool partial = score.status == base::Status::Partial;
        if (!base::hasValue(score.status) || !base::hasValue(than.status)) {
            return base::hasValue(score.status);
        }
        return m_input.counted.wholeFirst && partial != (than.status == base::Status::Partial)
                   ? !partial
                   : m_sign * score.value > m_sign * than.value;
    }

    [[nodiscard]] Truth truthAt(const base::Index& corner) const {
        Truth truth;
        const std::vector<Definition> members =
            m_input.poses ? membersAt(corner) : std::vector<Definition>();
        for (const Definition& reference : m_input.poses ? members : m_references) {
            const reference::Score score =
                reference.counts ? reference.value.at(m_input.scene, corner) : reference::Score{};
            truth.error = std::max(truth.error, reference.value.errorAt(m_input.scene, corner));
            truth.scale = std::max(truth.each.empty() ? 0 : truth.scale,
                                   reference.value.scaleAt(m_input.scene, corner));
            if (truth.each.empty() || isBetter(score, truth.best)) {
                truth.best = score;
            }
            truth.each.push_back(score);
        }
        return truth;
    }

    [[nodiscard]] double valueAt(const base::Index& at) const {
        if (m_input.reduced != nullptr) {
            return m_input.reduced->asked(at).value;
        }
        const method::MatchMap& map = *m_input.map;
        return map.exact.data() != nullptr ? map.exact.view().at(at)
                                           : static_cast<double>(map.value.view().at(at));
    }

    /// Whether the map's status at a placement is possible: it must belong to a template whose
    /// score is the best one within `bound`.
    [[nodiscard]] bool mayBe(base::Status status, const Truth& truth, double bound) const {
        if (!base::hasValue(truth.best.status)) {
            return status == truth.best.status;
        }
        // LOWCONF stands before PARTIAL.
        return status == base::Status::LowConf ||
               std::any_of(truth.each.begin(), truth.each.end(), [&](const auto& score) {
                   return score.status == status &&
                          m_sign * score.value >=
                              m_sign * truth.best.value - 2 * (bound + truth.error);
               });
    }

    /// Whether a template that `index` may name has a score, or nothing has one.
    [[nodiscard]] bool isNamed(std::int32_t index, const Truth& truth) const {
        if (!base::hasValue(truth.best.status)) {
            return index == -1;
        }
        return index >= 0 && index < std::ssize(truth.each) &&
               base::hasValue(truth.each[static_cast<std::size_t>(index)].status);
    }

    void voxel(const base::Index& at, const Truth& truth) {
        const base::Status status = statusAt(at);
        const bool stayed = m_input.reduced != nullptr && m_input.templates.size() > 1;
        const bool indexed = m_input.index.data() != nullptr || stayed;
        std::int32_t index = stayed    ? m_input.reduced->asked(at).templ
                             : indexed ? m_input.index.at(at)
                                       : 0;
        index = m_input.poses ? std::min(index, 0) : index; // the named member comes first
        const method::MapFacts& facts = m_input.facts;
        const double promise = m_input.problem.promise * truth.scale;
        // Code that computes a wrong score may compute a wrong bound too, so only LOWCONF allows
        // more than the promise.
        const double bound = !base::hasValue(status)           ? 0.0
                             : status == base::Status::LowConf ? facts.largestLowConf
                             : status == base::Status::Partial
                                 ? promise
                                 : std::min(facts.largestBound, promise);
        const bool same = mayBe(status, truth, bound);
        if (!same || (indexed && !isNamed(index, truth))) {
            if (m_report.wrongStatus++ == 0 && m_report.largestOverBound <= 1) {
                m_report.reason =
                    "voxel " + base::toString(at) + " of the map has status " +
                    std::string(base::name(status)) + ", but its pixels give " +
                    std::string(base::name(truth.best.status)) +
                    (same ? "; template " + std::to_string(index) + " cannot have its best score"
                          : "");
            }
            ++m_report.checked;
            return;
        }
        const double value = valueAt(at);
        compare(value, truth.best.value, bound + truth.error, "voxel", at);
        if (indexed && (index > 0 || (index == 0 && m_input.poses))) {
            compare(value, truth.each[static_cast<std::size_t>(index)].value, bound + truth.error,
                    "voxel", at);
        }
    }

    void compare(double value, double truth, double bound, const char* what,
                 const base::Index& at) {
        ++m_report.checked;
        double deviation = std::abs(value - truth);
        if (!std::isfinite(deviation)) {
            deviation = std::numeric_limits<double>::infinity();
        }
        const double ratio = deviation == 0 ? 0 : deviation / bound;
        if (ratio > 1 && m_report.largestOverBound <= 1 && m_report.wrongStatus == 0) {
            m_report.reason = std::string(what) + " " + base::toString(at) + " has the score " +
                              shortest(value) + ", but the definition gives " + shortest(truth);
        }
        m_report.largestDeviation = std::max(m_report.largestDeviation, deviation);
        m_report.largestOverBound = std::max(m_report.largestOverBound, ratio);
        m_ratios.push_back(ratio);
    }

    const AuditInput& m_input;
    std::vector<Definition> m_references;
    base::Index m_first; ///< the placement of the map's first voxel
    double m_sign;       ///< of values, so that the largest is the best
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

std::vector<base::Index> auditedVoxels(const method::Problem& problem,
                                       const std::vector<base::Index>& lowest) {
    const base::Extents extents = method::mapExtents(problem);
    const base::Index first = method::firstPlacement(problem);
    // The generator is the same everywhere; the distributions of the library are not.
    std::mt19937_64 random(kSeed);
    const auto count = static_cast<std::uint64_t>(base::voxelCount(extents));
    std::vector<base::Index> voxels;
    while (voxels.size() < kDrawn) {
        voxels.push_back(indexOf(static_cast<std::int64_t>(random() % count), extents));
    }
    for (const base::Index& corner : lowest) {
        voxels.push_back({corner.x - first.x, corner.y - first.y, corner.z - first.z});
    }
    return voxels;
}

AuditReport audit(const AuditInput& input, const std::stop_token& stop) {
    const base::Stopwatch watch;
    Auditor auditor(input);
    for (const match::Peak& peak : input.peaks) {
        if (stop.stop_requested()) {
            return {};
        }
        auditor.peak(peak);
    }
    const std::vector<base::Index> voxels = auditedVoxels(input.problem, input.lowest);
    for (std::size_t i = 0; i < voxels.size() && !stop.stop_requested(); ++i) {
        if (i < kDrawn || base::hasValue(auditor.statusAt(voxels[i]))) {
            auditor.voxel(voxels[i]);
        }
    }
    if (stop.stop_requested()) {
        return {};
    }
    AuditReport report = auditor.report();
    report.ms = watch.ms();
    return report;
}

} // namespace flcc::job::detail
