#include "engine/prepare/response.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace flcc::prepare {

namespace {

constexpr double kRadians = std::numbers::pi / 180;

/// From 1 at q <= 3/4 to 0 at q >= 5/4.
double edge(double q) {
    return q <= 0.75 ? 1 : q >= 1.25 ? 0 : (1 + std::cos(2 * std::numbers::pi * (q - 0.75))) / 2;
}

double lengthOf(const base::Point& g) { return std::hypot(g[0], g[1], g[2]); }

} // namespace

double bandPass(const Band& band, double frequency) {
    const double q = frequency * band.low;
    const double p = frequency * band.high;
    return (band.low > 0 ? edge(q) : 1) * (band.high > 0 ? edge(2 - p) : 1);
}

double Spectrum::whitening(double frequency) const {
    constexpr double kMost = 1000;
    const double last = static_cast<double>(amplitudes.size()) - 1;
    const double place = std::clamp(frequency / step, 0.0, last);
    const auto below = static_cast<std::size_t>(place);
    const double share = place - static_cast<double>(below);
    const double above = share > 0 ? share * amplitudes[below + 1] : 0;
    const double amplitude = (1 - share) * amplitudes[below] + above;
    return amplitude * kMost > largest ? largest / amplitude : kMost;
}

Response::Plane Response::planeOf(double angle) {
    return {std::sin(angle * kRadians), std::cos(angle * kRadians)};
}

double Response::Plane::from(const base::Point& g) const {
    return std::abs(g[2] * cosine - g[0] * sine);
}

Response::Response(Recipe recipe) : m_recipe(std::move(recipe)) {
    for (const Tilt& tilt : m_recipe.tilts) {
        m_planes.push_back(planeOf(tilt.angle));
    }
    if (m_planes.empty() && m_recipe.range) {
        m_planes = {planeOf(-m_recipe.range->from), planeOf(m_recipe.range->to)};
    }
}

/// How far (x, z) lies from the nearest line of the range.
double Response::fromRange(const base::Point& g) const {
    const TiltRange& range = *m_recipe.range;
    const double way = g[0] < 0 ? -1 : 1;
    const double angle = std::atan2(way * g[2], way * g[0]) / kRadians; // -90 to 90
    const bool inside = (angle >= -range.from && angle <= range.to) ||
                        (std::abs(angle) == 90 && std::max(range.from, range.to) == 90);
    return inside ? 0 : std::min(m_planes[0].from(g), m_planes[1].from(g));
}

double Response::transfer(const Lens& lens, double angstroms) const {
    const double value = contrastTransfer(lens, angstroms);
    return m_recipe.flipped ? std::abs(value) : value;
}

double Response::measured(const base::Point& g) const {
    const Recipe& has = m_recipe;
    const double frequency = has.angstroms > 0 ? lengthOf(g) / has.angstroms : 0; // 1 / angstrom
    if (has.tilts.empty()) {
        const double wedge = has.range ? std::max(0.0, 1 - fromRange(g) * has.thickness) : 1;
        return wedge > 0 && has.lens ? wedge * transfer(*has.lens, frequency) : wedge;
    }
    double all = 0;
    double known = 0;
    for (std::size_t i = 0; i < has.tilts.size(); ++i) {
        const Tilt& tilt = has.tilts[i];
        const double near = 1 - m_planes[i].from(g) * has.thickness;
        if (near <= 0) {
            continue;
        }
        known += near;
        double value = near * m_planes[i].cosine;
        if (has.angstroms > 0) {
            value *=
                doseWeight(tilt.dose.value_or(0), frequency, has.lens.value_or(Lens()).voltage);
        }
        if (has.lens) {
            Lens lens = *has.lens;
            lens.defocus = tilt.defocus.value_or(lens.defocus);
            lens.phaseShift = tilt.phaseShift.value_or(lens.phaseShift);
            value *= transfer(lens, frequency);
        }
        all += value;
    }
    return all / std::max(1.0, known);
}

double Response::at(const base::Point& frequency) const {
    const double length = lengthOf(frequency);
    double value = m_recipe.band ? bandPass(*m_recipe.band, length) : 1;
    if (value != 0) {
        value *= measured(frequency);
    }
    return value != 0 && m_recipe.spectrum ? value * m_recipe.spectrum->whitening(length) : value;
}

Response ofScene(const Response& response) {
    Recipe recipe;
    recipe.band = response.recipe().band;
    recipe.spectrum = response.recipe().spectrum;
    return Response(std::move(recipe));
}

} // namespace flcc::prepare
