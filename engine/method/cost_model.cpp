#include "engine/method/cost_model.h"

#include <algorithm>

namespace flcc::method {

LengthTime CostModel::timeOf(std::int64_t length) const {
    if (length <= 1) {
        return {length, 0, 0};
    }
    const auto found = std::find_if(transformTimes.begin(), transformTimes.end(),
                                    [&](const LengthTime& time) { return time.length == length; });
    if (found != transformTimes.end()) {
        return *found;
    }
    return length <= 1024 ? LengthTime{length, 4.5, 5} : LengthTime{length, 4, 8};
}

std::vector<LengthTime> CostModel::builtInTimes() {
    // FFTW 3.3.10 with AVX2, FFTW_ESTIMATE, a core of 2.5 GHz with all cores busy.
    return {{16, 3.1, 3.1},  {24, 4.9, 6.0},  {32, 2.0, 1.9},  {40, 4.4, 4.6},  {48, 2.4, 4.1},
            {56, 4.6, 5.2},  {64, 2.2, 2.1},  {72, 6.0, 4.2},  {80, 2.9, 4.5},  {96, 2.5, 4.1},
            {112, 5.5, 5.4}, {120, 3.4, 4.9}, {128, 2.8, 2.6}, {144, 2.4, 5.5}, {160, 2.5, 5.1},
            {192, 2.4, 5.9}, {200, 2.4, 6.2}, {240, 1.8, 6.4}, {256, 1.8, 4.2}, {288, 3.9, 5.4},
            {320, 1.8, 5.2}, {384, 1.9, 5.9}, {400, 1.8, 5.9}, {480, 4.5, 6.2}, {512, 2.6, 5.9},
            {640, 2.2, 7.1}, {768, 3.8, 6.9}, {1024, 2.5, 7.5}};
}

} // namespace flcc::method
