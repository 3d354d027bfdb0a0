#include "engine/selftest/detail/tolerance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "engine/method/shared/direct_block.h"
#include "engine/plan/planner.h"
#include "engine/reference/panel.h"

namespace flcc::selftest {

namespace {

constexpr double kSingle = 0x1p-24;
constexpr double kDouble = 0x1p-53;

template <class T> bool isFinite(T voxel) {
    if constexpr (std::is_floating_point_v<T>) {
        return std::isfinite(voxel);
    } else {
        return true;
    }
}

template <class Visit> void forFinite(const base::AnyView& view, Visit&& visit) {
    std::visit(
        [&](const auto& pixels) {
            reference::forEachVoxel(pixels, [&](auto voxel) {
                if (isFinite(voxel)) {
                    visit(static_cast<long double>(voxel)); // exact for every type
                }
            });
        },
        view);
}

} // namespace

Tolerance::Tolerance(const method::Problem& problem, const method::Candidate& candidate,
                     const method::MaskedView& scene)
    : m_problem(problem), m_candidate(candidate), m_scene(scene) {
    std::visit(
        [this](const auto& pixels) {
            using T = std::remove_const_t<std::remove_pointer_t<decltype(pixels.data())>>;
            T low = std::numeric_limits<T>::max();
            T high = std::numeric_limits<T>::lowest();
            reference::forEachVoxel(pixels, [&](T voxel) {
                if (isFinite(voxel)) {
                    low = std::min(low, voxel);
                    high = std::max(high, voxel);
                }
            });
            m_low = low <= high ? static_cast<long double>(low) : 0;
            m_high = low <= high ? static_cast<long double>(high) : 0;
        },
        scene.pixels);
}

double Tolerance::direct(const base::Extents& templ, double k) {
    const auto chain =
        static_cast<double>(templ.x + templ.y + (base::isFlat2D(templ) ? 0 : templ.z));
    return kSingle * ((2 + chain / 2) * k + chain / 2 + 4);
}

double Tolerance::fourier(double points, double rhoOverRoot, double k) {
    return kSingle * (8 * std::sqrt(std::log2(points)) * rhoOverRoot + 64 + k + 4);
}

double Tolerance::fourierGuarantee(double points, double tileOverRoot) {
    return kSingle * (2 * std::sqrt(std::log2(points)) * tileOverRoot + 4);
}

double Tolerance::at(const base::Index& index, bool lowConf) const {
    const base::Extents& templ = m_problem.templ;
    const base::Index first = method::firstPlacement(m_problem);
    const base::Index corner{first.x + index.x, first.y + index.y, first.z + index.z};
    const double promise = lowConf ? 2.0 : m_problem.promise;
    if (m_problem.mask || m_problem.sceneMask ||
        m_problem.statistics == method::WindowStatistics::Fourier ||
        !base::contains(m_problem.scene, {corner, templ})) {
        return promise; // the run reports a much smaller bound, which is checked elsewhere
    }
    const base::AnyView panel = base::partOf(m_scene.pixels, {corner, templ});
    const auto count = static_cast<long double>(base::voxelCount(templ));
    long double sum = 0;
    forFinite(panel, [&](long double value) { sum += value - m_low; });
    const long double mean = m_low + sum / count;
    long double variance = 0;
    forFinite(panel, [&](long double value) { variance += (value - mean) * (value - mean); });
    const long double root = std::sqrt(variance);
    const long double farthest = std::max(mean - m_low, m_high - mean);
    const auto k = static_cast<double>(std::sqrt(variance + count * farthest * farthest) / root);
    const auto chain = static_cast<double>(templ.y + templ.z);
    const double sums = (8 + chain / 2) * kDouble * k * k;

    const method::Traits traits = plan::traitsOf(m_candidate);
    if (traits.byDefinition && !m_candidate.onProcessor()) {
        const auto steps = static_cast<double>(method::shared::blockChain(templ));
        const auto adds = static_cast<double>(method::shared::sumChain(templ));
        return std::min(promise, kSingle * ((3 + steps / 2) * k + steps / 2 + 5) +
                                     (8 + adds / 2) * kDouble * k * k);
    }
    if (traits.byDefinition && !traits.axisByAxis) {
        return std::min(promise, direct(templ, k) + sums);
    }
    if (!traits.cutsTemplate && !traits.axisByAxis) {
        const double points = static_cast<double>(base::voxelCount(m_candidate.tile));
        const long double range = m_high - m_low;
        // A value of the output is the product of a part of the tile with a template of norm 1.
        const auto rho = static_cast<double>(range * (1 + std::sqrt(count)) / root);
        const auto tile = static_cast<double>(range * std::sqrt(points) / root);
        return std::min({promise, fourier(points, rho, k) + sums,
                         fourierGuarantee(points, tile) + kSingle * k + sums});
    }
    return promise;
}

} // namespace flcc::selftest
