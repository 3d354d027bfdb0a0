#pragma once

#include <cstdint>
#include <functional>

#include "engine/cuda/map_run.h"
#include "engine/cuda/part_queue.h"
#include "engine/method/method.h"

namespace flcc::cuda {

/// Scores of a template of a bank that are held at a time, of a map that has more: enough to be
/// worth making buffers for.
inline constexpr std::int64_t kLeastAside = std::int64_t{1} << 22;

/// Bytes of the host for scores of a template of a bank in the parts that are done one template
/// after the other, as many at a time as doSetAside() does with this `least`; of extents `part`
/// each. 0 where there is one template.
[[nodiscard]] std::int64_t setAsideBytes(const method::Problem& posed, const base::Extents& part,
                                         std::int64_t least = kLeastAside);

/// Does the parts of a bank's map that were set aside, as they have units that are left to a run in
/// double: one template after the other, as that would be done alone, so that the best scores have
/// the bits of single runs. Adds times to `outcome`. Does nothing where none were, or when stopped.
///
/// `drop` gives back what was made for all templates, whose room the runs need. `share` does all
/// parts of a queue for one of them, as DeviceMethod::run(). Parts are done some at a time, with
/// room for `least` voxels or more. **Errors**: those of `share`.
void doSetAside(const RunInput& bank, PartQueue& parts, const std::function<void()>& drop,
                const std::function<method::Outcome(const RunInput&, PartQueue&)>& share,
                method::Outcome& outcome, std::int64_t least = kLeastAside);

} // namespace flcc::cuda
