#include "engine/filter/slice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/filter/detail/filter_method.h"

namespace flcc::filter {

namespace {

using base::AnyView;
using base::Extents;
using base::Image;
using base::Index;

std::int64_t along(const Extents& extents, std::size_t axis) {
    return axis == 0 ? extents.x : axis == 1 ? extents.y : extents.z;
}
std::int64_t along(const Index& index, std::size_t axis) {
    return axis == 0 ? index.x : axis == 1 ? index.y : index.z;
}

/// Planes of the scene that are added up, and the kernel for their sum.
struct Layer {
    std::vector<double> weights; ///< of the planes from the first one that the kernel reaches
    Kernel kernel;
};

/// Layers of separable terms: one for each line of weights along the depth.
std::vector<Layer> layersOfTerms(const Kernel& kernel, std::size_t depth) {
    const auto [right, down] = axesAcross(depth);
    std::vector<std::pair<std::vector<double>, std::vector<Term>>> groups;
    for (const Term& term : kernel.terms()) {
        const std::vector<double> taps = Kernel::flipped(term.axes[depth].taps);
        auto group = std::find_if(groups.begin(), groups.end(),
                                  [&](const auto& known) { return known.first == taps; });
        if (group == groups.end()) {
            group = groups.insert(groups.end(), {taps, {}});
        }
        group->second.push_back({term.factor, {term.axes[right], term.axes[down], AxisFilter{}}});
    }
    std::vector<Layer> layers;
    for (auto& [taps, terms] : groups) {
        layers.push_back({taps, Kernel(kernel.name(), std::move(terms), kernel.divisor())});
    }
    return layers;
}

/// Layers of weights that are no product: one for each plane of the kernel.
std::vector<Layer> layersOfWeights(const Kernel& kernel, std::size_t depth) {
    const Image<double> flipped = kernel.flippedWeights();
    const Extents& m = flipped.extents();
    const auto [right, down] = axesAcross(depth);
    std::vector<Layer> layers;
    for (std::int64_t k = 0; k < along(m, depth); ++k) {
        Image<double> plane({along(m, right), along(m, down), 1});
        bool any = false;
        for (std::int64_t b = 0; b < plane.extents().y; ++b) {
            for (std::int64_t a = 0; a < plane.extents().x; ++a) {
                std::array<std::int64_t, 3> at{};
                at[depth] = k;
                at[right] = plane.extents().x - 1 - a;
                at[down] = plane.extents().y - 1 - b;
                plane.view().at(a, b, 0) = flipped.view().at(at[0], at[1], at[2]);
                any = any || plane.view().at(a, b, 0) != 0;
            }
        }
        if (any) {
            std::vector<double> one(static_cast<std::size_t>(k) + 1, 0.0);
            one.back() = 1;
            layers.push_back(
                {std::move(one), Kernel(kernel.name(), base::AnyView(std::as_const(plane).view()),
                                        method::Precision::Single)});
        }
    }
    return layers;
}

/// Adds up planes of the scene, from number `first` along `depth`, which may lie outside it.
bool addUp(const AnyView& scene, std::size_t depth, std::int64_t first, Border border,
           const std::vector<double>& weights, base::TilePool& pool, const std::stop_token& stop,
           Image<float>& sum) {
    const std::int64_t planes = along(base::extentsOf(scene), depth);
    std::vector<std::pair<std::int64_t, double>> read; // number of a plane and its weight
    for (std::size_t k = 0; k < weights.size(); ++k) {
        const std::int64_t at = borderIndex(border, first + static_cast<std::int64_t>(k), planes);
        if (at >= 0 && weights[k] != 0) {
            read.emplace_back(at, weights[k]);
        }
    }
    const Extents& n = sum.extents();
    return std::visit(
        [&](const auto& view) {
            const std::int64_t step = depth == 0 ? view.rowStride() : 1;
            return pool.run(
                n.y,
                [&](std::int64_t b, int) {
                    std::vector<double> line(static_cast<std::size_t>(n.x), 0.0);
                    for (const auto& [plane, weight] : read) {
                        const auto* const from = depth == 0   ? view.row(0, b) + plane
                                                 : depth == 1 ? view.row(plane, b)
                                                              : view.row(b, plane);
                        for (std::int64_t a = 0; a < n.x; ++a) {
                            line[static_cast<std::size_t>(a)] +=
                                weight * static_cast<double>(from[a * step]);
                        }
                    }
                    std::transform(line.begin(), line.end(), sum.view().row(b, 0),
                                   [](double value) { return static_cast<float>(value); });
                },
                stop);
        },
        scene);
}

/// The candidate that is predicted to be the fastest, approximations included.
method::Candidate fastest(const Problem& problem, const Kernel& kernel,
                          const method::CostModel& model, const AnyView& scene,
                          base::TilePool& pool) {
    method::Limits limits;
    limits.threads = pool.threads();
    limits.memoryBytes = std::numeric_limits<std::int64_t>::max();
    std::vector<method::CandidateReport> best;
    for (const std::string_view method :
         {std::string_view("auto"), detail::recursiveFilter().name()}) {
        const Wanted wanted{.method = std::string(method), .timing = Wanted::Timing::None};
        const Plan plan = makePlan(problem, kernel, limits, model, wanted, scene, pool);
        if (const method::CandidateReport* const chosen = plan.chosen()) {
            best.push_back(*chosen);
        }
    }
    if (best.empty()) {
        throw base::Error(base::ErrorCode::Problem,
                          "no method can preview kernel " + kernel.name());
    }
    return std::min_element(best.begin(), best.end(),
                            [](const method::CandidateReport& a, const method::CandidateReport& b) {
                                return a.prediction->ms < b.prediction->ms;
                            })
        ->candidate;
}

/// The first plane of the scene that a plane of results needs.
std::int64_t firstPlane(const Problem& problem, const Plane& plane) {
    const std::int64_t first = along(firstVoxel(problem), plane.depth);
    const std::int64_t m = along(problem.kernel, plane.depth);
    const std::int64_t middle = first + m - 1 - (m - 1) / 2; // of the kernel, in result 0
    const std::int64_t last = along(resultExtents(problem), plane.depth) - 1;
    return first + std::clamp<std::int64_t>(plane.position - middle, 0, last);
}

} // namespace

Convolved convolvePlane(const Problem& problem, const Kernel& kernel,
                        const method::CostModel& model, const AnyView& scene, const Plane& plane,
                        base::TilePool& pool, const std::stop_token& stop) {
    const std::int64_t first = firstPlane(problem, plane);
    const auto [right, down] = axesAcross(plane.depth);
    const Extents flat{along(problem.scene, right), along(problem.scene, down), 1};
    Convolved all;
    Image<float> total;
    const std::vector<Layer> layers = kernel.terms().empty() ? layersOfWeights(kernel, plane.depth)
                                                             : layersOfTerms(kernel, plane.depth);
    for (const Layer& layer : layers) {
        Image<float> sum;
        AnyView view;
        if (plane.depth == 2 && layer.weights == std::vector{1.0} && first >= 0 &&
            first < problem.scene.z) {
            view = base::partOf(scene, {{0, 0, first}, flat});
        } else {
            sum = Image<float>(flat);
            if (!addUp(scene, plane.depth, first, problem.border, layer.weights, pool, stop, sum)) {
                all.cancelled = true;
                return all;
            }
            view = std::as_const(sum).view();
        }
        const Problem own{flat,           base::pixelType(view), layer.kernel.extents(),
                          problem.extent, problem.border,        method::Precision::Single};
        Convolved one = convolve(own, layer.kernel, fastest(own, layer.kernel, model, view, pool),
                                 view, pool, stop);
        if (one.cancelled) {
            all.cancelled = true;
            return all;
        }
        auto& pixels = std::get<Image<float>>(one.pixels);
        if (total.empty()) {
            total = std::move(pixels);
        } else {
            for (std::int64_t i = 0; i < total.count(); ++i) {
                total.data()[i] += pixels.data()[i];
            }
        }
        // Each sum of planes and each sum of layers rounds once.
        const double magnitudes = layer.kernel.sumOfMagnitudes() / layer.kernel.divisor();
        all.bound += one.bound + 4 * detail::unitOf(method::Precision::Single) * one.largest *
                                     magnitudes * static_cast<double>(layers.size());
        all.largest = std::max(all.largest, one.largest);
        all.relativeBound = std::max(all.relativeBound, one.relativeBound);
        all.repeated += one.repeated;
        all.nonFinite = all.nonFinite || one.nonFinite;
    }
    all.pixels = std::move(total);
    return all;
}

} // namespace flcc::filter
