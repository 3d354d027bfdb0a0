// Scene and templates as they are compared, and the problem that they make.

#include <algorithm>

#include "engine/job/input/inputs.h"
#include "engine/job/input/poses.h"
#include "engine/method/canonical.h"

namespace flcc::job::detail {

namespace {

/// Whether templates of equal extents have different masks.
bool haveOwnMasks(const std::vector<TemplateInput>& templates, const std::vector<int>& group) {
    const auto maskOf = [&](int number) -> const MaskImage* {
        const TemplateInput& templ = templates[static_cast<std::size_t>(number)];
        return templ.masked ? templ.mask.get() : nullptr;
    };
    const auto same = [](const auto& a, const auto& b) {
        return a.count() == b.count() && std::equal(a.data(), a.data() + a.count(), b.data());
    };
    const MaskImage* const first = maskOf(group.front());
    return std::any_of(group.begin(), group.end(), [&](int number) {
        const MaskImage* const own = maskOf(number);
        return own != first &&
               (own == nullptr || first == nullptr || !same(own->support, first->support) ||
                !same(own->weights, first->weights));
    });
}

} // namespace

method::MaskedView Inputs::viewOf(const base::AnyView& other) const {
    method::MaskedView view(other);
    if (sceneMasked) {
        view.mask = sceneMask->support.view();
    }
    return region ? method::partOf(view, *region) : view;
}

method::MaskedView TemplateInput::view() const {
    method::MaskedView seen(base::viewOf(changed ? *changed : image->pixels));
    if (masked) {
        seen.mask = mask->support.view();
        if (!mask->weights.empty()) {
            seen.weights = mask->weights.view();
        }
    }
    return seen;
}

method::Problem Inputs::problem(const Job& job, const std::vector<int>& group) const {
    const method::MaskedView first = templates[static_cast<std::size_t>(group.front())].view();
    method::Problem problem;
    problem.operation = job.operation;
    problem.extent = job.extent;
    problem.scene = region ? region->extents : base::extentsOf(scene->pixels);
    problem.templ = first.extents();
    problem.scenePixel = base::pixelType(pixels());
    problem.templPixel = base::pixelType(first.pixels);
    problem.promise = job.promise;
    // Sums by definition are made in integers or doubles.
    problem.precision = job.operation.traits().byDefinition || farFromOne
                            ? method::Precision::Double
                            : job.precision;
    problem.recompute = job.recompute;
    problem.outside = job.outside;
    problem.minOverlap = job.minOverlap;
    problem.mask = std::any_of(group.begin(), group.end(), [&](int number) {
        return templates[static_cast<std::size_t>(number)].masked;
    });
    problem.weights = std::any_of(group.begin(), group.end(), [&](int number) {
        const TemplateInput& templ = templates[static_cast<std::size_t>(number)];
        return templ.mask && !templ.mask->weights.empty();
    });
    problem.ownMasks = problem.mask && haveOwnMasks(templates, group);
    problem.sceneMask = sceneMasked;
    problem.statistics = job.statistics;
    problem.templates = static_cast<int>(numbersOf(group).size());
    double residual = 0;
    for (const int number : group) {
        residual = std::max(residual, templates[static_cast<std::size_t>(number)].form.residual);
    }
    problem.residual = residual;
    problem.searchSums = job.searchStatistics;
    if (const auto bank = bankOf(group)) {
        problem.scene = sceneView().extents();
        problem.extent = padded ? method::Extent::Valid : extent;
        problem.sceneMask = padded ? !padded->mask.empty() : sceneMasked;
        problem.templ = bank->box();
        problem.templPixel = memberPixel(problem.templPixel);
        problem.mask = bank->isMasked();
        problem.ownMasks = !bank->sharesSupport();
        problem.templates = static_cast<int>(batchesOf(bank->count()).largest());
        problem.residual = method::kUnknownResidual;
        problem.onDevice.map = true; // a member's scores are compared with those before
    }
    return problem;
}

method::MaskedView TemplateInput::darkView() const {
    method::MaskedView seen = view();
    seen.pixels = base::viewOf(*dark);
    return seen;
}

std::vector<method::MaskedView> Inputs::templViews(const std::vector<int>& group) const {
    std::vector<method::MaskedView> views;
    for (const int number : group) {
        views.push_back(templates[static_cast<std::size_t>(number)].view());
    }
    for (std::size_t i = 0; i < group.size() && darkFrom(group); ++i) {
        views.push_back(templates[static_cast<std::size_t>(group[i])].darkView());
    }
    return views;
}

std::optional<std::size_t> Inputs::darkFrom(const std::vector<int>& group) const {
    const bool both = templates[static_cast<std::size_t>(group.front())].dark.has_value();
    return both ? std::optional(group.size()) : std::nullopt;
}

std::vector<int> Inputs::numbersOf(const std::vector<int>& group) const {
    std::vector<int> numbers = group;
    if (darkFrom(group)) {
        numbers.insert(numbers.end(), group.begin(), group.end());
    }
    return numbers;
}

} // namespace flcc::job::detail
