#include "engine/job/input/poses.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/error.h"
#include "engine/job/input/preparation.h"
#include "engine/job/report/text.h"
#include "engine/job/report/text_file.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;

std::shared_ptr<const rotation::PoseBank> Inputs::bankOf(const std::vector<int>& group) const {
    const auto own = std::ranges::find(groups, group);
    return banks.empty() || own == groups.end()
               ? nullptr
               : banks[static_cast<std::size_t>(own - groups.begin())];
}

std::int64_t Inputs::countOf(const std::vector<int>& group) const {
    const auto bank = bankOf(group);
    return bank ? bank->count() : std::ssize(numbersOf(group));
}

base::Index Inputs::shiftOf(const std::vector<int>& group) const {
    const auto bank = bankOf(group);
    return bank ? bank->shift() : base::Index{};
}

void moveToScene(std::vector<match::Peak>& peaks, const Inputs& inputs,
                 const base::Geometry& geometry) {
    const base::Index region = inputs.sceneCorner();
    const auto wayOf = [&](int templ) {
        const auto group = std::ranges::find_if(inputs.groups, [templ](const auto& each) {
            return std::ranges::find(each, templ) != each.end();
        });
        const base::Index own = inputs.shiftOf(*group);
        return base::Index{region.x + own.x, region.y + own.y, region.z + own.z};
    };
    const auto move = [](base::Index& corner, const base::Index& by) {
        corner = {corner.x + by.x, corner.y + by.y, corner.z + by.z};
    };
    for (match::Peak& peak : peaks) {
        const base::Point half =
            halfOf(inputs.templates[static_cast<std::size_t>(peak.templ)].image->extents());
        move(peak.corner, wayOf(peak.templ));
        if (peak.overlap) {
            move(peak.overlap->corner, wayOf(peak.overlap->templ));
        }
        const base::Point corner = pointOf(peak.corner);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            peak.centre[axis] = corner[axis] + half[axis] + peak.shift[axis];
        }
        peak.world = base::toWorld(geometry, peak.centre);
    }
}

Batches batchesOf(std::int64_t members) {
    // Larger batches share more of the work on the scene, but their prepared templates take memory
    // and caches. Measured on 2 cores, median of 4: 36 angles of 64x64 on 2000x2000 in batches of
    // 4, 9, 12, 18, 36: 384, 327, 316, 304, 315 ms; with a round mask 192, 138, 123, 112, 110 ms.
    // 384 orientations of 24^3 with a sphere on 100^3 in batches of 2, 4, 8, 16, 32, 64: 1206, 893,
    // 776, 704, 650, 647 ms, in 39 to 104 MiB; 576 of 12^3: 2272, 1908, 1753, 1731, 1811, 2362 ms;
    // 24^3 with a sphere on 200^3 in batches of 16 and 32: 50 and 61 a second.
    constexpr std::int64_t kMost = 32;
    return {members, kMost};
}

base::PixelType memberPixel(base::PixelType templ) {
    return base::bytesPerVoxel(templ) <= 2 || templ == base::PixelType::Float32
               ? base::PixelType::Float32
               : base::PixelType::Float64;
}

rotation::Rotations rotationsOf(const Poses& poses, bool flat, const base::Geometry& geometry) {
    rotation::Rotations rotations = rotation::parseRotations(poses.rotations);
    if (rotations.kind == rotation::Rotations::Kind::Auto) {
        const base::Point& edge = geometry.spacing;
        const double voxel =
            flat ? std::min(edge[0], edge[1]) : std::min({edge[0], edge[1], edge[2]});
        rotations.step = rotation::crowtherStep(rotations.diameter, voxel);
        if (!(rotations.step >= 1e-3 && rotations.step <= 360)) {
            throw Error(ErrorCode::CommandLine, "--rotations auto:" + shortest(rotations.diameter) +
                                                    " gives a step of " + shortest(rotations.step) +
                                                    " degrees with voxels of " + shortest(voxel) +
                                                    " " + geometry.unit +
                                                    "; state the diameter in " + geometry.unit);
        }
        rotations.kind = rotation::Rotations::Kind::Step;
    }
    return rotations;
}

