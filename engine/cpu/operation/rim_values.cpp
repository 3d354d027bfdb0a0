#include "engine/cpu/operation/rim_values.h"

#include <algorithm>
#include <cmath>

#include "engine/cpu/common/tile_grid.h"
#include "engine/cpu/score/edge_sums.h"
#include "engine/method/cost_model.h"
#include "engine/method/shared/template_error.h"

namespace flcc::cpu {

using base::Box;
using base::Extents;
using base::Index;
using base::Status;

namespace {

/// The part of a box inside a scene, which it meets.
Box insideOf(const Box& box, const Extents& scene) {
    const auto axis = [](std::int64_t corner, std::int64_t length, std::int64_t extent) {
        const std::int64_t from = std::max<std::int64_t>(0, corner);
        return std::pair{from, std::min(corner + length, extent) - from};
    };
    const auto [x, width] = axis(box.corner.x, box.extents.x, scene.x);
    const auto [y, height] = axis(box.corner.y, box.extents.y, scene.y);
    const auto [z, depth] = axis(box.corner.z, box.extents.z, scene.z);
    return {{x, y, z}, {width, height, depth}};
}

/// The voxels of an axis of a template of length `m` at `corner` that lie inside.
struct Range {
    std::int64_t from;
    std::int64_t to;
};
Range rangeOf(std::int64_t corner, std::int64_t m, std::int64_t scene) {
    const std::int64_t from = std::clamp<std::int64_t>(-corner, 0, m);
    return {from, std::clamp<std::int64_t>(scene - corner, from, m)};
}

} // namespace

RimValues::RimValues(const method::Problem& problem, const TransformShape& points)
    : m_problem(problem), m_points(points) {
    const MapGrid grid = mapGrid(problem, points, {1, 1, 1}, false);
    for (const MapGrid::Part& part : grid.frame()) {
        m_parts.push_back(part.box);
    }
}

RimValues::Largest RimValues::largestOf(const method::Problem& problem,
                                        const TransformShape& points) {
    Largest largest;
    const MapGrid grid = mapGrid(problem, points, {1, 1, 1}, false);
    for (const MapGrid::Part& part : grid.frame()) {
        const TransformShape shape = rimShape(problem, points, part.box.extents);
        const Extents out = part.grid.box(0).extents;
        largest.values = std::max({largest.values, base::voxelCount(shape) + simd::kSlack,
                                   TileTransform<float>::spectrumValues(shape)});
        largest.sums = std::max(largest.sums, simd::keptSums(out));
        largest.work = std::max(largest.work, boxSumsWork(problem.templ, out));
        largest.placements = std::max(largest.placements, base::voxelCount(out));
    }
    return largest;
}

std::int64_t RimValues::bytes(const method::Problem& problem, const TransformShape& points) {
    const Largest largest = largestOf(problem, points);
    constexpr std::int64_t kResult = 2 * sizeof(double) + sizeof(Status);
    return 4 * (problem.mask ? 5 : 4) * largest.values +
           8 * (largest.sums + (problem.mask ? 0 : largest.work)) + kResult * largest.placements;
}

bool RimValues::load(const GeneralRun& run, const OperationPrepared& templ, const Box& out,
                     const std::stop_token& stop, StageClock& clock) {
    if (!m_entered) {
        m_entered = true;
        m_usable = enterTile(run, out);
        clock.lap(kLoad);
    }
    m_exactly = !m_usable;
    if (m_usable && !stop.stop_requested()) {
        m_flat.start(run, templ, out);
        scoreTile(run, templ, templ.rim()->of(m_shape));
        // Five correlations in double, each with half of another.
        const double exactNs =
            8 * doubleHalfNs(m_points) * static_cast<double>(base::voxelCount(m_points));
        m_exactly = m_problem.recompute && m_poorNs > exactNs && !m_problem.weights;
    }
    if (!m_exactly) {
        return !stop.stop_requested();
    }
    if (!m_exact) {
        m_exact = makeExactValues(m_problem, out.extents, m_points);
    }
    return m_exact->load(run, templ, out, stop, clock);
}

/// Loads a tile, sums its windows and transforms it. False if it is none for single precision.
bool RimValues::enterTile(const GeneralRun& run, const Box& out) {
    m_out = out;
    const Box seen = seenBy(m_problem, out);
    m_first = seen.corner;
    const auto part = std::find_if(m_parts.begin(), m_parts.end(), [&](const Box& box) {
        const auto holds = [](std::int64_t from, std::int64_t length, std::int64_t at) {
            return at >= from && at < from + length;
        };
        return holds(box.corner.x, box.extents.x, out.corner.x) &&
               holds(box.corner.y, box.extents.y, out.corner.y) &&
               holds(box.corner.z, box.extents.z, out.corner.z);
    });
    if (part == m_parts.end() || run.scene.mask.data() != nullptr) {
        return false;
    }
    m_shape = rimShape(m_problem, m_points, part->extents);
    if (m_voxels.empty()) {
        const Largest largest = largestOf(m_problem, m_points);
        for (base::Image<float>* buffer : {&m_voxels, &m_numerators, &m_work, &m_spectrum}) {
            *buffer = base::Image<float>({largest.values, 1, 1});
        }
        m_sums = base::Image<double>({largest.sums, 1, 1}, 0.0);
    }
    loadVoxels(run);
    if (m_centred.nonFinite > 0) {
        return false;
    }
    const auto transform = TileTransform<float>::of(m_shape);
    m_energies.in = transform->forward(m_voxels.data(), m_work.data(), m_spectrum.data());
    m_mask = nullptr;
    m_squared = m_boxed = false;
    m_poor.reset();
    return true;
}

/// Loads the voxels under m_out; those beyond the scene are 0.
void RimValues::loadVoxels(const GeneralRun& run) {
    const Box seen = seenBy(m_problem, m_out);
    const Box inside = insideOf(seen, run.scene.extents());
    std::fill_n(m_voxels.data(), base::voxelCount(m_shape) + TileTransform<float>::kZeros, 0.0F);
    const simd::FloatBox box = boxOf(m_voxels.data());
    const std::int64_t count = base::voxelCount(m_problem.templ);
    m_centred = loadCentred(run.scene.pixels, inside, count,
                            {box.data + (inside.corner.z - seen.corner.z) * box.sliceStride +
                                 (inside.corner.y - seen.corner.y) * box.rowStride +
                                 (inside.corner.x - seen.corner.x),
                             box.rowStride, box.sliceStride});
    m_replaced = false;
}

/// True if sums under a mask are made along its edges, from m_voxels. It does not depend on the
/// templates before.
bool RimValues::sumsAlongEdges(const GeneralRun& run, const MaskWeights& mask) {
    if (!hasShortEdges(mask, edgesAreWhole(mask, m_centred)) || !m_poor.value_or(true)) {
        return false;
    }
    if (m_replaced) {
        loadVoxels(run);
    }
    if (!m_poor) {
        m_poor = expectsPoorSums(m_shape, m_problem.templ, m_out.extents, boxOf(m_voxels.data()),
                                 m_problem.promise);
    }
    return *m_poor;
}

/// Makes the window sums of the tile, or those under another mask.
void RimValues::sumUnder(const GeneralRun& run, const RimTemplate::Spectra& spectra) {
    const MaskWeights* const mask = spectra.mask.get();
    const Extents& out = m_out.extents;
    const Extents& m = m_problem.templ;
    if (mask == nullptr) {
        const double squares = m_centred.steps * m_centred.steps;
        const bool exact =
            m_centred.exactSums && 2 * static_cast<double>(base::voxelCount(m)) * squares < 0x1p53;
        if (!m_boxed) { // either all templates of a tile have a mask or none has
            if (m_boxWork.empty()) {
                m_boxWork = base::Image<double>({largestOf(m_problem, m_points).work, 1, 1});
            }
            m_sumsError = sumBoxes(boxOf(m_voxels.data()), m, out, exact, m_boxWork.data(),
                                   m_sums.data(), simd::sumsRow(out.x));
            m_boxed = true;
        }
        m_maskErrors = {};
        m_maskErrors.first = m_maskErrors.second = m_sumsError;
        return;
    }
    if (mask == m_mask) {
        return;
    }
    m_mask = mask;
    if (sumsAlongEdges(run, *mask)) {
        (void)sumAlongEdges(*mask, m_centred, boxOf(m_voxels.data()), m, out, sumsRows());
        m_maskErrors = {};
        m_maskErrors.first = m_maskErrors.second = edgeSumsError(*mask, m_centred, m, out);
        return;
    }
    const auto transform = TileTransform<float>::of(m_shape);
    const Extents seen = footprint(m_out, m).extents;
    if (!m_squared) {
        if (m_squares.empty()) {
            m_squares = base::Image<float>({largestOf(m_problem, m_points).values, 1, 1});
        }
        m_level = levelOfSquares(m_centred, m_energies.in.total,
                                 static_cast<double>(base::voxelCount(seen)));
        squareTile(m_shape, seen, m_level, m_voxels.data());
        m_squaresIn = transform->forward(m_voxels.data(), m_work.data(), m_squares.data());
        m_squared = m_replaced = true;
    }
    SumsKnown known{m_shape, m, m_centred, m_energies, {}, m_level};
    known.squares.in = m_squaresIn;
    const SumsRows rows = sumsRows();
    const double steps = m_centred.stepsPerUnit();
    known.sums.out = transform->inverse(mask->spectrum(), m_spectrum.data(), m_work.data(),
                                        m_numerators.data(), out);
    writeSums(m_numerators.data(), m_shape, out, mask->norm(), 0, 0, false, rows);
    known.squares.out = transform->inverse(mask->spectrum(), m_squares.data(), m_work.data(),
                                           m_numerators.data(), out);
    m_maskErrors = errorsOf<float>(*mask, known);
    writeSums(m_numerators.data(), m_shape, out, mask->norm(), m_level * mask->total(),
              m_maskErrors.wholeSquares ? steps * steps : 0, true, rows);
    if (m_maskErrors.wholeSums) {
        roundSums(steps, out, rows);
    }
}

void RimValues::scoreTile(const GeneralRun& run, const OperationPrepared& templ,
                          const RimTemplate::Spectra& spectra) {
    const Extents& out = m_out.extents;
    const Extents& m = m_problem.templ;
    sumUnder(run, spectra);
    m_energies.out = TileTransform<float>::of(m_shape)->inverse(
        spectra.that.data(), m_spectrum.data(), m_work.data(), m_numerators.data(), out);
    const SupportTemplate& weights = *templ.weights();
    const BoundTerms terms = fourierTerms(m_shape, m, m_energies, m_centred.exact, kUnitSingle);
    RimFrame frame;
    frame.total = weights.total();
    frame.level = m_centred.level / m_centred.unit;
    frame.outside = m_problem.outside;
    RimErrors& errors = frame.errors;
    errors.cn = terms.numerator;
    errors.cnOwn = terms.score;
    errors.cnWorst = terms.worst;
    // A voxel that is rounded counts in the numerator, in D, in the mean and in its share of t1.
    errors.voxels = m_centred.exact ? 0 : 4 * kUnitSingle;
    errors.s1 = m_maskErrors.first;
    errors.s1Own = m_maskErrors.firstOwn;
    errors.s2 = m_maskErrors.second;
    errors.s2Own = m_maskErrors.secondOwn;
    errors.n = weights.weighted() ? ClippedSums::error(m, frame.total) : 0;
    const double sumOfThat = std::sqrt(frame.total); // an upper bound of the sum of |That|
    errors.t1 = ClippedSums::error(m, sumOfThat) + method::shared::kTemplateError * sumOfThat;
    errors.t2 = ClippedSums::error(m, 1) + 2 * method::shared::kTemplateError;
    const auto placements = static_cast<std::size_t>(base::voxelCount(out));
    m_value.resize(placements);
    m_bound.resize(placements);
    m_status.resize(placements);
    for (std::vector<double>& row : m_row) {
        row.resize(static_cast<std::size_t>(out.x));
    }
    m_lines.resize(static_cast<std::size_t>(m.x + 1));
    m_overRange = 0;
    m_poorNs = 0;
    for (std::int64_t z = 0; z < out.z; ++z) {
        for (std::int64_t y = 0; y < out.y; ++y) {
            scoreLine(templ, {0, y, z}, frame);
        }
    }
}

void RimValues::scoreLine(const OperationPrepared& templ, const Index& at, const RimFrame& frame) {
    const Extents& out = m_out.extents;
    const Extents& m = m_problem.templ;
    const Extents& n = m_problem.scene;
    const RimTemplate& tables = *templ.rim();
    const Range rows = rangeOf(m_first.y + at.y, m.y, n.y);
    const Range slices = rangeOf(m_first.z + at.z, m.z, n.z);
    const auto take = [&](const ClippedSums& from, std::vector<double>& to) {
        from.line(rows.from, rows.to, slices.from, slices.to, m_lines.data());
        for (std::int64_t x = 0; x < out.x; ++x) {
            const Range columns = rangeOf(m_first.x + x, m.x, n.x);
            to[static_cast<std::size_t>(x)] = m_lines[static_cast<std::size_t>(columns.to)] -
                                              m_lines[static_cast<std::size_t>(columns.from)];
        }
    };
    auto& [inside, weight, t1, t2] = m_row;
    take(tables.count(), inside);
    take(tables.that(), t1);
    tables.weights() != nullptr ? take(*tables.weights(), weight)
                                : weight.assign(inside.begin(), inside.end());
    tables.squares() != nullptr ? take(*tables.squares(), t2) : t2.assign(t2.size(), 1.0);
    const auto count = static_cast<double>(templ.weights()->count());
    for (std::size_t x = 0; x < inside.size(); ++x) {
        if (inside[x] == count) { // by definition
            weight[x] = frame.total;
            t1[x] = 0;
            t2[x] = 1;
        }
    }
    const std::int64_t first = (at.z * out.y + at.y) * out.x;
    double* const value = m_value.data() + first;
    double* const bound = m_bound.data() + first;
    const SumsRows sums = sumsRows();
    const double* const s1 = sums.data + 2 * (at.z * sums.sliceStride + at.y) * sums.stride;
    scoreRim(frame, {m_numerators.data() + (at.z * m_shape.y + at.y) * m_shape.x, s1,
                     s1 + sums.stride, weight.data(), t1.data(), t2.data(), out.x, value, bound});
    const double canonicalNs = method::canonicalNs(base::voxelCount(m));
    for (std::int64_t x = 0; x < out.x; ++x) {
        const double here = inside[static_cast<std::size_t>(x)];
        const bool whole = here == count;
        Status status = whole ? Status::Ok : Status::Partial;
        if (!method::isScored(here, count, m_problem.outside, m_problem.minOverlap)) {
            status = Status::NotComputed;
        } else if (bound[x] == kOpen) {
            status = m_flat.isFlat({x, at.y, at.z}, whole) ? Status::Flat : status;
            bound[x] = 2;
        }
        if (base::hasValue(status)) {
            const bool good = bound[x] + kUnitSingle <= m_problem.promise;
            m_poorNs += good ? 0 : canonicalNs;
            m_overRange += std::abs(value[x]) - 1 > bound[x] + kUnitSingle ? 1 : 0;
            value[x] = std::clamp(value[x], -1.0, 1.0);
        } else {
            value[x] = bound[x] = 0;
        }
        m_status[static_cast<std::size_t>(first + x)] = status;
    }
}

void RimValues::row(std::int64_t y, std::int64_t z, RowValues& to) {
    if (m_exactly) {
        m_exact->row(y, z, to);
        return;
    }
    const Extents& out = m_out.extents;
    const auto first = static_cast<std::size_t>((z * out.y + y) * out.x);
    const auto count = static_cast<std::size_t>(out.x);
    std::copy_n(m_value.data() + first, count, to.value.data());
    std::copy_n(m_bound.data() + first, count, to.bound.data());
    std::copy_n(m_status.data() + first, count, to.status.data());
    std::fill_n(to.scale.data(), count, 1.0);
    to.plain = std::all_of(to.status.begin(), to.status.end(), base::hasValue);
}

} // namespace flcc::cpu
