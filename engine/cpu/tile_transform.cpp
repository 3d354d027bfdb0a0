#include "engine/cpu/tile_transform.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/cpu/fft_plan.h"
#include "engine/cpu/half_beam_transform.h"
#include "engine/cpu/methods.h"
#include "engine/cpu/tile_grid.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using base::Image;

template <class Real>
using PrecisionOf = std::conditional_t<std::is_same_v<Real, float>, Single, Double>;

template <class Real> class FftwTransform final : public TileTransform<Real> {
  public:
    FftwTransform(const Extents& points, const FftSearch& search)
        : TileTransform<Real>(points), m_plans(points, search), m_templatePlans(points, {}) {}

    [[nodiscard]] std::string_view planning() const override { return name(m_plans.effort()); }

    bool templateSpectrum(const base::View<const double>& templ, const ForItems& each, double* work,
                          Real* spectrum) const override {
        return each(1, [&](std::int64_t, int) {
            const Extents& points = this->points();
            Image<double> tile(points, 0.0);
            const Extents& m = templ.extents();
            for (std::int64_t z = 0; z < m.z; ++z) {
                for (std::int64_t y = 0; y < m.y; ++y) {
                    std::copy_n(templ.row(y, z), m.x, tile.view().row(y, z));
                }
            }
            m_templatePlans.forward(tile.data(), work);
            const double scale = 1.0 / static_cast<double>(base::voxelCount(points));
            for (std::int64_t i = 0; i < 2 * pairsOf(points); i += 2) {
                spectrum[i] = static_cast<Real>(work[i] * scale);
                spectrum[i + 1] = static_cast<Real>(work[i + 1] * -scale);
            }
        });
    }

    using TileTransform<Real>::correlate;
    std::optional<TileEnergies> correlate(const Sharers& sharers, const Real* templ,
                                          const Real* tile, Real* work, Real* to,
                                          const Extents& wanted) const override {
        TileEnergies energies;
        const bool done = sharers.each(1, [&](std::int64_t, int) {
            energies = {forward(tile, nullptr, work), inverse(templ, work, work, to, wanted)};
        });
        return done ? std::optional(energies) : std::nullopt;
    }

    method::shared::TileEnergy forward(const Real* tile, Real*, Real* pairs) const override {
        m_plans.forward(tile, pairs);
        return simd::lineEnergy(tile, this->points());
    }

    method::shared::TileEnergy inverse(const Real* spectrum, const Real* pairs, Real* product,
                                       Real* to, const Extents& /*wanted*/) const override {
        for (std::int64_t i = 0; i < 2 * pairsOf(this->points()); i += 2) {
            const Real re = pairs[i] * spectrum[i] - pairs[i + 1] * spectrum[i + 1];
            const Real im = pairs[i + 1] * spectrum[i] + pairs[i] * spectrum[i + 1];
            product[i] = re;
            product[i + 1] = im;
        }
        m_plans.inverse(product, to);
        return simd::lineEnergy(to, this->points());
    }

    void inverse(const Real* sum, Real* work, Real* to, const Extents& /*wanted*/) const override {
        std::copy_n(sum, 2 * pairsOf(this->points()), work);
        m_plans.inverse(work, to);
    }

    void addProduct(const Real* templ, const Real* spectrum, std::int64_t count,
                    Real* sum) const override {
        for (std::int64_t i = 0; i < count; i += 2) {
            sum[i] += spectrum[i] * templ[i] - spectrum[i + 1] * templ[i + 1];
            sum[i + 1] += spectrum[i + 1] * templ[i] + spectrum[i] * templ[i + 1];
        }
    }

  private:
    BoxPlans<PrecisionOf<Real>> m_plans;
    BoxPlans<Double> m_templatePlans;
};

} // namespace

template <class Real>
Image<Real> TileTransform<Real>::templateSpectrum(const base::View<const double>& templ,
                                                  const ForItems& each) const {
    Image<double> work({templateWorkValues(m_points, templ.extents()), 1, 1});
    Image<Real> spectrum({spectrumValues(m_points), 1, 1});
    return templateSpectrum(templ, each, work.data(), spectrum.data()) ? std::move(spectrum)
                                                                       : Image<Real>();
}

template <class Real>
std::int64_t TileTransform<Real>::templateWorkValues(const Extents& points, const Extents& m) {
    return hasHalfBeamTransform(points) ? halfBeamTemplateValues(points, m) : 2 * pairsOf(points);
}