namespace {

/// Whether a template that was resampled is turned from its own grid: there, its mask is known.
bool isFiner(const TemplateInput& templ) {
    const auto& finer = templ.image->finer;
    return finer && !finer->inside && (!templ.mask || templ.finerMask);
}

/// The template before it was resampled.
method::MaskedView finerView(const TemplateInput& templ) {
    method::MaskedView view(base::viewOf(templ.image->finer->pixels));
    if (templ.finerMask) {
        view.mask = templ.finerMask->support.view();
        view.weights = templ.finerMask->weights.view();
    }
    return view;
}

} // namespace

namespace {

/// Says that a template becomes so small at the least scale that chance decides.
void warnOfFewVoxels(Inputs& inputs, const rotation::Cover& cover) {
    constexpr double kFew = 25;
    const double least = std::ranges::min(cover.scales);
    for (const TemplateInput& templ : inputs.templates) {
        const base::Extents& n = templ.extents();
        const bool masked = templ.mask != nullptr;
        const auto voxels = static_cast<double>(
            masked ? std::count_if(templ.mask->support.data(),
                                   templ.mask->support.data() + templ.mask->support.count(),
                                   [](std::uint8_t in) { return in != 0; })
                   : n.x * n.y * (cover.flat ? 1 : n.z));
        const double power = cover.flat ? 2 : 3;
        const double left = voxels * std::pow(least, power);
        if (left >= kFew || least >= 1) {
            continue;
        }
        const double enough = std::min(1.0, std::pow(kFew / voxels, 1 / power));
        inputs.warnings.push_back("at scale " + shortest(least) + " the template " +
                                  templ.image->source + " has few voxels, about " +
                                  std::to_string(std::max(1LL, std::llround(left))) +
                                  ", which score high by chance and hide objects; begin the scales "
                                  "at " +
                                  fixed(std::ceil(enough * 100) / 100, 2));
    }
}

} // namespace

void makeBanks(Inputs& inputs, const Job& job) {
    const auto isFlat = [&](const TemplateInput& templ) {
        return inputs.scene->channels > 0 || base::isFlat2D(templ.extents());
    };
    const bool flat = isFlat(inputs.templates.front());
    if (std::ranges::any_of(inputs.templates,
                            [&](const TemplateInput& each) { return isFlat(each) != flat; })) {
        throw Error(ErrorCode::Problem,
                    "templates of one slice turn in the plane, volumes in space; search for them "
                    "in two jobs");
    }
    const rotation::Cover cover = coverOf(job.poses, flat, inputs.geometry);
    warnOfFewVoxels(inputs, cover);
    const base::Point& edges = inputs.geometry.spacing;
    for (const std::vector<int>& group : inputs.groups) {
        const std::vector<method::MaskedView> views = inputs.templViews(group);
        std::vector<rotation::Turner> turners;
        for (std::size_t i = 0; i < views.size(); ++i) {
            const TemplateInput& templ =
                inputs.templates[static_cast<std::size_t>(group[i % group.size()])];
            const bool inDouble =
                memberPixel(base::pixelType(views[i].pixels)) == base::PixelType::Float64;
            const bool darkOne = i >= group.size();
            const auto add = [&](const method::MaskedView& view, const base::Point& own) {
                turners.emplace_back(view.pixels, view.mask, flat, inDouble, view.weights,
                                     rotation::VoxelEdges{own, edges});
            };
            if (!isFiner(templ)) {
                if (templ.image->finer && !darkOne) {
                    inputs.notes.push_back("the template " + templ.image->source +
                                           " is turned in voxels of the scene, where its mask "
                                           "lies, not from its own");
                }
                add(views[i], edges);
                continue;
            }
            const base::Point ratio =
                base::spacingRatio(templ.image->finer->geometry, inputs.geometry);
            method::MaskedView view = finerView(templ);
            const std::optional<base::AnyImage> changed =
                isInverted(job) != darkOne ? std::optional(invertedTemplate(view, job.operation))
                                           : std::nullopt;
            if (changed) {
                view.pixels = base::viewOf(*changed);
            }
            add(view, {ratio[0] * edges[0], ratio[1] * edges[1], ratio[2] * edges[2]});
        }
        auto bank = std::make_shared<rotation::PoseBank>(std::move(turners), cover);
        prepareBank(inputs, *bank);
        inputs.banks.push_back(std::move(bank));
    }
}

