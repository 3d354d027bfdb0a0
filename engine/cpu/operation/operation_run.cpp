#include "engine/cpu/operation/operation_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/base/widest.h"
#include "engine/cpu/common/tile_grid.h"
#include "engine/cpu/operation/absolute_differences.h"
#include "engine/cpu/operation/lcc_values.h"
#include "engine/cpu/operation/operation_sums.h"
#include "engine/cpu/operation/rim_values.h"
#include "engine/cpu/operation/weighted_values.h"

namespace flcc::cpu {

namespace {

using base::Index;
using base::Status;
using method::OperationValue;
using method::Problem;

/// Step between the bounds along a row that go into the sample.
constexpr std::size_t kSampled = 16;
/// Nanoseconds of a placement, given its sums.
constexpr double kRowNs = 8;

/// Whether all values of a row are good, finite, with a bound that keeps the promise; and the
/// largest bound.
struct RowFacts {
    bool good = false;
    double largestBound = 0;
};

struct RowFactsLoop {
    const RowValues& row;
    double promise;
    double absolute; ///< what storing a value adds to its bound
    double relative; ///< ... times the value
    RowFacts& to;

    void operator()() const {
        constexpr std::size_t kLanes = 8;
        std::array<double, kLanes> bounds{};
        std::array<std::int64_t, kLanes> bad{};
        const double* const value = row.value.data();
        const double* const bound = row.bound.data();
        const double* const scale = row.scale.data();
        const double share = promise;
        const double added = absolute;
        const double factor = relative;
        const auto add = [&](std::size_t x, std::size_t lane) {
            constexpr double kMost = std::numeric_limits<double>::max();
            const double size = std::abs(value[x]);
            const double stored = bound[x] + (added + factor * size);
            const bool good = stored <= share * scale[x] && size <= kMost && scale[x] <= kMost;
            bad[lane] |= good ? 0 : 1;
            bounds[lane] = stored > bounds[lane] ? stored : bounds[lane];
        };
        const std::size_t count = row.value.size();
        std::size_t x = 0;
        for (; x + kLanes <= count; x += kLanes) {
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                add(x + lane, lane);
            }
        }
        for (; x < count; ++x) {
            add(x, x % kLanes);
        }
        to.good = std::accumulate(bad.begin(), bad.end(), std::int64_t{0}) == 0;
        to.largestBound = *std::max_element(bounds.begin(), bounds.end());
    }
};

/// The general tile of one template.
class GeneralTile {
  public:
    GeneralTile(const GeneralRun& run, const OperationPrepared& templ, const base::Box& out,
                const method::MapView& map)
        : m_run(run), m_problem(run.problem), m_templ(templ), m_out(out), m_map(map),
          m_first(seenBy(run.problem, out).corner),
          m_absolute(run.problem.operation.traits().absolutePromise),
          m_pure(!m_absolute && run.problem.operation.traits().isPure()),
          m_rounding(map.exact.data() == nullptr ? kUnitSingle : 0),
          m_row(static_cast<std::size_t>(out.extents.x)) {}

    /// Writes all values; those that break the promise are left to repair(). False: stopped; the
    /// tile is as before.
    [[nodiscard]] bool fill(PlacementValues& values, const std::stop_token& stop) {
        for (std::int64_t z = 0; z < m_out.extents.z; ++z) {
            for (std::int64_t y = 0; y < m_out.extents.y; ++y) {
                if (stop.stop_requested()) {
                    forget();
                    return false;
                }
                m_row.plain = true;
                values.row(y, z, m_row);
                if (takeRow(y, z)) {
                    continue;
                }
                for (std::int64_t x = 0; x < m_out.extents.x; ++x) {
                    take({x, y, z}, m_row.at(static_cast<std::size_t>(x)));
                }
            }
        }
        m_tally.overRange = values.overRange();
        return true;
    }

    /// Replaces values that break the promise by canonical ones.
    void repair(const std::stop_token& stop) {
        for (const auto& [at, known] : m_open) {
            if (stop.stop_requested()) {
                m_tally.largestLowConf = std::max(m_tally.largestLowConf, known.bound);
                continue;
            }
            --count(Status::LowConf);
            write(at, rounded(m_templ.canonicalValue(m_run, cornerOf(at), known.status)));
        }
    }

