#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/base/image.h"
#include "engine/cpu/operation/flat_panels.h"
#include "engine/cpu/operation/operation_run.h"
#include "engine/cpu/operation/rim_scores.h"
#include "engine/cpu/operation/rim_template.h"

namespace flcc::cpu {

/// Local correlation coefficients of placements at the border of a scene in single precision
/// (takesRims()). Voxels beyond the border are 0 in the frame of the tile; numerators, and sums
/// under a mask, come from transforms in shapes of the border, other sums from windows; what counts
/// of the template comes from tables. A tile with voxels that are not finite, or with many scores
/// that break the promise, is left to makeExactValues().
class RimValues final : public PlacementValues {
  public:
    RimValues(const method::Problem& problem, const TransformShape& points);

    void enter() override { m_entered = false; }
    [[nodiscard]] bool load(const GeneralRun& run, const OperationPrepared& templ,
                            const base::Box& out, const std::stop_token& stop,
                            StageClock& clock) override;
    void row(std::int64_t y, std::int64_t z, RowValues& to) override;
    [[nodiscard]] CentredTile tile() const override {
        return m_exactly ? m_exact->tile() : m_centred;
    }
    [[nodiscard]] std::int64_t overRange() const override {
        return m_exactly ? m_exact->overRange() : m_overRange;
    }

    /// Bytes of the buffers, without those of makeExactValues().
    [[nodiscard]] static std::int64_t bytes(const method::Problem& problem,
                                            const TransformShape& points);

  private:
    /// Points, buffers and placements of the largest tile.
    struct Largest {
        std::int64_t values = 0; ///< of one float buffer
        std::int64_t sums = 0;   ///< doubles of both window sums
        std::int64_t work = 0;   ///< doubles
        std::int64_t placements = 0;
    };
    [[nodiscard]] static Largest largestOf(const method::Problem& problem,
                                           const TransformShape& points);

    [[nodiscard]] bool enterTile(const GeneralRun& run, const base::Box& out);
    void loadVoxels(const GeneralRun& run);
    [[nodiscard]] bool sumsAlongEdges(const GeneralRun& run, const MaskWeights& mask);
    void sumUnder(const GeneralRun& run, const RimTemplate::Spectra& spectra);
    void scoreTile(const GeneralRun& run, const OperationPrepared& templ,
                   const RimTemplate::Spectra& spectra);
    void scoreLine(const OperationPrepared& templ, const base::Index& at, const RimFrame& frame);
    [[nodiscard]] simd::FloatBox boxOf(float* data) const {
        return {data, m_shape.x, m_shape.x * m_shape.y};
    }
    [[nodiscard]] SumsRows sumsRows() {
        return {m_sums.data(), simd::sumsRow(m_out.extents.x), m_out.extents.y};
    }

    method::Problem m_problem;
    TransformShape m_points;
    std::vector<base::Box> m_parts; ///< of the border
    std::unique_ptr<PlacementValues> m_exact;
    bool m_exactly = false; ///< m_exact has the values of the last template
    bool m_entered = false;
    bool m_usable = false; ///< of the tile

    base::Box m_out;
    base::Index m_first; ///< the scene voxel under the template's first one at the first placement
    TransformShape m_shape;
    CentredTile m_centred;
    TileEnergies m_energies;
    double m_sumsError = 0;              ///< of window sums
    const MaskWeights* m_mask = nullptr; ///< whose sums m_sums holds
    bool m_boxed = false;                ///< m_sums holds window sums
    std::optional<bool> m_poor;          ///< sums by transforms will not do; once it is known
    bool m_squared = false;              ///< m_squares holds the spectrum of the squares
    bool m_replaced = false;             ///< m_voxels holds squares
    double m_level = 0;                  ///< of the squares
    method::shared::TileEnergy m_squaresIn;
    SumsErrors m_maskErrors;
    FlatPanels m_flat;
    base::Image<float> m_voxels;
    base::Image<float> m_numerators;
    base::Image<float> m_work;
    base::Image<float> m_spectrum;
    base::Image<float> m_squares;
    base::Image<double> m_sums;
    base::Image<double> m_boxWork;
    std::vector<double> m_lines;  ///< of the tables of a template
    std::vector<double> m_row[4]; ///< voxels inside, n, t1, t2
    std::vector<double> m_value;
    std::vector<double> m_bound;
    std::vector<base::Status> m_status;
    std::int64_t m_overRange = 0;
    double m_poorNs = 0; ///< of the canonical values that the last template would need
};

} // namespace flcc::cpu
