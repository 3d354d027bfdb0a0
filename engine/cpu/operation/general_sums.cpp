#include "engine/cpu/operation/general_sums.h"

#include <cmath>

#include "engine/cpu/score/support_run.h"

namespace flcc::cpu {

bool GeneralSums::load(const GeneralRun& run, const SupportTemplate& templ,
                       const SupportSpectra* spectra, const base::Box& out,
                       const std::stop_token& stop, StageClock& clock) {
    const base::Box seen = seenBy(run.problem, out);
    const auto correlate = [&](Weights weights, Slot slot) {
        if (!stop.stop_requested()) {
            m_own->correlate(templ, weights, out.extents, slot);
            m_boxes[static_cast<std::size_t>(slot)] = m_own->output(slot);
        }
    };
    if (spectra != nullptr) {
        m_own->use(*spectra);
    }
    m_count = static_cast<double>(templ.count());
    loadVoxels(run, seen);
    m_partial = m_frame.inside < base::voxelCount(seen.extents);
    m_insideNorm = std::sqrt(static_cast<double>(m_frame.inside));
    clock.lap(kLoad);
    m_own->inputChanged();
    correlate(Weights::That, kProducts);
    correlate(Weights::Support, kPanel);
    squareInPlace(seen.extents, m_own->input());
    m_own->inputChanged();
    correlate(Weights::Support, kSquares);
    if (m_partial) {
        loadInside(run.scene, seen, m_own->input()); // elements outside are 0 already
        m_own->inputChanged();
        correlate(Weights::Count, kInside);
        // Under weights, panels that are partly outside get canonical values.
        if (!templ.weighted()) {
            correlate(Weights::That, kTempl);
        }
        if (!templ.weighted() && run.problem.outside == method::Outside::Overlap) {
            correlate(Weights::Square, kTemplSquares);
        }
    }
    if (m_frame.tile.nonFinite > 0) {
        m_own->clear();
        loadNonFinite(run.scene, seen, m_own->input());
        m_own->inputChanged();
        correlate(Weights::Count, kNonFinite);
    }
    return !stop.stop_requested();
}

void GeneralSums::loadVoxels(const GeneralRun& run, const base::Box& seen) {
    m_own->clear();
    // LccValues needs the frame of the definition, whose level the vector code may miss by a bit.
    if (!run.problem.operation.traits().hasRowScorer && run.scene.mask.data() == nullptr &&
        base::contains(run.scene.extents(), seen)) {
        if (const auto frame = loadInScene(run.scene.pixels, seen, m_own->input())) {
            m_frame = *frame;
            return;
        }
        m_own->clear();
    }
    m_frame = loadSupport(run.scene, seen, m_own->input());
}

} // namespace flcc::cpu
