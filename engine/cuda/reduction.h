#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/cuda/merger.h"
#include "engine/cuda/pipeline.h"
#include "engine/cuda/tally.h"
#include "engine/method/canonical.h"
#include "engine/method/method.h"
#include "engine/method/reduced_map.h"

namespace flcc::cuda {

/// True when a run of `problem` may leave its map on the device. A search that takes some templates
/// of a bank at a voxel and leaves others out, whose scores hide them, asks for the map.
[[nodiscard]] bool isReduced(const method::Problem& problem);

/// Bytes of what a reduction adds to a slot for a part of extents `part`: of the device, and as
/// many pinned ones.
[[nodiscard]] std::int64_t reductionBytes(const base::Extents& part);
/// Bytes that come back of such a part of a typical scene.
[[nodiscard]] std::int64_t reducedBytes(const method::Problem& problem, const base::Extents& part);

/// A part of a bank's map that comes back whole, without values yet.
[[nodiscard]] method::ReducedMap::Part wholePart(const base::Box& box, bool inDouble);

/// Where a run leaves what is wanted of its map.
struct ReducedRun {
    const method::Reduction& wanted;
    method::ReducedMap& to;
};

/// Brings back of each part of a map what ReducedRun wants, or the whole part where there is more
/// of it than a block has room for.
class Reducer {
  public:
    /// All must live as long.
    Reducer(const method::Problem& problem, const Templates& templates,
            const method::MaskedView& scene, const ReducedRun& run)
        : m_problem(problem), m_templates(templates), m_scene(scene), m_run(run) {}

    /// Starts the reduction of a part that the kernels before it in `compute` make.
    void start(PartSlot& slot, const Stream& compute) const;
    /// Starts the copies of what the blocks say, and of what was asked for.
    void bring(PartSlot& slot, const Stream& download) const;
    /// Waits for the voxels of a part of which bring() came. Returns the bytes of both.
    [[nodiscard]] std::int64_t receive(PartSlot& slot, const Stream& fetch) const;

    [[nodiscard]] method::ReducedMap::Part& partOf(const PartSlot& slot) const {
        return m_run.to.partAt(slot.box.corner);
    }
    /// Replaces the LOWCONF voxels of a block of a part that is not whole by canonical values of
    /// the only template, where the problem says so and they keep the promise, and adds all of them
    /// to `scores`. `stored`: what a float adds to their bounds. Ends early when a stop is
    /// requested; then the part is unspecified.
    [[nodiscard]] BlockRepair repair(method::ReducedMap::Part& part, std::int64_t block,
                                     double stored, const std::stop_token& stop,
                                     method::ScoreTally& scores) const;
    /// Adds up all that the blocks of a part say, or the scores of a whole one; `repaired` are
    /// those of LOWCONF voxels.
    void addUp(const PartSlot& slot, const std::vector<method::ScoreTally>& repaired) const;

    /// Adds up the scores of a part that came back whole, anew.
    static void addUp(method::ReducedMap::Part& whole);

  private:
    /// Places in the part of its voxels that are asked for.
    [[nodiscard]] std::vector<base::Index> askedIn(const base::Box& box) const;

    const method::Problem& m_problem;
    const Templates& m_templates;
    const method::MaskedView& m_scene;
    const ReducedRun& m_run;
};

} // namespace flcc::cuda
