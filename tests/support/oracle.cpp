#include "tests/support/oracle.h"

#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "engine/reference/panel.h"

namespace flcc::test {

namespace {

constexpr mp_bitcnt_t kRootBits = 320;

struct Sums {
    std::vector<mpz_class> values;
    mpz_class total = 0;
    mpz_class variance = 0; // N sum v^2 - (sum v)^2
};

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

template <class T> Sums sumsOf(const base::View<const T>& panel) {
    int exponent = std::numeric_limits<int>::max();
    if constexpr (std::is_floating_point_v<T>) {
        reference::forEachVoxel(panel, [&](T voxel) {
            int e = 0;
            if (std::frexp(static_cast<double>(voxel), &e) != 0) {
                exponent = std::min(exponent, e);
            }
        });
    }
    Sums sums;
    mpz_class squares = 0;
    reference::forEachVoxel(panel, [&](T voxel) {
        sums.values.push_back(exactValue(voxel, exponent));
        const mpz_class& value = sums.values.back();
        sums.total += value;
        squares += value * value;
    });
    sums.variance =
        squares * static_cast<unsigned long>(sums.values.size()) - sums.total * sums.total;
    return sums;
}

} // namespace

struct Oracle::State {
    base::Extents extents;
    Sums templ;
};

Oracle::Oracle(const base::AnyView& templ)
    : m_state(std::make_unique<State>(
          State{base::extentsOf(templ),
                std::visit([](const auto& pixels) { return sumsOf(pixels); }, templ)})) {}

Oracle::~Oracle() = default;

reference::Score Oracle::at(const base::AnyView& scene, const base::Index& corner) const {
    const base::AnyView panel = base::partOf(scene, {corner, m_state->extents});
    const base::Status status =
        std::visit([](const auto& pixels) { return reference::panelStatus(pixels); }, panel);
    if (status == base::Status::NonFinite) {
        return {0, status};
    }
    const Sums& templ = m_state->templ;
    const Sums sums = std::visit([](const auto& pixels) { return sumsOf(pixels); }, panel);
    if (sums.variance == 0) {
        return {0, base::Status::Flat};
    }
    mpz_class numerator = 0;
    for (std::size_t i = 0; i < sums.values.size(); ++i) {
        numerator += sums.values[i] * templ.values[i];
    }
    numerator =
        numerator * static_cast<unsigned long>(sums.values.size()) - sums.total * templ.total;
    const mpf_class root = sqrt(mpf_class(mpz_class(sums.variance * templ.variance), kRootBits));
    const mpf_class score(mpf_class(numerator, kRootBits) / root, kRootBits);
    return {score.get_d(), base::Status::Ok};
}

} // namespace flcc::test
