#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cpu/score/tile_run.h"
#include "engine/cpu/tile/correlator.h"
#include "engine/cpu/tile/support_template.h"
#include "engine/method/method.h"
#include "engine/method/operation_template.h"

namespace flcc::cpu {

/// A template of an operation other than lcc, in the forms that a method needs.
class OperationPrepared final : public method::Prepared {
  public:
    /// Tiles of `points` are transformed; 0 if the method has no transforms.
    OperationPrepared(const method::Problem& problem, const method::MaskedView& templ,
                      const TransformShape& points);

    [[nodiscard]] const method::OperationTemplate& templ() const { return m_templ; }
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
    method::OperationTemplate m_templ;
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

/// The workspace of a run.
class OperationBuffers {
  public:
    OperationBuffers(const method::Problem& problem, const base::Extents& tile,
                     const TransformShape& points)
        : m_values(makeValues(problem, tile, points)) {}
    [[nodiscard]] PlacementValues& values() { return *m_values; }
    [[nodiscard]] static std::int64_t
    bytes(const method::Problem& problem, const base::Extents& tile, const TransformShape& points);

  private:
    std::unique_ptr<PlacementValues> m_values;
};

/// The templates of a run, in their order. **Errors**: Problem for another number than the
/// problem's.
[[nodiscard]] std::vector<const OperationPrepared*>
operationTemplates(const method::Problem& problem, const method::PreparedTemplates& prepared);

/// Why no method on the processor has this problem's operation with its other settings; empty if
/// one may.
[[nodiscard]] std::string operationRefusal(const method::Problem& problem);

/// Computes every placement in tiles of `tile` placements. `to` has no index if there is one
/// template; else each voxel gets the best value of all templates and, of equal ones, the first
/// template.
[[nodiscard]] method::Outcome runOperation(const method::Problem& problem,
                                           const std::vector<const OperationPrepared*>& templs,
                                           const method::MaskedView& scene,
                                           const base::Extents& tile, method::Workspace& workspace,
                                           const method::Execution& execution,
                                           const method::BankView& to);

/// Memory and operations of runOperation(), and its time if tiles take `tileNs` each beside a
/// finish of every placement.
[[nodiscard]] method::Verdict
predictOperation(const method::Problem& problem, const method::Candidate& candidate,
                 const base::Extents& tile, const TransformShape& points, double tileNs,
                 const method::Limits& limits, const method::CostModel& model);

/// Correlations of a tile with weights that the operation of `problem` needs.
[[nodiscard]] double operationProducts(const method::Problem& problem);

} // namespace flcc::cpu
