#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "engine/job/convolve_job.h"
#include "engine/job/report/text.h"

namespace flcc::job {

namespace {

std::string shown(const base::Extents& extents) {
    return base::isFlat2D(extents) ? fmt::format("{}x{}", extents.x, extents.y)
                                   : base::toString(extents);
}

std::string rowText(const plan::CandidateReport& row) {
    std::string text = fmt::format("  {:<15} ", row.candidate.label());
    text += row.candidate.parts > 0
                ? fmt::format("{:<16}", fmt::format("{} of {}", row.candidate.parts,
                                                    shown(row.candidate.tile)))
            : row.candidate.tile.x > 0 ? fmt::format("{:<16}", shown(row.candidate.tile))
                                       : fmt::format("{:<16}", "-");
    text += fmt::format("{:<9}", plan::name(row.verdict));
    if (row.prediction) {
        text += fmt::format("predicted {:>8.2f} ms, {:>9}", row.prediction->ms,
                            detail::bytesText(row.prediction->hostBytes));
        if (row.measuredMs) {
            text += fmt::format(", measured {:>8.2f} ms", *row.measuredMs);
        }
        text += "  ";
    }
    return text + row.reason + "\n";
}

/// Karas' Table 1 for the problem at hand.
std::string decompositionsText(const ConvolveReport& report) {
    if (report.decompositions.empty()) {
        return {};
    }
    std::string text = fmt::format("By formula, in {} parts (Karas, Table 1)\n", report.parts);
    for (const filter::Decomposition& row : report.decompositions) {
        text += fmt::format("  {:<15}{:.3g} operations, {:.3g} values moved, {} for a part\n",
                            row.method, row.operations, row.transfers,
                            detail::bytesText(static_cast<std::int64_t>(row.bytes)));
    }
    return text;
}

} // namespace

std::string toSummary(const ConvolveReport& report, bool verbose) {
    const filter::Problem& problem = report.problem;
    std::string text = fmt::format(
        "Scene     {} {}\nKernel    {}, {}{}\nResult    {}, {}, border {}, {}\n",
        shown(problem.scene), base::name(problem.scenePixel), report.kernel.name,
        shown(report.kernel.extents),
        report.kernel.terms == 0
            ? fmt::format(", not separable (residual {:.2g})", report.kernel.residual)
        : report.kernel.terms == 1 ? std::string(", separable")
                                   : fmt::format(", {} separable terms", report.kernel.terms),
        shown(filter::resultExtents(problem)), method::name(problem.extent),
        filter::name(problem.border), method::name(problem.precision));
    if (verbose) {
        text += "Plan\n";
        for (const plan::CandidateReport& row : report.candidates) {
            text += rowText(row);
        }
        text += decompositionsText(report);
    }
    if (report.run && report.result) {
        const ResultReport& result = *report.result;
        if (!report.frames.empty()) {
            text +=
                fmt::format("Frames    {}, one result each in one stack\n", report.frames.size());
        }
        text += fmt::format("Method    {}, {} threads: {:.2f} ms (predicted {:.2f} ms)\n",
                            report.candidates.front().candidate.label(), report.run->threads,
                            report.run->executeMs.median, report.candidates.front().prediction->ms);
        text += fmt::format("Values    {:.7g} to {:.7g}, mean {:.7g}, deviation {:.7g}; error at "
                            "most {:.2g}\n",
                            result.minimum, result.maximum, result.mean, result.standardDeviation,
                            result.bound);
        text +=
            fmt::format("Error     at most {:.2g} of the largest magnitude under the kernel times "
                        "the sum of its weights' magnitudes; {} values computed again\n",
                        result.relativeBound, result.repeated);
        if (result.nan > 0) {
            text += fmt::format("NaN       {} of {} voxels, which NaN or Inf of the scene reach\n",
                                result.nan, result.nan + result.count);
        }
    }
    return text;
}

} // namespace flcc::job
