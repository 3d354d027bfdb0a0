#pragma once

#include <cstdint>

namespace flcc::base {

/// SplitMix64: 64 good bits a step, the same on every machine.
/// **Source**: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
class Random {
  public:
    explicit Random(std::uint64_t seed) : m_state(seed) {}

    std::uint64_t bits();

    /// Uniform in [low, high).
    double uniform(double low, double high);

    /// Mean 0, variance 1, within +-6: the sum of twelve uniform numbers of 16 bits, summed as
    /// integers, so that no library function and no rounding mode has a part in it.
    double normal();

  private:
    std::uint64_t m_state;
};

} // namespace flcc::base
