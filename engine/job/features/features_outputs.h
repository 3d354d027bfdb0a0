#pragma once

#include <stop_token>

#include "engine/job/features.h"

namespace flcc::job::detail {

/// Throws what writing the outputs of `job` would throw for their names, before anything is read.
/// **Errors**: CommandLine, Output.
void requireFeaturesOutputs(const FeaturesJob& job);

/// The same for the maps, whose formats depend on the extents of the image.
void requireFeaturesMaps(const FeaturesJob& job, const base::Extents& extents);

/// Writes all requested outputs, the report last: all or none. Adds what a format cannot store to
/// the notes of `result`, and the time. Returns false if cancelled.
[[nodiscard]] bool writeFeaturesOutputs(FeaturesResult& result, const std::stop_token& stop);

} // namespace flcc::job::detail