    void addTo(FactsCollector& facts, const CentredTile& tile) const {
        facts.addTile(m_tally, tile);
        facts.addStatuses(m_counts);
        if (m_problem.precision == method::Precision::Single) {
            facts.addRecomputed(std::ssize(m_open));
        }
        for (const float bound : m_bounds) {
            facts.addBound(bound);
        }
    }

  private:
    [[nodiscard]] bool keepsPromise(const OperationValue& value) const {
        return value.bound <= m_problem.promise * value.scale;
    }
    [[nodiscard]] std::int64_t& count(Status status) {
        return m_counts[static_cast<std::size_t>(status)];
    }
    [[nodiscard]] Index cornerOf(const Index& at) const {
        return {m_first.x + at.x, m_first.y + at.y, m_first.z + at.z};
    }
    /// With the error of storing the value in its bound.
    [[nodiscard]] OperationValue rounded(OperationValue value) const {
        value.bound += m_rounding * (m_absolute ? 1 : std::abs(value.value));
        return value;
    }

    void take(const Index& at, const OperationValue& known) {
        if (known.bound == RowValues::kUnknown) {
            write(at, rounded(m_templ.canonicalValue(m_run, cornerOf(at), known.status)));
            return;
        }
        const OperationValue value = rounded(known);
        if (m_problem.recompute && base::hasValue(value.status) && !keepsPromise(value)) {
            m_open.emplace_back(at, value);
            store(at, value.value, Status::LowConf);
            return;
        }
        write(at, value);
    }

    /// Writes a value that nothing replaces, and counts its bound.
    void write(const Index& at, const OperationValue& value) {
        if (!base::hasValue(value.status)) {
            store(at, 0, value.status);
            return;
        }
        const bool keeps = keepsPromise(value);
        double& largest = keeps ? m_tally.largestBound : m_tally.largestLowConf;
        largest = std::max(largest, value.bound);
        if (keeps && m_pure) {
            m_tally.largestRelative = std::max(m_tally.largestRelative, value.bound / value.scale);
        }
        if (at.y == 0 && at.x % std::int64_t{kSampled} == 0) {
            m_bounds.push_back(static_cast<float>(value.bound));
        }
        store(at, value.value, keeps ? value.status : Status::LowConf);
    }

    void store(const Index& at, double value, Status status) {
        m_map.value.at(at) = static_cast<float>(value);
        m_map.status.at(at) = status;
        if (m_map.exact.data() != nullptr) {
            m_map.exact.at(at) = value;
        }
        ++count(status);
    }

    /// Takes the row that m_row holds if all of its values are OK or PARTIAL, and good.
    [[nodiscard]] bool takeRow(std::int64_t y, std::int64_t z) {
        RowFacts row;
        if (m_row.plain) {
            base::inWidest(RowFactsLoop{m_row, m_problem.promise, m_absolute ? m_rounding : 0,
                                        m_absolute ? 0 : m_rounding, row});
        }
        if (!row.good) {
            return false;
        }
        const std::int64_t length = m_out.extents.x;
        m_tally.largestBound = std::max(m_tally.largestBound, row.largestBound);
        for (std::size_t x = 0; y == 0 && x < m_row.value.size(); x += kSampled) {
            m_bounds.push_back(static_cast<float>(rounded(m_row.at(x)).bound));
        }
        for (std::size_t x = 0; m_pure && x < m_row.value.size(); ++x) {
            m_tally.largestRelative =
                std::max(m_tally.largestRelative, rounded(m_row.at(x)).bound / m_row.scale[x]);
        }
        const double* const value = m_row.value.data();
        float* const to = m_map.value.row(y, z);
        for (std::int64_t x = 0; x < length; ++x) {
            to[x] = static_cast<float>(value[x]);
        }
        Status* const status = m_map.status.row(y, z);
        std::int64_t partial = 0;
        for (std::int64_t x = 0; x < length; ++x) {
            status[x] = m_row.status[static_cast<std::size_t>(x)];
            partial += status[x] == Status::Partial ? 1 : 0;
        }
        if (m_map.exact.data() != nullptr) {
            std::copy_n(value, length, m_map.exact.row(y, z));
        }
        count(Status::Partial) += partial;
        count(Status::Ok) += length - partial;
        return true;
    }

