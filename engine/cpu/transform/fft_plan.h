#pragma once

#include <fftw3.h>

#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include "engine/base/extents.h"
#include "engine/cpu/common/for_items.h"

/// Plans of FFTW, how hard they were searched for, and FFTW's wisdom.
namespace flcc::cpu {

/// How hard FFTW searched for a plan, least first.
enum class FftEffort { Estimate, Measure, Patient };

/// "estimate", "measure", "patient".
[[nodiscard]] std::string_view name(FftEffort effort);

/// Held while a plan is made or destroyed: FFTW allows that in one thread at a time. Executing a
/// plan needs no lock. The first call prepares FFTW for plans of several jobs.
[[nodiscard]] std::mutex& plannerLock();

/// Jobs into which FFTW divides each pass of a transform; 1 for boxes that one thread transforms
/// in little time. The number does not depend on the threads of a run, so its bits do not either.
[[nodiscard]] std::int64_t jobsOf(const base::Extents& points);

/// While it exists, FFTW's jobs for transforms that this thread executes or plans run through
/// `each`; without it, one after the other in this thread. FFTW has no threads of its own.
///
/// Most plans have a few loops of jobs, each over much of the box. Some of FFTW's estimates, as for
/// prime lengths, divide inner loops instead: a multitude of small ones, which are not worth waking
/// threads.
class FftJobs {
  public:
    explicit FftJobs(const ForItems& each);
    FftJobs(const FftJobs&) = delete;
    FftJobs& operator=(const FftJobs&) = delete;
    ~FftJobs();

    /// True if `each` was stopped. Jobs were then left out, and results are unspecified.
    [[nodiscard]] bool stopped() const { return m_stopped; }

    /// Runs `job(i)` for i = 0 .. count - 1 as the innermost FftJobs of this thread says.
    static void run(std::int64_t count, const std::function<void(std::int64_t)>& job);

  private:
    /// Counts a loop. True if the transform has had many, so that this one is small.
    bool isSmall();

    const ForItems& m_each;
    FftJobs* m_outer;
    bool m_stopped = false;
    std::int64_t m_loops = 0; ///< that FFTW has run
};

/// How long the search for a new plan may take. Plans that wisdom holds cost nothing and are always
/// taken. Without wisdom the plan is an estimate (FFTW_ESTIMATE), unless `effort` asks for a
/// search.
struct FftSearch {
    FftEffort effort = FftEffort::Estimate;
    std::stop_token stop{};

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
    static constexpr auto kPlanComplex = &fftwf_plan_dft;
    static constexpr auto kExecuteForward = &fftwf_execute_dft_r2c;
    static constexpr auto kExecuteInverse = &fftwf_execute_dft_c2r;
    static constexpr auto kExecuteComplex = &fftwf_execute_dft;
    static constexpr auto kPlanWithJobs = &fftwf_plan_with_nthreads;
};
struct Double {
    using Value = double;
    using Handle = fftw_plan;
    static fftw_complex* complex(double* data) { return reinterpret_cast<fftw_complex*>(data); }
    static constexpr auto kDestroy = &fftw_destroy_plan;
    static constexpr auto kTimeLimit = &fftw_set_timelimit;
    static constexpr auto kPlanForward = &fftw_plan_dft_r2c;
    static constexpr auto kPlanInverse = &fftw_plan_dft_c2r;
    static constexpr auto kPlanComplex = &fftw_plan_dft;
    static constexpr auto kExecuteForward = &fftw_execute_dft_r2c;
    static constexpr auto kExecuteInverse = &fftw_execute_dft_c2r;
    static constexpr auto kExecuteComplex = &fftw_execute_dft;
    static constexpr auto kPlanWithJobs = &fftw_plan_with_nthreads;
};

/// Number of (re, im) pairs in the half spectrum of a real box.
[[nodiscard]] inline std::int64_t pairsOf(const base::Extents& points) {
    return (points.x / 2 + 1) * points.y * points.z;
}

/// What FFTW transforms.
enum class FftBox : std::uint8_t {
    Real,          ///< a real box to its half spectrum and back
    RealInPlace,   ///< the same in one buffer: a row of the box takes 2 (x / 2 + 1) values
    ComplexInPlace ///< a complex box in one buffer
};

/// FFTW's plans for a transform and back, neither of them scaled.
/// **Threads**: made under plannerLock(); executed by any.
template <class Precision> class BoxPlans {
  public:
    using Value = typename Precision::Value;

    /// **Errors**: Internal for a box that FFTW cannot plan.
    BoxPlans(const base::Extents& points, const FftSearch& search, FftBox box = FftBox::Real);
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
    /// In place, and back.
    void forward(Value* box) const {
        m_box == FftBox::ComplexInPlace
            ? Precision::kExecuteComplex(m_forward, Precision::complex(box),
                                         Precision::complex(box))
            : forward(box, box);
    }
    void inverse(Value* box) const {
        m_box == FftBox::ComplexInPlace
            ? Precision::kExecuteComplex(m_inverse, Precision::complex(box),
                                         Precision::complex(box))
            : inverse(box, box);
    }

    /// The lower of the efforts behind the two plans.
    [[nodiscard]] FftEffort effort() const { return m_effort; }

  private:
    [[nodiscard]] bool make(const base::Extents& points, unsigned flags, Value* box, Value* pairs);
    void release();

    FftBox m_box;
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
