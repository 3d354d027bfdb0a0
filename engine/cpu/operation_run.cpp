#include "engine/cpu/operation_run.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/cpu/tile_grid.h"
#include "engine/cpu/tile_run.h"

namespace flcc::cpu {

namespace {

using base::Index;
using base::Status;
using method::OperationValue;
using method::Problem;

/// Step between the bounds along a row that go into the sample.
constexpr std::int64_t kSampled = 16;
/// Nanoseconds of a voxel of a panel, and of a panel.
constexpr double kPanelVoxelNs = 2.5;
constexpr double kPanelNs = 60;

/// The best value so far of one placement.
struct BestValue {
    OperationValue found;
    std::int32_t templ = -1;
};

/// One tile of a run.
class OperationTile {
  public:
    OperationTile(const Problem& problem, const method::BankView& part, WorkerTally& tally)
        : m_problem(problem), m_part(part), m_tally(tally),
          m_sign(problem.operation.traits().sign()) {}

    /// Takes the value of a template at a voxel of the tile into account.
    void consider(BestValue& best, OperationValue value, std::int32_t templ) {
        if (base::hasValue(value.status) && value.bound > m_problem.promise * value.scale) {
            value.status = Status::LowConf;
        }
        if (!base::hasValue(value.status)) {
            best.found = best.templ < 0 && templ == 0 ? value : best.found;
            return;
        }
        m_sums.count += 1;
        m_sums.sum += value.value;
        m_sums.squares += value.value * value.value;
        (value.status == Status::LowConf ? m_counted.largestLowConf : m_counted.largestBound) =
            std::max(value.status == Status::LowConf ? m_counted.largestLowConf
                                                     : m_counted.largestBound,
                     value.bound);
        if (best.templ < 0 || m_sign * value.value > m_sign * best.found.value) {
            best = {value, templ};
        }
    }

    void write(const Index& at, const BestValue& best) {
        const double value = base::hasValue(best.found.status) ? best.found.value : 0.0;
        m_part.map.value.at(at) = static_cast<float>(value);
        if (m_part.map.exact.data() != nullptr) {
            m_part.map.exact.at(at) = value;
        }
        m_part.map.status.at(at) = best.found.status;
        if (m_part.index.data() != nullptr) {
            m_part.index.at(at) = best.templ;
        }
        ++m_statuses[static_cast<std::size_t>(best.found.status)];
        if (at.x % kSampled == 0) {
            m_tally.facts.addBound(static_cast<float>(best.found.bound));
        }
    }

    void finish() {
        m_tally.facts.addTile(m_counted, {});
        m_tally.facts.addStatuses(m_statuses);
        if (m_part.index.data() != nullptr) {
            if (!m_tally.best) {
                m_tally.best.emplace();
            }
            method::MapFacts tile;
            tile.scores = m_sums;
            method::addTemplate(tile, *m_tally.best);
            for (std::size_t i = 0; i < m_statuses.size(); ++i) {
                m_tally.best->statusCounts[i] += m_statuses[i];
            }
        }
    }

  private:
    const Problem& m_problem;
    const method::BankView& m_part;
    WorkerTally& m_tally;
    double m_sign;
    simd::ScoreTally m_counted;
    method::ScoreSums m_sums;
    std::array<std::int64_t, base::kStatusCount> m_statuses{};
};

} // namespace

std::vector<const method::OperationTemplate*>
operationTemplates(const Problem& problem, const method::PreparedTemplates& prepared) {
    method::requireTemplates(problem, prepared.size());
    std::vector<const method::OperationTemplate*> templs;
    templs.reserve(prepared.size());
    for (const auto& one : prepared) {
        templs.push_back(&dynamic_cast<const OperationPrepared&>(*one).templ());
    }
    return templs;
}

std::string operationRefusal(const Problem& problem) {
    const std::string name(method::name(problem.operation));
    if (problem.outside == method::Outside::Eibl) {
        return "operation " + name + " has no --outside eibl; use zero or overlap";
    }
    if (problem.statistics != method::WindowStatistics::Auto) {
        return "operation " + name + " has no choice of --statistics; use auto";
    }
    return {};
}

method::Outcome runByDefinition(const Problem& problem,
                                const std::vector<const method::OperationTemplate*>& templs,
                                const method::MaskedView& scene, const base::Extents& tile,
                                const method::Execution& execution, const method::BankView& to) {
    const Index first = method::firstPlacement(problem);
    return runTiles(
        TileGrid(method::mapExtents(problem), tile), execution, {"load", "numerator"},
        [&](const base::Box& out, int, WorkerTally& tally) {
            const method::BankView part = method::partOf(to, out);
            OperationTile own(problem, part, tally);
            const base::Extents& extents = out.extents;
            for (std::int64_t z = 0; z < extents.z; ++z) {
                for (std::int64_t y = 0; y < extents.y; ++y) {
                    for (std::int64_t x = 0; x < extents.x; ++x) {
                        const Index corner{first.x + out.corner.x + x, first.y + out.corner.y + y,
                                           first.z + out.corner.z + z};
                        BestValue best;
                        for (std::size_t i = 0; i < templs.size(); ++i) {
                            own.consider(best,
                                         templs[i]->value(problem.operation, scene, corner,
                                                          problem.outside, problem.minOverlap),
                                         static_cast<std::int32_t>(i));
                        }
                        own.write({x, y, z}, best);
                    }
                }
            }
            own.finish();
            tally.clock.lap(kNumerator);
            return true;
        });
}

method::Verdict predictByDefinition(const Problem& problem, const method::Candidate& candidate,
                                    const method::Limits& limits, const method::CostModel& model) {
    if (std::string reason = operationRefusal(problem); !reason.empty()) {
        return method::Refusal{std::move(reason)};
    }
    method::Prediction prediction;
    const double templates = problem.templates;
    prediction.hostBytes =
        method::mapBytes(problem) +
        problem.templates * method::OperationTemplate::bytes(problem.templ) +
        candidate.threads * base::byteCount(problem.templ, 2 * sizeof(long double));
    if (std::string reason = memoryRefusal(prediction.hostBytes, limits); !reason.empty()) {
        return method::Refusal{std::move(reason)};
    }
    const auto map = method::mapExtents(problem);
    const auto outputs = static_cast<double>(base::voxelCount(map));
    const auto support = static_cast<double>(base::voxelCount(problem.templ));
    prediction.operations = templates * 2 * outputs * support;
    const TileGrid grid(map, candidate.tile);
    prediction.ms = 1e-6 * templates * outputs * (support * kPanelVoxelNs + kPanelNs) /
                    model.speedUp(std::min<std::int64_t>(candidate.threads, grid.count()));
    prediction.tilesInFlight = candidate.threads;
    return prediction;
}

} // namespace flcc::cpu
