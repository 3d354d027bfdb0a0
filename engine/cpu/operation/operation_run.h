#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cpu/operation/general_sums.h"
#include "engine/cpu/operation/rim_template.h"
#include "engine/cpu/score/support_run.h"
#include "engine/cpu/score/tile_run.h"
#include "engine/cpu/tile/correlator.h"
#include "engine/cpu/tile/support_template.h"
#include "engine/method/canonical.h"
#include "engine/method/method.h"
#include "engine/method/operation_template.h"

namespace flcc::cpu {

/// A template as general tiles need it (needsSupport()): those that are no plain boxes inside the
/// scene, and all of an operation by definition. `canonical` must outlive it.
class OperationPrepared {
  public:
    /// Tiles of `points` are transformed; 0 if the method has no transforms.
    OperationPrepared(const method::Problem& problem, const method::CanonicalTemplate& canonical,
                      const method::MaskedView& templ, const TransformShape& points);

    [[nodiscard]] const method::CanonicalTemplate& canonical() const { return *m_canonical; }
    /// Of an operation other than lcc.
    [[nodiscard]] const method::OperationTemplate& templ() const { return *m_templ; }
    /// Of lcc: That, its square and the support; of others T 2^-exponent() - level() in place of
    /// That; with the weights of a mask in them; null for an operation by definition.
    [[nodiscard]] const SupportTemplate* weights() const {
        return m_weights ? &*m_weights : nullptr;
    }
    /// Null without transforms.
    [[nodiscard]] const SupportSpectra* spectra() const {
        return m_spectra ? &*m_spectra : nullptr;
    }
    /// Null unless takesRims().
    [[nodiscard]] const RimTemplate* rim() const { return m_rim.get(); }
    /// The value of a placement from the pixels. `status`: what is known of it.
    [[nodiscard]] method::OperationValue
    canonicalValue(const GeneralRun& run, const base::Index& corner, base::Status status) const;
    /// The power of two that brings the template near 1; 0 where its voxels are whole.
    [[nodiscard]] int exponent() const { return m_exponent; }
    /// A value near the template's mean, times 2^-exponent(); whole where its voxels are.
    [[nodiscard]] double level() const { return m_level; }
    /// sum t and sum t^2 of t = T 2^-exponent() - level(), with the weights of a mask
    [[nodiscard]] double sum() const { return m_sum; }
    [[nodiscard]] double squares() const { return m_squares; }

    /// True if double cannot hold a voxel of the template (64-bit integers).
    [[nodiscard]] bool rounded() const { return m_rounded; }

    [[nodiscard]] static std::int64_t bytes(const method::Problem& problem,
                                            const TransformShape& points);

  private:
    /// Chooses the frame of the weights of an operation other than lcc, and makes them.
    void makeWeights(const method::Problem& problem, const method::MaskedView& templ);

    const method::CanonicalTemplate* m_canonical;
    std::shared_ptr<const method::OperationTemplate> m_templ; ///< null for lcc
    bool m_rounded = false;
    int m_exponent = 0;
    double m_level = 0;
    double m_sum = 0;
    double m_squares = 0;
    std::optional<SupportTemplate> m_weights;
    std::optional<SupportSpectra> m_spectra;
    std::unique_ptr<const RimTemplate> m_rim;
};

/// The values of a row of placements, as OperationValue.
struct RowValues {
    std::vector<double> value;
    std::vector<double> bound; ///< kUnknown: the canonical value must decide
    std::vector<double> scale;
    std::vector<base::Status> status;
    bool plain = true; ///< every status is OK or PARTIAL

    static constexpr double kUnknown = std::numeric_limits<double>::infinity();

    explicit RowValues(std::size_t count)
        : value(count), bound(count), scale(count, 1.0), status(count) {}
    void set(std::size_t x, const std::optional<method::OperationValue>& known) {
        const method::OperationValue of = known.value_or(method::OperationValue{.bound = kUnknown});
        value[x] = of.value;
        bound[x] = of.bound;
        scale[x] = of.scale;
        status[x] = of.status;
        plain = plain && (of.status == base::Status::Ok || of.status == base::Status::Partial);
    }
    [[nodiscard]] method::OperationValue at(std::size_t x) const {
        return {value[x], bound[x], scale[x], status[x]};
    }
};

/// Values of the placements of one tile after the other. One for each worker.
class PlacementValues {
  public:
    virtual ~PlacementValues() = default;

    /// Must be called before the first template of another tile.
    virtual void enter() {}
    /// Prepares the values of the tile `out`. What it is given must outlive their use. False:
    /// stopped.
    [[nodiscard]] virtual bool load(const GeneralRun& run, const OperationPrepared& templ,
                                    const base::Box& out, const std::stop_token& stop,
                                    StageClock& clock) = 0;
    /// The values of the row of placements (0, y, z) into `to`, which has the length of the row.
    virtual void row(std::int64_t y, std::int64_t z, RowValues& to) = 0;
    /// The frame of the tile.
    [[nodiscard]] virtual CentredTile tile() const { return {}; }
    /// Values so far that left their range by more than their bound: each is a defect.
    [[nodiscard]] virtual std::int64_t overRange() const { return 0; }
};

/// True if general tiles get canonical values under weights: of the row scorer, in a method that
/// transforms (`points` is not 0). These tiles lie at the edge of the scene or of its mask.
[[nodiscard]] inline bool weightedByDefinition(const method::Problem& problem,
                                               const TransformShape& points) {
    return problem.weights && problem.operation.traits().hasRowScorer && points.x > 0;
}

/// The values that a method computes for the operation of `problem`, with tiles of at most `tile`
/// placements: absolute differences, or of sums by definition if `points` is 0, else by transforms.
[[nodiscard]] std::unique_ptr<PlacementValues>
makeValues(const method::Problem& problem, const base::Extents& tile, const TransformShape& points);

/// The same in double alone, or canonical.
[[nodiscard]] std::unique_ptr<PlacementValues> makeExactValues(const method::Problem& problem,
                                                               const base::Extents& tile,
                                                               const TransformShape& points);

/// Bytes of makeValues().
[[nodiscard]] std::int64_t valuesBytes(const method::Problem& problem, const base::Extents& tile,
                                       const TransformShape& points);

/// Fills a general tile of the map of one template or of a bank. False: stopped; the tile is as
/// before. A later stop leaves voxels that were to be replaced as LOWCONF.
[[nodiscard]] bool runGeneralTile(const GeneralRun& run,
                                  const std::vector<const OperationPrepared*>& templs,
                                  const base::Box& out, PlacementValues& values, BestTile& best,
                                  const method::BankView& part, WorkerTally& tally,
                                  const std::stop_token& stop);

/// Time of the absolute differences of a problem, if those of a tile take `tileNs`, and what else a
/// run of an operation by definition takes.
[[nodiscard]] method::Verdict predictDifferences(const method::Problem& problem,
                                                 const method::Candidate& candidate, double tileNs,
                                                 const method::Limits& limits,
                                                 const method::CostModel& model);

} // namespace flcc::cpu
