#include "tests/engine/features/pictures.h"

#include <algorithm>
#include <cmath>

#include "engine/base/random.h"

namespace flcc::blob_pictures {

namespace {

double distance(const base::Point& a, const base::Point& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// The share of a voxel that lies in the disc.
double coverage(const Disc& disc, const base::Point& voxel, bool volume) {
    const double far = std::sqrt(volume ? 0.75 : 0.5);
    const double d = distance(disc.centre, voxel);
    if (d >= disc.radius + far) {
        return 0;
    }
    if (d <= disc.radius - far) {
        return 1;
    }
    constexpr int kSamples = 8;
    int inside = 0;
    const int slices = volume ? kSamples : 1;
    for (int k = 0; k < slices; ++k) {
        for (int j = 0; j < kSamples; ++j) {
            for (int i = 0; i < kSamples; ++i) {
                const auto at = [](int n) { return (n + 0.5) / kSamples - 0.5; };
                const base::Point sample{voxel[0] + at(i), voxel[1] + at(j),
                                         volume ? voxel[2] + at(k) : voxel[2]};
                inside += distance(disc.centre, sample) <= disc.radius ? 1 : 0;
            }
        }
    }
    return static_cast<double>(inside) / (slices * kSamples * kSamples);
}

} // namespace

base::Image<double> discs(const base::Extents& extents, double ground,
                          const std::vector<Disc>& discs) {
    base::Image<double> image(extents, ground);
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            for (std::int64_t x = 0; x < extents.x; ++x) {
                const base::Point voxel{static_cast<double>(x), static_cast<double>(y),
                                        static_cast<double>(z)};
                for (const Disc& disc : discs) {
                    image.view().at(x, y, z) +=
                        disc.contrast * coverage(disc, voxel, extents.z > 1);
                }
            }
        }
    }
    return image;
}

base::Image<double> hills(const base::Extents& extents, std::uint64_t seed) {
    base::Random random(seed);
    base::Image<double> image(extents, 0.0);
    for (int hill = 0; hill < 60; ++hill) {
        const base::Point centre{random.uniform(0, static_cast<double>(extents.x)),
                                 random.uniform(0, static_cast<double>(extents.y)),
                                 random.uniform(0, static_cast<double>(extents.z))};
        const double size = random.uniform(2, 7);
        const double height = random.uniform(-50, 100);
        for (std::int64_t z = 0; z < extents.z; ++z) {
            for (std::int64_t y = 0; y < extents.y; ++y) {
                for (std::int64_t x = 0; x < extents.x; ++x) {
                    const double d =
                        distance(centre, {static_cast<double>(x), static_cast<double>(y),
                                          static_cast<double>(z)});
                    image.view().at(x, y, z) += height * std::exp(-d * d / (2 * size * size));
                }
            }
        }
    }
    return image;
}

Detection detectGrey(const base::Image<double>& image, DetectorOptions options) {
    options.threads = 2;
    const features::ChannelImage channels({image.view()}, features::Channels::Grey);
    return features::detect(channels, options);
}

const Blob* nearest(const std::vector<Blob>& blobs, const base::Point& point) {
    const auto found =
        std::min_element(blobs.begin(), blobs.end(), [&](const Blob& a, const Blob& b) {
            return distance(a.centre, point) < distance(b.centre, point);
        });
    return found == blobs.end() ? nullptr : &*found;
}

} // namespace flcc::blob_pictures
