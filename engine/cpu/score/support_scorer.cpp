#include "engine/cpu/score/support_scorer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/method/shared/template_error.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using base::Index;
using base::Status;
using method::Outside;
using method::shared::PanelFrame;
using method::shared::PanelScore;
using method::shared::PanelSums;

// Slots of the correlator's outputs.
constexpr std::int64_t kCn = 0;
constexpr std::int64_t kS1 = 1;
constexpr std::int64_t kS2 = 2;
constexpr std::int64_t kN = 3;
constexpr std::int64_t kT1 = 4;
constexpr std::int64_t kT2 = 5;
constexpr std::int64_t kBad = 6;

/// Step between the bounds of the first row of a slice that go into the sample.
constexpr std::int64_t kBoundStep = 16;

double at(const simd::DoubleBox& box, const Index& i) {
    return box.data[i.z * box.sliceStride + i.y * box.rowStride + i.x];
}

} // namespace

base::Box seenBy(const method::Problem& problem, const base::Box& out) {
    const Index first = method::firstPlacement(problem);
    base::Box seen = footprint(out, problem.templ);
    seen.corner.x += first.x;
    seen.corner.y += first.y;
    seen.corner.z += first.z;
    return seen;
}

bool isPartial(const method::MaskedView& scene, const base::Box& seen) {
    return !base::contains(scene.extents(), seen) ||
           (scene.mask.data() != nullptr && method::isMasked(method::partOf(scene, seen)));
}

bool SupportScorer::tile(const SupportRun& run, const base::Box& out, const SupportStages& stages,
                         WorkerTally& tally) {
    const std::optional<Sums> sums = sumsOf(run, out, stages, tally);
    if (sums) {
        score(run, out, *sums, stages, tally);
    }
    return sums.has_value();
}

std::optional<SupportScorer::Sums> SupportScorer::sumsOf(const SupportRun& run,
                                                         const base::Box& out,
                                                         const SupportStages& stages,
                                                         WorkerTally& tally) {
    Correlator& own = *m_correlator;
    const base::Box seen = seenBy(run.problem, out);
    const auto correlate = [&](Weights weights, std::int64_t slot) {
        if (!run.stop.stop_requested()) {
            own.correlate(run.templ, weights, out.extents, slot);
        }
    };
    Sums sums;
    own.clear();
    sums.frame = loadSupport(run.scene, seen, own.input());
    sums.partial = sums.frame.inside < base::voxelCount(seen.extents);
    sums.insideNorm = std::sqrt(static_cast<double>(sums.frame.inside));
    tally.clock.lap(stages.load);
    own.inputChanged();
    correlate(Weights::That, kCn);
    correlate(Weights::Support, kS1);
    squareInPlace(seen.extents, own.input());
    own.inputChanged();
    correlate(Weights::Support, kS2);
    if (sums.partial) {
        loadInside(run.scene, seen, own.input()); // elements outside were never written and are 0
        own.inputChanged();
        correlate(Weights::Support, kN);
        correlate(Weights::That, kT1);
        if (run.problem.outside == Outside::Overlap) {
            correlate(Weights::Square, kT2);
        }
    }
    if (sums.frame.tile.nonFinite > 0) {
        own.clear();
        loadNonFinite(run.scene, seen, own.input());
        own.inputChanged();
        correlate(Weights::Support, kBad);
    }
    tally.clock.lap(stages.sums);
    if (run.stop.stop_requested()) {
        return std::nullopt;
    }
    return sums;
}

PanelFrame SupportScorer::frameOf(const SupportRun& run, const Sums& sums) const {
    const double tile = m_correlator->tileError();
    const double panel = m_correlator->panelError();
    const double count = static_cast<double>(run.templ.count());
    const SupportFrame& loaded = sums.frame;
    PanelFrame frame;
    frame.count = count;
    frame.rootCount = std::sqrt(count);
    frame.level = loaded.level;
    frame.unit = loaded.tile.unit;
    frame.perUnit = 1 / loaded.tile.unit;
    frame.integer = loaded.integer;
    frame.outside = run.problem.outside;
    // The roundings of the score itself, and of storing it as float.
    frame.constant =
        method::shared::kNormedError + (run.map.exact.data() == nullptr ? kUnitSingle : 0.0);
    // A voxel is rounded once when it is loaded; its square has two roundings more.
    const auto roundings = [](double number) { return number * kUnitDouble; };
    frame.errors.cnTile = tile * loaded.norm * run.templ.norm(Weights::That);
    frame.errors.cnPanel = panel + roundings(2) + method::shared::kTemplateError;
    frame.errors.s1Tile = tile * loaded.norm * run.templ.norm(Weights::Support);
    frame.errors.s1Panel = panel + roundings(2);
    frame.errors.s2Tile = tile * loaded.squareNorm * run.templ.norm(Weights::Support);
    frame.errors.s2Panel = panel + roundings(4);
    const double sumOfThat = std::sqrt(count); // an upper bound of the sum of |That|
    frame.errors.t1Tile = tile * sums.insideNorm * run.templ.norm(Weights::That) +
                          (panel + roundings(1) + method::shared::kTemplateError) * sumOfThat;
    frame.errors.t2Tile = tile * sums.insideNorm * run.templ.norm(Weights::Square) + panel +
                          roundings(2) + 2 * method::shared::kTemplateError;
    return frame;
}

