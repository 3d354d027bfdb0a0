#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/cuda/run/merger.h"
#include "engine/cuda/run/pipeline.h"
#include "engine/cuda/run/tally.h"
#include "engine/method/canonical.h"
#include "engine/method/method.h"
#include "engine/method/reduced_map.h"

namespace flcc::cuda {

/// True if a run of `problem` may leave its map on the device: neither an output nor the search for
/// peaks needs all of it (ProblemOnDevice::map).
[[nodiscard]] bool isReduced(const method::Problem& problem);

/// Bytes of device memory that a reduction adds to a PartSlot for a part of extents `part`; as many
/// of pinned memory.
[[nodiscard]] std::int64_t reductionBytes(const base::Extents& part);
/// Bytes that a reduction downloads of such a part; an estimate for typical scenes.
[[nodiscard]] std::int64_t reducedBytes(const method::Problem& problem, const base::Extents& part);

/// A whole part of a bank's map, with images that are not filled yet.
[[nodiscard]] method::ReducedMap::Part wholePart(const base::Box& box, bool inDouble);

/// What a caller wants of a map that stays on the device, and where a run puts it.
struct ReducedRun {
    const method::Reduction& wanted;
    method::ReducedMap& to;
};

/// Downloads of each part of a map what ReducedRun wants, or the whole part if a list of the kernel
/// is too short.
class Reducer {
  public:
    /// All references must outlive the reducer.
    Reducer(const method::Problem& problem, const Templates& templates,
            const method::MaskedView& scene, const ReducedRun& run)
        : m_problem(problem), m_templates(templates), m_scene(scene), m_run(run) {}

    /// Starts the reduction of a part that earlier kernels in `compute` write.
    void start(PartSlot& slot, const Stream& compute) const;
    /// Starts the downloads of the blocks' reports and of the voxels that are asked for.
    void bring(PartSlot& slot, const Stream& download) const;
    /// Downloads the kept voxels of a part whose bring() has arrived, or the whole part. Returns
    /// the bytes of this and of bring().
    [[nodiscard]] std::int64_t receive(PartSlot& slot, const Stream& fetch) const;

    [[nodiscard]] method::ReducedMap::Part& partOf(const PartSlot& slot) const {
        return m_run.to.partAt(slot.box.corner);
    }
    /// Replaces the LOWCONF voxels of a block by canonical values, if recomputation is on and these
    /// keep the promise, and adds the scores of all of them to `scores`. For runs of one template,
    /// and parts that did not come back whole. `stored`: storedError() of the run. Ends early if a
    /// stop is requested; the part is then unspecified.
    [[nodiscard]] BlockRepair repair(method::ReducedMap::Part& part, std::int64_t block,
                                     double stored, const std::stop_token& stop,
                                     method::ScoreTally& scores) const;
    /// Sums up the scores of a part: the reports of its blocks and `repaired`, the sums of the
    /// LOWCONF voxels; or all scores of a part that came back whole.
    void addUp(const PartSlot& slot, const std::vector<method::ScoreTally>& repaired) const;

    /// Sums up the scores of a part that came back whole. Replaces an earlier sum.
    static void addUp(method::ReducedMap::Part& whole);

  private:
    /// The indices, in the part `box`, of the voxels that are asked for.
    [[nodiscard]] std::vector<base::Index> askedIn(const base::Box& box) const;

    const method::Problem& m_problem;
    const Templates& m_templates;
    const method::MaskedView& m_scene;
    const ReducedRun& m_run;
};

} // namespace flcc::cuda
