#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace flcc::plan {

/// One observation: value = sum of terms[i] * x[i].
template <std::size_t N> struct Observation {
    std::array<double, N> terms{};
    double value = 0;
};

/// The x >= 0 with the smallest sum of squared relative errors, by normal equations. If an x[i]
/// would be negative, it is set to 0, the most negative one first, and the others are fitted anew.
template <std::size_t N>
[[nodiscard]] std::array<double, N> fitted(const std::vector<Observation<N>>& observations) {
    std::array<bool, N> used;
    used.fill(true);
    std::array<double, N> x{};
    for (std::size_t round = 0; round < N; ++round) {
        std::array<std::array<double, N + 1>, N> rows{}; // normal equations
        for (const Observation<N>& one : observations) {
            const double weight = 1 / (one.value * one.value);
            for (std::size_t i = 0; i < N; ++i) {
                for (std::size_t j = 0; j < N; ++j) {
                    rows[i][j] += weight * one.terms[i] * one.terms[j];
                }
                rows[i][N] += weight * one.terms[i] * one.value;
            }
        }
        for (std::size_t i = 0; i < N; ++i) {
            if (!used[i]) {
                rows[i].fill(0);
                rows[i][i] = 1;
            }
        }
        for (std::size_t column = 0; column < N; ++column) { // Gauss-Jordan with pivots
            std::size_t pivot = column;
            for (std::size_t i = column + 1; i < N; ++i) {
                pivot = std::abs(rows[i][column]) > std::abs(rows[pivot][column]) ? i : pivot;
            }
            std::swap(rows[column], rows[pivot]);
            if (rows[column][column] == 0) {
                continue;
            }
            for (std::size_t i = 0; i < N; ++i) {
                const double factor = rows[i][column] / rows[column][column];
                for (std::size_t j = column; i != column && j <= N; ++j) {
                    rows[i][j] -= factor * rows[column][j];
                }
            }
        }
        std::size_t worst = N;
        for (std::size_t i = 0; i < N; ++i) {
            x[i] = rows[i][i] == 0 ? 0 : rows[i][N] / rows[i][i];
            if (x[i] < 0 && (worst == N || x[i] < x[worst])) {
                worst = i;
            }
        }
        if (worst == N) {
            break;
        }
        used[worst] = false;
        x[worst] = 0;
    }
    return x;
}

} // namespace flcc::plan
