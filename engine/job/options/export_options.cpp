#include "engine/job/options/export_options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>

#include "engine/base/error.h"
#include "engine/job/options/option_kinds.h"
#include "engine/job/peak_lists.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;

namespace {

using namespace kinds;

/// "32" for all axes, "32x32" or "32x32x16".
base::Extents toSize(const std::string& text) {
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
    refuse("stack-size", text, "a size in voxels, N, NxN or NxNxN");
}

std::string sizeText(const base::Extents& size) {
    return size.z > 0         ? base::toString(size)
           : size.x == size.y ? std::to_string(size.x)
                              : std::to_string(size.x) + "x" + std::to_string(size.y);
}

[[noreturn]] void refuseAs(const char* key, const std::string& pattern) {
    throw Error(ErrorCode::CommandLine, base::Message(key, pattern));
}

template <class Member> auto at(Member member) {
    return [member](auto& job) -> auto& { return job.exports.*member; };
}

} // namespace

template <class J> std::vector<Option<J>> stackOptions() {
    using match::Normalise;
    return {
        fileOption<J>("stack", "FILE",
                      "write boxes of the scene cut at the peaks: .mrc .mrcs .h5 as a stack, .tif "
                      ".mha .nrrd .nii one behind the other; those that leave the scene are left "
                      "out",
                      at(&Exports::stack)),
        {.name = "stack-size",
         .value = "N[xN[xN]]",
         .help = "size of the boxes of the stack and the average (default: the template's)",
         .get =
             [](const J& job) {
                 return job.exports.size ? std::optional(sizeText(*job.exports.size))
                                         : std::nullopt;
             },
         .set = [](J& job, const std::string& text) { job.exports.size = toSize(text); }},
        enumOption<J>("stack-normalise",
                      "values of each box: as they are, without their mean, or also divided by "
                      "their deviation",
                      at(&Exports::normalise),
                      std::vector{Normalise::None, Normalise::Mean, Normalise::ZScore}),
        flagOption<J>("stack-subvoxel",
                      "interpolate the boxes of the stack at the sub-voxel centres; else they "
                      "lie on voxels",
                      at(&Exports::subvoxel)),
    };
}

template std::vector<Option<Job>> stackOptions();
template std::vector<Option<ListConversion>> stackOptions();

std::vector<Option<Job>> exportOptions() {
    std::vector<Option<Job>> options{
        fileOption<Job>("figure", "FILE",
                        "draw scene, peaks and heatmap with scale and colour bar, for print: .png "
                        "(300 dpi) .svg .pdf",
                        at(&Exports::figure))};
    std::ranges::move(stackOptions<Job>(), std::back_inserter(options));
    options.push_back(fileOption<Job>("average", "FILE",
                                      "write the mean of the boxes, aligned to sub-voxel centres: "
                                      "a new template",
                                      at(&Exports::average)));
    options.push_back(fileOption<Job>("average-variance", "FILE",
                                      "write the variance of the boxes, voxel by voxel",
                                      at(&Exports::averageVariance)));
    return options;
}

void requireBoxes(const Exports& asked) {
    const bool boxes =
        !asked.stack.empty() || !asked.average.empty() || !asked.averageVariance.empty();
    const bool shaped = asked.size || asked.normalise != match::Normalise::None;
    if (shaped && !boxes) {
        refuseAs("stack-without-file",
                 std::string(asked.size ? "{--stack-size}" : "{--stack-normalise}") +
                     " shapes the boxes that are cut at peaks; add {--stack FILE} or {--average "
                     "FILE}");
    }
    if (asked.subvoxel && asked.stack.empty()) {
        refuseAs("subvoxel-without-stack",
                 "{--stack-subvoxel} places the boxes of a stack; add {--stack FILE}");
    }
}

bool isPage(const path& report) {
    std::string extension = report.extension().string();
    std::ranges::transform(extension, extension.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    return extension == ".html";
}

void requireExports(const Job& job) {
    const Exports& asked = job.exports;
    requireBoxes(asked);
    const bool boxes =
        !asked.stack.empty() || !asked.average.empty() || !asked.averageVariance.empty();
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
