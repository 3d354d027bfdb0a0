#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/filter/kernel.h"
#include "engine/filter/recursive.h"

namespace flcc::filter {

namespace {

using base::Error;
using base::ErrorCode;
using base::Extents;

constexpr std::string_view kAxes = "xyz";
constexpr double kMostVoxels = 1e6; ///< largest sigma and N

[[noreturn]] void refuse(const std::string& sentence) {
    throw Error(ErrorCode::CommandLine, sentence);
}

std::vector<std::string_view> parts(std::string_view text, char separator) {
    std::vector<std::string_view> list;
    while (true) {
        const std::size_t at = text.find(separator);
        list.push_back(text.substr(0, at));
        if (at == std::string_view::npos) {
            return list;
        }
        text.remove_prefix(at + 1);
    }
}

/// What follows the number in a size: "um" of "2um".
std::string_view unitOf(std::string_view size) {
    double number = 0;
    const char* const end = size.data() + size.size();
    const char* const rest = std::from_chars(size.data(), end, number).ptr;
    return {rest, static_cast<std::size_t>(end - rest)};
}

/// Metres of a unit of length, or empty.
std::optional<double> metresOf(std::string_view unit) {
    constexpr std::array<std::pair<std::string_view, double>, 6> kUnits{
        {{"m", 1}, {"cm", 1e-2}, {"mm", 1e-3}, {"um", 1e-6}, {"nm", 1e-9}, {"A", 1e-10}}};
    const auto found = std::find_if(kUnits.begin(), kUnits.end(),
                                    [&](const auto& known) { return known.first == unit; });
    return found == kUnits.end() ? std::nullopt : std::optional(found->second);
}

/// What a name is read with: the text for messages and the scene.
struct Reading {
    Reading(std::string_view name, const Extents& extents, const base::Geometry& of)
        : text(name), scene(extents), geometry(of), unit(commonUnit()) {}

    std::string_view text;
    const Extents& scene;
    const base::Geometry& geometry;
    std::string_view unit; ///< of all sizes; empty: voxels

    [[nodiscard]] std::size_t axes() const { return base::isFlat2D(scene) ? 2 : 3; }
    [[nodiscard]] std::string name() const { return base::excerpt(text); }

    /// One value an axis, in voxels.
    [[nodiscard]] std::array<double, 3> sizes(std::string_view values) const {
        if (values.empty()) {
            refuse("kernel \"" + name() + "\" needs a value; write one of " +
                   std::string(kernelNames()));
        }
        const auto list = parts(values, ',');
        if (list.size() != 1 && list.size() != axes()) {
            refuse(fmt::format("kernel \"{}\" has {} values for {} axes; write one value for all "
                               "axes or one for each",
                               name(), list.size(), axes()));
        }
        std::array<double, 3> sizes{1, 1, 1};
        for (std::size_t axis = 0; axis < axes(); ++axis) {
            sizes[axis] = size(list[list.size() == 1 ? 0 : axis], axis);
        }
        return sizes;
    }

    [[nodiscard]] double size(std::string_view value, std::size_t axis) const {
        double number = 0;
        const char* const end = value.data() + value.size();
        if (std::from_chars(value.data(), end, number).ec != std::errc{} ||
            !std::isfinite(number) || number <= 0) {
            refuse(fmt::format("\"{}\" in kernel \"{}\" must be a number above 0",
                               base::excerpt(value), name()));
        }
        const std::string_view own = unitOf(value);
        if (!own.empty() && own != "px" && !metresOf(own)) {
            refuse(fmt::format("\"{}\" in kernel \"{}\" is no unit; use m, cm, mm, um, nm, A, or "
                               "none for voxels",
                               base::excerpt(own), name()));
        }
        if (!unit.empty()) {
            number /= spacing(axis);
        }
        if (!(number <= kMostVoxels)) {
            refuse(fmt::format("\"{}\" in kernel \"{}\" is {} voxels; at most {} are possible",
                               base::excerpt(value), name(), number, kMostVoxels));
        }
        return number;
    }

    /// The unit of all sizes: the one behind the last size. **Errors**: CommandLine where another
    /// size has another one, as nobody can tell what is meant.
    [[nodiscard]] std::string_view commonUnit() const {
        std::vector<std::string_view> units;
        for (const std::string_view values : parts(text.substr(text.find(':') + 1), ':')) {
            for (const std::string_view size : parts(values, ',')) {
                const std::string_view of = unitOf(size);
                if (of.size() < size.size()) { // a number, so no axis
                    units.push_back(of);
                }
            }
        }
        if (units.empty()) {
            return {};
        }
        const auto shown = [](std::string_view of) {
            return of.empty() || of == "px" ? std::string("voxels") : base::excerpt(of);
        };
        const std::string_view last = units.back();
        for (const std::string_view of : units) {
            if (!of.empty() && shown(of) != shown(last)) {
                refuse(fmt::format("kernel \"{}\" mixes sizes in {} and in {}; write all sizes in "
                                   "one unit, once behind the last one",
                                   name(), shown(of), shown(last)));
            }
        }
        return last == "px" ? std::string_view() : last;
    }

