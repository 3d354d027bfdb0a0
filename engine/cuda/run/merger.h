#pragma once

#include <array>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/cuda/run/pipeline.h"
#include "engine/cuda/run/tally.h"
#include "engine/method/bank.h"
#include "engine/method/canonical.h"
#include "engine/method/method.h"
#include "engine/method/reduced_map.h"

namespace flcc::cuda {

/// Bytes of device memory that merging adds to a PartSlot for a part of extents `part`; as many of
/// pinned memory. 0 for one template.
[[nodiscard]] std::int64_t mergeBytes(const method::Problem& problem, const base::Extents& part);
/// Bytes that merging downloads of such a part if no score is LOWCONF.
[[nodiscard]] std::int64_t mergedBytes(const method::Problem& problem, const base::Extents& part);

/// The templates of a run in canonical form, in the order of the bank.
using Templates = std::vector<const method::CanonicalTemplate*>;

/// Sums over scores that were LOWCONF on a device, after the host repaired and merged them.
struct Settled {
    method::ScoreTally scores; ///< these scores, of all templates
    /// Best scores and statuses of the voxels that have such scores. Left empty for a part that
    /// came back whole.
    method::ScoreTally best;
    std::array<std::int64_t, base::kStatusCount> statuses{};
};

/// Merges the scores of the templates of a bank, part by part, on the device. LOWCONF scores are
/// downloaded, replaced by canonical values where these keep the promise, and merged on the host.
/// The best scores are those of method::mergeBest(), in any order of the templates.
class Merger {
  public:
    /// All references must outlive the merger. `stored`: storedError() of the run.
    /// `counted`: of the whole map.
    Merger(const method::Problem& problem, const Templates& templates,
           const method::MaskedView& scene, double stored, const method::Counted& counted)
        : m_problem(problem), m_templates(templates), m_scene(scene), m_stored(stored),
          m_counted(counted) {}

    /// Starts the merge of the scores of template `templ`, which earlier kernels in `compute`
    /// write. `turn` counts the merges of a part from 0; template 0 comes first.
    void start(PartSlot& slot, const PartLaunch& scores, std::size_t templ, std::size_t turn,
               const Stream& compute) const;
    /// Starts the download of the blocks' reports. Returns its bytes.
    [[nodiscard]] std::int64_t bring(PartSlot& slot, const Stream& download) const;
    /// Downloads the LOWCONF scores of a part whose bring() has arrived, and sets `slot.openMost`.
    /// Returns their bytes; 0 if a block has more than kOpenMost, as nothing is downloaded then.
    [[nodiscard]] std::int64_t receive(PartSlot& slot, const Stream& fetch) const;

    /// True if a block of a part has LOWCONF scores.
    [[nodiscard]] bool isOpen(const PartSlot& slot, std::int64_t block) const;
    /// Repairs and merges the LOWCONF scores of a block. `part` is a part that came back whole,
    /// whose statuses may contain kOpenStatus. `repaired` has one element for each block of each
    /// template. Ends early if a stop is requested; the part is then unspecified.
    [[nodiscard]] Settled settle(const PartSlot& slot, std::int64_t block,
                                 const method::BankView& part, const std::stop_token& stop,
                                 std::vector<BlockRepair>& repaired) const;
    /// The same for a part of which only the voxels came back that may be peaks.
    [[nodiscard]] Settled settle(const PartSlot& slot, std::int64_t block,
                                 method::ReducedMap::Part& part, const std::stop_token& stop,
                                 std::vector<BlockRepair>& repaired) const;
    /// Sums over the scores of all templates in a part that were not LOWCONF on the device.
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
    method::Counted m_counted;
};

} // namespace flcc::cuda
