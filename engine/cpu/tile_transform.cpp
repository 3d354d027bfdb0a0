#include "engine/cpu/tile_transform.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "engine/base/error.h"
#include "engine/cpu/fft_plan.h"
#include "engine/cpu/half_beam_transform.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using base::Image;

/// (re, im) pairs of FFTW's half spectrum.
std::int64_t pairsOf(const Extents& points) { return (points.x / 2 + 1) * points.y * points.z; }

template <class Real>
using PrecisionOf = std::conditional_t<std::is_same_v<Real, float>, Single, Double>;

/// FFTW's plans of a real box and of its half spectrum.
template <class Precision> class BoxPlans {
  public:
    using Value = typename Precision::Value;

    explicit BoxPlans(const Extents& points) {
        Image<Value> tile(points);
        Image<Value> pairs({2 * pairsOf(points), 1, 1});
        const std::array<int, 3> lengths{static_cast<int>(points.z), static_cast<int>(points.y),
                                         static_cast<int>(points.x)};
        m_forward = Precision::kPlanBoxForward(3, lengths.data(), tile.data(),
                                               Precision::complex(pairs.data()),
                                               FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
        m_inverse = Precision::kPlanBoxInverse(3, lengths.data(), Precision::complex(pairs.data()),
                                               tile.data(), FFTW_ESTIMATE);
        if (m_forward == nullptr || m_inverse == nullptr) {
            throw base::Error(base::ErrorCode::Internal,
                              "FFTW has no plan for tile " + base::toString(points));
        }
    }
    BoxPlans(const BoxPlans&) = delete;
    BoxPlans& operator=(const BoxPlans&) = delete;
    ~BoxPlans() {
        Precision::kDestroy(m_forward);
        Precision::kDestroy(m_inverse);
    }

    void forward(const Value* tile, Value* pairs) const {
        // FFTW keeps the input of this transform.
        Precision::kExecuteForward(m_forward, const_cast<Value*>(tile), Precision::complex(pairs));
    }
    /// Overwrites `pairs`.
    void inverse(Value* pairs, Value* tile) const {
        Precision::kExecuteInverse(m_inverse, Precision::complex(pairs), tile);
    }

  private:
    typename Precision::Handle m_forward = nullptr;
    typename Precision::Handle m_inverse = nullptr;
};

template <class Real> class FftwTransform final : public TileTransform<Real> {
  public:
    explicit FftwTransform(const Extents& points)
        : TileTransform<Real>(points), m_plans(points), m_templatePlans(points) {}

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

    simd::LineEnergy forward(const Real* tile, Real*, Real* pairs) const override {
        m_plans.forward(tile, pairs);
        return simd::lineEnergy(tile, this->points());
    }

    simd::LineEnergy inverse(const Real* spectrum, const Real* pairs, Real* product, Real* to,
                             const Extents& /*wanted*/) const override {
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

template <class Real> std::int64_t TileTransform<Real>::scratchBytes(const Extents& points) {
    constexpr std::int64_t kMost = std::int64_t{1} << 21;
    constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Real));
    return hasHalfBeamTransform(points) ? kBytes * halfBeamScratchValues(points)
                                        : std::min(kMost, kBytes * base::voxelCount(points));
}

template <class Real>
std::shared_ptr<const TileTransform<Real>> TileTransform<Real>::of(const Extents& points) {
    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
    // Kept on purpose until the process is gone: threads may still hold a transform at its end.
    static auto& transforms = *new std::map<Key, std::shared_ptr<const TileTransform>>;
    const std::lock_guard lock(plannerLock());
    auto& transform = transforms[{points.x, points.y, points.z}];
    if (!transform) {
        transform = hasHalfBeamTransform(points)
                        ? std::shared_ptr<const TileTransform>(halfBeamTransform<Real>(points))
                        : std::make_shared<const FftwTransform<Real>>(points);
    }
    return transform;
}

std::string_view planningOf(const Extents& points) {
    return hasHalfBeamTransform(points) ? "own" : name(FftEffort::Estimate);
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