    /// The scene's spacing along `axis` in `unit`.
    [[nodiscard]] double spacing(std::size_t axis) const {
        const std::optional<double> wanted = metresOf(unit);
        const std::optional<double> own = metresOf(geometry.unit);
        if (!own) {
            throw Error(ErrorCode::Problem,
                        fmt::format("kernel \"{}\" is in {}, but the scene's spacing is in {}; "
                                    "write the size in voxels, without a unit",
                                    name(), unit, geometry.unit));
        }
        return geometry.spacing[axis] * (*own / *wanted);
    }

    void requireAxis(std::size_t axis) const {
        if (axis >= axes()) {
            throw Error(ErrorCode::Problem,
                        fmt::format("kernel \"{}\" works along z, but scene {} has two axes",
                                    name(), base::toString(scene)));
        }
    }
};

AxisFilter gaussian(int order, double sigma, std::int64_t radius) {
    return {AxisFilter::Kind::Gaussian, gaussianTaps(order, sigma, radius), order, sigma};
}

/// The Gaussian with derivatives of `orders`, sampled to `radii`.
Term gaussianTerm(const Reading& reading, const std::array<double, 3>& sigmas,
                  const std::array<int, 3>& orders, const std::array<std::int64_t, 3>& radii,
                  double factor = 1) {
    Term term;
    term.factor = factor;
    for (std::size_t axis = 0; axis < reading.axes(); ++axis) {
        term.axes[axis] = gaussian(orders[axis], sigmas[axis], radii[axis]);
    }
    return term;
}

std::array<std::int64_t, 3> radiiOf(const std::array<double, 3>& sigmas) {
    return {gaussianRadius(sigmas[0]), gaussianRadius(sigmas[1]), gaussianRadius(sigmas[2])};
}

/// A kernel of the table.
struct Named {
    KernelForm form;
    /// Makes it of the text behind the name and a colon.
    std::function<Kernel(const Reading&, std::string_view values)> make;
};

std::array<int, 3> ordersOf(std::string_view derivative) {
    std::array<int, 3> orders{};
    for (const char letter : derivative) {
        ++orders[kAxes.find(letter)];
    }
    return orders;
}

/// The Gaussian, derived along the axes that `derivative` names.
Kernel derived(const Reading& reading, std::string_view derivative, std::string_view values) {
    const std::array<int, 3> orders = ordersOf(derivative);
    for (std::size_t axis = 0; axis < orders.size(); ++axis) {
        if (orders[axis] > 0) {
            reading.requireAxis(axis);
        }
    }
    const std::array<double, 3> sigmas = reading.sizes(values);
    return {std::string(reading.text), {gaussianTerm(reading, sigmas, orders, radiiOf(sigmas))}, 1};
}

Kernel laplacian(const Reading& reading, const std::array<double, 3>& sigmas) {
    std::vector<Term> terms;
    for (std::size_t axis = 0; axis < reading.axes(); ++axis) {
        std::array<int, 3> orders{};
        orders[axis] = 2;
        terms.push_back(gaussianTerm(reading, sigmas, orders, radiiOf(sigmas)));
    }
    return {std::string(reading.text), std::move(terms), 1};
}

Kernel difference(const Reading& reading, std::string_view values) {
    const auto both = parts(values, ':');
    if (both.size() != 2) {
        refuse("kernel \"" + reading.name() + "\" needs two sigmas; write dog:S1:S2");
    }
    const std::array<double, 3> first = reading.sizes(both[0]);
    const std::array<double, 3> second = reading.sizes(both[1]);
    if (first == second) {
        refuse("kernel \"" + reading.name() + "\" is 0, as both sigmas are equal");
    }
    std::array<std::int64_t, 3> radii = radiiOf(first);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        radii[axis] = std::max(radii[axis], radiiOf(second)[axis]);
    }
    // Both with the longer radius, so that they have one extent.
    return {std::string(reading.text),
            {gaussianTerm(reading, first, {}, radii), gaussianTerm(reading, second, {}, radii, -1)},
            1};
}

Kernel box(const Reading& reading, std::string_view values) {
    const std::array<double, 3> sizes = reading.sizes(values);
    const bool world = !reading.unit.empty();
    Term term;
    double count = 1;
    for (std::size_t axis = 0; axis < reading.axes(); ++axis) {
        const double length = std::max(1.0, std::round(sizes[axis]));
        if (!world && length != sizes[axis]) {
            refuse(fmt::format("the size of kernel \"{}\" must be a whole number of voxels",
                               reading.name()));
        }
        term.axes[axis] = {AxisFilter::Kind::Box,
                           std::vector<double>(static_cast<std::size_t>(length), 1.0)};
        count *= length;
    }
    return {std::string(reading.text), {std::move(term)}, count};
}

Kernel sobel(const Reading& reading, std::string_view direction) {
    const std::size_t along = direction.size() == 1 ? kAxes.find(direction) : kAxes.npos;
    if (along == kAxes.npos) {
        refuse("kernel \"" + reading.name() +
               "\" needs an axis; write sobel:x, sobel:y or sobel:z");
    }
    reading.requireAxis(along);
    Term term;
    for (std::size_t axis = 0; axis < reading.axes(); ++axis) {
        term.axes[axis].taps =
            axis == along ? std::vector<double>{1, 0, -1} : std::vector<double>{1, 2, 1};
    }
    return {std::string(reading.text), {std::move(term)}, 1};
}

Named gaussianNamed(const std::string& derivative) {
    using Kind = KernelParameter::Kind;
    Named named{{"gaussian", "Gaussian", {{"Sigma", Kind::Length, 2}}},
                [derivative](const Reading& reading, std::string_view values) {
                    return derived(reading, derivative, values);
                }};
    if (!derivative.empty()) {
        named.form.name += "-" + derivative;
        named.form.title +=
            derivative.size() == 1 ? ", derivative along " : ", second derivative along ";
        named.form.title += derivative.substr(0, 1);
        if (derivative.size() == 2 && derivative[0] != derivative[1]) {
            named.form.title += " and " + derivative.substr(1);
        }
        named.form.axes = derivative.find('z') == std::string::npos ? 2 : 3;
    }
    return named;
}

std::vector<Named> makeTable() {
    using Kind = KernelParameter::Kind;
    std::vector<Named> table;
    for (const char* const derivative : {"", "x", "y", "z", "xx", "yy", "zz", "xy", "xz", "yz"}) {
        table.push_back(gaussianNamed(derivative));
    }
    table.push_back({{"log", "Laplacian of the Gaussian", {{"Sigma", Kind::Length, 2}}},
                     [](const Reading& reading, std::string_view values) {
                         return laplacian(reading, reading.sizes(values));
                     }});
    table.push_back({{"dog",
                      "Difference of two Gaussians",
                      {{"First sigma", Kind::Length, 2}, {"Second sigma", Kind::Length, 3.2}}},
                     difference});
    table.push_back({{"box", "Mean over a box", {{"Size", Kind::Count, 5}}}, box});
    table.push_back({{"sobel", "Sobel", {{"Along", Kind::Axis, 0}}}, sobel});
    return table;
}

/// The one table of kernels by name.
const std::vector<Named>& table() {
    static const std::vector<Named> kTable = makeTable();
    return kTable;
}

} // namespace

