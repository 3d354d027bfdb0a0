#pragma once

#include <fftw3.h>

#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include "engine/base/extents.h"

/// Plans of FFTW, how hard they were searched for, and FFTW's wisdom.
namespace flcc::cpu {

/// How hard FFTW searched for a plan, least first.
enum class FftEffort { Estimate, Measure, Patient };

/// "estimate", "measure", "patient".
[[nodiscard]] std::string_view name(FftEffort effort);

/// Held while a plan is made or destroyed: FFTW allows that in one thread at a time. Executing a
/// plan needs no lock.
[[nodiscard]] std::mutex& plannerLock();

/// How long the search for a new plan may take. Plans that wisdom holds cost nothing and are always
/// taken. Without wisdom the plan is an estimate (FFTW_ESTIMATE), unless `effort` asks for a
/// search.
struct FftSearch {
    FftEffort effort = FftEffort::Estimate;
    std::stop_token stop;

    /// Seconds that the search for one effort may take; 0 if no search is wanted any more. At most
    /// 2 s for Patient and 1 s for Measure, so that a stop is answered in time.
    [[nodiscard]] double seconds() const;
};

/// FFTW's functions in one precision.
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

/// Number of (re, im) pairs in the half spectrum of a real box.
[[nodiscard]] inline std::int64_t pairsOf(const base::Extents& points) {
    return (points.x / 2 + 1) * points.y * points.z;
}

/// FFTW's plans for the transform of a real box to its half spectrum and back.
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
        // The plan preserves its input (FFTW_PRESERVE_INPUT), so the cast is safe.
        Precision::kExecuteForward(m_forward, const_cast<Value*>(tile), Precision::complex(pairs));
    }
    /// Overwrites `pairs`.
    void inverse(Value* pairs, Value* tile) const {
        Precision::kExecuteInverse(m_inverse, Precision::complex(pairs), tile);
    }

    /// The lower of the efforts behind the two plans.
    [[nodiscard]] FftEffort effort() const { return m_effort; }

  private:
    void release();

    typename Precision::Handle m_forward = nullptr;
    typename Precision::Handle m_inverse = nullptr;
    FftEffort m_effort = FftEffort::Estimate;
};

/// FFTW's wisdom of this process in FFTW's own text form, one text for each precision.
struct FftWisdom {
    std::string single;
    std::string inDouble;
};
[[nodiscard]] FftWisdom exportWisdom();

/// Adds wisdom to that of this process; false if FFTW does not understand the text. Some damaged
/// texts make FFTW end the process: pass only texts that exportWisdom() of the same FFTW made and
/// that a checksum has verified.
bool importWisdom(const FftWisdom& wisdom);

/// Forgets all wisdom.
void forgetWisdom();

} // namespace flcc::cpu