/// One tile being scored.
class SupportScorer::Tile {
  public:
    Tile(const SupportRun& run, const base::Box& out, const Sums& sums, const PanelFrame& frame,
         Correlator& correlator)
        : m_run(run), m_out(out), m_sums(sums), m_frame(frame),
          m_first(seenBy(run.problem, out).corner), m_value(run.map.value),
          m_status(run.map.status), m_exact(run.map.exact) {
        for (std::int64_t slot = 0; slot < Correlator::kOutputs; ++slot) {
            const bool used =
                slot < kN || (slot < kT2 && sums.partial) ||
                (slot == kT2 && sums.partial && run.problem.outside == Outside::Overlap) ||
                (slot == kBad && sums.frame.tile.nonFinite > 0);
            if (used) {
                m_boxes[static_cast<std::size_t>(slot)] = correlator.output(slot);
            }
        }
    }

    /// Scores every placement. Scores that break the promise are recorded for repair().
    void score() {
        const Extents& extents = m_out.extents;
        for (std::int64_t z = 0; z < extents.z; ++z) {
            for (std::int64_t y = 0; y < extents.y; ++y) {
                for (std::int64_t x = 0; x < extents.x; ++x) {
                    scoreAt({x, y, z});
                }
            }
        }
    }

    void repair() {
        if (!m_run.problem.recompute) {
            return;
        }
        bool left = false;
        for (const Index& i : m_open) {
            if (m_run.stop.stop_requested()) {
                return;
            }
            const method::CanonicalValue value = method::canonicalValue(
                m_run.scene, m_run.canonical, {m_first.x + i.x, m_first.y + i.y, m_first.z + i.z},
                m_run.problem.outside);
            const double bound = value.bound + (m_exact.data() == nullptr ? kUnitSingle : 0.0);
            if (bound > m_run.problem.promise) {
                left = true;
                continue;
            }
            write(i, value.score, isWhole(i) ? Status::Ok : Status::Partial);
            m_tally.largestBound = std::max(m_tally.largestBound, bound);
            --count(Status::LowConf);
            ++m_recomputed;
        }
        m_tally.largestLowConf = left ? m_tally.largestLowConf : 0;
    }

    void addTo(FactsCollector& facts) const {
        facts.addTile(m_tally, m_sums.frame.tile);
        facts.addRecomputed(m_run.problem.precision == method::Precision::Single ? m_recomputed
                                                                                 : 0);
        facts.addStatuses(m_counts);
        for (const float bound : m_bounds) {
            facts.addBound(bound);
        }
    }

  private:
    [[nodiscard]] double sum(std::int64_t slot, const Index& i) const {
        return at(m_boxes[static_cast<std::size_t>(slot)], i);
    }
    [[nodiscard]] std::int64_t& count(Status status) {
        return m_counts[static_cast<std::size_t>(status)];
    }
    [[nodiscard]] double insideAt(const Index& i) const {
        return m_sums.partial ? method::shared::detail::nearest(sum(kN, i)) : m_frame.count;
    }
    [[nodiscard]] bool isWhole(const Index& i) const { return insideAt(i) == m_frame.count; }

    void write(const Index& i, double value, Status status) {
        m_value.at(i) = static_cast<float>(value);
        m_status.at(i) = status;
        if (m_exact.data() != nullptr) {
            m_exact.at(i) = value;
        }
        ++count(status);
    }