template <class Real> std::int64_t TileTransform<Real>::spectrumValues(const Extents& points) {
    return hasHalfBeamTransform(points) ? halfBeamSpectrumValues(points) : 2 * pairsOf(points);
}

template <class Real>
std::int64_t TileTransform<Real>::writtenValues(const Extents& points, const Extents& wanted) {
    // Two slices at a time; of an odd number the last goes with the first of other columns.
    const bool pairs = hasHalfBeamTransform(points) && points.z % 2 == 0;
    return points.x * points.y * (pairs ? roundUp(wanted.z, 2) : points.z);
}

template <class Real> std::int64_t TileTransform<Real>::scratchBytes(const Extents& points) {
    constexpr std::int64_t kMost = std::int64_t{1} << 21;
    constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Real));
    return hasHalfBeamTransform(points) ? kBytes * halfBeamScratchValues(points)
                                        : std::min(kMost, kBytes * base::voxelCount(points));
}

namespace {

/// The transforms of the process: all that were made, the newest of a shape last. Kept on purpose
/// until it is gone: threads may still hold one at its end, and FFTW ends plans in one thread at a
/// time. **Threads**: any.
template <class Real> class MadeTransforms {
  public:
    using Transform = std::shared_ptr<const TileTransform<Real>>;

    [[nodiscard]] static MadeTransforms& all() {
        static auto& made = *new MadeTransforms;
        return made;
    }

    /// Null where there is none.
    [[nodiscard]] Transform of(const Extents& points) {
        const std::lock_guard lock(m_lock);
        const auto found = m_made.find({points.x, points.y, points.z});
        return found == m_made.end() ? nullptr : found->second.back();
    }
    Transform add(const Extents& points, Transform transform) {
        const std::lock_guard lock(m_lock);
        return m_made[{points.x, points.y, points.z}].emplace_back(std::move(transform));
    }

  private:
    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

    std::mutex m_lock;
    std::map<Key, std::vector<Transform>> m_made;
};

} // namespace

template <class Real>
std::shared_ptr<const TileTransform<Real>> TileTransform<Real>::of(const Extents& points) {
    auto& all = MadeTransforms<Real>::all();
    if (auto made = all.of(points)) {
        return made;
    }
    if (hasHalfBeamTransform(points)) {
        return all.add(points, halfBeamTransform<Real>(points));
    }
    const std::lock_guard lock(plannerLock());
    auto made = all.of(points); // by whoever had the lock
    return made ? made
                : all.add(points, std::make_shared<const FftwTransform<Real>>(points, FftSearch{}));
}

template <class Real>
void TileTransform<Real>::search(const Extents& points, const FftSearch& search) {
    if (hasHalfBeamTransform(points)) {
        return;
    }
    const std::lock_guard lock(plannerLock());
    const auto found = std::make_shared<const FftwTransform<Real>>(points, search);
    if (found->planning() != name(FftEffort::Estimate)) {
        MadeTransforms<Real>::all().add(points, found);
    }
}

void searchTransforms(const Extents& points, bool twofold, const std::stop_token& stop) {
    const FftSearch search{FftEffort::Patient, stop};
    twofold ? TileTransform<double>::search(points, search)
            : TileTransform<float>::search(points, search);
}

std::string_view planningOf(const Extents& points, bool twofold) {
    const auto of = [](const auto& transform) {
        return transform ? transform->planning() : name(FftEffort::Estimate);
    };
    if (hasHalfBeamTransform(points)) {
        return "own";
    }
    return twofold ? of(MadeTransforms<double>::all().of(points))
                   : of(MadeTransforms<float>::all().of(points));
}

double twofoldHalfNs(const Extents& points) {
    const double bytes = 24 * static_cast<double>(base::voxelCount(points));
    if (hasHalfBeamTransform(points)) {
        constexpr double kOwnCaches = 0x1p21;
        return 1.5 + 0.75 * std::clamp(std::log2(bytes / kOwnCaches), 0.0, 7.0);
    }
    constexpr double kNs = 9;
    constexpr double kShared = 0x1p26;
    return kNs * (1 + 2 * std::clamp(std::log2(bytes / kShared) / 1.3, 0.0, 1.0));
}

template class TileTransform<float>;
template class TileTransform<double>;

} // namespace flcc::cpu
