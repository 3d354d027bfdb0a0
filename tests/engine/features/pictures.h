#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/image.h"
#include "engine/features/detector.h"

namespace flcc::blob_pictures {

using features::Blob;
using features::Detection;
using features::DetectorOptions;

/// A disc or ball of the given radius whose edge is averaged over each voxel.
struct Disc {
    base::Point centre{};
    double radius = 1;
    double contrast = 1;
};

/// `ground` plus discs (z extent 1) or balls; the edge of a disc is averaged over 8 x 8 (x 8)
/// samples a voxel.
[[nodiscard]] base::Image<double> discs(const base::Extents& extents, double ground,
                                        const std::vector<Disc>& discs);

/// Smooth random hills of many sizes, the same on every machine.
[[nodiscard]] base::Image<double> hills(const base::Extents& extents, std::uint64_t seed);

/// detect() for one grey image with two threads.
[[nodiscard]] Detection detectGrey(const base::Image<double>& image, DetectorOptions options);

/// The blob nearest to a point, among all.
[[nodiscard]] const Blob* nearest(const std::vector<Blob>& blobs, const base::Point& point);

} // namespace flcc::blob_pictures
