#include "tests/bench/multiply_adds.h"

#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/bench/multiply_adds.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace flcc::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// `turns` times twelve chains that do not wait for each other: more than latency times units.
/// Returns the multiply-adds done; `sink` keeps the compiler from leaving them out.
double chains(std::int64_t turns, float* sink) {
    const hn::ScalableTag<float> d;
    const auto factor = hn::Set(d, 0.5F);
    const auto term = hn::Set(d, 1.0F);
    auto a = hn::Set(d, *sink);
    auto b = a, c = a, e = a, f = a, g = a, h = a, i = a, j = a, k = a, l = a, m = a;
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
    *sink = hn::GetLane(hn::SumOfLanes(d, sum));
    return 12.0 * static_cast<double>(turns) * static_cast<double>(hn::Lanes(d));
}

} // namespace flcc::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <vector>

#include "tests/bench/contestants.h"

namespace flcc::bench {

HWY_EXPORT(chains);

double peakMultiplyAddsPerNs(base::TilePool& pool) {
    constexpr std::int64_t kTurns = 1'000'000; // some milliseconds
    constexpr int kItems = 16;
    constexpr int kRuns = 10;
    std::vector<double> done(static_cast<std::size_t>(pool.threads() * kItems));
    double best = 0;
    for (int run = 0; run < kRuns; ++run) {
        const double ms = millisecondsOf([&] {
            pool.run(pool.threads() * kItems, [&](std::int64_t item, int) {
                float sink = 1;
                const double count = HWY_DYNAMIC_DISPATCH(chains)(kTurns, &sink);
                done[static_cast<std::size_t>(item)] = sink > 0 ? count : 0;
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
