#include "engine/job/detail/inputs.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "engine/base/error.h"
#include "engine/io/image_file.h"
#include "engine/job/detail/machine.h"
#include "engine/job/detail/masks.h"
#include "engine/method/canonical.h"
#include "engine/sample/sample.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;

std::shared_ptr<const SceneImage> loadImage(const std::filesystem::path& path,
                                            std::optional<int> channel, std::optional<int> frame,
                                            const std::stop_token& stop) {
    io::LoadedImage loaded =
        io::readImage(path, {.channel = channel,
                             .frame = frame,
                             .maxBytes = std::max<std::int64_t>(1, detail::availableMemory()),
                             .stop = stop});
    auto image = std::make_shared<SceneImage>();
    image->geometry = loaded.info.geometry;
    image->source = path.string();
    io::ScalarImage scalar = io::toScalar(std::move(loaded), stop);
    if (stop.stop_requested()) {
        return nullptr;
    }
    image->pixels = std::move(scalar.pixels);
    image->note = std::move(scalar.note);
    image->sha256 = detail::fileDigest(path, stop);
    return stop.stop_requested() ? nullptr : image;
}

std::shared_ptr<const SceneImage> loadCompanion(const std::filesystem::path& path,
                                                std::optional<int> channel,
                                                std::optional<int> frame,
                                                const std::stop_token& stop) {
    if (!channel && !frame) {
        return loadImage(path, {}, {}, stop);
    }
    const io::ImageInfo info = io::readImageInfo(path, stop);
    return loadImage(path, info.channels > 1 ? channel : std::nullopt,
                     info.frames > 1 ? frame : std::nullopt, stop);
}

JobImages sampleImages(std::string_view name) {
    sample::Sample made = sample::makeSample(name);
    auto scene = std::make_shared<SceneImage>();
    auto templ = std::make_shared<SceneImage>();
    scene->source = "sample:" + made.name;
    templ->source = "sample:" + made.name + " (template)";
    scene->geometry = made.geometry;
    templ->geometry = made.geometry;
    templ->geometry.origin = {0, 0, 0};
    scene->pixels = std::move(made.scene);
    templ->pixels = std::move(made.templ);
    return {std::move(scene), std::move(templ)};
}

std::shared_ptr<const SceneImage> cutTemplate(const SceneImage& scene, const base::Box& crop) {
    const base::Extents extents = base::extentsOf(scene.pixels);
    if (!base::contains(extents, crop)) {
        throw Error(ErrorCode::Problem, "the crop " + base::toString(crop) + " leaves the scene " +
                                            base::toString(extents) + "; choose a box inside it");
    }
    auto templ = std::make_shared<SceneImage>();
    templ->pixels = base::copyOf(base::partOf(base::viewOf(scene.pixels), crop));
    templ->geometry = base::movedTo(scene.geometry, {static_cast<double>(crop.corner.x),
                                                     static_cast<double>(crop.corner.y),
                                                     static_cast<double>(crop.corner.z)});
    templ->source = scene.source + " [" + base::toString(crop) + "]";
    return templ;
}

