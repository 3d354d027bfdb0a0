#include "engine/job/input/inputs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "engine/base/error.h"
#include "engine/job/input/channels.h"
#include "engine/job/input/masks.h"
#include "engine/job/input/poses.h"
#include "engine/job/input/preparation.h"
#include "engine/job/input/scene_grid.h"
#include "engine/job/input/world_axes.h"
#include "engine/job/mask_shape.h"
#include "engine/job/report/text.h"
#include "engine/method/canonical.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;

namespace detail {

namespace {

/// The image in a type that holds more values. **Errors**: Problem for one it has not.
template <class To> base::Image<To> converted(const base::AnyView& from) {
    base::Image<To> to(base::extentsOf(from));
    const base::Extents& extents = to.extents();
    std::visit(
        [&](const auto& view) {
            using Voxel = std::remove_cvref_t<decltype(*view.data())>;
            constexpr auto kExact = static_cast<Voxel>(sizeof(Voxel) == 8 ? 1LL << 53 : 0);
            for (std::int64_t line = 0; line < extents.y * extents.z; ++line) {
                const Voxel* const row = view.row(line % extents.y, line / extents.y);
                To* const out = to.view().row(line % extents.y, line / extents.y);
                for (std::int64_t x = 0; x < extents.x; ++x) {
                    if constexpr (std::is_integral_v<Voxel> && sizeof(Voxel) == 8) {
                        if (row[x] > kExact || (std::is_signed_v<Voxel> && row[x] < -kExact)) {
                            throw Error(
                                ErrorCode::Problem,
                                "a template of 64-bit integers holds " + std::to_string(row[x]) +
                                    "; no pixel type can hold this value and the other templates "
                                    "of the same extents; store them in one pixel type");
                        }
                    }
                    out[x] = static_cast<To>(row[x]);
                }
            }
        },
        from);
    return to;
}

/// A type that holds the voxels of all templates of a group.
base::PixelType commonType(const std::vector<TemplateInput>& templates,
                           const std::vector<int>& group) {
    const auto typeOf = [&](int number) {
        return base::pixelType(templates[static_cast<std::size_t>(number)].image->pixels);
    };
    const base::PixelType first = typeOf(group.front());
    bool same = true;
    bool single = true;
    for (const int number : group) {
        const base::PixelType type = typeOf(number);
        same = same && type == first;
        single = single && (base::bytesPerVoxel(type) <= 2 || type == base::PixelType::Float32);
    }
    return same ? first : single ? base::PixelType::Float32 : base::PixelType::Float64;
}

/// Makes the changed pixels of templates that are not matched as they are.
void change(Inputs& inputs, const Job& job) {
    for (const std::vector<int>& group : inputs.groups) {
        const base::PixelType type = commonType(inputs.templates, group);
        for (const int number : group) {
            TemplateInput& templ = inputs.templates[static_cast<std::size_t>(number)];
            if (isInverted(job)) {
                templ.changed = invertedTemplate(templ.view(), job.operation);
            }
            const base::AnyView now =
                base::viewOf(templ.changed ? *templ.changed : templ.image->pixels);
            if (base::pixelType(now) == type) {
                continue;
            }
            base::AnyImage other = type == base::PixelType::Float32
                                       ? base::AnyImage(converted<float>(now))
                                       : base::AnyImage(converted<double>(now));
            templ.changed = std::move(other);
        }
    }
}

std::size_t templateCount(const Job& job, const JobImages& images) {
    return images.templates.empty() ? job.crops.size() + job.templates.size()
                                    : images.templates.size();
}

void requireJob(const Job& job, const JobImages& images) {
    const auto refuse = [](const std::string& sentence) {
        throw Error(ErrorCode::CommandLine, sentence);
    };
    if (job.scene.empty() && !images.scene) {
        refuse("no scene given");
    }
    const std::size_t templates = templateCount(job, images);
    if (templates == 0) {
        refuse(
            "no template given; name a file with --template or cut one from the scene with --crop "
            "X,Y[,Z]:W,H[,D]");
    }
    const std::size_t masks = images.masks.empty() ? job.masks.size() : images.masks.size();
    if (masks > 1 && masks != templates) {
        refuse(std::to_string(masks) + " masks for " + std::to_string(templates) +
               (templates == 1 ? " template" : " templates") +
               "; give one for all of them, or one for each in the same order");
    }
    if (templates > 1 && !job.templateOut.empty()) {
        refuse("--template-out writes one template, but this job has " + std::to_string(templates) +
               "; leave it out");
    }
}

void group(Inputs& inputs) {
    for (int number = 0; number < static_cast<int>(inputs.templates.size()); ++number) {
        const auto extentsOf = [&](int which) {
            return inputs.templates[static_cast<std::size_t>(which)].extents();
        };
        const auto found = std::find_if(inputs.groups.begin(), inputs.groups.end(),
                                        [&](const std::vector<int>& each) {
                                            return extentsOf(each.front()) == extentsOf(number);
                                        });
        if (found == inputs.groups.end()) {
            inputs.groups.push_back({number});
        } else {
            found->push_back(number);
        }
    }
}

} // namespace

Error boxOutside(const std::string& box, const base::Box& place, const std::string& whole,
                 const base::Extents& extents) {
    return {ErrorCode::Problem,
            base::Message("box-outside-" + whole,
                          "the {what} {box} leaves the {whole} {extents}; choose a box inside it",
                          {{"what", box},
                           {"box", base::toString(place)},
                           {"whole", whole},
                           {"extents", extents}})};
}

void requireRegion(const base::Extents& scene, const base::Box& region) {
    if (!base::contains(scene, region)) {
        throw boxOutside("region", region, "scene", scene);
    }
}

void requireRoom(const Inputs& inputs, const base::Extents& templ) {
    if (!inputs.region) {
        (void)base::validExtents(base::extentsOf(inputs.scene->pixels), templ);
        return;
    }
    const base::Extents& room = inputs.region->extents;
    if (templ.x > room.x || templ.y > room.y || templ.z > room.z) {
        throw Error(
            ErrorCode::Problem,
            base::Message("template-larger-than-region",
                          "template {template} is larger than the region {region}; choose "
                          "a region that holds the whole template",
                          {{"template", templ}, {"region", base::toString(*inputs.region)}}));
    }
}

namespace {

void requireFlat(const Job& job, const base::Extents& templ) {
    if (job.stream && templ.z > 1) {
        throw flatNeeded(templ);
    }
}

/// Reads or takes over the templates; stopped, some are missing.
void readTemplates(Inputs& inputs, const Job& job, const JobImages& images,
                   const std::string& scene, const std::stop_token& stop) {
    const std::size_t count = templateCount(job, images);
    for (std::size_t i = 0; i < count && !stop.stop_requested(); ++i) {
        TemplateInput templ;
        const bool given =
            i < images.templates.size() && usable(job, images.templates[i]) != nullptr;
        if (i < job.crops.size() && !(job.stream && given)) { // a stream is cut from its stack
            templ.image =
                cutTemplate(*inputs.scene, withChannels(job.crops[i], *inputs.scene), job.spacing);
        } else if (given) {
            templ.image = images.templates[i];
        } else if (i - job.crops.size() < job.templates.size()) {
            templ.image = loadCompanion(job.templates[i - job.crops.size()], job.channel, job.frame,
                                        stop, job.memoryBytes, job.reading);
        } else {
            throw Error(
                ErrorCode::CommandLine,
                "no file given for template " + std::to_string(i) +
                    (sumsChannels(job) ? "; --channel all reads its channels from it" : ""));
        }
        if (stop.stop_requested()) {
            return;
        }
        inScene(scene, [&] { bringToScene(inputs, templ, job, stop); });
        if (stop.stop_requested()) {
            return;
        }
        inScene(scene, [&] {
            requireFlat(job, templ.extents());
            requireSameChannels(*inputs.scene, *templ.image);
            requireRoom(inputs, templ.extents());
        });
        inputs.templates.push_back(std::move(templ));
    }
}

/// The mask that a template has by its opacity; null without. **Errors**: Problem if no voxel is
/// opaque.
std::shared_ptr<const MaskImage> opaquePartOf(const SceneImage& templ) {
    if (templ.opacity) {
        const base::Image<std::uint8_t>& support = templ.opacity->support;
        const std::uint8_t* const last = support.data() + support.count();
        if (std::find(support.data(), last, std::uint8_t{1}) == last) {
            throw Error(ErrorCode::Problem, "no pixel of the template " + templ.source +
                                                " is opaque; --mask none ignores its opacity");
        }
    }
    return templ.opacity;
}

/// A mask that is in no file: the opacity of the template, or a shape.
std::shared_ptr<const MaskImage> madeMask(const std::filesystem::path& mask,
                                          const SceneImage& templ, const base::Geometry& scene) {
    if (mask != kOpacityMask) {
        return makeMask(*maskShapeOf(mask), templ.extents(), maskGrid(scene, templ.geometry));
    }
    if (!templ.opacity) {
        throw Error(ErrorCode::Problem, "the template " + templ.source +
                                            " has no opacity, or all of it is opaque; leave out "
                                            "--mask alpha");
    }
    return opaquePartOf(templ);
}

/// The same for a template on its own grid that was resampled to that of the scene.
std::shared_ptr<const MaskImage> finerMask(const std::filesystem::path& mask,
                                           const SceneImage& templ, const base::Geometry& scene) {
    const auto shape = maskShapeOf(mask);
    return shape ? makeMask(inVoxelsOf(templ.geometry, *shape, scene, templ.extents().z > 1),
                            templ.extents(), templ.geometry)
                 : opaquePartOf(templ);
}

/// Reads or takes over the masks and looks whether they leave anything out.
void readMasks(Inputs& inputs, const Job& job, const JobImages& images,
               const std::stop_token& stop) {
    std::vector<std::shared_ptr<const MaskImage>> masks = images.masks;
    for (std::size_t i = 0; images.masks.empty() && i < job.masks.size(); ++i) {
        // A shape is made for each template, because their extents may differ.
        const bool made = maskShapeOf(job.masks[i]) || job.masks[i] == kOpacityMask;
        masks.push_back(made ? nullptr
                             : loadMask(job.masks[i], maskChannel(job), job.frame, stop,
                                        job.memoryBytes, job.reading));
        if (stop.stop_requested()) {
            return;
        }
    }
    inputs.sceneMask = images.sceneMask;
    if (!inputs.sceneMask && !job.sceneMask.empty()) {
        inputs.sceneMask = loadMask(job.sceneMask, maskChannel(job), job.frame, stop,
                                    job.memoryBytes, job.reading);
    }
    if (stop.stop_requested()) {
        return;
    }
    for (std::size_t i = 0; i < inputs.templates.size(); ++i) {
        TemplateInput& templ = inputs.templates[i];
        const std::size_t number = masks.size() == 1 ? 0 : i;
        const auto& finer = templ.image->finer;
        if (masks.empty()) {
            templ.mask = opaquePartOf(*templ.image);
            templ.finerMask = finer ? opaquePartOf(*finer) : nullptr;
        } else if (masks[number]) {
            templ.mask = bringToTemplate(inputs, templ, masks[number], job, stop);
            templ.finerMask = beforeResampling(inputs, templ, masks[number], job);
        } else if (images.masks.empty()) {
            templ.mask = madeMask(job.masks[number], *templ.image, inputs.geometry);
            templ.finerMask =
                finer ? finerMask(job.masks[number], *finer, inputs.geometry) : nullptr;
        }
        templ.mask = withChannels(insideOf(templ, templ.mask), *templ.image);
        templ.finerMask = finer ? withChannels(templ.finerMask, *finer) : nullptr;
        if (templ.mask) {
            requireSameExtents(*templ.mask, "template", *templ.image);
            templ.masked =
                method::isMasked({base::viewOf(templ.image->pixels), templ.mask->support.view()}) ||
                !templ.mask->weights.empty();
        }
    }
    inputs.sceneMask =
        withChannels(sceneMaskOf(bringToScene(inputs, inputs.sceneMask, job, stop)), *inputs.scene);
    if (inputs.sceneMask) {
        requireSameExtents(*inputs.sceneMask, "scene", *inputs.scene);
        inputs.sceneMasked = true; // as far as sceneView() is concerned
        inputs.sceneMasked = method::isMasked(inputs.sceneView());
    }
}

/// Throws for a template that cannot be matched; with several templates the sentence names its
/// number.
void requireUsable(const Inputs& inputs, method::Operation operation) {
    const auto wasColour = [](const SceneImage& image) {
        return image.note.find("luminance") != std::string::npos;
    };
    for (std::size_t i = 0; i < inputs.templates.size(); ++i) {
        try {
            method::requireUsableTemplate(inputs.templates[i].view(), operation);
        } catch (const Error& error) {
            const bool colour = wasColour(*inputs.templates[i].image) || wasColour(*inputs.scene);
            const Error full =
                colour
                    ? Error(error.code(), std::string(error.what()) +
                                              "; its colours became luminance, in which they may "
                                              "be equal: --channel all compares all of them "
                                              "(operations ssd and sad), --channel N one")
                    : error;
            if (inputs.templates.size() == 1) {
                throw full;
            }
            throw full.within("template " + std::to_string(i) + " (" +
                              inputs.templates[i].image->source + ") cannot be matched: ");
        }
    }
}

/// Two images of one size, as of a series to be aligned, have one placement.
void warnOfOnePlacement(Inputs& inputs, const Job& job) {
    const base::Extents searched = inputs.region ? inputs.region->extents : inputs.scene->extents();
    if (job.extent != method::Extent::Valid || job.poses.any()) {
        return;
    }
    for (const TemplateInput& templ : inputs.templates) {
        if (templ.extents() == searched) {
            inputs.warnings.push_back(templ.image->source +
                                      " is as large as what is searched, so it has one placement; "
                                      "--extent full --outside overlap --partial-peaks moves it "
                                      "over the edges");
        }
    }
}

template <class Image> void report(Inputs& inputs, const char* role, const Image& image) {
    inputs.reports.push_back(inputReport(role, image));
    if (!image.note.empty()) {
        inputs.notes.push_back(image.note);
    }
    if constexpr (requires { image.warning; }) {
        if (!image.warning.empty()) {
            inputs.warnings.push_back(image.warning);
        }
    }
}

/// Reports a mask; the opacity of a template is no file of its own.
void reportMask(Inputs& inputs, const TemplateInput& templ) {
    if (templ.image->opacity && templ.mask->source == templ.image->opacity->source) {
        inputs.notes.push_back("the opaque part of " + templ.image->source +
                               " (at least half of the full opacity) is its mask, yes or no "
                               "(--mask none ignores the opacity)");
    } else {
        report(inputs, "mask", *templ.mask);
    }
}

/// True for values whose squares, summed over a panel, may leave the range of floats.
bool isFarFromOne(const base::AnyView& pixels) {
    return std::visit(
        [](const auto& view) {
            using T = std::remove_cvref_t<decltype(view.at(0, 0, 0))>;
            if constexpr (std::is_integral_v<T>) {
                return sizeof(T) == 8;
            } else {
                constexpr T kLargest = std::numeric_limits<T>::max();
                T largest = 0;
                for (std::int64_t z = 0; z < view.extents().z; ++z) {
                    for (std::int64_t y = 0; y < view.extents().y; ++y) {
                        const T* const row = view.row(y, z);
                        for (std::int64_t x = 0; x < view.extents().x; ++x) {
                            const T size = std::abs(row[x]);
                            largest = size <= kLargest && size > largest ? size : largest;
                        }
                    }
                }
                constexpr int kUsual = 30; // exponent
                return largest != 0 && std::abs(std::ilogb(largest)) > kUsual;
            }
        },
        pixels);
}

/// A distance in voxels that is none of space where voxels are oblong, or whose unit is unknown.
void noteDistance(Inputs& inputs, const Job& job) {
    (void)minDistanceOf(job, inputs.geometry, inputs.isVolume());
    const base::Point edges = base::voxelEdges(inputs.geometry, inputs.isVolume());
    if (job.minDistance && *job.minDistance > 0 && job.distanceUnit.empty() &&
        edges != base::Point{1, 1, 1}) {
        inputs.notes.push_back("voxels are oblong: --min-distance " + shortest(*job.minDistance) +
                               " counts their shortest edges in space; give it a unit, such as "
                               "5mm, for a length");
    }
}

} // namespace

Error flatNeeded(const base::Extents& templ) {
    return {ErrorCode::Problem,
            "the template " + base::toString(templ) + " has " + std::to_string(templ.z) +
                " slices, but --stream searches the frames of a stack, which are flat; give a "
                "template of one slice, or leave out --stream to search the stack as a volume"};
}

Inputs readInputs(const Job& job, const JobImages& images, const std::string& scene,
                  const std::stop_token& stop) {
    requireJob(job, images);
    Inputs inputs;
    inputs.scene = inScene(scene, [&] { return sceneOf(job, images.scene, stop); });
    if (stop.stop_requested()) {
        return inputs;
    }
    inputs.geometry =
        inScene(scene, [&] { return statedGeometry(*inputs.scene, job.spacing, job.world); });
    inputs.region = job.region;
    inputs.extent = job.extent;
    if (job.region) {
        inputs.region = withChannels(*job.region, *inputs.scene);
        inScene(scene,
                [&] { requireRegion(base::extentsOf(inputs.scene->pixels), *inputs.region); });
    }
    readTemplates(inputs, job, images, scene, stop);
    if (stop.stop_requested()) {
        return inputs;
    }
    group(inputs);
    readMasks(inputs, job, images, stop);
    if (stop.stop_requested()) {
        return inputs;
    }
    requireUsable(inputs, job.operation);
    warnOfOnePlacement(inputs, job);
    change(inputs, job);
    inScene(scene, [&] { prepareScene(inputs, job, stop); });
    if (stop.stop_requested()) {
        return inputs;
    }
    if (!job.poses.any()) {
        inScene(scene, [&] { prepareTemplates(inputs); });
    }
    if (!inputs.responses.empty()) {
        requireUsable(inputs, job.operation); // a filter may leave nothing
    }
    for (TemplateInput& templ : inputs.templates) {
        if (job.preparation.polarity == Polarity::Both) {
            templ.dark = invertedTemplate(templ.view(), job.operation);
        }
    }
    for (TemplateInput& templ : inputs.templates) {
        if (!job.operation.traits().byDefinition) {
            templ.form = method::separabilityOf(templ.view());
        }
    }
    if (!job.operation.traits().hasRowScorer) {
        inputs.farFromOne = isFarFromOne(inputs.sceneView().pixels) ||
                            std::any_of(inputs.templates.begin(), inputs.templates.end(),
                                        [](const TemplateInput& templ) {
                                            return isFarFromOne(templ.view().pixels);
                                        });
    }
    if (job.poses.any() && !stop.stop_requested()) {
        inScene(scene, [&] {
            makeBanks(inputs, job);
            padScene(inputs, job);
        });
    }
    requireMembers(job, inputs);
    noteDistance(inputs, job);
    const auto tilts = std::ssize(inputs.reports); // they come last
    report(inputs, "scene", *inputs.scene);
    if (inputs.scene->opacity) {
        inputs.notes.push_back(ignoresOpacity(inputs.scene->source));
    }
    const MaskImage* last = nullptr; // one mask for all is one input
    for (const TemplateInput& templ : inputs.templates) {
        report(inputs, "template", *templ.image);
        if (templ.mask && templ.mask.get() != last) {
            reportMask(inputs, templ);
            last = templ.mask.get();
        }
    }
    if (inputs.sceneMask) {
        report(inputs, "scene-mask", *inputs.sceneMask);
    }
    std::rotate(inputs.reports.begin(), inputs.reports.begin() + tilts, inputs.reports.end());
    return inputs;
}

std::optional<double> minDistanceOf(const Job& job, const base::Geometry& geometry, bool volume) {
    if (!job.minDistance || job.distanceUnit.empty()) {
        return job.minDistance;
    }
    const auto wanted = base::metresOf(job.distanceUnit);
    const auto own = base::metresOf(geometry.unit);
    if (!wanted || !own || geometry.unitSource == base::UnitSource::Missing) {
        throw Error(ErrorCode::Problem,
                    "--min-distance is in " + job.distanceUnit +
                        ", but the scene states no spacing; state it with --spacing, or give the "
                        "distance in voxels");
    }
    const base::Point edges = base::voxelEdges(geometry, volume);
    return *job.minDistance * *wanted / (*own * std::abs(geometry.spacing[0]) / edges[0]);
}

match::PeakOptions peakOptions(const Job& job, const base::Geometry& geometry, bool volume) {
    return {.minScore = job.operation.traits().sign() * thresholdOf(job),
            .maxPeaks = job.maxPeaks,
            .minDistance = minDistanceOf(job, geometry, volume),
            .edges = base::voxelEdges(geometry, volume),
            .maxOverlap = maxOverlapOf(job),
            .partialPeaks = job.partialPeaks,
            .outside = job.outside,
            .minOverlap = job.minOverlap};
}

} // namespace detail

} // namespace flcc::job
