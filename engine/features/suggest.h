#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/base/image.h"
#include "engine/features/detector.h"

namespace flcc::features {

/// A box around a blob that may become a template, and how well a match can find it.
struct Suggestion {
    std::size_t blob = 0; ///< number in the list
    base::Box box;
    double second = 0; ///< best LCC of the box with its surroundings, away from itself
    double width = 0;  ///< share of the box by which it can be moved with an LCC of 0.5 or more
    double merit = 0;  ///< strength (1 - second) (1 - width / 2); larger is better
};

struct SuggestOptions {
    std::size_t tried = 60; ///< the strongest blobs
    std::size_t most = 10;
    int threads = 1;
};

/// The box around a blob: three radii wide, odd, moved into the image.
[[nodiscard]] base::Box boxAround(const Blob& blob, const base::Extents& image);

/// Whether the mean of a blob is above the mean of the ring around it. **Cost**: bounded, because
/// large blobs are looked at in every n-th voxel.
[[nodiscard]] bool isLight(const base::View<const float>& grey, const Blob& blob);

/// Ranks boxes around blobs by strength and by how distinctive they are. Each box is compared by
/// its LCC with the surroundings, one box width to each side; large boxes are compared at 15 points
/// an axis (9 in volumes). Returns false if cancelled.
[[nodiscard]] bool suggestTemplates(const base::View<const float>& grey,
                                    const std::vector<Blob>& blobs, const SuggestOptions& options,
                                    const std::stop_token& stop,
                                    std::vector<Suggestion>& suggestions);

} // namespace flcc::features
