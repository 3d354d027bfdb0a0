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
#include "engine/cpu/operation/operation_sums.h"

namespace flcc::cpu {

namespace {

using base::Index;
using base::Status;
using method::OperationValue;
using method::Problem;

/// Step between the bounds along a row that go into the sample.
constexpr std::int64_t kSampled = 16;
/// Nanoseconds of a placement, given its sums.
constexpr double kRowNs = 8;

/// Sums over a row of values, and whether all of them are good: finite, with a bound that keeps the
/// promise.
struct RowFacts {
    bool good = false;
    double largestBound = 0;
    double largest = 0; ///< magnitude of a value
    double sum = 0;
    double squares = 0;
};

struct RowFactsLoop {
    const RowValues& row;
    double promise;
    double unit; ///< the sums are in 1 / unit
    RowFacts& to;

    void operator()() const {
        constexpr std::size_t kLanes = 8;
        std::array<double, kLanes> bounds{};
        std::array<double, kLanes> sizes{};
        std::array<double, kLanes> sums{};
        std::array<double, kLanes> squares{};
        std::array<std::int64_t, kLanes> bad{};
        const double* const value = row.value.data();
        const double* const bound = row.bound.data();
        const double* const scale = row.scale.data();
        const double share = promise;
        const double factor = unit;
        const auto add = [&](std::size_t x, std::size_t lane) {
            constexpr double kMost = std::numeric_limits<double>::max();
            const bool good =
                bound[x] <= share * scale[x] && std::abs(value[x]) <= kMost && scale[x] <= kMost;
            bad[lane] |= good ? 0 : 1;
            bounds[lane] = bound[x] > bounds[lane] ? bound[x] : bounds[lane];
            const double size = std::abs(value[x]);
            sizes[lane] = size > sizes[lane] ? size : sizes[lane];
            const double counted = value[x] * factor;
            sums[lane] += counted;
            squares[lane] += counted * counted;
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
        to.largest = *std::max_element(sizes.begin(), sizes.end());
        to.sum = std::accumulate(sums.begin(), sums.end(), 0.0);
        to.squares = std::accumulate(squares.begin(), squares.end(), 0.0);
    }
};

/// One tile of a run.
class OperationTile {
  public:
    OperationTile(const Problem& problem, const method::MaskedView& scene, const base::Box& out,
                  const method::BankView& part, WorkerTally& tally)
        : m_problem(problem), m_scene(scene), m_out(out), m_part(part), m_tally(tally),
          m_first(method::firstPlacement(problem)), m_sign(problem.operation.traits().sign()),
          m_rounding(part.map.exact.data() == nullptr ? kUnitSingle : 0) {
        m_row.resize(static_cast<std::size_t>(out.extents.x));
        m_sums.anyRange = true;
    }

    /// Takes the values of a template into account. False: stopped; the tile is as before.
    [[nodiscard]] bool take(const OperationPrepared& templ, std::int32_t number,
                            const PlacementValues& values, const std::stop_token& stop) {
        if (values.exponent() != m_sums.exponent) {
            m_all.add(m_sums);
            m_sums = {};
            m_sums.anyRange = true;
            m_sums.exponent = values.exponent();
            m_unit = std::ldexp(1.0, -m_sums.exponent);
        }
        for (std::int64_t z = 0; z < m_out.extents.z; ++z) {
            for (std::int64_t y = 0; y < m_out.extents.y; ++y) {
                if (stop.stop_requested()) {
                    forget();
                    return false;
                }
                if (!values.row(y, z, m_row) || !takeRow(number, y, z)) {
                    for (std::int64_t x = 0; x < m_out.extents.x; ++x) {
                        const Index at{x, y, z};
                        consider(at, number, judged(templ, values.value(at), at));
                    }
                }
            }
        }
        return true;
    }

    void finish() {
        m_all.add(m_sums);
        m_tally.facts.addTile(m_counted, {});
        m_tally.facts.addRecomputed(m_recomputed);
        method::MapFacts tile;
        tile.scores = m_all;
        method::addStatuses(m_part.map, tile);
        m_tally.facts.addStatuses(tile.statusCounts);
        if (m_part.index.data() != nullptr) {
            if (!m_tally.best) {
                m_tally.best.emplace();
            }
            method::addTemplate(tile, *m_tally.best);
            for (std::size_t i = 0; i < tile.statusCounts.size(); ++i) {
                m_tally.best->statusCounts[i] += tile.statusCounts[i];
            }
        }
    }

  private:
    [[nodiscard]] bool keepsPromise(const OperationValue& value) const {
        return value.bound <= m_problem.promise * value.scale;
    }

