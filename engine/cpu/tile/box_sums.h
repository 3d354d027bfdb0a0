#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/extents.h"
#include "engine/cpu/simd/kernels.h"

namespace flcc::cpu {

/// Window sums of x and x^2 along an axis by additions only: a window is the tail of one block of
/// lines plus the head of the next (van Herk). A line is a row of voxels; the lines of a plane are
/// independent of each other.
class LineWindows {
  public:
    struct Pair {
        double* sums = nullptr;    ///< of x
        double* squares = nullptr; ///< of x^2
    };

    /// Windows of `width` lines of `length` values, for `lines` lines of a plane.
    LineWindows(std::int64_t width, std::int64_t lines, std::int64_t length);

    /// Makes the window that begins with line `first` and returns it; it is kept until the next one
    /// of its line of the plane; the caller may change it. Windows of a line are made in the order
    /// of `first`, from 0. `lineAt(i)` is a Pair. `Squares`: it holds x in `sums`, which is squared
    /// here.
    template <bool Squares, class LineAt>
    Pair make(std::int64_t first, std::int64_t line, std::int64_t length, const LineAt& lineAt);
    /// The window that was made last for a line of the plane.
    [[nodiscard]] Pair last(std::int64_t first, std::int64_t line) {
        double* const at = tail(first % m_width, line);
        return {at, at + m_length};
    }

    [[nodiscard]] static std::int64_t bytes(std::int64_t width, std::int64_t lines,
                                            std::int64_t length) {
        return 16 * (width + 1) * lines * length;
    }

  private:
    [[nodiscard]] double* tail(std::int64_t i, std::int64_t line) {
        return m_rows.data() + 2 * (i * m_lines + line) * m_length;
    }

    std::int64_t m_width;
    std::int64_t m_lines;
    std::int64_t m_length;
    std::vector<double> m_rows; ///< the tails of a block, then the head of the next one
};

/// Sums of x and x^2 over every box of extents m in a tile, in double, by additions only: no voxel
/// outside a box enters its sums. Whole numbers stay exact. One for each worker.
/// **Source**: engine/method/NUMERICS.md, section 4. **Cost**: O(log m.x) a voxel.
class BoxSums {
  public:
    /// For tiles of at most `tile` placements.
    BoxSums(const base::Extents& m, const base::Extents& tile);

    /// Writes the sums of the placements of `out`. x holds out + m - 1 voxels.
    void sum(const simd::DoubleBox& x, const base::Extents& out, const simd::DoubleBox& sums,
             const simd::DoubleBox& squares);

    /// The error of a sum, relative to the sum of the magnitudes of its terms: the roundings that a
    /// term passes through.
    [[nodiscard]] static double error(const base::Extents& m);
    [[nodiscard]] static std::int64_t bytes(const base::Extents& m, const base::Extents& tile);

  private:
    base::Extents m_m;
    base::Extents m_seen;
    LineWindows m_planes; ///< along z
    LineWindows m_rows;   ///< along y
};

} // namespace flcc::cpu
