#include "engine/job/input/channels.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/io/image_file.h"
#include "engine/job/input/inputs.h"
#include "engine/job/input/masks.h"
#include "engine/job/report/machine.h"

namespace flcc::job::detail {

namespace {

using base::Error;
using base::ErrorCode;

/// The planes as slices of one image; all have one type and extents.
base::AnyImage stacked(const std::vector<base::AnyImage>& planes) {
    return std::visit(
        [&](const auto& first) -> base::AnyImage {
            using Plane = std::remove_cvref_t<decltype(first)>;
            base::Extents extents = first.extents();
            extents.z = std::ssize(planes);
            Plane all(extents);
            auto* to = all.data();
            for (const base::AnyImage& plane : planes) {
                const auto& from = std::get<Plane>(plane);
                to = std::copy_n(from.data(), from.count(), to);
            }
            return all;
        },
        planes.front());
}

std::string countText(int channels) {
    return std::to_string(channels) + (channels == 1 ? " channel" : " channels");
}

} // namespace

std::shared_ptr<const SceneImage>
loadChannels(const std::filesystem::path& path, std::optional<int> frame,
             const std::stop_token& stop, std::int64_t memoryBytes, const io::Reading& reading) {
    const io::ImageInfo info = io::readImageInfo(path, stop, reading);
    if (stop.stop_requested()) {
        return nullptr;
    }
    if (info.extents.z > 1) {
        throw Error(ErrorCode::Problem, path.string() + " is a volume " +
                                            base::toString(info.extents) +
                                            ", but --channel all sums over the channels of flat "
                                            "images; leave the option out");
    }
    std::vector<base::AnyImage> planes;
    std::shared_ptr<const MaskImage> opacity;
    io::LoadedImage first;
    for (int channel = 0; channel < info.channels; ++channel) {
        io::LoadedImage loaded = io::readImage(
            path, {.channel = info.channels > 1 ? std::optional(channel) : std::nullopt,
                   .frame = info.frames > 1 ? frame : std::nullopt,
                   .maxBytes = std::max<std::int64_t>(1, availableMemory()),
                   .maxBufferBytes = bufferLimit(memoryBytes),
                   .stop = stop,
                   .digests = channel == 0,
                   .reading = reading});
        if (loaded.components.empty()) {
            return nullptr; // stopped
        }
        if (channel == 0) {
            opacity = opacityOf(loaded, path.string());
        }
        // Grey and opacity, or three colours and opacity.
        const std::size_t colours = loaded.components.size() - (loaded.components.size() + 1) % 2;
        for (std::size_t i = 0; i < colours; ++i) {
            planes.push_back(std::move(loaded.components[i]));
        }
        if (channel == 0) {
            first = std::move(loaded);
        }
    }
    const auto channels = static_cast<int>(planes.size());
    first.components.clear();
    first.components.push_back(stacked(planes));
    first.info.notes.push_back(path.string() + ": values are sums over its " + countText(channels));
    std::shared_ptr<SceneImage> image = sceneImageOf(std::move(first), path, stop);
    if (image) {
        image->channels = channels;
        image->opacity = std::move(opacity);
        image->reading = reading;
    }
    return image;
}

std::shared_ptr<const SceneImage> usable(const Job& job,
                                         const std::shared_ptr<const SceneImage>& image) {
    return image && (!sumsChannels(job) || image->channels > 0) ? image : nullptr;
}

std::shared_ptr<const SceneImage> sceneOf(const Job& job,
                                          const std::shared_ptr<const SceneImage>& known,
                                          const std::stop_token& stop) {
    if (const auto image = usable(job, known)) {
        return image;
    }
    if (job.scene.empty()) {
        throw Error(ErrorCode::Problem, "--channel all reads the channels of the scene from its "
                                        "file, but the scene has none; save the scene first");
    }
    return loadImage(job.scene, job.channel, job.frame, stop, job.memoryBytes, job.reading);
}

base::Box withChannels(base::Box box, const SceneImage& image) {
    if (image.channels > 0 && box.corner.z == 0 && box.extents.z == 1) {
        box.extents.z = image.channels;
    }
    return box;
}

std::shared_ptr<const MaskImage> withChannels(const std::shared_ptr<const MaskImage>& mask,
                                              const SceneImage& image) {
    if (!mask || image.channels < 2 || mask->support.extents().z != 1) {
        return mask;
    }
    auto repeated = std::make_shared<MaskImage>();
    const base::Image<std::uint8_t>& flat = mask->support;
    repeated->support =
        base::Image<std::uint8_t>({flat.extents().x, flat.extents().y, image.channels});
    std::uint8_t* to = repeated->support.data();
    for (int channel = 0; channel < image.channels; ++channel) {
        to = std::copy_n(flat.data(), flat.count(), to);
    }
    if (!mask->weights.empty()) {
        repeated->weights = base::Image<double>(repeated->support.extents());
        double* weights = repeated->weights.data();
        for (int channel = 0; channel < image.channels; ++channel) {
            weights = std::copy_n(mask->weights.data(), flat.count(), weights);
        }
    }
    takeFacts(*repeated, *mask);
    return repeated;
}

void requireChannels(const Job& job) {
    if (!sumsChannels(job)) {
        return;
    }
    const auto refuse = [](const std::string& sentence) {
        throw Error(ErrorCode::Problem, sentence);
    };
    if (!job.operation.traits().sumsChannels) {
        std::string sums;
        for (const method::OperationTraits& traits : method::operationTable()) {
            if (traits.sumsChannels) {
                sums += (sums.empty() ? "" : " or ") + std::string(traits.name);
            }
        }
        refuse("operation " + std::string(method::name(job.operation)) +
               " has no sum over channels; use --operation " + sums + " with --channel all");
    }
    if (job.extent != method::Extent::Valid) {
        refuse("--channel all needs panels inside the scene; leave out --extent " +
               std::string(method::name(job.extent)));
    }
    if (job.stream) {
        refuse("--channel all sums over the channels of flat images; leave out --stream");
    }
    if (!job.templateOut.empty()) {
        refuse("--template-out writes grey templates; leave it out with --channel all");
    }
}

void requireSameChannels(const SceneImage& scene, const SceneImage& templ) {
    if (scene.channels != templ.channels) {
        throw Error(ErrorCode::Problem, "the scene has " + countText(scene.channels) +
                                            ", but the template " + templ.source + " has " +
                                            countText(templ.channels) +
                                            "; --channel all needs the same number");
    }
}

} // namespace flcc::job::detail