    /// The value, or the canonical one where it is needed.
    [[nodiscard]] OperationValue judged(const OperationPrepared& templ,
                                        const std::optional<OperationValue>& known,
                                        const Index& at) {
        const bool open = !known || (base::hasValue(known->status) && !keepsPromise(*known));
        OperationValue value = open && (!known || m_problem.recompute)
                                   ? templ.templ().value(m_problem.operation, m_scene,
                                                         {m_first.x + m_out.corner.x + at.x,
                                                          m_first.y + m_out.corner.y + at.y,
                                                          m_first.z + m_out.corner.z + at.z},
                                                         m_problem.outside, m_problem.minOverlap)
                                   : *known;
        m_recomputed += known && open && m_problem.recompute ? 1 : 0;
        if (base::hasValue(value.status)) {
            value.bound += m_rounding * std::abs(value.value);
            double& largest =
                keepsPromise(value) ? m_counted.largestBound : m_counted.largestLowConf;
            largest = std::max(largest, value.bound);
            if (keepsPromise(value) && value.bound > 0) {
                m_counted.largestRelative =
                    std::max(m_counted.largestRelative, value.bound / value.scale);
            }
            value.status = keepsPromise(value) ? value.status : Status::LowConf;
            if (at.y == 0 && at.x % kSampled == 0) {
                m_tally.facts.addBound(static_cast<float>(value.bound));
            }
        }
        return value;
    }

    /// Takes the row that m_row holds, unless one of its values needs to be judged alone.
    [[nodiscard]] bool takeRow(std::int32_t number, std::int64_t y, std::int64_t z) {
        RowFacts row;
        base::inWidest(RowFactsLoop{m_row, m_problem.promise, m_unit, row});
        if (!row.good) {
            return false;
        }
        const std::int64_t length = m_out.extents.x;
        m_counted.largestBound =
            std::max(m_counted.largestBound, row.largestBound + m_rounding * row.largest);
        for (std::int64_t x = 0; y == 0 && x < length; x += kSampled) {
            m_tally.facts.addBound(static_cast<float>(m_row.bound[static_cast<std::size_t>(x)]));
        }
        m_sums.count += length;
        m_sums.sum += row.sum;
        m_sums.squares += row.squares;
        const double* const value = m_row.value.data();
        if (number > 0) {
            for (std::int64_t x = 0; x < length; ++x) {
                const Index at{x, y, z};
                if (!base::hasValue(m_part.map.status.at(at)) ||
                    m_sign * value[x] > m_sign * valueAt(at)) {
                    write(at, value[x], Status::Ok, number);
                }
            }
            return true;
        }
        float* const to = m_part.map.value.row(y, z);
        for (std::int64_t x = 0; x < length; ++x) {
            to[x] = static_cast<float>(value[x]);
        }
        std::fill_n(m_part.map.status.row(y, z), length, Status::Ok);
        if (m_part.map.exact.data() != nullptr) {
            std::copy_n(value, length, m_part.map.exact.row(y, z));
        }
        if (m_part.index.data() != nullptr) {
            std::fill_n(m_part.index.row(y, z), length, number);
        }
        return true;
    }

    void consider(const Index& at, std::int32_t number, const OperationValue& value) {
        const bool has = base::hasValue(value.status);
        if (has) {
            m_sums.count += 1;
            const double counted = value.value * m_unit;
            m_sums.sum += counted;
            m_sums.squares += counted * counted;
        }
        if (number > 0 && base::hasValue(m_part.map.status.at(at))) {
            const bool better = has && m_sign * value.value > m_sign * valueAt(at);
            if (!better) {
                return;
            }
        }
        if (number > 0 && !has) {
            return;
        }
        write(at, has ? value.value : 0.0, value.status, has ? number : -1);
    }

    void write(const Index& at, double value, Status status, std::int32_t number) {
        m_part.map.value.at(at) = static_cast<float>(value);
        if (m_part.map.exact.data() != nullptr) {
            m_part.map.exact.at(at) = value;
        }
        m_part.map.status.at(at) = status;
        if (m_part.index.data() != nullptr) {
            m_part.index.at(at) = number;
        }
    }

    /// Makes the tile as it was before anything was written.
    void forget() {
        for (std::int64_t z = 0; z < m_out.extents.z; ++z) {
            for (std::int64_t y = 0; y < m_out.extents.y; ++y) {
                std::fill_n(m_part.map.value.row(y, z), m_out.extents.x, 0.0F);
                std::fill_n(m_part.map.status.row(y, z), m_out.extents.x, Status::NotComputed);
                if (m_part.map.exact.data() != nullptr) {
                    std::fill_n(m_part.map.exact.row(y, z), m_out.extents.x, 0.0);
                }
                if (m_part.index.data() != nullptr) {
                    std::fill_n(m_part.index.row(y, z), m_out.extents.x, -1);
                }
            }
        }
    }

