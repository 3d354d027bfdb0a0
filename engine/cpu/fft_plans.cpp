#include "engine/cpu/fft_plans.h"

#include <fftw3.h>

#include <array>
#include <map>
#include <mutex>
#include <tuple>

#include "engine/base/error.h"
#include "engine/base/image.h"

namespace flcc::cpu {

namespace {

using base::Extents;

/// FFTW makes and destroys plans in one thread at a time; execution needs no lock.
std::mutex& plannerLock() {
    static std::mutex lock;
    return lock;
}

/// FFTW's order of lengths: slowest first, without the leading ones of length 1.
struct Lengths {
    std::array<int, 3> values;
    int rank;

    explicit Lengths(const Extents& n)
        : values{static_cast<int>(n.z), static_cast<int>(n.y), static_cast<int>(n.x)},
          rank(n.z > 1 ? 3 : (n.y > 1 ? 2 : 1)) {}
    [[nodiscard]] const int* data() const { return values.data() + (3 - rank); }
};

[[noreturn]] void failPlan(const Extents& extents) {
    throw base::Error(base::ErrorCode::Internal,
                      "FFTW has no plan for a tile of " + base::toString(extents));
}

class SinglePair final : public TransformPair {
  public:
    explicit SinglePair(const Extents& extents) {
        const Lengths lengths(extents);
        base::Image<float> real(extents);
        base::Image<float> spectrum({2 * spectrumCount(extents), 1, 1});
        auto* const complex = reinterpret_cast<fftwf_complex*>(spectrum.data());
        m_forward =
            fftwf_plan_dft_r2c(lengths.rank, lengths.data(), real.data(), complex, FFTW_ESTIMATE);
        m_inverse = fftwf_plan_dft_c2r(lengths.rank, lengths.data(), complex, real.data(),
                                       FFTW_ESTIMATE | FFTW_DESTROY_INPUT);
        if (m_forward == nullptr || m_inverse == nullptr) {
            destroy();
            failPlan(extents);
        }
    }
    ~SinglePair() override { destroy(); }
    SinglePair(const SinglePair&) = delete;
    SinglePair& operator=(const SinglePair&) = delete;

    void forward(float* real, float* spectrum) const override {
        fftwf_execute_dft_r2c(m_forward, real, reinterpret_cast<fftwf_complex*>(spectrum));
    }
    void inverse(float* spectrum, float* real) const override {
        fftwf_execute_dft_c2r(m_inverse, reinterpret_cast<fftwf_complex*>(spectrum), real);
    }

  private:
    void destroy() {
        fftwf_destroy_plan(m_forward);
        fftwf_destroy_plan(m_inverse);
    }

    fftwf_plan m_forward = nullptr;
    fftwf_plan m_inverse = nullptr;
};

class DoubleForward final : public DoubleTransform {
  public:
    explicit DoubleForward(const Extents& extents) {
        const Lengths lengths(extents);
        base::Image<double> real(extents);
        base::Image<double> spectrum({2 * spectrumCount(extents), 1, 1});
        m_plan = fftw_plan_dft_r2c(lengths.rank, lengths.data(), real.data(),
                                   reinterpret_cast<fftw_complex*>(spectrum.data()), FFTW_ESTIMATE);
        if (m_plan == nullptr) {
            failPlan(extents);
        }
    }
    ~DoubleForward() override { fftw_destroy_plan(m_plan); }
    DoubleForward(const DoubleForward&) = delete;
    DoubleForward& operator=(const DoubleForward&) = delete;

    void forward(double* real, double* spectrum) const override {
        fftw_execute_dft_r2c(m_plan, real, reinterpret_cast<fftw_complex*>(spectrum));
    }

  private:
    fftw_plan m_plan = nullptr;
};

/// One plan a shape. Leaves on purpose with the process: plans outlive the threads that use them.
template <class Made, class Interface>
std::shared_ptr<const Interface> cached(const Extents& extents) {
    static auto& plans = *new std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>,
                                       std::shared_ptr<const Interface>>; // NOLINT: see above
    const std::lock_guard lock(plannerLock());
    auto& plan = plans[{extents.x, extents.y, extents.z}];
    if (!plan) {
        plan = std::make_shared<const Made>(extents);
    }
    return plan;
}

} // namespace

std::shared_ptr<const TransformPair> transformPair(const Extents& extents) {
    return cached<SinglePair, TransformPair>(extents);
}

std::shared_ptr<const DoubleTransform> doubleTransform(const Extents& extents) {
    return cached<DoubleForward, DoubleTransform>(extents);
}

std::int64_t nextSmooth(std::int64_t length, bool even) {
    const auto smooth = [](std::int64_t n) {
        for (const std::int64_t prime : {2, 3, 5, 7}) {
            while (n % prime == 0) {
                n /= prime;
            }
        }
        return n == 1;
    };
    std::int64_t candidate = length < 1 ? 1 : length;
    while (!smooth(candidate) || (even && candidate % 2 != 0)) {
        ++candidate;
    }
    return candidate;
}

} // namespace flcc::cpu
