#pragma once

#include <cstdint>

namespace flcc::base {

/// SplitMix64 generator: 64 random bits a call, the same sequence on every machine.
/// **Source**: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
class Random {
  public:
    explicit Random(std::uint64_t seed) : m_state(seed) {}

    std::uint64_t bits();

    /// Uniformly distributed in [low, high).
    double uniform(double low, double high);

    /// Approximately normal: mean 0, variance 1, range -6..6. The value is a sum of twelve uniform
    /// 16-bit integers, so it does not depend on a library function or a rounding mode.
    double normal();

  private:
    std::uint64_t m_state;
};

} // namespace flcc::base
