#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/image.h"
#include "engine/features/channels.h"

namespace flcc::features {

/// A place that differs from its surroundings in the distribution of its values.
struct Blob {
    /// Response of the detector at `centre` and `sigma`, in the unit of the image's values; colour
    /// sums over the channels. A disc of contrast h on a flat ground has the strength h.
    double strength = 0;
    base::Index voxel{};  ///< the voxel with the largest response
    base::Point centre{}; ///< sub-voxel position, voxel coordinates, in multiples of 2^-16
    double sigma = 0;     ///< scale, in shortest edges of a voxel
    double radius = 0;    ///< sqrt(2) sigma in images, sqrt(3) sigma in volumes; the same unit
    /// The edges of a voxel in that unit: along axis a the radius is radius / edges[a] voxels.
    base::Point edges{1, 1, 1};
    friend bool operator==(const Blob&, const Blob&) = default;
};

/// A geometric series of scales. Zeros stand for the default: 12 scales from 2 to a tenth of the
/// smallest extent, but at least to 3.
struct ScaleRange {
    double first = 0; ///< sigma of the smallest scale, in shortest edges of a voxel
    double last = 0;
    int count = 12;
    friend bool operator==(const ScaleRange&, const ScaleRange&) = default;
};

inline constexpr int kMostLevels = 4096;
inline constexpr int kMostScales = 200;
inline constexpr double kLeastSigma = 0.7;

struct DetectorOptions {
    ScaleRange scales{};
    int levels = 128; ///< 2 .. kMostLevels
    /// The least strength of a blob; empty: a tenth of the range of the levels of the first
    /// channel.
    std::optional<double> minStrength{};
    std::int64_t maxBlobs = 1000;
    double overlap = 0.5; ///< largest share of the smaller disc that a stronger blob may cover
    bool maps = false;    ///< fill the maps of the detection
    int threads = 1;
    /// The edges of a voxel, the shortest of them 1 (base::voxelEdges): blobs are round in space.
    base::Point edges{1, 1, 1};
    friend bool operator==(const DetectorOptions&, const DetectorOptions&) = default;
};

/// Facts on one channel.
struct ChannelFacts {
    std::string name;
    double low = 0;
    double high = 0;
    double step = 0; ///< distance of two levels
    /// Of the values; those outside low .. high belong to the end levels.
    double minimum = 0;
    double maximum = 0;
    std::int64_t beyond = 0; ///< voxels outside
    int distinct = 0; ///< levels that are filtered; the others repeat the one before, or give 0
};

struct Stages {
    double levelsMs = 0;
    double filterMs = 0;
    double maximaMs = 0;
};

/// Blobs by descending strength, then by z, y, x.
struct Detection {
    std::vector<Blob> blobs;
    std::int64_t found = 0;      ///< maxima above the least strength
    std::int64_t overlapped = 0; ///< of these, removed for a stronger blob
    double minStrength = 0;
    double strongest = 0; ///< response, of all scales but the first and the last
    std::vector<double> scales;
    std::vector<ChannelFacts> channels;
    /// The largest response over the scales, and the sigma that gave it; empty unless requested.
    base::Image<float> strength;
    base::Image<float> scale;
    Stages stages;
    bool cancelled = false;
};

/// Receives news of a running detection, on the thread that called detect().
class DetectorSink {
  public:
    virtual ~DetectorSink() = default;
    virtual void progress(double share) { (void)share; }
    /// The maxima found so far, overlaps included, after each scale.
    virtual void found(double sigma, std::span<const Blob> blobs) {
        (void)sigma;
        (void)blobs;
    }
};

/// Why a detection has no blobs and what to try, as a sentence; empty if it has some.
[[nodiscard]] std::string whyEmpty(const Detection& detection);

/// The scales of an image: sigma_i = first (last / first)^(i / (count - 1)).
/// **Errors**: CommandLine for fewer than three scales, a sigma below 0.7, last <= first, or a
/// sigma above the smallest extent.
[[nodiscard]] std::vector<double> scalesOf(const ScaleRange& range, const base::Extents& extents,
                                           const base::Point& edges = {1, 1, 1});

/// Bytes that detect() allocates beside the image; exact but for lists of blobs. For n voxels in
/// padded rows (multiples of 8 voxels, and of 8 rows) it is 44 n for images and 60 n for volumes,
/// plus 8 n with maps, plus 320 bytes a thread and voxel of the longest side; images below 2^17
/// voxels filter up to 16 levels at once, which adds up to 16 bytes for each of 2^17 voxels (32 in
/// volumes). It does not depend on the number of levels, scales and channels.
[[nodiscard]] std::int64_t detectorBytes(const base::Extents& extents,
                                         const DetectorOptions& options);

/// Finds blobs by the center-surround distribution distance. For a channel with values I and levels
/// v_k = low + (k + 1/2) dv the response at scale sigma is
///
///     sum over k of |w sigma^2 ([I <= v_k] * LoG_sigma)| dv,   w = e / 2 (2D), 1.080985 (3D),
///
/// added over the channels. Levels cover the range of the values without outliers (ChannelFacts),
/// which belong to the end levels. A blob is a maximum of the response over position and scale; the
/// first and the last scale only bound their neighbours. Values outside the image repeat its
/// border. Voxels of unequal edges: LoG and sigma are those of space, in shortest edges; along an
/// axis whose voxels are so long that sigma is below kLeastSigma of them, that is taken.
///
/// **Units**: scales in shortest edges of a voxel, strength in values. **Errors**: CommandLine for
/// options out of range; Problem for values that are not finite, for an image of fewer than 3
/// voxels along x or y, and for maps of strengths beyond float32. **Threads**: `options.threads`.
/// Cancelling takes far less than a second. **Cost**: O(levels x channels x scales x voxels), the
/// same for every sigma.
/// **Source**: CSDD (1); engine/features/README.md.
[[nodiscard]] Detection detect(const ChannelImage& image, const DetectorOptions& options,
                               const std::stop_token& stop = {}, DetectorSink* sink = nullptr);

} // namespace flcc::features
