#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/base/pixels.h"
#include "engine/job/input/inputs.h"

namespace flcc::job::detail {

/// How the members of a search over poses are divided: batches of `least` or `least` + 1 members,
/// the larger ones first.
struct Batches {
    std::int64_t members = 1;
    std::int64_t count = 1;

    [[nodiscard]] std::int64_t least() const { return members / count; }
    [[nodiscard]] std::int64_t largest() const { return (members + count - 1) / count; }
    [[nodiscard]] std::int64_t size(std::int64_t batch) const {
        return least() + (batch < members % count ? 1 : 0);
    }
    [[nodiscard]] std::int64_t first(std::int64_t batch) const {
        return least() * batch + std::min(batch, members % count);
    }
};

/// The batches of so many members of these extents. Their size depends on the members alone, so
/// that a job has the same plan wherever it runs.
[[nodiscard]] Batches batchesOf(std::int64_t members, const base::Extents& box);

/// The pixel type of members of templates of a type.
[[nodiscard]] base::PixelType memberPixel(base::PixelType templ);

/// What Poses::rotations states, with the step of auto:DIAMETER. **Errors**: as coverOf().
[[nodiscard]] rotation::Rotations rotationsOf(const Poses& poses, bool flat,
                                              const base::Geometry& geometry);

/// Makes Inputs::banks of a search over poses. **Errors**: as coverOf(); Problem for flat templates
/// beside others, for a scene smaller than the turned templates, and for a scene of channels with
/// other turns than in the plane.
void makeBanks(Inputs& inputs, const Job& job);

/// The report of the search; without times.
[[nodiscard]] PosesReport posesReport(const Inputs& inputs);

/// Throws for statistics of a search that has nothing to compare. **Errors**: Problem.
void requireMembers(const Job& job, const Inputs& inputs);

/// Throws for more members than run without Poses::yes. **Errors**: CommandLine.
void requireAllowed(const Job& job, const Inputs& inputs);

} // namespace flcc::job::detail
