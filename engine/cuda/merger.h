#pragma once

#include <array>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/cuda/pipeline.h"
#include "engine/cuda/tally.h"
#include "engine/method/bank.h"
#include "engine/method/canonical.h"
#include "engine/method/method.h"
#include "engine/method/reduced_map.h"

namespace flcc::cuda {

/// Bytes of what taking best scores adds to a slot for a part of extents `part`: of the device, and
/// as many pinned ones. 0 where there is one template.
[[nodiscard]] std::int64_t mergeBytes(const method::Problem& problem, const base::Extents& part);
/// Bytes that come back of such a part, whose scores keep the promise.
[[nodiscard]] std::int64_t mergedBytes(const method::Problem& problem, const base::Extents& part);

/// The templates of a run, as the host knows them.
using Templates = std::vector<const method::CanonicalTemplate*>;

/// What came of scores that were LOWCONF on a device.
struct Settled {
    method::ScoreTally scores; ///< of all templates
    /// Of the voxels that have some: the best scores, and their statuses.
    method::ScoreTally best;
    std::array<std::int64_t, base::kStatusCount> statuses{};
};

/// Takes the scores of the templates of a bank together on a device, part by part. LOWCONF ones
/// are brought back, replaced by canonical values where those keep the promise, and taken in here:
/// the best scores are those of method::mergeBest() whatever the order.
class Merger {
  public:
    /// All must live as long. `stored`: what a float adds to bounds.
    Merger(const method::Problem& problem, const Templates& templates,
           const method::MaskedView& scene, double stored)
        : m_problem(problem), m_templates(templates), m_scene(scene), m_stored(stored) {}

    /// Starts taking in the scores of a template, the `turn`-th one, which the kernels before it in
    /// `compute` make. The first template comes first.
    void start(PartSlot& slot, const PartLaunch& scores, std::size_t templ, std::size_t turn,
               const Stream& compute) const;
    /// Starts the copies of what the blocks say, and of the index where it is `wanted`. Returns
    /// their bytes.
    [[nodiscard]] std::int64_t bring(PartSlot& slot, bool wanted, const Stream& download) const;
    /// Waits for the LOWCONF scores of a part of which bring() came. Returns their bytes.
    [[nodiscard]] std::int64_t receive(PartSlot& slot, const Stream& fetch) const;

    /// Whether a block of a part has LOWCONF scores.
    [[nodiscard]] bool isOpen(const PartSlot& slot, std::int64_t block) const;
    /// Takes in the LOWCONF scores of a block of a part that came back whole, with kOpenStatus, as
    /// `part`. `repaired` has a place for each block of each template. Ends early when a stop is
    /// requested; then the part is unspecified.
    [[nodiscard]] Settled settle(const PartSlot& slot, std::int64_t block,
                                 const method::BankView& part, const std::stop_token& stop,
                                 std::vector<BlockRepair>& repaired) const;
    /// As that, of a part of which the voxels came back that may be peaks.
    [[nodiscard]] Settled settle(const PartSlot& slot, std::int64_t block,
                                 method::ReducedMap::Part& part, const std::stop_token& stop,
                                 std::vector<BlockRepair>& repaired) const;
    /// All scores of a part that were not LOWCONF.
    [[nodiscard]] method::ScoreTally scores(const PartSlot& slot) const;

  private:
    struct Best {
        double value = 0;
        base::Status status = base::Status::NotComputed;
        std::int32_t index = -1;
    };
    [[nodiscard]] std::int64_t openOf(const PartSlot& slot, std::int64_t block) const;
    [[nodiscard]] const OpenScore* openScores(const PartSlot& slot, std::int64_t block) const;
    void take(const PartSlot& slot, const OpenScore& open, BlockRepair& repaired, Best& best,
              Settled& settled) const;

    const method::Problem& m_problem;
    const Templates& m_templates;
    const method::MaskedView& m_scene;
    double m_stored;
};

} // namespace flcc::cuda
