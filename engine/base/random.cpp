#include "engine/base/random.h"

namespace flcc::base {

std::uint64_t Random::bits() {
    m_state += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = m_state;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31);
}

double Random::uniform(double low, double high) {
    constexpr double kStep = 1.0 / 9007199254740992.0; // 2^-53
    return low + (high - low) * (static_cast<double>(bits() >> 11) * kStep);
}

double Random::normal() {
    std::int64_t sum = 0;
    for (int word = 0; word < 3; ++word) {
        const std::uint64_t four = bits();
        sum += static_cast<std::int64_t>((four & 0xffffU) + ((four >> 16) & 0xffffU) +
                                         ((four >> 32) & 0xffffU) + (four >> 48));
    }
    // Twelve uniform integers 0..65535 have the mean 6*65535 and, but for 2^-32 of it, the variance
    // of twelve intervals of length 65536, which is 65536^2.
    return (static_cast<double>(sum) - 6.0 * 65535.0) / 65536.0;
}

} // namespace flcc::base
