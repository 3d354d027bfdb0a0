#include "engine/cpu/score/tile_scorer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "engine/cpu/common/tile_grid.h"
#include "engine/cpu/score/panel_numerators.h"
#include "engine/cpu/score/score_constants.h"
#include "engine/cpu/score/tile_finish.h"
#include "engine/method/cost_model.h"
#include "engine/method/operation_template.h"
#include "engine/method/shared/box_score.h"
#include "engine/method/shared/fourier_bound.h"
#include "engine/method/shared/template_error.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using base::Status;

/// Step between the bounds of the last row that go into the sample.
constexpr std::int64_t kRowBoundStep = 16;

/// Number of LOWCONF voxels of a tile that are recorded. A tile with more of them is not scored
/// again voxel by voxel.
std::int64_t mostLow(const Extents& tile) {
    const std::int64_t voxels = base::voxelCount(tile);
    return std::min(voxels + 1, std::max<std::int64_t>(1 << 15, voxels / 32));
}

/// The frame of a tile in the form that scoreBox() reads.
method::shared::TileFrame frameOf(const CentredTile& tile, const Extents& m) {
    method::shared::TileFrame frame;
    frame.unit = tile.stepsPerUnit();
    frame.exactSums = tile.exactSums &&
                      tile.steps * tile.steps * static_cast<double>(base::voxelCount(m)) < 0x1p51;
    return frame;
}

/// Constants of scoreBox() for scoreAgain(). The window sums are those of simd::scoreTile(). The
/// numerators have chains of N + 3 roundings, over voxels that may have been rounded once; those of
/// `integers` have no error.
method::shared::BoxConstants againConstants(const method::Problem& problem, const CentredTile& tile,
                                            const IntegerTemplate* integers) {
    const simd::ScoreConstants sums = constantsOf(problem, tile, {}, 4 * kUnitSingle);
    method::shared::BoxConstants constants;
    constants.count = sums.count;
    constants.suspicious = sums.suspicious;
    constants.boundPanel = (constants.count + 3) * kUnitDouble + method::shared::kTemplateError +
                           (tile.exact ? 0 : kUnitSingle);
    constants.boundSquare = sums.boundSquare;
    constants.boundConstant = sums.boundConstant + (tile.exactSums ? 0 : simd::kRunningBound);
    constants.promise = problem.promise;
    if (integers != nullptr) {
        constants.boundPanel = 0;
        constants.integers = true;
        constants.templSum = integers->sum();
        constants.templNorm = integers->norm();
    }
    return constants;
}

base::Index indexOf(std::size_t i, const Extents& extents) {
    const auto at = static_cast<std::int64_t>(i);
    return {at % extents.x, at / extents.x % extents.y, at / (extents.x * extents.y)};
}

base::Index movedBy(const base::Index& at, const base::Index& by) {
    return {at.x + by.x, at.y + by.y, at.z + by.z};
}

/// The score of a panel under a mask, given its sums and its numerator by the definition. `open`:
/// the panel may be FLAT.
method::shared::BoxScore scoreMasked(const simd::LowPanel& panel, double numerator,
                                     const MaskedSums& sums,
                                     const method::shared::BoxConstants& constants) {
    const double s2 = std::max(0.0, panel.s2);
    const double variance = panel.s2 - panel.s1 * panel.s1 / sums.mask->total();
    const double error = sums.one + sums.root * std::sqrt(s2) + sums.square * s2;
    method::shared::BoxScore score;
    if (!(variance > 4 * error && variance > constants.tiny)) {
        score.open = true;
        return score;
    }
    const double inverse = 1 / std::sqrt(variance);
    const double value = numerator * inverse;
    const double own = constants.boundPanel * std::sqrt(s2) * inverse + constants.boundConstant;
    const double relative = 0.54 * error / variance;
    score.bound = own + relative * std::min(1.0, std::abs(value) + own + relative);
    score.overRange = std::abs(value) - 1 > score.bound;
    score.value = std::clamp(value, -1.0, 1.0);
    return score;
}

/// Calls `change(value, status, i)` for every voxel of a tile; i counts x fastest.
template <class Change> void forVoxels(const method::MapView& part, Change&& change) {
    const Extents& extents = part.value.extents();
    std::size_t i = 0;
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            for (std::int64_t x = 0; x < extents.x; ++x, ++i) {
                change(part.value.at(x, y, z), part.status.at(x, y, z), i);
            }
        }
    }
}