    [[nodiscard]] double valueAt(const Index& at) const {
        return m_part.map.exact.data() != nullptr ? m_part.map.exact.at(at)
                                                  : static_cast<double>(m_part.map.value.at(at));
    }

    const Problem& m_problem;
    const method::MaskedView& m_scene;
    const base::Box& m_out;
    const method::BankView& m_part;
    WorkerTally& m_tally;
    Index m_first;
    double m_sign;
    double m_rounding; ///< of a value that the map stores, relative
    RowValues m_row;
    simd::ScoreTally m_counted;
    method::ScoreSums m_sums; ///< of the last templates, in 1 / m_unit
    double m_unit = 1;
    method::ScoreSums m_all; ///< of all templates
    std::int64_t m_recomputed = 0;
};

} // namespace

OperationPrepared::OperationPrepared(const Problem& problem,
                                     const method::CanonicalTemplate& canonical,
                                     const method::MaskedView& templ, const TransformShape& points)
    : m_templ(canonical.operand()) {
    if (problem.operation.traits().byDefinition) {
        return;
    }
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
    for (std::int64_t i = 0; i < values.count(); ++i) {
        m_sum += values.data()[i];
        m_squares += values.data()[i] * values.data()[i];
    }
    if (points.x > 0) {
        m_spectra.emplace(points, *m_weights);
    }
}

std::int64_t OperationPrepared::bytes(const Problem& problem, const TransformShape& points) {
    return problem.operation.traits().byDefinition
               ? 0
               : SupportTemplate::bytes(problem) +
                     (points.x > 0 ? FourierCorrelator::spectraBytes(problem, points) : 0);
}

std::optional<OperationPrepared> operationPrepared(const Problem& problem,
                                                   const method::CanonicalTemplate& canonical,
                                                   const method::MaskedView& templ,
                                                   const TransformShape& points) {
    return problem.operation.isLcc() || !needsSupport(problem)
               ? std::nullopt
               : std::optional<OperationPrepared>(std::in_place, problem, canonical, templ, points);
}

std::unique_ptr<PlacementValues> makeValues(const Problem& problem, const base::Extents& tile,
                                            const TransformShape& points) {
    if (problem.operation.traits().byDefinition) {
        return std::make_unique<AbsoluteDifferences>(problem.templ, tile);
    }
    std::unique_ptr<Correlator> correlator;
    if (points.x > 0) {
        correlator = std::make_unique<FourierCorrelator>(points);
    } else {
        correlator = std::make_unique<DirectCorrelator>(problem.templ, tile);
    }
    return std::make_unique<OperationSums>(std::move(correlator));
}

std::int64_t valuesBytes(const Problem& problem, const base::Extents& tile,
                         const TransformShape& points) {
    return problem.operation.traits().byDefinition ? AbsoluteDifferences::bytes(problem.templ, tile)
           : points.x > 0                          ? FourierCorrelator::bytes(problem, points)
                                                   : DirectCorrelator::bytes(problem, tile);
}

bool runOperationTile(const Problem& problem, const std::vector<const OperationPrepared*>& templs,
                      const method::MaskedView& scene, const base::Box& out,
                      PlacementValues& values, const method::BankView& part, WorkerTally& tally,
                      const std::stop_token& stop) {
    OperationTile own(problem, scene, out, part, tally);
    for (std::size_t i = 0; i < templs.size(); ++i) {
        // A stop within the templates of a bank is answered by take().
        if (!values.load(problem, *templs[i], scene, out, i == 0 ? stop : std::stop_token())) {
            return false;
        }
        tally.clock.lap(kNumerator);
        if (!own.take(*templs[i], static_cast<std::int32_t>(i), values, stop)) {
            return false;
        }
        tally.clock.lap(kDenominator);
    }
    own.finish();
    return true;
}

method::Verdict predictDifferences(const Problem& problem, const method::Candidate& candidate,
                                   double tileNs, const method::Limits& limits,
                                   const method::CostModel& model) {
    method::Prediction prediction;
    const double templates = problem.templates;
    const base::Extents& tile = candidate.tile;
    prediction.hostBytes = method::mapBytes(problem) +
                           problem.templates * method::OperationTemplate::bytes(problem.templ) +
                           candidate.threads * valuesBytes(problem, tile, {});
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
