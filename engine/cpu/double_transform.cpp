#include "engine/cpu/double_transform.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "engine/base/error.h"
#include "engine/cpu/fft_plan.h"
#include "engine/cpu/half_beam_transform.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using base::Image;

/// (re, im) pairs of FFTW's half spectrum.
std::int64_t pairsOf(const Extents& points) { return (points.x / 2 + 1) * points.y * points.z; }

fftw_complex* complex(double* pairs) { return reinterpret_cast<fftw_complex*>(pairs); }

class FftwDoubleTransform final : public DoubleTransform {
  public:
    explicit FftwDoubleTransform(const Extents& points) : DoubleTransform(points) {
        Image<double> tile(points);
        Image<double> pairs({2 * pairsOf(points), 1, 1});
        const std::array<int, 3> lengths{static_cast<int>(points.z), static_cast<int>(points.y),
                                         static_cast<int>(points.x)};
        m_forward = fftw_plan_dft_r2c(3, lengths.data(), tile.data(), complex(pairs.data()),
                                      FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
        m_inverse =
            fftw_plan_dft_c2r(3, lengths.data(), complex(pairs.data()), tile.data(), FFTW_ESTIMATE);
        if (m_forward == nullptr || m_inverse == nullptr) {
            throw base::Error(base::ErrorCode::Internal,
                              "FFTW has no plan for tile " + base::toString(points));
        }
    }
    FftwDoubleTransform(const FftwDoubleTransform&) = delete;
    FftwDoubleTransform& operator=(const FftwDoubleTransform&) = delete;
    ~FftwDoubleTransform() override {
        fftw_destroy_plan(m_forward);
        fftw_destroy_plan(m_inverse);
    }

    void templateSpectrum(const Image<double>& templ, double* tile, double* pairs) const override {
        const std::int64_t count = base::voxelCount(points());
        std::fill_n(tile, count, 0.0);
        const base::View<double> to(tile, points());
        const Extents& m = templ.extents();
        for (std::int64_t z = 0; z < m.z; ++z) {
            for (std::int64_t y = 0; y < m.y; ++y) {
                std::copy_n(templ.view().row(y, z), m.x, to.row(y, z));
            }
        }
        fftw_execute_dft_r2c(m_forward, tile, complex(pairs));
        const double scale = 1.0 / static_cast<double>(count);
        for (std::int64_t i = 0; i < 2 * pairsOf(points()); i += 2) {
            pairs[i] *= scale;
            pairs[i + 1] *= -scale;
        }
    }

    void correlate(const double* templ, const double* tile, double* work,
                   double* to) const override {
        forward(tile, nullptr, work);
        inverse(templ, work, work, to);
    }

    void forward(const double* tile, double*, double* pairs) const override {
        // FFTW keeps the input of this transform.
        fftw_execute_dft_r2c(m_forward, const_cast<double*>(tile), complex(pairs));
    }

    void inverse(const double* spectrum, const double* pairs, double* product,
                 double* to) const override {
        for (std::int64_t i = 0; i < 2 * pairsOf(points()); i += 2) {
            const double re = pairs[i] * spectrum[i] - pairs[i + 1] * spectrum[i + 1];
            const double im = pairs[i + 1] * spectrum[i] + pairs[i] * spectrum[i + 1];
            product[i] = re;
            product[i + 1] = im;
        }
        fftw_execute_dft_c2r(m_inverse, complex(product), to);
    }

  private:
    fftw_plan m_forward = nullptr;
    fftw_plan m_inverse = nullptr;
};

} // namespace

Image<double> DoubleTransform::templateSpectrum(const Image<double>& templ) const {
    Image<double> work({spectrumValues(m_points), 1, 1});
    Image<double> spectrum({spectrumValues(m_points), 1, 1});
    templateSpectrum(templ, work.data(), spectrum.data());
    return spectrum;
}

std::int64_t DoubleTransform::spectrumValues(const Extents& points) {
    return hasHalfBeamTransform(points) ? halfBeamSpectrumValues(points) : 2 * pairsOf(points);
}

std::int64_t DoubleTransform::scratchBytes(const Extents& points) {
    constexpr std::int64_t kMost = std::int64_t{1} << 21;
    return hasHalfBeamTransform(points) ? 8 * halfBeamScratchValues(points)
                                        : std::min(kMost, 8 * base::voxelCount(points));
}

double DoubleTransform::halfNs(const Extents& points) {
    const double bytes = 24 * static_cast<double>(base::voxelCount(points));
    if (hasHalfBeamTransform(points)) {
        constexpr double kOwnCaches = 0x1p21;
        return 1.5 + 0.75 * std::clamp(std::log2(bytes / kOwnCaches), 0.0, 7.0);
    }
    constexpr double kNs = 9;
    constexpr double kShared = 0x1p26;
    return kNs * (1 + 2 * std::clamp(std::log2(bytes / kShared) / 1.3, 0.0, 1.0));
}

std::shared_ptr<const DoubleTransform> DoubleTransform::of(const Extents& points) {
    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
    // Kept on purpose until the process is gone: threads may still hold a transform at its end.
    static auto& transforms = *new std::map<Key, std::shared_ptr<const DoubleTransform>>;
    const std::lock_guard lock(plannerLock());
    auto& transform = transforms[{points.x, points.y, points.z}];
    if (!transform) {
        transform = hasHalfBeamTransform(points)
                        ? std::shared_ptr<const DoubleTransform>(halfBeamTransform(points))
                        : std::make_shared<const FftwDoubleTransform>(points);
    }
    return transform;
}

} // namespace flcc::cpu