/// Decides voxels whose variance could not be trusted: FLAT if the panel is constant, else LOWCONF
/// with an unknown score. `isFlat(i)` says whether panel i is constant. Returns the number of
/// LOWCONF ones.
template <class IsFlat>
std::int64_t settleSuspicious(const IsFlat& isFlat, const method::MapView& part) {
    std::int64_t unknown = 0;
    forVoxels(part, [&](float& value, Status& status, std::size_t i) {
        if (static_cast<std::uint8_t>(status) == simd::kSuspicious) {
            const bool flat = isFlat(i);
            status = flat ? Status::Flat : Status::LowConf;
            value = 0; // as in the double map, where suspicious voxels hold 0
            unknown += flat ? 0 : 1;
        }
    });
    return unknown;
}

/// Sets the doubles of voxels whose panel touches NaN or Inf to 0, as their floats.
void clearExact(const method::MapView& part, const std::vector<std::uint8_t>& touched) {
    if (part.exact.data() == nullptr) {
        return;
    }
    const Extents& extents = part.value.extents();
    for (std::size_t i = 0; i < touched.size(); ++i) {
        if (touched[i] != 0) {
            const auto at = static_cast<std::int64_t>(i);
            part.exact.at(at % extents.x, at / extents.x % extents.y,
                          at / (extents.x * extents.y)) = 0;
        }
    }
}

} // namespace

BoundTerms directTerms(const Extents& m, double unit) {
    BoundTerms terms;
    const double half = static_cast<double>(simd::directChain(m)) / 2;
    terms.panel = unit * (1 + half) + (unit < kUnitSingle ? method::shared::kTemplateError : unit);
    terms.score = unit * half; // if all products have one sign, roundings need not cancel
    return terms;
}

BoundTerms fourierTerms(const Extents& points, const Extents& m, const TileEnergies& energies,
                        bool exact, double unit) {
    // In double, the template's values are rounded in the same precision and its spectrum has the
    // errors of its own transform: the factor is 3.
    const bool inDouble = unit < kUnitSingle;
    const method::shared::FourierBound bound = method::shared::fourierBound(
        points, m, energies.in, energies.out, {unit, inDouble ? 3.0 : 1.0});
    BoundTerms terms;
    terms.numerator = bound.typical;
    terms.worst = bound.worst;
    terms.score = bound.score;
    terms.panel = (exact ? 0 : unit) + (inDouble ? method::shared::kTemplateError : 0);
    return terms;
}

TileScorer::TileScorer(const Extents& m, const Extents& tile)
    : m_tile(tile), m_scratch({simd::scoreScratch(m, tile), 1, 1}),
      m_bounds({tile.x + simd::kSlack, 1, 1}, 0.0F) {}

void KeptTile::copyMasked(KeptTile& from, const Extents& out, const base::Box& box) {
    forget();
    const SumsRows source = from.rowsOf(out);
    const SumsRows to = rowsOf(box.extents);
    for (std::int64_t z = 0; z < box.extents.z; ++z) {
        for (std::int64_t y = 0; y < box.extents.y; ++y) {
            const double* const row =
                source.data +
                2 * ((box.corner.z + z) * source.sliceStride + box.corner.y + y) * source.stride +
                box.corner.x;
            double* const own = to.data + 2 * (z * to.sliceStride + y) * to.stride;
            std::copy_n(row, box.extents.x, own);
            std::copy_n(row + source.stride, box.extents.x, own + to.stride);
        }
    }
    setMasked(from.m_masked);
}

std::int64_t TileScorer::bytes(const Extents& m, const Extents& tile, bool additions) {
    return 8 * simd::scoreScratch(m, tile, additions) + 4 * (tile.x + simd::kSlack) +
           static_cast<std::int64_t>(sizeof(simd::LowPanel)) * mostLow(tile);
}

