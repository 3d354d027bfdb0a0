#include "tests/bench/multiply_adds.h"

#include <cstddef>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/bench/multiply_adds.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace flcc::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// `turns` times twelve chains that do not wait for each other: more than latency times units. They
/// start from values of their own, or the compiler would join them. Returns the multiply-adds done.
double chains(std::int64_t turns, float* values) {
    const hn::ScalableTag<float> d;
    const std::size_t lanes = hn::Lanes(d);
    const auto factor = hn::Set(d, 0.5F);
    const auto term = hn::Set(d, 1.0F);
    auto a = hn::LoadU(d, values), b = hn::LoadU(d, values + lanes);
    auto c = hn::LoadU(d, values + 2 * lanes), e = hn::LoadU(d, values + 3 * lanes);
    auto f = hn::LoadU(d, values + 4 * lanes), g = hn::LoadU(d, values + 5 * lanes);
    auto h = hn::LoadU(d, values + 6 * lanes), i = hn::LoadU(d, values + 7 * lanes);
    auto j = hn::LoadU(d, values + 8 * lanes), k = hn::LoadU(d, values + 9 * lanes);
    auto l = hn::LoadU(d, values + 10 * lanes), m = hn::LoadU(d, values + 11 * lanes);
    for (std::int64_t turn = 0; turn < turns; ++turn) {
        a = hn::MulAdd(a, factor, term);
        b = hn::MulAdd(b, factor, term);
        c = hn::MulAdd(c, factor, term);
        e = hn::MulAdd(e, factor, term);
        f = hn::MulAdd(f, factor, term);
        g = hn::MulAdd(g, factor, term);
        h = hn::MulAdd(h, factor, term);
        i = hn::MulAdd(i, factor, term);
        j = hn::MulAdd(j, factor, term);
        k = hn::MulAdd(k, factor, term);
        l = hn::MulAdd(l, factor, term);
        m = hn::MulAdd(m, factor, term);
    }
    const auto sum = hn::Add(
        hn::Add(hn::Add(a, b), hn::Add(c, e)),
        hn::Add(hn::Add(hn::Add(f, g), hn::Add(h, i)), hn::Add(hn::Add(j, k), hn::Add(l, m))));
    hn::StoreU(sum, d, values);
    return 12.0 * static_cast<double>(turns) * static_cast<double>(lanes);
}

} // namespace flcc::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/bench/contestants.h"

namespace flcc::bench {

HWY_EXPORT(chains);

double peakMultiplyAddsPerNs(base::TilePool& pool) {
    constexpr std::int64_t kTurns = 1'000'000; // some milliseconds
    constexpr int kItems = 16;
    constexpr int kRuns = 10;
    constexpr std::size_t kMostLanes = 64;
    std::vector<double> done(static_cast<std::size_t>(pool.threads() * kItems));
    double best = 0;
    for (int run = 0; run < kRuns; ++run) {
        const double ms = millisecondsOf([&] {
            pool.run(pool.threads() * kItems, [&](std::int64_t item, int) {
                std::vector<float> values(kMostLanes * 12);
                std::iota(values.begin(), values.end(), 1.0F);
                const double count = HWY_DYNAMIC_DISPATCH(chains)(kTurns, values.data());
                // Reading a result keeps the compiler from leaving the work out.
                done[static_cast<std::size_t>(item)] = values.front() > 0 ? count : 0;
            });
        });
        double sum = 0;
        for (const double count : done) {
            sum += count;
        }
        best = std::max(best, 1e-6 * sum / ms);
    }
    return best;
}

} // namespace flcc::bench
#endif