namespace {

PosesReport coverReport(const rotation::Cover& cover) {
    return {.members = cover.count(),
            .turns = std::ssize(cover.turns),
            .scales = cover.scales,
            .mirror = cover.mirror,
            .flat = cover.flat,
            .symmetry = cover.group.name,
            .step = cover.step,
            .radius = cover.radius,
            .nside = cover.nside,
            .inPlane = cover.inPlane,
            .predictedMs = {},
            .perSecond = {}};
}

} // namespace

PosesReport posesReport(const Inputs& inputs) {
    const rotation::PoseBank& first = *inputs.banks.front();
    PosesReport report = coverReport(first.cover());
    report.members = 0;
    report.box = first.box();
    report.edges = inputs.geometry.spacing;
    for (const auto& bank : inputs.banks) {
        report.members += bank->count();
        report.batch = std::max(report.batch, batchesOf(bank->count()).largest());
    }
    return report;
}

void requireMembers(const Job& job, const Inputs& inputs) {
    if (!job.searchStatistics) {
        return;
    }
    if (inputs.groups.size() > 1) {
        throw Error(ErrorCode::Problem,
                    "--search-statistics needs templates of equal extents, whose scores lie on one "
                    "grid of placements; search for them in several jobs");
    }
    if (inputs.countOf(inputs.groups.front()) < 2) {
        throw Error(ErrorCode::Problem,
                    "--search-statistics compares the scores of several orientations or templates, "
                    "but this search has one; add --rotations or another --template");
    }
}

void requireAllowed(const Job& job, const Inputs& inputs) {
    if (inputs.banks.empty() || job.poses.yes) {
        return;
    }
    const std::int64_t members = posesReport(inputs).members;
    if (members > kMostPoses) {
        throw Error(ErrorCode::CommandLine,
                    base::Message("many-poses",
                                  "the search has {count} orientations, more than {limit}; "
                                  "flcc-cli plan tells its time; add {--yes} to run it",
                                  {{"count", std::to_string(members)},
                                   {"limit", std::to_string(kMostPoses)}}));
    }
}

} // namespace flcc::job::detail

namespace flcc::job {

PosesReport describePoses(const Poses& poses, bool flat, const base::Geometry& geometry) {
    // Counting all would take seconds below this step.
    constexpr double kCountedStep = 3;
    const rotation::Rotations rotations = detail::rotationsOf(poses, flat, geometry);
    const rotation::PointGroup group =
        rotation::pointGroup(poses.symmetry.empty() ? "C1" : poses.symmetry);
    const bool known = rotations.step < kCountedStep || group.elements.size() == 1;
    if (flat || rotations.kind != rotation::Rotations::Kind::Step || !known) {
        return detail::coverReport(coverOf(poses, flat, geometry));
    }
    const rotation::SpaceCount count = rotation::countOfSpace(rotations.step);
    PosesReport report{.scales = rotation::parseScales(poses.scales),
                       .mirror = poses.mirror,
                       .flat = false,
                       .symmetry = group.name,
                       .step = rotations.step,
                       .nside = count.nside,
                       .inPlane = count.inPlane,
                       .predictedMs = {},
                       .perSecond = {}};
    report.turns = 12LL * count.nside * count.nside / std::ssize(group.elements) * count.inPlane;
    report.members = report.turns * std::ssize(report.scales) * (report.mirror ? 2 : 1);
    return report;
}

rotation::Cover coverOf(const Poses& poses, bool flat, const base::Geometry& geometry) {
    rotation::Rotations rotations = detail::rotationsOf(poses, flat, geometry);
    std::vector<rotation::Quaternion> list;
    if (rotations.kind == rotation::Rotations::Kind::List) {
        list = rotation::parseList(detail::readTextFile(rotations.file, "list of rotations"), flat,
                                   rotations.file);
    } else if (rotations.kind == rotation::Rotations::Kind::None) {
        rotations.kind = rotation::Rotations::Kind::List; // as it is
        list.emplace_back();
    }
    const rotation::PointGroup group =
        rotation::pointGroup(poses.symmetry.empty() ? "C1" : poses.symmetry);
    rotation::Cover cover = flat ? rotation::flatCover(rotations, group, list)
                                 : rotation::spaceCover(rotations, group, list);
    cover.scales = rotation::parseScales(poses.scales);
    cover.mirror = poses.mirror;
    return cover;
}

} // namespace flcc::job
