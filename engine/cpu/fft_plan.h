#pragma once

#include <fftw3.h>

#include <chrono>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/error.h"

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
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
    std::stop_token stop;

    /// Seconds the next plan may take; 0 when no search is wanted any more. Never more than two, or
    /// one without patience, so that a stop is answered.
    [[nodiscard]] double secondsLeft() const;
};

/// FFTW's calls for one precision.
struct Single {
    using Value = float;
    using Handle = fftwf_plan;
    static fftwf_complex* complex(float* data) { return reinterpret_cast<fftwf_complex*>(data); }
    static constexpr auto kMany = &fftwf_plan_many_dft;
    static constexpr auto kExecute = &fftwf_execute_dft;
    static constexpr auto kDestroy = &fftwf_destroy_plan;
    static constexpr auto kTimeLimit = &fftwf_set_timelimit;
    static constexpr auto kPlanForward = &fftwf_plan_dft_r2c_1d;
    static constexpr auto kPlanInverse = &fftwf_plan_dft_c2r_1d;
    static constexpr auto kPlanBoxForward = &fftwf_plan_dft_r2c;
    static constexpr auto kPlanBoxInverse = &fftwf_plan_dft_c2r;
    static constexpr auto kExecuteForward = &fftwf_execute_dft_r2c;
    static constexpr auto kExecuteInverse = &fftwf_execute_dft_c2r;
};
struct Double {
    using Value = double;
    using Handle = fftw_plan;
    static fftw_complex* complex(double* data) { return reinterpret_cast<fftw_complex*>(data); }
    static constexpr auto kMany = &fftw_plan_many_dft;
    static constexpr auto kExecute = &fftw_execute_dft;
    static constexpr auto kDestroy = &fftw_destroy_plan;
    static constexpr auto kTimeLimit = &fftw_set_timelimit;
    static constexpr auto kPlanForward = &fftw_plan_dft_r2c_1d;
    static constexpr auto kPlanInverse = &fftw_plan_dft_c2r_1d;
    static constexpr auto kPlanBoxForward = &fftw_plan_dft_r2c;
    static constexpr auto kPlanBoxInverse = &fftw_plan_dft_c2r;
    static constexpr auto kExecuteForward = &fftw_execute_dft_r2c;
    static constexpr auto kExecuteInverse = &fftw_execute_dft_c2r;
};

/// Where the values of many 1D transforms lie.
struct Layout {
    int stride;   ///< between values of one transform
    int distance; ///< between transforms
};

/// One FFTW plan of many 1D transforms. A search overwrites `in` and `out`.
/// **Threads**: made under plannerLock(); executed by any.
template <class Precision> class Plan {
  public:
    using Value = typename Precision::Value;

    Plan() = default;
    Plan(int length, int howMany, Value* in, Layout from, Value* out, Layout to, int sign,
         const FftSearch& search) {
        const auto make = [&](unsigned flags) {
            m_plan = Precision::kMany(1, &length, howMany, Precision::complex(in), nullptr,
                                      from.stride, from.distance, Precision::complex(out), nullptr,
                                      to.stride, to.distance, sign, flags);
            return m_plan != nullptr;
        };
        const auto known = [&] {
            for (const FftEffort effort : {FftEffort::Patient, FftEffort::Measure}) {
                if (make(flag(effort) | FFTW_WISDOM_ONLY)) {
                    m_effort = effort;
                    return true;
                }
            }
            return false;
        };
        (void)known();
        for (const FftEffort effort : {FftEffort::Patient, FftEffort::Measure}) {
            const double seconds = search.secondsLeft();
            if (effort > search.effort || effort <= m_effort || seconds <= 0) {
                continue;
            }
            // FFTW keeps what it finds as wisdom; when time is up that may be less.
            release();
            Precision::kTimeLimit(seconds);
            (void)make(flag(effort));
            Precision::kTimeLimit(FFTW_NO_TIMELIMIT);
            release();
            (void)known();
        }
        if (m_plan == nullptr && !make(FFTW_ESTIMATE)) {
            throw base::Error(base::ErrorCode::Internal,
                              "FFTW has no plan for length " + std::to_string(length));
        }
    }
    Plan(Plan&& other) noexcept
        : m_plan(std::exchange(other.m_plan, nullptr)), m_effort(other.m_effort) {}
    Plan& operator=(Plan&& other) noexcept {
        std::swap(m_plan, other.m_plan);
        std::swap(m_effort, other.m_effort);
        return *this;
    }
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;
    ~Plan() { release(); }

    void operator()(Value* in, Value* out) const {
        Precision::kExecute(m_plan, Precision::complex(in), Precision::complex(out));
    }

    [[nodiscard]] bool made() const { return m_plan != nullptr; }
    [[nodiscard]] FftEffort effort() const { return m_effort; }

  private:
    static unsigned flag(FftEffort effort) {
        return effort == FftEffort::Patient   ? FFTW_PATIENT
               : effort == FftEffort::Measure ? FFTW_MEASURE
                                              : FFTW_ESTIMATE;
    }
    void release() { Precision::kDestroy(std::exchange(m_plan, nullptr)); }

    typename Precision::Handle m_plan = nullptr;
    FftEffort m_effort = FftEffort::Estimate;
};

/// One FFTW plan of a real row in place: `length` values to length / 2 + 1 complex ones (forward)
/// or back, without scaling. **Threads**: as Plan.
template <class Precision> class RealPlan {
  public:
    using Value = typename Precision::Value;

    RealPlan() = default;
    /// Overwrites `row`, which has room for the complex values.
    RealPlan(int length, Value* row, bool forward) : m_forward(forward) {
        m_plan = forward
                     ? Precision::kPlanForward(length, row, Precision::complex(row), FFTW_ESTIMATE)
                     : Precision::kPlanInverse(length, Precision::complex(row), row, FFTW_ESTIMATE);
        if (m_plan == nullptr) {
            throw base::Error(base::ErrorCode::Internal,
                              "FFTW has no real plan for length " + std::to_string(length));
        }
    }
    RealPlan(RealPlan&& other) noexcept { *this = std::move(other); }
    RealPlan& operator=(RealPlan&& other) noexcept {
        std::swap(m_plan, other.m_plan);
        std::swap(m_forward, other.m_forward);
        return *this;
    }
    RealPlan(const RealPlan&) = delete;
    RealPlan& operator=(const RealPlan&) = delete;
    ~RealPlan() { Precision::kDestroy(m_plan); }

    void operator()(Value* row) const {
        if (m_forward) {
            Precision::kExecuteForward(m_plan, row, Precision::complex(row));
        } else {
            Precision::kExecuteInverse(m_plan, Precision::complex(row), row);
        }
    }

  private:
    typename Precision::Handle m_plan = nullptr;
    bool m_forward = true;
};

/// All that FFTW has learnt in this process, as it writes it: one text a precision.
struct FftWisdom {
    std::string single;
    std::string twofold;
};
[[nodiscard]] FftWisdom exportWisdom();

/// Adds wisdom to what this process knows. FFTW ends the process on some damaged texts, so hand it
/// only what exportWisdom() of the same FFTW gave and a checksum has vouched for. Returns false
/// when FFTW does not know the text.
bool importWisdom(const FftWisdom& wisdom);

/// Forgets all wisdom.
void forgetWisdom();

} // namespace flcc::cpu
