#include "engine/cpu/double_transform.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "engine/base/error.h"
#include "engine/cpu/fft_plan.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using base::Image;

fftw_complex* complex(double* pairs) { return reinterpret_cast<fftw_complex*>(pairs); }

class FftwDoubleTransform final : public DoubleTransform {
  public:
    explicit FftwDoubleTransform(const Extents& points) : m_points(points) {
        Image<double> tile(points);
        Image<double> pairs({2 * spectrumPairs(points), 1, 1});
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

    [[nodiscard]] Image<double> templateSpectrum(const Image<double>& templ) const override {
        Image<double> tile(m_points, 0.0);
        const Extents& m = templ.extents();
        for (std::int64_t z = 0; z < m.z; ++z) {
            for (std::int64_t y = 0; y < m.y; ++y) {
                std::copy_n(templ.view().row(y, z), m.x, tile.view().row(y, z));
            }
        }
        Image<double> spectrum({2 * spectrumPairs(m_points), 1, 1});
        fftw_execute_dft_r2c(m_forward, tile.data(), complex(spectrum.data()));
        const double scale = 1.0 / static_cast<double>(base::voxelCount(m_points));
        double* const pairs = spectrum.data();
        for (std::int64_t i = 0; i < spectrum.count(); i += 2) {
            pairs[i] *= scale;
            pairs[i + 1] *= -scale;
        }
        return spectrum;
    }

    void forward(const double* tile, double* pairs) const override {
        // FFTW keeps the input of this transform.
        fftw_execute_dft_r2c(m_forward, const_cast<double*>(tile), complex(pairs));
    }

    void inverse(const Image<double>& spectrum, const double* pairs, double* product,
                 double* to) const override {
        const double* const templ = spectrum.data();
        for (std::int64_t i = 0; i < spectrum.count(); i += 2) {
            const double re = pairs[i] * templ[i] - pairs[i + 1] * templ[i + 1];
            const double im = pairs[i + 1] * templ[i] + pairs[i] * templ[i + 1];
            product[i] = re;
            product[i + 1] = im;
        }
        fftw_execute_dft_c2r(m_inverse, complex(product), to);
    }

  private:
    Extents m_points;
    fftw_plan m_forward = nullptr;
    fftw_plan m_inverse = nullptr;
};

} // namespace

std::shared_ptr<const DoubleTransform> DoubleTransform::of(const Extents& points) {
    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
    // Kept on purpose until the process is gone: threads may still hold a transform at its end.
    static auto& transforms = *new std::map<Key, std::shared_ptr<const DoubleTransform>>;
    const std::lock_guard lock(plannerLock());
    auto& transform = transforms[{points.x, points.y, points.z}];
    if (!transform) {
        transform = std::make_shared<const FftwDoubleTransform>(points);
    }
    return transform;
}

} // namespace flcc::cpu