    /// Makes the tile as it was before anything was written.
    void forget() {
        for (std::int64_t z = 0; z < m_out.extents.z; ++z) {
            for (std::int64_t y = 0; y < m_out.extents.y; ++y) {
                std::fill_n(m_map.value.row(y, z), m_out.extents.x, 0.0F);
                std::fill_n(m_map.status.row(y, z), m_out.extents.x, Status::NotComputed);
                if (m_map.exact.data() != nullptr) {
                    std::fill_n(m_map.exact.row(y, z), m_out.extents.x, 0.0);
                }
            }
        }
    }

    const GeneralRun& m_run;
    const Problem& m_problem;
    const OperationPrepared& m_templ;
    const base::Box& m_out;
    const method::MapView& m_map;
    Index m_first;     ///< the scene voxel under the template's first one at the first placement
    bool m_absolute;   ///< OperationTraits::absolutePromise
    bool m_pure;       ///< whose relative bounds the search for peaks needs
    double m_rounding; ///< of a value that the map stores: relative, or absolute as the promise
    RowValues m_row;
    std::vector<std::pair<Index, OperationValue>> m_open;
    std::vector<float> m_bounds; ///< a sample
    simd::ScoreTally m_tally;
    std::array<std::int64_t, base::kStatusCount> m_counts{};
};

} // namespace

OperationPrepared::OperationPrepared(const Problem& problem,
                                     const method::CanonicalTemplate& canonical,
                                     const method::MaskedView& templ, const TransformShape& points)
    : m_canonical(&canonical), m_templ(canonical.operand()) {
    if (problem.operation.traits().hasRowScorer) {
        m_weights.emplace(canonical, templ);
    } else if (!problem.operation.traits().byDefinition) {
        makeWeights(problem, templ);
    }
    if (m_weights && points.x > 0) {
        m_spectra.emplace(points, *m_weights);
    }
    if (takesRims(problem, points)) {
        m_rim = std::make_unique<const RimTemplate>(problem, canonical, *m_weights);
    }
}

void OperationPrepared::makeWeights(const Problem& problem, const method::MaskedView& templ) {
    long double largest = 0;
    m_templ->forVoxels([&](const Index&, long double value) {
        m_rounded = m_rounded || static_cast<long double>(static_cast<double>(value)) != value;
        largest = std::max(largest, std::abs(value));
    });
    const bool whole = m_templ->isInteger(base::PixelType::UInt8);
    m_exponent = whole ? 0 : method::unitExponent(largest);
    const base::Extents& m = problem.templ;
    double total = 0;
    for (std::int64_t i = 0; i < base::voxelCount(m); ++i) {
        const Index at{i % m.x, i / m.x % m.y, i / (m.x * m.y)};
        total += templ.mask.data() == nullptr || templ.mask.at(at) != 0
                     ? std::ldexp(base::valueAt(templ.pixels, at), -m_exponent)
                     : 0.0;
    }
    const double mean = total / static_cast<double>(m_templ->count());
    m_level = whole ? std::nearbyint(mean) : mean;
    m_weights.emplace(templ, m_level, m_exponent);
    const base::Image<double>& values = m_weights->weights(Weights::That);
    const base::Image<double>& squares = m_weights->weights(Weights::Square);
    for (std::int64_t i = 0; i < values.count(); ++i) {
        m_sum += values.data()[i];
        m_squares += squares.data()[i];
    }
}

OperationValue OperationPrepared::canonicalValue(const GeneralRun& run, const Index& corner,
                                                 Status status) const {
    const Problem& problem = run.problem;
    OperationValue value = method::canonicalValue(problem.operation, run.scene, *m_canonical,
                                                  corner, problem.outside, problem.minOverlap);
    if (problem.operation.traits().hasRowScorer) {
        value.status = status; // LccValues has decided it from the voxels
    }
    return value;
}

