#pragma once

#include <memory>

#include "engine/job/input/inputs.h"
#include "engine/job/kept_map.h"

namespace flcc::job {

/// The images of a kept map.
struct KeptImages {
    Job job; ///< of the run, without crops, templates and masks, which are in `inputs`
    /// With the spacing that the filters of the run were made for.
    Job filterJob;
    detail::Inputs inputs;                   ///< of a stream, those of its first frame
    std::shared_ptr<const SceneImage> stack; ///< of a stream: in memory, or null
};

namespace detail {

/// The part of a kept map with the maps that findPeaks() searches.
[[nodiscard]] match::SearchedMap searchedMap(const KeptMap& kept, const KeptPart& part);
/// The same with the inputs of a frame in place of those of the first.
[[nodiscard]] match::SearchedMap searchedMap(const KeptMap& kept, const KeptPart& part,
                                             const Inputs& inputs);

} // namespace detail

} // namespace flcc::job
