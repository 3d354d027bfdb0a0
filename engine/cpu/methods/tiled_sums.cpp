#include "engine/cpu/methods/tiled_sums.h"

#include "engine/cpu/score/edge_sums.h"

namespace flcc::cpu {

using base::Extents;

void MaskedTile::under(const MaskWeights& mask, const TileTransform<float>& transform) {
    const Extents& out = m_out.extents;
    const Extents& points = m_run.points;
    const Extents& m = m_run.problem.templ;
    const bool whole = edgesAreWhole(mask, m_passed.centred);
    if (hasShortEdges(mask, whole) && expectsPoor()) {
        alongEdges(mask);
        return;
    }
    SumsKnown known{points, m, m_passed.centred, m_passed.energies, {}, 0};
    const SumsRows rows = m_kept.rowsOf(out);
    const auto first = [&] {
        known.sums.out =
            transform.inverse(mask.spectrum(), m_own.spectrum, m_own.work, m_own.numerators, out);
        writeSums(m_own.numerators, points, out, mask.norm(), 0, 0, false, rows);
    };
    const double steps = m_passed.centred.stepsPerUnit();
    square(transform);
    known.squares.in = m_squares->in;
    known.level = m_squares->level;
    first();
    known.squares.out =
        transform.inverse(mask.spectrum(), m_own.squares, m_own.work, m_own.numerators, out);
    const SumsErrors errors = errorsOf<float>(mask, known);
    writeSums(m_own.numerators, points, out, mask.norm(), known.level * mask.total(),
              errors.wholeSquares ? steps * steps : 0, true, rows);
    if (errors.wholeSums) { // known only now
        roundSums(steps, out, rows);
    }
    m_kept.setMasked(errors.of);
    if (!isPoor(errors.of)) {
        return;
    }
    if (hasShortEdges(mask, false) && (whole || !errors.maySplit)) {
        alongEdges(mask);
    } else if (errors.maySplit) {
        inParts(mask, transform);
    }
}

/// True if sums by transforms will not do for the tile. It is the same for all templates.
bool MaskedTile::expectsPoor() {
    if (!m_poor) { // the first template finds the voxels
        m_poor = expectsPoorSums(m_run.points, m_run.problem.templ, m_out.extents,
                                 boxOf(m_own.voxels, m_run.points), m_run.problem.promise);
    }
    return *m_poor;
}

/// Makes the spectrum of the squares, which take the place of the voxels.
void MaskedTile::square(const TileTransform<float>& transform) {
    if (m_squares) {
        return;
    }
    const Extents& points = m_run.points;
    const Extents voxels = seen();
    m_squares = Squares();
    m_squares->level = levelOfSquares(m_passed.centred, m_passed.energies.in.total,
                                      static_cast<double>(base::voxelCount(voxels)));
    squareTile(points, voxels, m_squares->level, m_own.voxels);
    m_squares->in = transform.forward(m_own.voxels, m_own.work, m_own.squares);
}

/// True if so many scores break the promise that better sums pay.
bool MaskedTile::isPoor(const MaskedSums& sums) const {
    constexpr std::int64_t kShare = 64;
    const Extents& out = m_out.extents;
    return kShare * poorPlacements(sums, m_kept.rowsOf(out), out, m_run.problem.promise) >
           base::voxelCount(out);
}

void MaskedTile::alongEdges(const MaskWeights& mask) {
    if (m_squares) {
        load(); // the squares took the place of the voxels
    }
    m_kept.setMasked(sumAlongEdges(mask, m_passed.centred, boxOf(m_own.voxels, m_run.points),
                                   m_run.problem.templ, m_out.extents,
                                   m_kept.rowsOf(m_out.extents)));
}

/// Makes s2 from two parts of the squares, whose sums are whole numbers.
void MaskedTile::inParts(const MaskWeights& mask, const TileTransform<float>& transform) {
    const Extents& points = m_run.points;
    const Extents& out = m_out.extents;
    const SumsRows rows = m_kept.rowsOf(out);
    SquareParts parts(mask, points, m_run.problem.templ, m_passed.centred, m_squares->level);
    setSquares(out, m_squares->level * mask.total(), rows);
    for (const SquareParts::Part part : {SquareParts::kLow, SquareParts::kHigh}) {
        load();
        parts.take(part, seen(), m_own.voxels);
        TileEnergies energies;
        energies.in = transform.forward(m_own.voxels, m_own.work, m_own.squares);
        energies.out =
            transform.inverse(mask.spectrum(), m_own.squares, m_own.work, m_own.numerators, out);
        parts.add(part, energies, m_own.numerators, out, rows);
    }
    if (m_run.bank()) {
        load(); // for another mask
    }
    m_squares.reset(); // their spectrum was replaced
    m_kept.setMasked(parts.sums());
}

void sumInDouble(const DoublePart& part, const MaskWeights& mask,
                 const TileTransform<double>& transform, TileBuffers<double>& own, KeptTile& kept) {
    const Extents& points = part.points;
    const Extents& out = part.out.extents;
    const Extents& m = part.run.problem.templ;
    const Extents seen = footprint(part.out, m).extents;
    const CentredTile centred = loadTile(part.run, points, part.out, own.voxels, part.frame);
    SumsKnown known{points, m, centred, {}, {}, 0};
    known.sums = transform.correlate(mask.inDouble(own.work, own.numerators), own.voxels, own.work,
                                     own.numerators, out);
    kept.forget();
    const SumsRows rows = kept.rowsOf(out);
    writeSums(own.numerators, points, out, mask.norm(), 0, 0, false, rows);
    known.level =
        levelOfSquares(centred, known.sums.in.total, static_cast<double>(base::voxelCount(seen)));
    squareTile(points, seen, known.level, own.voxels);
    known.squares = transform.correlate(mask.inDouble(own.work, own.numerators), own.voxels,
                                        own.work, own.numerators, out);
    const SumsErrors errors = errorsOf<double>(mask, known);
    const double steps = centred.stepsPerUnit();
    writeSums(own.numerators, points, out, mask.norm(), known.level * mask.total(),
              errors.wholeSquares ? steps * steps : 0, true, rows);
    if (errors.wholeSums) {
        roundSums(steps, out, rows);
    }
    kept.setMasked(errors.of);
}

} // namespace flcc::cpu