std::int64_t OperationPrepared::bytes(const Problem& problem, const TransformShape& points) {
    return problem.operation.traits().byDefinition
               ? 0
               : SupportTemplate::bytes(problem) +
                     (points.x > 0 ? FourierCorrelator::spectraBytes(problem, points) : 0);
}

std::unique_ptr<PlacementValues> makeValues(const Problem& problem, const base::Extents& tile,
                                            const TransformShape& points) {
    if (problem.operation.traits().byDefinition) {
        return std::make_unique<AbsoluteDifferences>(problem.templ, tile);
    }
    if (takesRims(problem, points)) {
        return std::make_unique<RimValues>(problem, points);
    }
    return makeExactValues(problem, tile, points);
}

std::unique_ptr<PlacementValues> makeExactValues(const Problem& problem, const base::Extents& tile,
                                                 const TransformShape& points) {
    if (weightedByDefinition(problem, points)) {
        return std::make_unique<WeightedValues>();
    }
    std::unique_ptr<Correlator> correlator;
    if (points.x > 0) {
        correlator = std::make_unique<FourierCorrelator>(points);
    } else {
        correlator = std::make_unique<DirectCorrelator>(problem.templ, tile);
    }
    if (problem.operation.traits().hasRowScorer) {
        return std::make_unique<LccValues>(std::move(correlator));
    }
    return std::make_unique<OperationSums>(std::move(correlator));
}

std::int64_t valuesBytes(const Problem& problem, const base::Extents& tile,
                         const TransformShape& points) {
    return weightedByDefinition(problem, points) ? 0
           : problem.operation.traits().byDefinition
               ? AbsoluteDifferences::bytes(problem.templ, tile)
           : points.x > 0 ? FourierCorrelator::bytes(problem, points)
                          : DirectCorrelator::bytes(problem, tile);
}

bool runGeneralTile(const GeneralRun& run, const std::vector<const OperationPrepared*>& templs,
                    const base::Box& out, PlacementValues& values, BestTile& best,
                    const method::BankView& part, WorkerTally& tally, const std::stop_token& stop) {
    BestPart to{part};
    values.enter();
    for (std::size_t i = 0; i < templs.size(); ++i) {
        const auto number = static_cast<std::int32_t>(i);
        // The first template alone is stopped before its tile is whole.
        const std::stop_token ends = i == 0 ? stop : std::stop_token();
        if (!values.load(run, *templs[i], out, ends, tally.clock)) {
            return false;
        }
        tally.clock.lap(kNumerator);
        const method::MapView map = best.of(number, to);
        GeneralTile own(run, *templs[i], out, map);
        if (!own.fill(values, ends)) {
            return false;
        }
        tally.clock.lap(kDenominator);
        own.repair(ends);
        own.addTo(tally.facts, values.tile());
        tally.clock.lap(kRecomputation);
        best.take(number, to, false, tally);
        tally.clock.lap(kDenominator);
    }
    return true;
}

method::Verdict predictDifferences(const Problem& problem, const method::Candidate& candidate,
                                   double tileNs, const method::Limits& limits,
                                   const method::CostModel& model) {
    method::Prediction prediction;
    const double templates = problem.templates;
    const base::Extents& tile = candidate.tile;
    prediction.hostBytes =
        method::mapBytes(problem) +
        problem.templates * method::OperationTemplate::bytes(problem.templ, problem.weights) +
        candidate.threads * (valuesBytes(problem, tile, {}) + BestTile::bytes(problem, tile));
    if (std::string reason = memoryRefusal(prediction.hostBytes, limits); !reason.empty()) {
        return method::Refusal{std::move(reason)};
    }
    const auto outputs = static_cast<double>(base::voxelCount(method::mapExtents(problem)));
    const TileGrid grid(method::mapExtents(problem), tile);
    prediction.operations =
        templates * 2 * outputs * static_cast<double>(base::voxelCount(problem.templ));
    prediction.ms = 1e-6 * templates *
                    (static_cast<double>(grid.count()) * tileNs + outputs * kRowNs) /
                    model.speedUp(std::min<std::int64_t>(candidate.threads, grid.count()));
    prediction.tilesInFlight = candidate.threads;
    return prediction;
}

} // namespace flcc::cpu
