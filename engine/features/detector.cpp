#include "engine/features/detector.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/base/tile_pool.h"
#include "engine/features/detail/levels.h"
#include "engine/features/detail/maxima.h"
#include "engine/features/detail/scale_response.h"

namespace flcc::features {

using base::Error;
using base::ErrorCode;

namespace {

std::string text(double value) {
    std::string number = std::to_string(value);
    number.erase(number.find_last_not_of('0') + 1);
    if (number.ends_with('.')) {
        number.pop_back();
    }
    return number;
}

/// In shortest edges of a voxel.
double smallestExtent(const base::Extents& n, const base::Point& edges) {
    const double flat =
        std::min(static_cast<double>(n.x) * edges[0], static_cast<double>(n.y) * edges[1]);
    return n.z > 1 ? std::min(flat, static_cast<double>(n.z) * edges[2]) : flat;
}

[[noreturn]] void wrong(const std::string& sentence) {
    throw Error(ErrorCode::CommandLine, sentence);
}

void requireSensible(const DetectorOptions& options) {
    if (options.levels < 2 || options.levels > kMostLevels) {
        wrong("the number of levels must be 2 to " + std::to_string(kMostLevels) + ", not " +
              std::to_string(options.levels));
    }
    if (options.minStrength &&
        !(*options.minStrength >= 0 && std::isfinite(*options.minStrength))) {
        wrong("the least strength must be 0 or more");
    }
    if (!(options.overlap >= 0 && options.overlap <= 1)) {
        wrong("the overlap must be 0 to 1, not " + text(options.overlap));
    }
    if (options.maxBlobs < 1) {
        wrong("the number of blobs must be at least 1, not " + std::to_string(options.maxBlobs));
    }
}

/// One detection.
class Detector {
  public:
    Detector(const ChannelImage& image, const DetectorOptions& options, const std::stop_token& stop,
             DetectorSink& sink)
        : m_image(image), m_options(options), m_stop(stop), m_sink(sink), m_pool(options.threads),
          m_grid(image.extents()), m_levels(m_grid),
          m_response(m_grid, detail::lineKernels().front(), m_pool, options.edges) {
        m_result.scales = scalesOf(options.scales, image.extents(), options.edges);
        for (base::Image<double>& map : m_maps) {
            map = base::Image<double>({m_grid.stride, m_grid.rows, 1});
        }
        if (options.maps) {
            m_result.strength = base::Image<float>(image.extents(), 0.0F);
            m_result.scale = base::Image<float>(image.extents(), 0.0F);
        }
    }

    Detection run() {
        m_result.cancelled = !(findRanges() && filterScales());
        if (!m_result.cancelled) {
            finish();
        }
        return std::move(m_result);
    }

  private:
    [[nodiscard]] bool findRanges() {
        const base::Stopwatch watch;
        const double sigma = m_result.scales.front();
        // Half of the voxels of the smallest blob.
        const base::Point& e = m_options.edges;
        const double fewest =
            m_grid.extents.z > 1
                ? std::numbers::pi * 2 / 3 * std::pow(3 * sigma * sigma, 1.5) / (e[0] * e[1] * e[2])
                : std::numbers::pi * sigma * sigma / (e[0] * e[1]);
        for (int channel = 0; channel < m_image.count(); ++channel) {
            detail::LevelRange range;
            if (!detail::findRange(m_image, channel, m_options.levels, fewest, m_pool, m_stop,
                                   range)) {
                return false;
            }
            m_ranges.push_back(range);
            m_exponent = channel == 0 ? range.exponent : std::max(m_exponent, range.exponent);
            const double level = m_image.level(channel);
            m_result.channels.push_back({.name = m_image.channelName(channel),
                                         .low = std::ldexp(range.low, range.exponent) + level,
                                         .high = std::ldexp(range.high, range.exponent) + level,
                                         .step = std::ldexp(range.step, range.exponent),
                                         .minimum = range.minimum + level,
                                         .maximum = range.maximum + level,
                                         .beyond = range.beyond});
        }
        m_result.minStrength = m_options.minStrength.value_or(
            std::ldexp(m_ranges.front().step * m_options.levels / 10, m_ranges.front().exponent));
        requireMaps();
        m_result.stages.levelsMs += watch.ms();
        return true;
    }

    /// Responses are in 2^m_exponent.
    [[nodiscard]] double inValues(double response) const {
        return std::ldexp(response, m_exponent);
    }