template <class Real, class Numerator>
TileResult TileScorer::score(const method::Problem& problem, const base::AnyView& scene,
                             const base::Box& out, const simd::VoxelBox<Real>& x,
                             const simd::VoxelBox<Numerator>& numerator, const CentredTile& tile,
                             const BoundTerms& terms, const method::CanonicalTemplate& templ,
                             const method::MapView& part, KeptTile* kept) {
    simd::ScoreArguments<Real, Numerator> arguments;
    arguments.x = x;
    arguments.num = numerator;
    arguments.m = problem.templ;
    arguments.out = out.extents;
    arguments.tile = m_tile;
    arguments.value = part.value.data();
    arguments.exact = part.exact.data();
    arguments.status = reinterpret_cast<std::uint8_t*>(part.status.data());
    arguments.mapRowStride = part.value.rowStride();
    arguments.mapSliceStride = part.value.sliceStride();
    arguments.bounds = m_bounds.data();
    arguments.scratch = m_scratch.data();
    m_low.panels.clear();
    const method::OperationTraits& traits = problem.operation.traits();
    const MaskWeights* const mask = kept != nullptr ? kept->masked().mask : nullptr;
    if (traits.hasRowScorer && std::is_same_v<Real, float> && problem.recompute) {
        m_low.start(static_cast<std::size_t>(mostLow(m_tile)));
        arguments.low = &m_low;
    }
    if (kept != nullptr) {
        arguments.kept = kept->m_sums.data();
        arguments.inverses = kept->m_inverses.data();
        arguments.rows = kept->m_rows.data();
        arguments.recall = std::exchange(kept->m_known, true);
        if (!arguments.recall) {
            kept->m_rows.fill({});
            kept->m_worst.clear();
            arguments.recall = arguments.sumsOnly = mask != nullptr;
        }
    }
    const bool inDouble = std::is_same_v<Real, double>;
    // A score in double is rounded once more where it is stored as float.
    const bool integers = std::is_same_v<Numerator, std::int32_t>;
    const double constant =
        inDouble ? method::shared::kNormedError + (part.exact.data() == nullptr ? kUnitSingle : 0.0)
                 : (integers ? 5 : 4) * kUnitSingle;
    TileResult result{tile, {}, 0, inDouble};
    simd::ScoreConstants constants = constantsOf(problem, tile, terms, constant);
    if (mask != nullptr) {
        setMasked(kept->masked(), tile, kUnitOf<Real>, constants);
    }
    std::optional<method::shared::FinishConstants> finish;
    if (!traits.hasRowScorer) {
        finish = finishOf(problem, templ, tile, terms, {inDouble, part.exact.data() != nullptr});
        arguments.finish = finish ? &*finish : nullptr;
    }
    if (traits.hasRowScorer || finish) {
        result.tally = simd::scoreTile(arguments, constants);
    } else {
        result.tally.suspicious = result.tally.marked = base::voxelCount(out.extents);
        forVoxels(part, [](float&, Status& status, std::size_t) {
            status = static_cast<Status>(simd::kSuspicious);
        });
        if (kept != nullptr) {
            kept->m_known = false; // the sums were not made
        }
    }
    const base::Box seen = footprint(out, problem.templ);
    KeptTile::Panels own;
    KeptTile::Panels& panels = kept != nullptr ? kept->m_panels : own;
    if (tile.nonFinite > 0) {
        std::vector<std::uint8_t>& touched = panels.touched;
        if (touched.empty()) {
            touched = mask != nullptr ? mask->nonFinitePanels(scene, seen)
                                      : nonFinitePanels(scene, seen, problem.templ);
        }
        forVoxels(part, [&](float& value, Status& status, std::size_t i) {
            if (touched[i] != 0) {
                result.tally.lowConf -= status == Status::LowConf ? 1 : 0;
                value = 0;
                status = Status::NonFinite;
            }
        });
        clearExact(part, touched);
    }
    result.lowConf = result.tally.lowConf;
    if (!traits.hasRowScorer) {
        decide(problem, scene, out, templ, part, result);
    } else if (result.tally.suspicious > 0) {
        if (panels.flat.empty()) {
            panels.flat = flatPanels(scene, seen, problem.templ);
        }
        const auto isFlat = [&](std::size_t i) {
            return panels.flat[i] != 0 ||
                   (mask != nullptr &&
                    isConstant(scene, mask->runs(), movedBy(out.corner, indexOf(i, out.extents)),
                               false));
        };
        const std::int64_t unknown = settleSuspicious(isFlat, part);
        result.lowConf += unknown;
        if (unknown > 0) { // their score is unknown: the bound is the range of scores
            result.tally.largestLowConf = std::max(result.tally.largestLowConf, 2.0);
        }
    }
    return result;
}

