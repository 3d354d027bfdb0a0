#include "tests/support/oracle.h"

#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "engine/reference/seen_panel.h"

namespace flcc::test {

namespace {

constexpr mp_bitcnt_t kRootBits = 320;

mpz_class bigInteger(std::uint64_t magnitude, bool negative) {
    mpz_class value;
    mpz_import(value.get_mpz_t(), 1, -1, sizeof magnitude, 0, 0, &magnitude);
    return negative ? mpz_class(-value) : value;
}

template <class T> mpz_class exactValue(T voxel, [[maybe_unused]] int exponent) {
    if constexpr (std::is_integral_v<T>) {
        const bool negative = voxel < 0;
        const auto bits = static_cast<std::uint64_t>(voxel);
        return bigInteger(negative ? ~bits + 1 : bits, negative);
    } else {
        // voxel = mantissa 2^(e - 53), written over the smallest exponent of the panel.
        int e = 0;
        const auto mantissa =
            static_cast<std::int64_t>(std::scalbn(std::frexp(static_cast<double>(voxel), &e), 53));
        const auto magnitude = static_cast<std::uint64_t>(std::abs(mantissa));
        mpz_class value = bigInteger(magnitude, mantissa < 0);
        if (mantissa != 0) {
            value <<= static_cast<mp_bitcnt_t>(e - exponent);
        }
        return value;
    }
}

/// All values as integers over one power of two.
template <class T> std::vector<mpz_class> exactValues(const std::vector<T>& values) {
    int exponent = std::numeric_limits<int>::max();
    if constexpr (std::is_floating_point_v<T>) {
        for (const T voxel : values) {
            int e = 0;
            if (std::frexp(static_cast<double>(voxel), &e) != 0) {
                exponent = std::min(exponent, e);
            }
        }
    }
    std::vector<mpz_class> exact;
    for (const T voxel : values) {
        exact.push_back(exactValue(voxel, exponent));
    }
    return exact;
}

mpz_class sum(const std::vector<mpz_class>& values) {
    return std::accumulate(values.begin(), values.end(), mpz_class(0));
}

mpz_class product(const std::vector<mpz_class>& a, const std::vector<mpz_class>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), mpz_class(0));
}

} // namespace

struct Oracle::State {
    std::vector<base::Index> support;
    std::vector<mpz_class> templ;
    method::Outside outside;
    double minOverlap;

    template <class T> [[nodiscard]] reference::Score score(const reference::SeenPanel<T>&) const;
};

Oracle::Oracle(const method::MaskedView& templ, method::Outside outside, double minOverlap)
    : m_state(std::make_unique<State>()) {
    m_state->support = reference::supportOf(templ);
    m_state->templ = std::visit(
        [&](const auto& pixels) {
            return exactValues(
                reference::seenPanel(pixels, {}, m_state->support, base::Index{}).values);
        },
        templ.pixels);
    m_state->outside = outside;
    m_state->minOverlap = minOverlap;
}

Oracle::~Oracle() = default;

/// With N, n, the sums over the inside and A = N sum T^2 - (sum T)^2, everything times N or n until
/// no fraction is left:
///     zero:  num = N sum_in ST - sum_in S sum T,  D = N sum_in S^2 - (sum_in S)^2,  r = num /
///     sqrt(D A) eibl:  - mu t1 more, t1 = sum_in (T - mean): times N, - sum_in S (N sum_in T - n
///     sum T) / N overlap: LCC of the inside alone
template <class T>
reference::Score Oracle::State::score(const reference::SeenPanel<T>& panel) const {
    const base::Status status = reference::statusOf(panel, outside, minOverlap);
    if (!base::hasValue(status)) {
        return {0, status};
    }
    const bool partial = status == base::Status::Partial;
    const bool overlap = partial && outside == method::Outside::Overlap;
    const std::vector<mpz_class> seen = exactValues(panel.insideOf(panel.values));
    const std::vector<mpz_class> under = panel.insideOf(templ);
    const std::vector<mpz_class>& all = overlap ? under : templ;
    const mpz_class count = static_cast<unsigned long>(all.size());
    const mpz_class inside = static_cast<unsigned long>(seen.size());
    const mpz_class variance = count * product(seen, seen) - sum(seen) * sum(seen);
    const mpz_class templVariance = count * product(all, all) - sum(all) * sum(all);
    if (variance == 0 || templVariance == 0) {
        return {0, base::Status::Flat};
    }
    mpf_class numerator(mpz_class(count * product(seen, under) - sum(seen) * sum(all)), kRootBits);
    if (partial && outside == method::Outside::Eibl) {
        const mpz_class beyond = sum(seen) * (count * sum(under) - inside * sum(all));
        numerator -= mpf_class(beyond, kRootBits) / mpf_class(count, kRootBits);
    }
    const mpf_class root = sqrt(mpf_class(mpz_class(variance * templVariance), kRootBits));
    const mpf_class score(numerator / root, kRootBits);
    return {score.get_d(), status};
}

reference::Score Oracle::at(const method::MaskedView& scene, const base::Index& corner) const {
    return std::visit(
        [&](const auto& pixels) {
            return m_state->score(
                reference::seenPanel(pixels, scene.mask, m_state->support, corner));
        },
        scene.pixels);
}

} // namespace flcc::test
