#include "engine/job/boxes.h"

#include <algorithm>
#include <numeric>

#include "engine/base/error.h"
#include "engine/io/image_file.h"
#include "engine/job/job.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;
using base::Extents;

Extents boxSize(const std::optional<Extents>& asked, const Extents& largest, const Extents& scene) {
    Extents size = largest;
    if (asked) {
        size = *asked;
        if (size.z == 0 && !base::isFlat2D(scene) && size.x != size.y) {
            throw Error(ErrorCode::Problem,
                        base::Message("box-without-z",
                                      "boxes of a volume need three edges; give {--stack-size} "
                                      "NxNxN, or N for all edges"));
        }
        size.z = size.z > 0 ? size.z : base::isFlat2D(scene) ? 1 : size.x;
    }
    if (size.x > scene.x || size.y > scene.y || size.z > scene.z) {
        throw Error(ErrorCode::Problem,
                    base::Message("box-larger-than-scene",
                                  "boxes of {size} do not fit into the scene of {scene}; give a "
                                  "smaller {--stack-size}",
                                  {{"size", size}, {"scene", scene}}));
    }
    return size;
}

std::vector<base::Point> referencesOf(const JobResult& result) {
    std::vector<base::Point> references;
    for (const auto& templ : result.templates) {
        references.push_back(templ->toReferenceVoxel());
    }
    return references;
}

base::Geometry boxGeometry(const base::Geometry& scene) {
    base::Geometry geometry;
    geometry.spacing = scene.spacing;
    geometry.unit = scene.unit;
    geometry.unitSource = scene.unitSource;
    return geometry;
}

base::Image<float> floatsOf(const base::Image<double>& image) {
    base::Image<float> floats(image.extents());
    std::transform(image.data(), image.data() + image.count(), floats.data(),
                   [](double value) { return static_cast<float>(value); });
    return floats;
}

std::optional<std::vector<std::string>>
writeBoxes(const io::AtomicFile& file, const base::View<const float>& boxes, std::int64_t members,
           const base::Geometry& scene, const std::stop_token& stop) {
    const base::Geometry geometry = boxGeometry(scene);
    auto dropped = members > 0 ? io::writeStack(file, base::AnyView(boxes), members, geometry, stop)
                               : io::writeImage(file, base::AnyView(boxes), geometry, {}, stop);
    if (!dropped || !io::checkWritten(file, boxes, stop)) {
        return std::nullopt;
    }
    return dropped;
}

std::filesystem::path averageFile(const std::filesystem::path& file, int templ) {
    return file.empty() ? file : numberedOutput(file, static_cast<std::size_t>(templ));
}

namespace {

/// "rank 3" or "ranks 3, 17".
std::string ranksLeftOut(const StackReport& stack) {
    constexpr std::size_t kMostNamed = 20;
    const std::size_t all = stack.ranks.size() + static_cast<std::size_t>(stack.leftOut);
    std::string text = stack.leftOut == 1 ? "rank" : "ranks";
    std::size_t named = 0;
    for (std::size_t rank = 1; rank <= all; ++rank) {
        if (std::ranges::binary_search(stack.ranks, rank)) {
            continue;
        }
        if (named == kMostNamed) {
            return text + ", ...";
        }
        text += (named++ == 0 ? " " : ", ") + std::to_string(rank);
    }
    return text;
}

} // namespace

void noteLeftOut(const StackReport& stack, std::vector<std::string>& notes) {
    const std::string name = std::filesystem::path(stack.file).filename().string();
    if (stack.leftOut > 0) {
        notes.push_back(name + ": " + std::to_string(stack.leftOut) +
                        (stack.leftOut == 1 ? " peak is" : " peaks are") +
                        " left out, because the box leaves the scene (" + ranksLeftOut(stack) +
                        ")");
    }
}

StackReport reportOf(const match::Panels& panels, const match::PanelOptions& options) {
    std::vector<std::size_t> ranks;
    for (const std::size_t number : panels.taken) {
        ranks.push_back(number + 1);
    }
    return {.file = {},
            .size = options.size,
            .count = static_cast<std::int64_t>(panels.taken.size()),
            .leftOut = panels.leftOut,
            .ranks = std::move(ranks),
            .normalise = options.normalise,
            .subvoxel = options.subvoxel,
            .turned = options.turnedBack};
}

AverageReport reportOf(const match::Average& average, const match::PanelOptions& options,
                       const base::Geometry& scene) {
    const double* const variances = average.variance.data();
    const base::Point& spacing = scene.spacing;
    // Of voxels that have one length on all axes.
    const bool cubic =
        spacing[0] == spacing[1] && (options.size.z == 1 || spacing[0] == spacing[2]);
    const auto& resolution = average.halves.resolution;
    return {.templ = 0,
            .file = {},
            .size = options.size,
            .count = average.count,
            .leftOut = average.leftOut,
            .inverted = average.inverted,
            .normalise = options.normalise,
            .meanVariance = std::accumulate(variances, variances + average.variance.count(), 0.0) /
                            static_cast<double>(average.variance.count()),
            .halves = average.halves,
            .resolution =
                resolution && cubic ? std::optional(*resolution * spacing[0]) : std::nullopt,
            .unit = scene.unit};
}

} // namespace flcc::job