namespace detail {

namespace {

/// -v, or the mirror image of v within the range of the voxels.
template <class T> void invert(base::Image<T>& image) {
    T* const first = image.data();
    T* const last = first + image.count();
    if constexpr (std::is_integral_v<T>) {
        using Unsigned = std::make_unsigned_t<T>;
        const auto [low, high] = std::minmax_element(first, last);
        // Modulo 2^n, so that the sum cannot overflow; the result lies between low and high.
        const auto sum =
            static_cast<Unsigned>(static_cast<Unsigned>(*low) + static_cast<Unsigned>(*high));
        std::transform(first, last, first, [sum](T v) {
            return static_cast<T>(static_cast<Unsigned>(sum - static_cast<Unsigned>(v)));
        });
    } else {
        std::transform(first, last, first, [](T v) { return -v; });
    }
}

void requireOneTemplate(const Job& job, const JobImages& images) {
    const auto refuse = [](const char* sentence) { throw Error(ErrorCode::CommandLine, sentence); };
    if (job.scene.empty() && !images.scene) {
        refuse("no scene given");
    }
    if (!job.templ.empty() && job.crop) {
        refuse("a template file and a crop exclude each other; give one of them");
    }
    if (job.templ.empty() && !job.crop && !images.templ) {
        refuse("no template given; name a file or cut one from the scene with --crop "
               "X,Y[,Z]:W,H[,D]");
    }
}

void requireRegion(const base::Extents& scene, const base::Box& region) {
    if (!base::contains(scene, region)) {
        throw Error(ErrorCode::Problem, "the region " + base::toString(region) +
                                            " leaves the scene " + base::toString(scene) +
                                            "; choose a box inside it");
    }
}

void requireRoom(const Inputs& inputs) {
    const base::Extents templ = base::extentsOf(inputs.templ->pixels);
    if (!inputs.region) {
        (void)base::validExtents(base::extentsOf(inputs.scene->pixels), templ);
        return;
    }
    const base::Extents& room = inputs.region->extents;
    if (templ.x > room.x || templ.y > room.y || templ.z > room.z) {
        throw Error(ErrorCode::Problem, "template " + base::toString(templ) +
                                            " is larger than the region " +
                                            base::toString(*inputs.region) +
                                            "; choose a region that holds the whole template");
    }
}

/// Reads or takes over the masks and looks whether they leave anything out.
void readMasks(Inputs& inputs, const Job& job, const JobImages& images,
               const std::stop_token& stop) {
    inputs.mask = images.mask;
    if (!inputs.mask && !job.mask.empty()) {
        inputs.mask = loadMask(job.mask, job.channel, job.frame, stop);
    }
    inputs.sceneMask = images.sceneMask;
    if (!inputs.sceneMask && !job.sceneMask.empty() && !stop.stop_requested()) {
        inputs.sceneMask = loadMask(job.sceneMask, job.channel, job.frame, stop);
    }
    if (stop.stop_requested()) {
        return;
    }
    if (inputs.mask) {
        requireSameExtents(*inputs.mask, "template", *inputs.templ);
        inputs.masked =
            method::isMasked({base::viewOf(inputs.templ->pixels), inputs.mask->support.view()});
    }
    if (inputs.sceneMask) {
        requireSameExtents(*inputs.sceneMask, "scene", *inputs.scene);
        inputs.sceneMasked = true; // as far as sceneView() is concerned
        inputs.sceneMasked = method::isMasked(inputs.sceneView());
    }
}

template <class Image> void report(Inputs& inputs, const char* role, const Image& image) {
    inputs.reports.push_back({role, image.source, image.sha256});
    if (!image.note.empty()) {
        inputs.notes.push_back(image.note);
    }
}

} // namespace

base::AnyImage invertedTemplate(const base::AnyView& templ) {
    base::AnyImage copy = base::copyOf(templ);
    std::visit([](auto& image) { invert(image); }, copy);
    return copy;
}

method::MaskedView Inputs::sceneView() const {
    method::MaskedView view(base::viewOf(scene->pixels));
    if (sceneMasked) {
        view.mask = sceneMask->support.view();
    }
    return region ? method::partOf(view, *region) : view;
}

method::MaskedView Inputs::templView() const {
    method::MaskedView view(base::viewOf(invert ? inverted : templ->pixels));
    if (masked) {
        view.mask = mask->support.view();
    }
    return view;
}

method::Problem Inputs::problem(const Job& job) const {
    method::Problem problem;
    problem.operation = job.operation;
    problem.extent = job.extent;
    problem.scene = region ? region->extents : base::extentsOf(scene->pixels);
    problem.templ = base::extentsOf(templ->pixels);
    problem.scenePixel = base::pixelType(scene->pixels);
    problem.templPixel = base::pixelType(templ->pixels);
    problem.promise = job.promise;
    problem.precision = job.precision;
    problem.recompute = job.recompute;
    problem.outside = job.outside;
    problem.minOverlap = job.minOverlap;
    problem.mask = masked;
    problem.sceneMask = sceneMasked;
    problem.statistics = job.statistics;
    return problem;
}

Inputs readInputs(const Job& job, const JobImages& images, const std::stop_token& stop) {
    requireOneTemplate(job, images);
    Inputs inputs;
    inputs.scene = images.scene ? images.scene : loadImage(job.scene, job.channel, job.frame, stop);
    if (stop.stop_requested()) {
        return inputs;
    }
    inputs.region = job.region;
    if (job.region) {
        requireRegion(base::extentsOf(inputs.scene->pixels), *job.region);
    }
    if (job.crop) {
        inputs.templ = cutTemplate(*inputs.scene, *job.crop);
    } else {
        inputs.templ =
            images.templ ? images.templ : loadCompanion(job.templ, job.channel, job.frame, stop);
    }
    if (stop.stop_requested()) {
        return inputs;
    }
    requireRoom(inputs);
    readMasks(inputs, job, images, stop);
    if (stop.stop_requested()) {
        return inputs;
    }
    method::requireUsableTemplate(inputs.templView());
    inputs.invert = job.invert;
    if (job.invert) {
        inputs.inverted = invertedTemplate(base::viewOf(inputs.templ->pixels));
    }
    report(inputs, "scene", *inputs.scene);
    report(inputs, "template", *inputs.templ);
    if (inputs.mask) {
        report(inputs, "mask", *inputs.mask);
    }
    if (inputs.sceneMask) {
        report(inputs, "scene-mask", *inputs.sceneMask);
    }
    return inputs;
}

} // namespace detail

} // namespace flcc::job