namespace {

/// The canonical value of a placement, with the bound of what the map stores.
method::OperationValue canonicalAt(const method::Problem& problem, const base::AnyView& scene,
                                   const method::CanonicalTemplate& templ,
                                   const base::Index& corner, const method::MapView& part) {
    method::OperationValue value = method::canonicalValue(problem.operation, scene, templ, corner,
                                                          problem.outside, problem.minOverlap);
    if (part.exact.data() == nullptr) {
        value.bound +=
            kUnitSingle * (problem.operation.traits().absolutePromise ? 1 : std::abs(value.value));
    }
    if (base::hasValue(value.status) && !(value.bound <= problem.promise * value.scale)) {
        value.status = Status::LowConf;
    }
    return value;
}

/// Counts the bound of a value within the promise.
void addBound(const method::OperationTraits& traits, const method::OperationValue& value,
              simd::ScoreTally& to) {
    to.largestBound = std::max(to.largestBound, value.bound);
    if (!traits.absolutePromise && value.bound > 0) {
        to.largestRelative = std::max(to.largestRelative, value.bound / value.scale);
    }
}

/// False if it is known beforehand that no canonical value keeps the promise.
bool mayKeepPromise(const method::Problem& problem, const method::MapView& part) {
    return !problem.operation.traits().absolutePromise ||
           method::canonicalBound(base::voxelCount(problem.templ)) +
                   (part.exact.data() == nullptr ? kUnitSingle : 0.0) <=
               problem.promise;
}

void write(const method::MapView& part, const base::Index& at, double value, Status status) {
    part.value.at(at) = static_cast<float>(value);
    part.status.at(at) = status;
    if (part.exact.data() != nullptr) {
        part.exact.at(at) = value;
    }
}

} // namespace

void TileScorer::decide(const method::Problem& problem, const base::AnyView& scene,
                        const base::Box& out, const method::CanonicalTemplate& templ,
                        const method::MapView& part, TileResult& result) {
    if (result.tally.suspicious == 0) {
        return;
    }
    forVoxels(part, [&](float&, Status& status, std::size_t i) {
        if (static_cast<std::uint8_t>(status) != simd::kSuspicious) {
            return;
        }
        const base::Index at = indexOf(i, out.extents);
        const method::OperationValue value =
            canonicalAt(problem, scene, templ, movedBy(out.corner, at), part);
        write(part, at, value.value, value.status);
        if (value.status == Status::LowConf) {
            ++result.lowConf;
            result.tally.largestLowConf = std::max(result.tally.largestLowConf, value.bound);
        } else if (base::hasValue(value.status)) {
            addBound(problem.operation.traits(), value, result.tally);
        }
    });
}

void TileScorer::scoreAgain(const method::Problem& problem, const AgainInput& input,
                            const method::MapView& part, double doubleNs, TileResult& result) {
    const Extents& m = problem.templ;
    const std::vector<simd::LowPanel>& panels = m_low.panels;
    if (!problem.operation.traits().hasRowScorer || !problem.recompute || panels.empty() ||
        m_low.full) {
        return;
    }
    PanelNumerators numerators(input, result.tile, panels);
    if (numerators.ns() > doubleNs) {
        return;
    }
    numerators.prepare();
    const method::shared::TileFrame frame = frameOf(result.tile, m);
    const method::shared::BoxConstants constants =
        againConstants(problem, result.tile, numerators.integers());
    const MaskedSums* const masked = input.masked;
    constexpr std::size_t kTogether = simd::kPanels;
    constexpr std::size_t kTrial = 8 * kTogether;
    std::array<double, kTogether> products{};
    std::int64_t kept = 0;
    for (std::size_t first = 0; first < panels.size(); first += kTogether) {
        // Give up if fewer than a quarter of the first voxels came within the promise.
        if (first >= kTrial && 4 * static_cast<std::size_t>(kept) < first) {
            break;
        }
        const std::size_t count = std::min(kTogether, panels.size() - first);
        numerators.of(panels.data() + first, count, products);
        for (std::size_t i = 0; i < count; ++i) {
            const simd::LowPanel& panel = panels[first + i];
            const method::shared::BoxScore score =
                masked != nullptr
                    ? scoreMasked(panel, products[i], *masked, constants)
                    : method::shared::scoreBox(panel.s1, panel.s2, products[i], frame, constants);
            Status& status = part.status.at(panel.at);
            if (status != Status::LowConf || score.flat || score.open ||
                !(score.bound <= problem.promise)) {
                continue;
            }
            ++kept;
            part.value.at(panel.at) = static_cast<float>(score.value);
            status = Status::Ok;
            result.tally.overRange += score.overRange ? 1 : 0;
            result.tally.largestBound = std::max(result.tally.largestBound, score.bound);
        }
    }
    result.again = kept;
    result.lowConf -= kept;
    result.tally.lowConf -= kept;
    result.tally.marked -= kept;
    if (result.lowConf == 0) {
        result.tally.largestLowConf = 0;
    }
}

