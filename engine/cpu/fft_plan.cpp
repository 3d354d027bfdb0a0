#include "engine/cpu/fft_plan.h"

#include <algorithm>
#include <array>

namespace flcc::cpu {

std::string_view name(FftEffort effort) {
    constexpr std::array<std::string_view, 3> kNames{"estimate", "measure", "patient"};
    return kNames[static_cast<std::size_t>(effort)];
}

std::mutex& plannerLock() {
    static std::mutex lock;
    return lock;
}

double FftSearch::secondsLeft() const {
    if (effort == FftEffort::Estimate || stop.stop_requested()) {
        return 0;
    }
    const double longest = effort == FftEffort::Patient ? 2 : 1;
    const auto now = std::chrono::steady_clock::now();
    return deadline <= now
               ? 0.0
               : std::min(longest, std::chrono::duration<double>(deadline - now).count());
}

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
    take(fftw_export_wisdom_to_string(), &fftw_free, wisdom.twofold);
    return wisdom;
}

bool importWisdom(const FftWisdom& wisdom) {
    const std::lock_guard lock(plannerLock());
    const bool single =
        wisdom.single.empty() || fftwf_import_wisdom_from_string(wisdom.single.c_str()) == 1;
    const bool twofold =
        wisdom.twofold.empty() || fftw_import_wisdom_from_string(wisdom.twofold.c_str()) == 1;
    return single && twofold;
}

void forgetWisdom() {
    const std::lock_guard lock(plannerLock());
    fftwf_forget_wisdom();
    fftw_forget_wisdom();
}

} // namespace flcc::cpu
