#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cpu/score/support_run.h"
#include "engine/cpu/score/tile_run.h"
#include "engine/cpu/tile/correlator.h"
#include "engine/cpu/tile/support_template.h"
#include "engine/method/canonical.h"
#include "engine/method/method.h"
#include "engine/method/operation_template.h"

namespace flcc::cpu {

/// A template of an operation other than lcc as its general tiles need it (needsSupport()): those
/// that are no plain boxes inside the scene, and all of an operation by definition.
class OperationPrepared {
  public:
    /// Tiles of `points` are transformed; 0 if the method has no transforms.
    OperationPrepared(const method::Problem& problem, const method::CanonicalTemplate& canonical,
                      const method::MaskedView& templ, const TransformShape& points);

    [[nodiscard]] const method::OperationTemplate& templ() const { return *m_templ; }
    /// T 2^-exponent() - level(), its square and the support; null for an operation by definition.
    [[nodiscard]] const SupportTemplate* weights() const {
        return m_weights ? &*m_weights : nullptr;
    }
    /// Null without transforms.
    [[nodiscard]] const SupportSpectra* spectra() const {
        return m_spectra ? &*m_spectra : nullptr;
    }
    /// The power of two that brings the template near 1; 0 where its voxels are whole.
    [[nodiscard]] int exponent() const { return m_exponent; }
    /// A value near the template's mean, times 2^-exponent(); whole where its voxels are.
    [[nodiscard]] double level() const { return m_level; }
    /// sum of weights() and of their squares
    [[nodiscard]] double sum() const { return m_sum; }
    [[nodiscard]] double squares() const { return m_squares; }

    /// True if double cannot hold a voxel of the template (64-bit integers).
    [[nodiscard]] bool rounded() const { return m_rounded; }

    [[nodiscard]] static std::int64_t bytes(const method::Problem& problem,
                                            const TransformShape& points);

  private:
    std::shared_ptr<const method::OperationTemplate> m_templ;
    bool m_rounded = false;
    int m_exponent = 0;
    double m_level = 0;
    double m_sum = 0;
    double m_squares = 0;
    std::optional<SupportTemplate> m_weights;
    std::optional<SupportSpectra> m_spectra;
};

/// The values of a row of placements.
struct RowValues {
    std::vector<double> value;
    std::vector<double> bound;
    std::vector<double> scale; ///< as OperationValue

    void resize(std::size_t count) {
        for (std::vector<double>* each : {&value, &bound, &scale}) {
            each->resize(count);
        }
    }
};

/// Values of the placements of one tile after the other. One for each worker.
class PlacementValues {
  public:
    virtual ~PlacementValues() = default;

    /// Prepares the values of the tile `out`. False: stopped.
    [[nodiscard]] virtual bool load(const method::Problem& problem, const OperationPrepared& templ,
                                    const method::MaskedView& scene, const base::Box& out,
                                    const std::stop_token& stop) = 0;
    /// A power of two near the values of the tile where their squares may leave the range of
    /// double, else 0.
    [[nodiscard]] virtual int exponent() const { return 0; }
    /// The value at a placement of the tile; empty if the canonical value must decide.
    [[nodiscard]] virtual std::optional<method::OperationValue>
    value(const base::Index& at) const = 0;
    /// The values of the row of placements (0, y, z), with the bits of value(), into `to`, which
    /// has the length of the row. A value that is not finite is left to value(). False: this tile
    /// has single values only.
    [[nodiscard]] virtual bool row(std::int64_t y, std::int64_t z, RowValues& to) const = 0;
};

/// The values that a method computes for the operation of `problem`, with tiles of at most `tile`
/// placements: absolute differences, or sums by definition if `points` is 0, else by transforms.
[[nodiscard]] std::unique_ptr<PlacementValues>
makeValues(const method::Problem& problem, const base::Extents& tile, const TransformShape& points);

/// Bytes of makeValues().
[[nodiscard]] std::int64_t valuesBytes(const method::Problem& problem, const base::Extents& tile,
                                       const TransformShape& points);

/// Empty for lcc, and for a problem without general tiles.
[[nodiscard]] std::optional<OperationPrepared>
operationPrepared(const method::Problem& problem, const method::CanonicalTemplate& canonical,
                  const method::MaskedView& templ, const TransformShape& points);

/// Fills a general tile of the map. `part` has no index if there is one template; else each voxel
/// gets the best value of all templates and, of equal ones, the first template. False: stopped; the
/// tile is as before.
[[nodiscard]] bool runOperationTile(const method::Problem& problem,
                                    const std::vector<const OperationPrepared*>& templs,
                                    const method::MaskedView& scene, const base::Box& out,
                                    PlacementValues& values, const method::BankView& part,
                                    WorkerTally& tally, const std::stop_token& stop);

/// Time of the absolute differences of a problem, if those of a tile take `tileNs`, and what else a
/// run of an operation by definition takes.
[[nodiscard]] method::Verdict predictDifferences(const method::Problem& problem,
                                                 const method::Candidate& candidate, double tileNs,
                                                 const method::Limits& limits,
                                                 const method::CostModel& model);

} // namespace flcc::cpu
