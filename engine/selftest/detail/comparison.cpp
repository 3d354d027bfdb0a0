#include "engine/selftest/detail/comparison.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <sstream>

namespace flcc::selftest {

namespace {

bool sameStatus(base::Status got, base::Status expected) {
    return got == expected || (got == base::Status::LowConf && base::hasValue(expected));
}

std::string describe(const base::Index& index, const std::string& what) {
    return "voxel " + base::toString(index) + ": " + what;
}

template <class Check> std::string firstFault(const base::Box& box, Check&& check) {
    for (std::int64_t z = 0; z < box.extents.z; ++z) {
        for (std::int64_t y = 0; y < box.extents.y; ++y) {
            for (std::int64_t x = 0; x < box.extents.x; ++x) {
                std::string fault =
                    check(base::Index{box.corner.x + x, box.corner.y + y, box.corner.z + z});
                if (!fault.empty()) {
                    return fault;
                }
            }
        }
    }
    return {};
}

} // namespace

std::string compareVoxel(const method::MatchMap& map, const reference::Score& expected,
                         const Tolerance& tolerance, const base::Index& index, Comparison& soFar) {
    const float value = map.value.view().at(index);
    const base::Status status = map.status.view().at(index);
    const auto reported = [&](const auto&... parts) { // only faults are put in words: it is slow
        std::ostringstream words;
        words.precision(9);
        (words << ... << parts);
        return describe(index, words.str());
    };
    if (!sameStatus(status, expected.status)) {
        return reported("status ", base::name(status), ", expected ", base::name(expected.status));
    }
    if (!base::hasValue(status)) {
        return value != 0 ? reported("value ", value, " with status ", base::name(status)) : "";
    }
    const bool lowConf = status == base::Status::LowConf;
    soFar.lowConf += lowConf ? 1 : 0;
    const double error = std::fabs(static_cast<double>(value) - expected.value);
    if (!tolerance.allows(error, index, lowConf) || !(std::fabs(value) <= 1)) {
        return reported("score ", value, ", expected ", expected.value, ", off by ", error,
                        " where ", tolerance.at(index, lowConf), " is allowed (",
                        base::name(status), ")");
    }
    double& worst = lowConf ? soFar.worstLowConf : soFar.worstOk;
    worst = std::max(worst, error);
    return {};
}

Comparison compare(const method::MatchMap& map, const reference::ScoreMap& expected,
                   const Tolerance& tolerance) {
    Comparison result;
    if (!(map.value.extents() == expected.value.extents())) {
        result.fault = "map of " + base::toString(map.value.extents()) + ", expected " +
                       base::toString(expected.value.extents());
        return result;
    }
    result.fault = firstFault({{0, 0, 0}, map.value.extents()}, [&](const base::Index& i) {
        return compareVoxel(map, {expected.value.view().at(i), expected.status.view().at(i)},
                            tolerance, i, result);
    });
    return result;
}

std::string boundFault(const MethodRun& run, const Comparison& found) {
    const method::MapFacts& facts = run.outcome.facts;
    const double rounding = run.map.exact.empty() ? 0.0 : 0x1p-24;
    std::ostringstream words;
    if (found.worstOk > facts.largestBound + rounding) {
        words << "an OK score is off by " << found.worstOk << ", the largest bound is "
              << facts.largestBound;
    } else if (found.worstLowConf > facts.largestLowConf + rounding) {
        words << "a LOWCONF score is off by " << found.worstLowConf << ", the largest bound is "
              << facts.largestLowConf;
    }
    return words.str();
}

std::string mapFault(const MethodRun& run, const reference::ScoreMap& expected,
                     const Tolerance& tolerance) {
    const Comparison found = compare(run.map, expected, tolerance);
    return found.fault.empty() ? boundFault(run, found) : found.fault;
}

std::string firstDifferentBit(const method::MatchMap& a, const method::MatchMap& b,
                              const base::Box& box) {
    return firstFault(box, [&](const base::Index& i) -> std::string {
        const float valueA = a.value.view().at(i);
        const float valueB = b.value.view().at(i);
        const base::Status statusA = a.status.view().at(i);
        const base::Status statusB = b.status.view().at(i);
        if (std::bit_cast<std::uint32_t>(valueA) == std::bit_cast<std::uint32_t>(valueB) &&
            statusA == statusB) {
            return {};
        }
        std::ostringstream words;
        words.precision(9);
        words << valueA << " " << base::name(statusA) << " against " << valueB << " "
              << base::name(statusB);
        return describe(i, words.str());
    });
}

std::string firstDifferentBit(const method::MatchMap& a, const method::MatchMap& b) {
    if (!(a.value.extents() == b.value.extents())) {
        return "maps of " + base::toString(a.value.extents()) + " and " +
               base::toString(b.value.extents());
    }
    return firstDifferentBit(a, b, {{0, 0, 0}, a.value.extents()});
}

} // namespace flcc::selftest