    void scoreAt(const Index& i) {
        const method::Problem& problem = m_run.problem;
        PanelSums sums{sum(kCn, i), sum(kS1, i), sum(kS2, i), insideAt(i), 0, 1};
        const bool whole = sums.n == m_frame.count;
        if (!method::isScored(sums.n, m_frame.count, problem.outside, problem.minOverlap)) {
            write(i, 0, Status::NotComputed);
            return;
        }
        if (m_sums.frame.tile.nonFinite > 0 && sum(kBad, i) > 0.5) {
            write(i, 0, Status::NonFinite);
            return;
        }
        const bool overlap = problem.outside == Outside::Overlap;
        if (!whole) { // for the whole template they are 0 and 1 by definition
            sums.t1 = sum(kT1, i);
            sums.t2 = overlap ? sum(kT2, i) : 1;
        }
        const PanelScore score = scorePanel(sums, m_frame);
        if (score.open && isFlat(i, whole)) {
            write(i, 0, Status::Flat);
            return;
        }
        m_tally.overRange += std::abs(score.value) - 1 > score.bound ? 1 : 0;
        if (i.y == 0 && i.x % kBoundStep == 0) {
            m_bounds.push_back(static_cast<float>(score.bound));
        }
        const double value = std::clamp(score.value, -1.0, 1.0);
        if (score.bound > problem.promise) {
            m_tally.largestLowConf = std::max(m_tally.largestLowConf, score.bound);
            m_open.push_back(i);
            write(i, value, Status::LowConf);
            return;
        }
        m_tally.largestBound = std::max(m_tally.largestBound, score.bound);
        write(i, value, whole ? Status::Ok : Status::Partial);
    }

    [[nodiscard]] bool isFlat(const Index& i, bool whole) {
        const bool overlap = m_run.problem.outside == Outside::Overlap;
        const Index corner{m_first.x + i.x, m_first.y + i.y, m_first.z + i.z};
        return isConstantPanel(i, corner, !whole && !overlap) ||
               (!whole && overlap && isTemplateConstant(m_run.scene, m_run.templ, corner));
    }

    /// True if a panel is constant on the voxels inside; with `zero`, if these are all 0. The
    /// panel's voxels are compared only if the box around its support is not constant and the
    /// support is not that box.
    [[nodiscard]] bool isConstantPanel(const Index& i, const Index& corner, bool zero) {
        const Extents& extents = m_out.extents;
        if (m_flat.empty()) {
            m_flat = flatPanels(m_run.scene.pixels,
                                {m_first, footprint(m_out, m_run.problem.templ).extents},
                                m_run.problem.templ);
        }
        if (m_flat[static_cast<std::size_t>((i.z * extents.y + i.y) * extents.x + i.x)] != 0) {
            return !zero || isZeroNear(corner);
        }
        const bool box = m_run.canonical.support().empty() && m_run.scene.mask.data() == nullptr;
        return !box && isConstant(m_run.scene, m_run.templ, corner, zero);
    }

    /// True if the scene voxel nearest to `at` is 0.
    [[nodiscard]] bool isZeroNear(const Index& at) const {
        return std::visit(
            [&](const auto& pixels) {
                const Extents& n = pixels.extents();
                return pixels.at({std::clamp<std::int64_t>(at.x, 0, n.x - 1),
                                  std::clamp<std::int64_t>(at.y, 0, n.y - 1),
                                  std::clamp<std::int64_t>(at.z, 0, n.z - 1)}) == 0;
            },
            m_run.scene.pixels);
    }

    const SupportRun& m_run;
    base::Box m_out;
    const Sums& m_sums;
    PanelFrame m_frame;
    Index m_first;
    base::View<float> m_value;
    base::View<Status> m_status;
    base::View<double> m_exact;
    std::array<simd::DoubleBox, Correlator::kOutputs> m_boxes{};
    simd::ScoreTally m_tally;
    std::array<std::int64_t, base::kStatusCount> m_counts{};
    std::vector<Index> m_open;
    std::vector<float> m_bounds;
    std::vector<std::uint8_t> m_flat; ///< result of flatPanels(); empty until needed
    std::int64_t m_recomputed = 0;
};

void SupportScorer::score(const SupportRun& run, const base::Box& out, const Sums& sums,
                          const SupportStages& stages, WorkerTally& tally) {
    Tile tile(run, out, sums, frameOf(run, sums), *m_correlator);
    tile.score();
    tally.clock.lap(stages.score);
    tile.repair();
    tile.addTo(tally.facts);
    tally.clock.lap(stages.repair);
}

} // namespace flcc::cpu
