#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/base/pixels.h"
#include "engine/job/input/inputs.h"

namespace flcc::job::detail {

/// How members of a search over poses are divided: into as few batches of at most `most` as there
/// can be, nearly equal, the larger ones first. With `most` above 2, none is of one member, which a
/// method would treat as a template of its own, unless there is one in all.
struct Batches {
    std::int64_t members;
    std::int64_t count;

    Batches(std::int64_t all, std::int64_t most) : members(all), count((all + most - 1) / most) {}
    [[nodiscard]] std::int64_t largest() const { return size(0); }
    [[nodiscard]] std::int64_t size(std::int64_t batch) const {
        return members / count + (batch < members % count ? 1 : 0);
    }
    [[nodiscard]] std::int64_t first(std::int64_t batch) const {
        return members / count * batch + std::min(batch, members % count);
    }
};

/// The least that the members of a batch are reduced to where memory is short.
inline constexpr std::int64_t kLeastBatch = 4;

/// The batches of so many members of these extents where memory does not matter.
[[nodiscard]] Batches batchesOf(std::int64_t members);

/// The pixel type of members of templates of a type.
[[nodiscard]] base::PixelType memberPixel(base::PixelType templ);

/// What Poses::rotations states, with the step of auto:DIAMETER. **Errors**: as coverOf().
[[nodiscard]] rotation::Rotations rotationsOf(const Poses& poses, bool flat,
                                              const base::Geometry& geometry);

/// Makes Inputs::banks of a search over poses. **Errors**: as coverOf(); Problem for flat templates
/// beside others, and for a scene of channels with other turns than in the plane.
void makeBanks(Inputs& inputs, const Job& job);

/// Makes Inputs::padded. **Errors**: Problem for a scene into which a template fits in no pose.
void padScene(Inputs& inputs, const Job& job);

/// The report of the search; without times.
[[nodiscard]] PosesReport posesReport(const Inputs& inputs);

/// Throws for statistics of a search that has nothing to compare. **Errors**: Problem.
void requireMembers(const Job& job, const Inputs& inputs);

/// Throws for more members than run without Poses::yes. **Errors**: CommandLine.
void requireAllowed(const Job& job, const Inputs& inputs);

} // namespace flcc::job::detail