KernelValues kernelValues(std::string_view text, const Extents& scene,
                          const base::Geometry& geometry) {
    (void)kernelByName(text, scene, geometry); // refuses what is wrong
    const Reading reading{text, scene, geometry};
    const auto words = parts(text, ':');
    KernelValues read;
    while (table()[read.form].form.name != words.front()) {
        ++read.form;
    }
    const std::vector<KernelParameter>& parameters = table()[read.form].form.parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const std::string_view word = words[i + 1];
        if (parameters[i].kind == KernelParameter::Kind::Axis) {
            const auto axis = static_cast<double>(kAxes.find(word));
            read.values.push_back({axis, axis, axis});
            continue;
        }
        read.values.push_back(reading.sizes(word));
    }
    read.inLength = !reading.unit.empty();
    return read;
}

std::string_view kernelNames() {
    return "gaussian:S, gaussian-x:S (y, z, xx, xy ... alike), log:S, dog:S1:S2, box:N, sobel:x";
}

bool isKernelName(std::string_view text) {
    const std::string_view name = text.substr(0, text.find(':'));
    return std::all_of(name.begin(), name.end(), [](char letter) {
        return (letter >= 'a' && letter <= 'z') || letter == '-';
    });
}

const std::vector<KernelForm>& kernelForms() {
    static const std::vector<KernelForm> kForms = [] {
        std::vector<KernelForm> forms;
        for (const Named& named : table()) {
            forms.push_back(named.form);
        }
        return forms;
    }();
    return kForms;
}

bool hasLength(const base::Geometry& geometry) { return metresOf(geometry.unit).has_value(); }

Kernel kernelByName(std::string_view text, const Extents& scene, const base::Geometry& geometry) {
    const Reading reading{text, scene, geometry};
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    for (const Named& named : table()) {
        if (named.form.name == name) {
            return named.make(reading, colon == std::string_view::npos ? std::string_view()
                                                                       : text.substr(colon + 1));
        }
    }
    refuse("there is no kernel or file \"" + reading.name() + "\"; name a file or one of " +
           std::string(kernelNames()));
}

} // namespace flcc::filter
