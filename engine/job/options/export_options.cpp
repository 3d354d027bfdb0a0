#include "engine/job/options/export_options.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "engine/base/error.h"
#include "engine/job/boxes.h"
#include "engine/job/options/option_kinds.h"
#include "engine/job/peak_lists.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;

namespace {

using namespace kinds;

std::string sizeText(const base::Extents& size) {
    return size.z > 0         ? base::toString(size)
           : size.x == size.y ? std::to_string(size.x)
                              : std::to_string(size.x) + "x" + std::to_string(size.y);
}

void refuseAs(const char* key, const std::string& pattern) {
    throw Error(ErrorCode::CommandLine, base::Message(key, pattern));
}

template <class Member> auto at(Member member) {
    return [member](auto& job) -> auto& { return job.exports.*member; };
}

} // namespace

template <class Owner> std::vector<Option<Owner>> boxOptions() {
    using match::Normalise;
    return {
        fileOption<Owner>(
            "stack", "FILE",
            "write boxes of the scene cut at the peaks: .mrc .mrcs .h5 as a stack, .tif "
            ".mha .nrrd .nii one behind the other; those that leave the scene are "
            "left out",
            at(&Exports::stack)),
        {.name = "stack-size",
         .value = "N[xN[xN]]",
         .help = "size of the boxes of the stack and the average (default: the template's)",
         .get =
             [](const Owner& job) {
                 return job.exports.size ? std::optional(sizeText(*job.exports.size))
                                         : std::nullopt;
             },
         .set = [](Owner& job, const std::string& text) { job.exports.size = boxSizeOf(text); }},
        enumOption<Owner>("stack-normalise",
                          "values of each box: as they are, without their mean, or also divided by "
                          "their deviation",
                          at(&Exports::normalise),
                          std::vector{Normalise::None, Normalise::Mean, Normalise::ZScore}),
        flagOption<Owner>("stack-subvoxel",
                          "interpolate the boxes of the stack at the sub-voxel centres; else they "
                          "lie on voxels",
                          at(&Exports::subvoxel)),
        flagOption<Owner>("stack-turned",
                          "turn the boxes of the stack back by the rotation, scale and hand of "
                          "their peak, so that all objects lie as the template does; interpolates "
                          "as {--stack-subvoxel}",
                          at(&Exports::turned)),
        fileOption<Owner>(
            "average", "FILE",
            "write the mean of the boxes, aligned to sub-voxel centres: a new template",
            at(&Exports::average)),
        fileOption<Owner>("average-variance", "FILE",
                          "write the variance of the boxes, voxel by voxel",
                          at(&Exports::averageVariance)),
    };
}

template std::vector<Option<Job>> boxOptions();
template std::vector<Option<ListConversion>> boxOptions();

std::vector<Option<Job>> exportOptions() {
    std::vector<Option<Job>> options{
        fileOption<Job>("figure", "FILE",
                        "draw scene, peaks and heatmap with scale and colour bar, for print: .png "
                        "(300 dpi) .svg .pdf",
                        at(&Exports::figure))};
    for (Option<Job>& option : boxOptions<Job>()) {
        options.push_back(std::move(option));
    }
    return options;
}

bool isPage(const path& report) {
    std::string extension = report.extension().string();
    std::ranges::transform(extension, extension.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    return extension == ".html";
}

void requireBoxFiles(const Exports& asked) {
    const bool boxes = asked.hasBoxes();
    const bool shaped = asked.size || asked.normalise != match::Normalise::None;
    if (shaped && !boxes) {
        refuseAs("stack-without-file",
                 std::string(asked.size ? "{--stack-size}" : "{--stack-normalise}") +
                     " shapes the boxes that are cut at peaks; add {--stack FILE} or {--average "
                     "FILE}");
    }
    if (asked.turned && asked.stack.empty()) {
        refuseAs("turned-without-stack",
                 "{--stack-turned} turns the boxes of a stack; add {--stack FILE}");
    }
    if (asked.subvoxel && asked.stack.empty()) {
        refuseAs("subvoxel-without-stack",
                 "{--stack-subvoxel} places the boxes of a stack; add {--stack FILE}");
    }
}

void requireExports(const Job& job) {
    const Exports& asked = job.exports;
    requireBoxFiles(asked);
    const bool boxes = asked.hasBoxes();
    if (job.stream && (boxes || !asked.figure.empty())) {
        refuseAs("exports-of-stream",
                 std::string(!asked.figure.empty()    ? "{--figure}"
                             : !asked.stack.empty()   ? "{--stack}"
                             : !asked.average.empty() ? "{--average}"
                                                      : "{--average-variance}") +
                     " is made of one scene, but {--stream} searches every frame as a scene of its "
                     "own; leave out {--stream}, or search one frame as {--region} X,Y,Z:W,H,1");
    }
}

} // namespace flcc::job::detail

namespace flcc::job {

base::Extents boxSizeOf(const std::string& text) {
    constexpr std::int64_t kLongest = 1 << 24;
    std::vector<std::int64_t> edges;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (edges.size() < 3) {
        std::int64_t edge = 0;
        const auto result = std::from_chars(at, end, edge);
        if (result.ec != std::errc() || edge < 1 || edge > kLongest) {
            break;
        }
        edges.push_back(edge);
        at = result.ptr;
        if (at == end) {
            return edges.size() == 1   ? base::Extents{edge, edge, 0}
                   : edges.size() == 2 ? base::Extents{edges[0], edges[1], 0}
                                       : base::Extents{edges[0], edges[1], edges[2]};
        }
        if (*at++ != 'x') {
            break;
        }
    }
    detail::kinds::refuse("stack-size", text, "a size in voxels, N, NxN or NxNxN");
}

} // namespace flcc::job
