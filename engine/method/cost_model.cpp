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
    // FFTW 3.3.10 with AVX2, FFTW_ESTIMATE, one core of 2.5 GHz.
    return {{16, 2.5, 2.5},  {24, 3.9, 4.8},  {32, 1.6, 1.5},  {40, 3.5, 3.7},  {48, 1.9, 3.3},
            {56, 3.7, 4.2},  {64, 1.8, 1.7},  {72, 4.8, 3.4},  {80, 2.3, 3.6},  {96, 2.0, 3.3},
            {112, 4.4, 4.3}, {120, 2.7, 3.9}, {128, 2.2, 2.1}, {144, 1.9, 4.4}, {160, 2.0, 4.1},
            {192, 1.9, 4.7}, {200, 1.9, 5.0}, {240, 1.4, 5.1}, {256, 1.4, 3.4}, {288, 3.1, 4.3},
            {320, 1.4, 4.2}, {384, 1.5, 4.7}, {400, 1.4, 4.7}, {480, 3.6, 5.0}, {512, 2.1, 4.7},
            {640, 1.8, 5.7}, {768, 3.0, 5.5}, {1024, 2.0, 6.0}};
}

} // namespace flcc::method