bool TileScorer::wantsDouble(const method::Problem& problem, const TileResult& result,
                             double doubleNs) {
    const double voxelNs = method::canonicalNs(base::voxelCount(problem.templ),
                                               problem.operation.traits().canonicalShare);
    return problem.recompute && static_cast<double>(result.lowConf) * voxelNs > doubleNs;
}

void TileScorer::finish(const method::Problem& problem, const base::AnyView& scene,
                        const base::Box& out, const method::CanonicalTemplate& templ,
                        const TileResult& result, const method::MapView& part,
                        FactsCollector& collector) {
    simd::ScoreTally tally = result.tally;
    const bool repair = problem.recompute && result.lowConf > 0 && mayKeepPromise(problem, part);
    double lowConf = 0; // the largest bound of canonical values above the promise
    std::array<std::int64_t, base::kStatusCount> counts{};
    std::int64_t recomputed = result.inDouble ? base::voxelCount(out.extents) : result.again;
    if (result.lowConf == 0 && result.tally.suspicious == 0 && result.tile.nonFinite == 0) {
        // Every voxel that is not OK is FLAT by exact sums.
        counts[static_cast<std::size_t>(Status::Flat)] = result.tally.marked;
        counts[static_cast<std::size_t>(Status::Ok)] =
            base::voxelCount(out.extents) - result.tally.marked;
    } else {
        const Extents& extents = out.extents;
        forVoxels(part, [&](float&, Status& status, std::size_t i) {
            if (repair && status == Status::LowConf) {
                const base::Index here = indexOf(i, extents);
                const method::OperationValue found =
                    canonicalAt(problem, scene, templ, movedBy(out.corner, here), part);
                write(part, here, found.value, found.status);
                recomputed += result.inDouble ? 0 : 1;
                if (found.status == Status::LowConf) {
                    lowConf = std::max(lowConf, found.bound);
                } else if (base::hasValue(found.status)) {
                    addBound(problem.operation.traits(), found, tally);
                }
            }
            ++counts[static_cast<std::size_t>(status)];
        });
        if (counts[static_cast<std::size_t>(Status::LowConf)] == 0) {
            tally.largestLowConf = 0;
        } else if (repair) {
            tally.largestLowConf = lowConf;
        }
    }
    for (std::int64_t i = 0; i < out.extents.x; i += kRowBoundStep) {
        collector.addBound(m_bounds.data()[i]);
    }
    collector.addTile(tally, result.tile);
    collector.addRecomputed(problem.precision == method::Precision::Single ? recomputed : 0);
    collector.addStatuses(counts);
}

template TileResult TileScorer::score(const method::Problem&, const base::AnyView&,
                                      const base::Box&, const simd::FloatBox&,
                                      const simd::FloatBox&, const CentredTile&, const BoundTerms&,
                                      const method::CanonicalTemplate&, const method::MapView&,
                                      KeptTile*);
template TileResult TileScorer::score(const method::Problem&, const base::AnyView&,
                                      const base::Box&, const simd::FloatBox&,
                                      const simd::IntegerBox&, const CentredTile&,
                                      const BoundTerms&, const method::CanonicalTemplate&,
                                      const method::MapView&, KeptTile*);
template TileResult TileScorer::score(const method::Problem&, const base::AnyView&,
                                      const base::Box&, const simd::DoubleBox&,
                                      const simd::DoubleBox&, const CentredTile&, const BoundTerms&,
                                      const method::CanonicalTemplate&, const method::MapView&,
                                      KeptTile*);

} // namespace flcc::cpu
