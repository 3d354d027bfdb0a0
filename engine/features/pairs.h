#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "engine/base/image.h"
#include "engine/features/channels.h"
#include "engine/features/detector.h"

namespace flcc::features {

/// A blob of one image and the blob of another image that looks like it.
struct Pair {
    double score = 0;  ///< LCC of both patches, scaled to the size of their blobs
    std::size_t a = 0; ///< number in the list of blobs of image A
    std::size_t b = 0;
    /// Where the patch of A lies best in image B, voxels; within a sigma of the centre of `b`.
    base::Point place{};
    double turn =
        0; ///< turn from A to B with the best score, degrees; a multiple of 10; images only
    friend bool operator==(const Pair&, const Pair&) = default;
};

struct PairOptions {
    double minScore = 0.7;
    int threads = 1;
};

/// An image to match, and its blobs.
struct BlobImage {
    base::View<const float> grey;
    const std::vector<Blob>& blobs;
};

/// The grey values of an image (luminance of colour) for matchBlobs().
[[nodiscard]] base::Image<float> greyImage(const ChannelImage& image);

/// Matches blobs of A with blobs of B. The patch of a blob reaches 5 sigma around its centre and is
/// sampled with 21 points an axis (11 in volumes), averaged over the distance of two points, so
/// that patches of different sizes have equal extents. The patch of A, in images turned by -20 to
/// 20 degrees in steps of 10, is a template; its score with a blob of B is the best canonical LCC
/// over the placements within 2 points of that blob, and a parabola through the scores beside it
/// places it between points. A pair is listed if it is the best for both
/// sides, has the least score, and no other place of B is nearly as good: 1 - score is at most 0.8
/// of that of the best pair elsewhere. The order is by descending score.
///
/// Returns false if cancelled. **Cost**: O(blobs of A x blobs of B) for patches that are compared
/// at their centres, and 10 searches around a centre for each blob of A.
[[nodiscard]] bool matchBlobs(const BlobImage& a, const BlobImage& b, const PairOptions& options,
                              const std::stop_token& stop,
                              const std::function<void(double)>& progress,
                              std::vector<Pair>& pairs);

/// Bytes that matchBlobs() allocates beside the images.
[[nodiscard]] std::int64_t pairBytes(std::size_t blobsA, std::size_t blobsB, bool volume);

} // namespace flcc::features
