#include "engine/cpu/fft_plan.h"

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

std::mutex& plannerLock() {
    static std::mutex lock;
    return lock;
}

double FftSearch::seconds() const {
    if (effort == FftEffort::Estimate || stop.stop_requested()) {
        return 0;
    }
    return effort == FftEffort::Patient ? 2 : 1;
}

template <class Precision>
BoxPlans<Precision>::BoxPlans(const base::Extents& points, const FftSearch& search) {
    base::Image<Value> tile(points); // a search overwrites tile and pairs
    base::Image<Value> pairs({2 * pairsOf(points), 1, 1});
    const std::array<int, 3> lengths{static_cast<int>(points.z), static_cast<int>(points.y),
                                     static_cast<int>(points.x)};
    const auto make = [&](unsigned flags) {
        release();
        m_forward =
            Precision::kPlanForward(3, lengths.data(), tile.data(),
                                    Precision::complex(pairs.data()), flags | FFTW_PRESERVE_INPUT);
        m_inverse = m_forward == nullptr ? nullptr
                                         : Precision::kPlanInverse(3, lengths.data(),
                                                                   Precision::complex(pairs.data()),
                                                                   tile.data(), flags);
        return m_inverse != nullptr;
    };
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
