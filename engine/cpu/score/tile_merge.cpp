#include <algorithm>

#include "engine/cpu/score/score_constants.h"
#include "engine/cpu/score/tile_scorer.h"

namespace flcc::cpu {

void KeptTile::findWorstRows(const base::Extents& out) {
    m_worst.clear();
    const std::int64_t count = out.y * out.z - 1;
    for (std::int64_t i = 0; i < count; ++i) {
        const simd::KeptRow& row = m_rows.data()[i];
        if (!(row.variance > 0)) {
            m_worst.assign(1, {});
            return;
        }
        const auto covers = [](const simd::KeptRow& a, const simd::KeptRow& b) {
            return a.square >= b.square && a.variance <= b.variance;
        };
        const auto above = std::find_if(m_worst.begin(), m_worst.end(),
                                        [&](const auto& other) { return covers(other, row); });
        if (above != m_worst.end()) {
            std::iter_swap(m_worst.begin(), above); // it will cover others too
            continue;
        }
        std::erase_if(m_worst, [&](const auto& other) { return covers(row, other); });
        m_worst.push_back(row);
    }
}

std::optional<TileResult> TileScorer::merge(const method::Problem& problem,
                                            const base::Extents& out,
                                            const simd::FloatBox& numerator,
                                            const CentredTile& tile, const BoundTerms& terms,
                                            KeptTile& kept, simd::MergeArguments& merge) {
    if (!kept.m_known || tile.nonFinite > 0 || !problem.operation.traits().hasRowScorer ||
        out.y * out.z < 2) {
        return std::nullopt;
    }
    if (kept.m_worst.empty()) {
        kept.findWorstRows(out);
    }
    if (!(kept.m_worst.front().variance > 0)) {
        return std::nullopt;
    }
    simd::ScoreArguments<float> arguments;
    arguments.num = numerator;
    arguments.m = problem.templ;
    arguments.out = out;
    arguments.tile = m_tile;
    arguments.value = kept.m_line.data(); // all rows go there
    arguments.status = kept.m_marks.data();
    arguments.bounds = m_bounds.data();
    arguments.kept = kept.m_sums.data();
    arguments.inverses = kept.m_inverses.data();
    arguments.rows = kept.m_rows.data();
    arguments.recall = true;
    merge.rows = kept.m_worst.data();
    merge.count = std::ssize(kept.m_worst);
    arguments.merge = &merge;
    simd::ScoreConstants constants = constantsOf(problem, tile, terms, 4 * kUnitSingle);
    if (kept.masked().mask != nullptr) {
        setMasked(kept.masked(), tile, kUnitSingle, constants);
    }
    const TileResult result{tile, simd::scoreTile(arguments, constants)};
    return merge.done ? std::optional(result) : std::nullopt;
}

} // namespace flcc::cpu
