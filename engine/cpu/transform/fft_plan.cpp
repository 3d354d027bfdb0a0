#include "engine/cpu/transform/fft_plan.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/image.h"

namespace flcc::cpu {

std::string_view name(FftEffort effort) {
    constexpr std::array<std::string_view, 3> kNames{"estimate", "measure", "patient"};
    return kNames[static_cast<std::size_t>(effort)];
}

namespace {

thread_local FftJobs* g_jobs = nullptr; // the innermost of this thread

/// FFTW calls this for a loop of `count` jobs, whose arguments lie `size` bytes apart.
void runJobs(void* (*work)(char*), char* arguments, std::size_t size, int count, void*) {
    FftJobs::run(
        count, [&](std::int64_t i) { (void)work(arguments + static_cast<std::size_t>(i) * size); });
}

} // namespace

std::mutex& plannerLock() {
    // FFTW must hear of threads before it plans or reads wisdom.
    static std::mutex* const lock = [] {
        if (fftw_init_threads() == 0 || fftwf_init_threads() == 0) {
            throw base::Error(base::ErrorCode::Internal,
                              "FFTW cannot prepare plans of several jobs");
        }
        fftw_threads_set_callback(&runJobs, nullptr);
        fftwf_threads_set_callback(&runJobs, nullptr);
        return new std::mutex; // never destroyed: transforms may end with the process
    }();
    return *lock;
}

std::int64_t jobsOf(const base::Extents& points) {
    constexpr std::int64_t kLarge = std::int64_t{1} << 18;
    constexpr std::int64_t kJobs = 16;
    return base::voxelCount(points) < kLarge ? 1 : kJobs;
}

FftJobs::FftJobs(const ForItems& each) : m_each(each), m_outer(std::exchange(g_jobs, this)) {}

FftJobs::~FftJobs() { g_jobs = m_outer; }

void FftJobs::run(std::int64_t count, const std::function<void(std::int64_t)>& job) {
    // A job may hold loops of its own. They stay in its thread, which may be this one.
    FftJobs* const jobs = std::exchange(g_jobs, nullptr);
    if (jobs == nullptr || (jobs->isSmall() && !jobs->m_stopped)) {
        for (std::int64_t i = 0; i < count; ++i) {
            job(i);
        }
    } else if (!jobs->m_stopped) {
        jobs->m_stopped = !jobs->m_each(count, [&](std::int64_t i, int) { job(i); });
    }
    g_jobs = jobs;
}

bool FftJobs::isSmall() {
    // Some are shared all the same, so that a stop is answered.
    constexpr std::int64_t kFew = 64;
    ++m_loops;
    return m_loops > kFew && m_loops % kFew != 0;
}

double FftSearch::seconds() const {
    if (effort == FftEffort::Estimate || stop.stop_requested()) {
        return 0;
    }
    return effort == FftEffort::Patient ? 2 : 1;
}

template <class Precision>
bool BoxPlans<Precision>::make(const base::Extents& points, unsigned flags, Value* box,
                               Value* pairs) {
    release();
    Precision::kPlanWithJobs(static_cast<int>(jobsOf(points)));
    const std::array<int, 3> lengths{static_cast<int>(points.z), static_cast<int>(points.y),
                                     static_cast<int>(points.x)};
    const int* const n = lengths.data();
    auto* const spectrum = Precision::complex(pairs);
    if (m_box == FftBox::ComplexInPlace) {
        m_forward = Precision::kPlanComplex(3, n, spectrum, spectrum, FFTW_FORWARD, flags);
        m_inverse = Precision::kPlanComplex(3, n, spectrum, spectrum, FFTW_BACKWARD, flags);
    } else {
        const unsigned kept = m_box == FftBox::Real ? FFTW_PRESERVE_INPUT : 0U;
        m_forward = Precision::kPlanForward(3, n, box, spectrum, flags | kept);
        m_inverse = Precision::kPlanInverse(3, n, spectrum, box, flags);
    }
    return m_forward != nullptr && m_inverse != nullptr;
}

template <class Precision>
BoxPlans<Precision>::BoxPlans(const base::Extents& points, const FftSearch& search, FftBox kind)
    : m_box(kind) {
    // A search overwrites both.
    base::Image<Value> tile(kind == FftBox::Real ? points : base::Extents{1, 1, 1});
    base::Image<Value> pairs(
        {2 * (kind == FftBox::ComplexInPlace ? base::voxelCount(points) : pairsOf(points)), 1, 1});
    Value* const box = kind == FftBox::Real ? tile.data() : pairs.data();
    const auto make = [&](unsigned flags) { return this->make(points, flags, box, pairs.data()); };
    const auto flagOf = [](FftEffort effort) {
        return effort == FftEffort::Patient   ? FFTW_PATIENT
               : effort == FftEffort::Measure ? FFTW_MEASURE
                                              : FFTW_ESTIMATE;
    };
    const std::array efforts{FftEffort::Patient, FftEffort::Measure};
    const auto known = [&] {
        const auto* const found =
            std::find_if(efforts.begin(), efforts.end(),
                         [&](FftEffort effort) { return make(flagOf(effort) | FFTW_WISDOM_ONLY); });
        m_effort = found == efforts.end() ? FftEffort::Estimate : *found;
    };
    known();
    for (const FftEffort effort : efforts) {
        const double seconds = search.seconds();
        if (effort <= search.effort && effort > m_effort && seconds > 0) {
            // FFTW keeps the plans it finds as wisdom. When its time is up, they may be of a lower
            // effort.
            Precision::kTimeLimit(seconds / 2); // half of the time for each of two plans
            (void)make(flagOf(effort));
            Precision::kTimeLimit(FFTW_NO_TIMELIMIT);
            known();
        }
    }
    if (m_effort == FftEffort::Estimate && !make(FFTW_ESTIMATE)) {
        release();
        throw base::Error(base::ErrorCode::Internal,
                          "FFTW has no plan for tile " + base::toString(points));
    }
}

template <class Precision> void BoxPlans<Precision>::release() {
    Precision::kDestroy(std::exchange(m_forward, nullptr));
    Precision::kDestroy(std::exchange(m_inverse, nullptr));
}

template class BoxPlans<Single>;
template class BoxPlans<Double>;

FftWisdom exportWisdom() {
    const std::lock_guard lock(plannerLock());
    FftWisdom wisdom;
    const auto take = [](char* text, auto release, std::string& to) {
        if (text != nullptr) {
            to = text;
            release(text);
        }
    };
    take(fftwf_export_wisdom_to_string(), &fftwf_free, wisdom.single);
    take(fftw_export_wisdom_to_string(), &fftw_free, wisdom.inDouble);
    return wisdom;
}

bool importWisdom(const FftWisdom& wisdom) {
    const std::lock_guard lock(plannerLock());
    const bool single =
        wisdom.single.empty() || fftwf_import_wisdom_from_string(wisdom.single.c_str()) == 1;
    const bool inDouble =
        wisdom.inDouble.empty() || fftw_import_wisdom_from_string(wisdom.inDouble.c_str()) == 1;
    return single && inDouble;
}

void forgetWisdom() {
    const std::lock_guard lock(plannerLock());
    fftwf_forget_wisdom();
    fftw_forget_wisdom();
}

} // namespace flcc::cpu
