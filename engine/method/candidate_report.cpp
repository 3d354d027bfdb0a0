#include "engine/method/candidate.h"

#include <array>
#include <cstddef>
#include <cstdio>

namespace flcc::method {

namespace {

std::string text(const char* format, double value) {
    std::array<char, 160> buffer{};
    std::snprintf(buffer.data(), buffer.size(), format, value);
    return buffer.data();
}

} // namespace

std::string_view name(CandidateVerdict verdict) {
    constexpr std::array<std::string_view, 4> kNames{"chosen", "slower", "refused", "failed"};
    return kNames[static_cast<std::size_t>(verdict)];
}

bool scaleUntimed(std::span<CandidateReport* const> rows) {
    std::vector<double> ratios;
    for (const CandidateReport* const row : rows) {
        if (row->usable() && row->measuredMs) {
            ratios.push_back(*row->measuredMs / row->prediction->ms);
        }
    }
    if (ratios.empty()) {
        return false;
    }
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::ranges::nth_element(ratios, middle);
    for (CandidateReport* const row : rows) {
        if (row->usable() && !row->measuredMs) {
            row->sampleMs = row->prediction->ms * std::max(1.0, *middle);
        }
    }
    return true;
}

void explain(std::span<CandidateReport* const> rows, std::string_view timed, bool replayed) {
    const auto usable = static_cast<double>(
        std::ranges::count_if(rows, [](const CandidateReport* row) { return row->usable(); }));
    const CandidateReport* chosen = nullptr;
    for (CandidateReport* const row : rows) {
        if (!row->usable()) {
            continue;
        }
        const double ms = *row->expectedMs();
        if (chosen == nullptr) {
            chosen = row;
            row->verdict = CandidateVerdict::Chosen;
            const bool least = std::ranges::none_of(rows, [&](const CandidateReport* other) {
                return other->usable() && *other->expectedMs() < ms;
            });
            const std::string fastest =
                text(least ? "fastest of %.0f candidates"
                           : "predicted to be the fastest of those that no time tells apart, of "
                             "%.0f candidates",
                     usable);
            row->reason = replayed     ? "replayed from a report"
                          : usable > 1 ? fastest + (row->measuredMs ? ", " + std::string(timed)
                                                                    : " by prediction")
                                       : "the only candidate";
            continue;
        }
        row->verdict = CandidateVerdict::Slower;
        row->reason =
            text(row->measuredMs ? "takes %.2f times as long as the chosen one, measured"
                                 : "takes %.2f times as long as the chosen one, predicted",
                 ms / *chosen->expectedMs());
    }
}

} // namespace flcc::method
