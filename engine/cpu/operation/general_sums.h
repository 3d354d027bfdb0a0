#pragma once

#include <array>
#include <memory>
#include <stop_token>

#include "engine/cpu/score/tile_run.h"
#include "engine/cpu/tile/correlator.h"
#include "engine/cpu/tile/support_loader.h"
#include "engine/method/problem.h"

namespace flcc::cpu {

/// What general tiles of a run share.
struct GeneralRun {
    const method::Problem& problem;
    const method::MaskedView& scene; ///< has no mask if the mask is all ones
};

/// The sums of the placements of one general tile after the other, in double: correlations of x =
/// (P - c) 2^-e, x^2 and the inside with the template, its support and its square
/// (engine/method/NUMERICS.md, section 1). One for each worker.
class GeneralSums {
  public:
    /// Slots of the correlator's outputs; `T` stands for Weights::That.
    enum Slot : std::int64_t {
        kProducts,     ///< sum x T
        kPanel,        ///< sum x
        kSquares,      ///< sum x^2
        kInside,       ///< voxels of the support inside the scene and its mask
        kTempl,        ///< sum T over these
        kTemplSquares, ///< sum T^2 over these; with Outside::Overlap
        kNonFinite     ///< voxels that are not finite
    };

    explicit GeneralSums(std::unique_ptr<Correlator> correlator) : m_own(std::move(correlator)) {}

    /// Correlates the tile `out`. `spectra` may be null. False: stopped.
    [[nodiscard]] bool load(const GeneralRun& run, const SupportTemplate& templ,
                            const SupportSpectra* spectra, const base::Box& out,
                            const std::stop_token& stop, StageClock& clock);

    /// A sum that load() computed.
    [[nodiscard]] double at(Slot slot, const base::Index& i) const {
        const simd::DoubleBox& box = m_boxes[static_cast<std::size_t>(slot)];
        return box.data[i.z * box.sliceStride + i.y * box.rowStride + i.x];
    }
    /// Voxels of the support inside the scene and its mask.
    [[nodiscard]] double inside(const base::Index& i) const {
        return m_partial ? std::nearbyint(at(kInside, i)) : m_count;
    }
    [[nodiscard]] bool hasNonFinite(const base::Index& i) const {
        return m_frame.tile.nonFinite > 0 && at(kNonFinite, i) > 0.5;
    }
    [[nodiscard]] const SupportFrame& frame() const { return m_frame; }
    /// Voxels of the support.
    [[nodiscard]] double count() const { return m_count; }
    /// The norm of the inside of the tile.
    [[nodiscard]] double insideNorm() const { return m_insideNorm; }
    /// As Correlator.
    [[nodiscard]] double tileError() const { return m_own->tileError(); }
    [[nodiscard]] double panelError() const { return m_own->panelError(); }

  private:
    void loadVoxels(const GeneralRun& run, const base::Box& seen);

    std::unique_ptr<Correlator> m_own;
    std::array<simd::DoubleBox, Correlator::kOutputs> m_boxes{};
    SupportFrame m_frame;
    double m_count = 0;
    double m_insideNorm = 0;
    bool m_partial = false; ///< part of the footprint lies outside the scene or its mask
};

} // namespace flcc::cpu
