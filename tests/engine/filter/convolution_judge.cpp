#include "tests/engine/filter/convolution_judge.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/reference/convolution.h"

namespace flcc::test {

using base::Extents;
using base::Index;
using filter::Border;
using filter::Kernel;
using filter::Problem;
using method::Extent;
using method::Precision;

namespace {

/// Continuations as they are drawn, step by step.
reference::Continuation continuationOf(Border border) {
    return [border](std::int64_t i, std::int64_t n) {
        switch (border) {
        case Border::Zero:
            return i >= 0 && i < n ? i : -1;
        case Border::Replicate:
            return std::clamp<std::int64_t>(i, 0, n - 1);
        case Border::Mirror:
            while (i < 0 || i >= n) {
                i = i < 0 ? -1 - i : 2 * n - 1 - i;
            }
            return i;
        case Border::Wrap:
            while (i < 0) {
                i += n;
            }
            return i % n;
        }
        return std::int64_t{-1};
    };
}

/// The scene voxel that the kernel's first voxel meets.
std::int64_t meets(Extent extent, std::int64_t u, std::int64_t m) {
    return extent == Extent::Valid ? u + m - 1 : extent == Extent::Same ? u + (m - 1) / 2 : u;
}

base::Image<double> weightsOf(const Kernel& kernel) {
    const base::Image<double> flipped = kernel.flippedWeights();
    const Extents& m = kernel.extents();
    base::Image<double> weights(m);
    std::reverse_copy(flipped.data(), flipped.data() + flipped.count(), weights.data());
    return weights;
}

} // namespace

base::TilePool& testPool() {
    static base::TilePool pool(2);
    return pool;
}

Problem problemOf(const base::AnyImage& scene, const Kernel& kernel, Extent extent, Border border,
                  Precision precision) {
    return {base::extentsOf(scene),
            base::pixelType(scene),
            kernel.extents(),
            extent,
            border,
            precision};
}

std::vector<method::Candidate> waysOf(const Problem& problem, const Kernel& kernel,
                                      const base::AnyImage& scene, const std::string& method,
                                      const Extents& tile) {
    std::vector<method::Candidate> ways;
    method::Limits limits;
    limits.threads = testPool().threads();
    for (const std::string& name : filter::methodNames()) {
        if (!method.empty() && method != name) {
            continue;
        }
        filter::Wanted wanted;
        wanted.method = name;
        wanted.tile = tile;
        wanted.timing = filter::Wanted::Timing::None;
        const filter::Plan plan = filter::makePlan(problem, kernel, limits, method::CostModel{},
                                                   wanted, base::viewOf(scene), testPool());
        for (const method::CandidateReport& row : plan.candidates) {
            if (row.prediction) {
                ways.push_back(row.candidate);
            }
        }
    }
    return ways;
}

namespace {

/// Every voxel of a result by the definition, x fastest.
std::vector<reference::ConvolvedVoxel> definitionOf(const Problem& problem, const Kernel& kernel,
                                                    const base::AnyImage& scene) {
    const base::Image<double> weights = weightsOf(kernel);
    const reference::Continuation continuation = continuationOf(problem.border);
    const Extents out = filter::resultExtents(problem);
    const Extents& m = kernel.extents();
    std::vector<reference::ConvolvedVoxel> voxels;
    for (std::int64_t z = 0; z < out.z; ++z) {
        for (std::int64_t y = 0; y < out.y; ++y) {
            for (std::int64_t x = 0; x < out.x; ++x) {
                voxels.push_back(reference::convolvedAt(
                    base::viewOf(scene), weights.view(), continuation,
                    {meets(problem.extent, x, m.x), meets(problem.extent, y, m.y),
                     meets(problem.extent, z, m.z)}));
            }
        }
    }
    return voxels;
}

std::string compared(const filter::Convolved& result, const Problem& problem, const Kernel& kernel,
                     const std::vector<reference::ConvolvedVoxel>& definition) {
    const Extents out = base::extentsOf(result.pixels);
    if (out != filter::resultExtents(problem)) {
        return "extents " + base::toString(out);
    }
    const base::AnyView view = base::viewOf(result.pixels);
    const bool exact = base::isInteger(problem.scenePixel) && kernel.hasIntegerWeights();
    const auto weights = static_cast<double>(base::voxelCount(kernel.extents()));
    for (std::size_t i = 0; i < definition.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const Index index{at % out.x, at / out.x % out.y, at / (out.x * out.y)};
        const reference::ConvolvedVoxel& wanted = definition[i];
        const double value = base::valueAt(view, index);
        const double expected =
            (exact ? static_cast<double>(wanted.exact) : wanted.value) / kernel.divisor();
        // The definition in double rounds too.
        const double own =
            (exact ? 2 : weights + 2) * 0x1p-53 * wanted.magnitudes / kernel.divisor();
        const bool right =
            wanted.nonFinite ? std::isnan(value) : std::abs(value - expected) <= result.bound + own;
        if (!right) {
            return "voxel " + base::toString(index) + " is " + std::to_string(value) + ", not " +
                   std::to_string(expected) + "; bound " + std::to_string(result.bound) +
                   ", off by " + std::to_string((value - expected) / (result.bound + own)) +
                   " of it";
        }
    }
    // A bound that says nothing would let anything pass.
    const double most = 0.05 * kernel.sumOfMagnitudes() / kernel.divisor() * result.largest;
    return result.bound <= most ? "" : "the bound is " + std::to_string(result.bound);
}

} // namespace

std::string faultOf(const filter::Convolved& result, const Problem& problem, const Kernel& kernel,
                    const base::AnyImage& scene) {
    return compared(result, problem, kernel, definitionOf(problem, kernel, scene));
}

std::string judgeConvolution(const base::AnyImage& scene, const Kernel& kernel) {
    const Extents n = base::extentsOf(scene);
    const Extents& m = kernel.extents();
    for (const Extent extent : {Extent::Same, Extent::Valid, Extent::Full}) {
        if (extent == Extent::Valid && (m.x > n.x || m.y > n.y || m.z > n.z)) {
            continue;
        }
        for (const Border border :
             {Border::Zero, Border::Replicate, Border::Mirror, Border::Wrap}) {
            const std::vector<reference::ConvolvedVoxel> definition = definitionOf(
                problemOf(scene, kernel, extent, border, Precision::Double), kernel, scene);
            for (const Precision precision : {Precision::Single, Precision::Double}) {
                const Problem problem = problemOf(scene, kernel, extent, border, precision);
                for (const method::Candidate& way : waysOf(problem, kernel, scene)) {
                    const filter::Convolved result =
                        filter::convolve(problem, kernel, way, base::viewOf(scene), testPool());
                    const std::string fault = compared(result, problem, kernel, definition);
                    if (!fault.empty()) {
                        return way.method + " " + base::toString(way.tile) + ", " + kernel.name() +
                               " " + base::toString(m) + " over " +
                               std::string(base::name(problem.scenePixel)) + " " +
                               base::toString(n) + ", " + std::string(method::name(extent)) + ", " +
                               std::string(filter::name(border)) + ", " +
                               std::string(method::name(precision)) + ": " + fault;
                    }
                }
            }
        }
    }
    return {};
}

} // namespace flcc::test