    void requireMaps() const {
        double range = 0;
        for (const detail::LevelRange& each : m_ranges) {
            range = std::max(range, inValues(std::ldexp(each.step * m_options.levels,
                                                        each.exponent - m_exponent)));
        }
        constexpr double kMost = 1e38;
        if (m_options.maps && (range > kMost || (range > 0 && range < 1 / kMost))) {
            std::array<char, 32> shown{};
            const auto end = std::to_chars(shown.data(), shown.data() + shown.size(), range,
                                           std::chars_format::scientific, 1);
            throw Error(ErrorCode::Problem,
                        "the values of the image differ by " + std::string(shown.data(), end.ptr) +
                            ", and the maps of strength and scale are float32; leave them out, or "
                            "scale the image");
        }
    }

    [[nodiscard]] bool filterScales() {
        const std::size_t count = m_result.scales.size();
        for (std::size_t i = 0; i < count; ++i) {
            if (!filterScale(i)) {
                return false;
            }
            if (i >= 2) {
                if (!findMaxima(i - 1)) {
                    return false;
                }
                m_sink.found(m_result.scales[i - 1], m_exponent == 0 ? m_found : blobsFound());
            }
        }
        return true;
    }

    [[nodiscard]] bool filterScale(std::size_t scale) {
        base::Image<double>& map = m_maps[scale % m_maps.size()];
        map.fill(0);
        const double sigma = m_result.scales[scale];
        const auto channels = static_cast<std::size_t>(m_image.count());
        for (std::size_t channel = 0; channel < channels; ++channel) {
            const detail::LevelRange& range = m_ranges[channel];
            if (!(range.step > 0)) {
                continue; // a constant channel
            }
            // The levels of several channels would need several times the memory.
            if ((scale == 0 || channels > 1) && !makeLevels(channel)) {
                return false;
            }
            const auto progress = [&](std::size_t done) {
                const double part =
                    static_cast<double>(done) / static_cast<double>(m_levels.levels.size());
                m_sink.progress((static_cast<double>(scale * channels + channel) + part) /
                                static_cast<double>(m_result.scales.size() * channels));
            };
            const base::Stopwatch watch;
            const bool done =
                m_response.add(m_levels, std::ldexp(range.step, range.exponent - m_exponent), sigma,
                               map.data(), m_stop, progress);
            m_result.stages.filterMs += watch.ms();
            if (!done) {
                return false;
            }
        }
        if (m_options.maps) {
            mergeMaps(map.data(), sigma);
        }
        return !m_stop.stop_requested();
    }

    [[nodiscard]] bool makeLevels(std::size_t channel) {
        const base::Stopwatch watch;
        const bool done = detail::findLevels(m_image, static_cast<int>(channel), m_ranges[channel],
                                             m_options.levels, m_grid, m_pool, m_stop, m_levels);
        m_result.channels[channel].distinct = static_cast<int>(m_levels.levels.size());
        m_result.stages.levelsMs += watch.ms();
        return done;
    }

    [[nodiscard]] bool findMaxima(std::size_t middle) {
        const base::Stopwatch watch;
        detail::ScaleTriple triple;
        for (std::size_t i = 0; i < 3; ++i) {
            triple.response[i] = m_maps[(middle + i - 1) % m_maps.size()].data();
            triple.sigma[i] = m_result.scales[middle + i - 1];
        }
        const bool done = findStrongest(m_maps[middle % m_maps.size()].data()) &&
                          detail::findMaxima(m_grid, m_options.edges, triple,
                                             std::ldexp(m_result.minStrength, -m_exponent), m_pool,
                                             m_stop, m_found);
        m_result.stages.maximaMs += watch.ms();
        return done;
    }

    [[nodiscard]] bool findStrongest(const double* map) {
        const base::Extents& n = m_grid.extents;
        std::vector<double> largest(static_cast<std::size_t>(m_pool.threads()));
        const auto work = [&](std::int64_t row, int worker) {
            double& own = largest[static_cast<std::size_t>(worker)];
            const double* const values = map + row * m_grid.stride;
            own = std::max(own, *std::max_element(values, values + n.x));
        };
        const bool done = m_pool.run(n.y * n.z, work, m_stop);
        m_result.strongest = std::max(m_result.strongest,
                                      inValues(*std::max_element(largest.begin(), largest.end())));
        return done;
    }

    /// The maxima so far, with strengths in values.
    [[nodiscard]] std::vector<Blob> blobsFound() const {
        std::vector<Blob> blobs = m_found;
        for (Blob& blob : blobs) {
            blob.strength = inValues(blob.strength);
        }
        return blobs;
    }

    void mergeMaps(const double* map, double sigma) {
        const base::Extents& n = m_grid.extents;
        const auto work = [&](std::int64_t row, int) {
            float* const strength = m_result.strength.data() + row * n.x;
            float* const scale = m_result.scale.data() + row * n.x;
            const double* const now = map + row * m_grid.stride;
            for (std::int64_t x = 0; x < n.x; ++x) {
                const auto value = static_cast<float>(inValues(now[x]));
                if (value > strength[x] || scale[x] == 0) {
                    strength[x] = value;
                    scale[x] = static_cast<float>(sigma);
                }
            }
        };
        (void)m_pool.run(n.y * n.z, work);
    }

