#pragma once

#include <fftw3.h>

#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include "engine/base/extents.h"

/// FFTW's plans, how hard they were searched for, and what is remembered of it.
namespace flcc::cpu {

/// How hard FFTW searched for a plan, least first.
enum class FftEffort { Estimate, Measure, Patient };

/// "estimate", "measure", "patient".
[[nodiscard]] std::string_view name(FftEffort effort);

/// FFTW makes and destroys plans in one thread at a time; execution needs no lock.
[[nodiscard]] std::mutex& plannerLock();

/// What a new plan may cost. Plans that wisdom holds cost nothing and are always taken; without
/// wisdom FFTW_ESTIMATE is used unless `effort` asks for a search.
struct FftSearch {
    FftEffort effort = FftEffort::Estimate;
    std::stop_token stop;

    /// Seconds that plans of one effort may take; 0 when no search is wanted any more. Never more
    /// than two, or one without patience, so that a stop is answered.
    [[nodiscard]] double seconds() const;
};

/// FFTW's calls for one precision.
struct Single {
    using Value = float;
    using Handle = fftwf_plan;
    static fftwf_complex* complex(float* data) { return reinterpret_cast<fftwf_complex*>(data); }
    static constexpr auto kDestroy = &fftwf_destroy_plan;
    static constexpr auto kTimeLimit = &fftwf_set_timelimit;
    static constexpr auto kPlanForward = &fftwf_plan_dft_r2c;
    static constexpr auto kPlanInverse = &fftwf_plan_dft_c2r;
    static constexpr auto kExecuteForward = &fftwf_execute_dft_r2c;
    static constexpr auto kExecuteInverse = &fftwf_execute_dft_c2r;
};
struct Double {
    using Value = double;
    using Handle = fftw_plan;
    static fftw_complex* complex(double* data) { return reinterpret_cast<fftw_complex*>(data); }
    static constexpr auto kDestroy = &fftw_destroy_plan;
    static constexpr auto kTimeLimit = &fftw_set_timelimit;
    static constexpr auto kPlanForward = &fftw_plan_dft_r2c;
    static constexpr auto kPlanInverse = &fftw_plan_dft_c2r;
    static constexpr auto kExecuteForward = &fftw_execute_dft_r2c;
    static constexpr auto kExecuteInverse = &fftw_execute_dft_c2r;
};

/// (re, im) pairs of the half spectrum of a real box.
[[nodiscard]] inline std::int64_t pairsOf(const base::Extents& points) {
    return (points.x / 2 + 1) * points.y * points.z;
}

/// FFTW's plans of a real box and of its half spectrum.
/// **Threads**: made under plannerLock(); executed by any.
template <class Precision> class BoxPlans {
  public:
    using Value = typename Precision::Value;

    /// **Errors**: Internal for a box that FFTW cannot plan.
    BoxPlans(const base::Extents& points, const FftSearch& search);
    BoxPlans(const BoxPlans&) = delete;
    BoxPlans& operator=(const BoxPlans&) = delete;
    ~BoxPlans() { release(); }

    void forward(const Value* tile, Value* pairs) const {
        // FFTW keeps the input of this transform.
        Precision::kExecuteForward(m_forward, const_cast<Value*>(tile), Precision::complex(pairs));
    }
    /// Overwrites `pairs`.
    void inverse(Value* pairs, Value* tile) const {
        Precision::kExecuteInverse(m_inverse, Precision::complex(pairs), tile);
    }

    /// The lesser one of the efforts behind both.
    [[nodiscard]] FftEffort effort() const { return m_effort; }

  private:
    void release();

    typename Precision::Handle m_forward = nullptr;
    typename Precision::Handle m_inverse = nullptr;
    FftEffort m_effort = FftEffort::Estimate;
};

/// All that FFTW has learnt in this process, as it writes it: one text a precision.
struct FftWisdom {
    std::string single;
    std::string inDouble;
};
[[nodiscard]] FftWisdom exportWisdom();

/// Adds wisdom to what this process knows. FFTW ends the process on some damaged texts, so hand it
/// only what exportWisdom() of the same FFTW gave and a checksum has vouched for. Returns false
/// when FFTW does not know the text.
bool importWisdom(const FftWisdom& wisdom);

/// Forgets all wisdom.
void forgetWisdom();

} // namespace flcc::cpu