    void finish() {
        const base::Stopwatch watch;
        m_result.found = static_cast<std::int64_t>(m_found.size());
        m_found = blobsFound();
        m_result.blobs = detail::prune(std::move(m_found), m_options.overlap, m_grid.extents.z > 1);
        const auto left = static_cast<std::int64_t>(m_result.blobs.size());
        m_result.overlapped = m_result.found - left;
        if (left > m_options.maxBlobs) {
            m_result.blobs.resize(static_cast<std::size_t>(m_options.maxBlobs));
        }
        m_result.stages.maximaMs += watch.ms();
    }

    const ChannelImage& m_image;
    const DetectorOptions& m_options;
    const std::stop_token& m_stop;
    DetectorSink& m_sink;
    base::TilePool m_pool;
    detail::Grid m_grid;
    detail::LevelImage m_levels;
    detail::ScaleResponse m_response;
    std::array<base::Image<double>, 3> m_maps; ///< responses of the last three scales
    std::vector<detail::LevelRange> m_ranges;
    int m_exponent = 0; ///< of the unit of responses
    std::vector<Blob> m_found;
    Detection m_result;
};

} // namespace

std::string whyEmpty(const Detection& detection) {
    if (!detection.blobs.empty() || detection.cancelled) {
        return {};
    }
    const auto shown = [](double value) {
        std::array<char, 32> number{};
        const auto end = std::to_chars(number.data(), number.data() + number.size(), value,
                                       std::chars_format::general, 3);
        return std::string(number.data(), end.ptr);
    };
    if (std::all_of(detection.channels.begin(), detection.channels.end(),
                    [](const ChannelFacts& channel) { return !(channel.step > 0); })) {
        return "no blobs: the image is constant; choose another channel or frame";
    }
    if (detection.strongest < detection.minStrength) {
        return "no blobs: the strongest response is " + shown(detection.strongest) +
               ", below the least strength of " + shown(detection.minStrength) +
               "; lower --min-strength";
    }
    return "no blobs: responses of up to " + shown(detection.strongest) +
           " are edges, or largest at the smallest or the largest scale; try other --scales";
}

std::vector<double> scalesOf(const ScaleRange& range, const base::Extents& extents,
                             const base::Point& edges) {
    const double smallest = smallestExtent(extents, edges);
    ScaleRange r = range;
    if (r.first == 0 && r.last == 0) {
        r.first = 2;
        r.last = std::max(smallest / 10, 3.0);
    }
    if (r.count < 3 || r.count > kMostScales) {
        wrong("the number of scales must be 3 to " + std::to_string(kMostScales) + ", not " +
              std::to_string(r.count));
    }
    if (!(r.first >= kLeastSigma)) {
        wrong("the smallest scale is " + text(r.first) + "; it must be at least " +
              text(kLeastSigma) + " voxels");
    }
    if (!(r.last > r.first)) {
        wrong("the largest scale " + text(r.last) + " must be above the smallest, " +
              text(r.first));
    }
    if (!(r.last <= smallest)) {
        wrong("the largest scale " + text(r.last) + " exceeds the smallest extent of the image, " +
              base::toString(extents));
    }
    std::vector<double> scales;
    for (int i = 0; i < r.count; ++i) {
        scales.push_back(r.first *
                         std::pow(r.last / r.first, static_cast<double>(i) / (r.count - 1)));
    }
    return scales;
}

std::int64_t detectorBytes(const base::Extents& extents, const DetectorOptions& options) {
    const detail::Grid grid(extents);
    constexpr std::int64_t kMaps = 3 * sizeof(double);
    constexpr std::int64_t kLevels = sizeof(std::uint16_t);
    const std::int64_t blocks = extents.x * grid.rows;
    std::int64_t bytes = grid.count() * (kMaps + kLevels) + blocks * kLevels +
                         detail::ScaleResponse::bytes(grid, options.threads);
    if (options.maps) {
        bytes += base::byteCount(extents, 2 * sizeof(float));
    }
    return bytes;
}

Detection detect(const ChannelImage& image, const DetectorOptions& options,
                 const std::stop_token& stop, DetectorSink* sink) {
    requireSensible(options);
    const base::Extents& n = image.extents();
    if (n.x < 3 || n.y < 3 || n.z == 2) {
        throw Error(ErrorCode::Problem, "the image has " + base::toString(n) +
                                            " voxels; features needs at least 3 along each axis");
    }
    DetectorSink silent;
    return Detector(image, options, stop, sink == nullptr ? silent : *sink).run();
}

} // namespace flcc::features
