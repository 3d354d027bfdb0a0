#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "engine/base/widest.h"
#include "engine/cpu/score/edge_sums.h"
#include "engine/cpu/score/tile_scorer.h"
#include "engine/method/shared/fourier_bound.h"

namespace flcc::cpu {

namespace {

using base::Extents;

/// Sums of x, x^2 and x^4.
using Moments = std::array<double, 3>;

struct RowMoments {
    const float* row;
    std::int64_t count;
    Moments& to;

    void operator()() const {
        constexpr std::int64_t kLanes = 8;
        std::array<float, kLanes> first{};
        std::array<float, kLanes> second{};
        std::array<float, kLanes> fourth{};
        const auto add = [&](float x, std::size_t lane) {
            const float square = x * x;
            first[lane] += x;
            second[lane] += square;
            fourth[lane] += square * square;
        };
        std::int64_t i = 0;
        for (; i + kLanes <= count; i += kLanes) {
            for (std::int64_t lane = 0; lane < kLanes; ++lane) {
                add(row[i + lane], static_cast<std::size_t>(lane));
            }
        }
        for (; i < count; ++i) {
            add(row[i], 0);
        }
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            to[0] += static_cast<double>(first[lane]);
            to[1] += static_cast<double>(second[lane]);
            to[2] += static_cast<double>(fourth[lane]);
        }
    }
};

/// One slice of a tile in blocks of an eighth of the template, and boxes of 8x8 of these.
class Blocks {
  public:
    Blocks(const Extents& m, const Extents& seen)
        : m_block{std::max<std::int64_t>(1, m.x / 8), std::max<std::int64_t>(1, m.y / 8), 1},
          m_box{m.x / m_block.x, m.y / m_block.y, 1}, m_count{seen.x / m_block.x,
                                                              seen.y / m_block.y, 1},
          m_sums(static_cast<std::size_t>((m_count.x + 1) * (m_count.y + 1))) {}

    void load(const float* x, std::int64_t rowStride) {
        for (std::int64_t j = 0; j < m_count.y; ++j) {
            Moments line{};
            for (std::int64_t i = 0; i < m_count.x; ++i) {
                for (std::int64_t y = 0; y < m_block.y; ++y) {
                    const float* const row = x + (j * m_block.y + y) * rowStride + i * m_block.x;
                    base::inWidest(RowMoments{row, m_block.x, line});
                }
                for (std::size_t k = 0; k < line.size(); ++k) {
                    at(i + 1, j + 1)[k] = at(i + 1, j)[k] + line[k];
                }
            }
        }
    }

    /// Boxes along each axis, and voxels of a box.
    [[nodiscard]] Extents boxes() const {
        return {m_count.x - m_box.x + 1, m_count.y - m_box.y + 1, 1};
    }
    [[nodiscard]] double voxels() const {
        return static_cast<double>(m_box.x * m_block.x * m_box.y * m_block.y);
    }
    [[nodiscard]] Moments box(std::int64_t i, std::int64_t j) {
        return between(i, j, i + m_box.x, j + m_box.y);
    }
    /// The means of x^2 and of (x^2 - level)^2 of the column of blocks where they are largest.
    [[nodiscard]] std::array<double, 2> brightestColumns(double level) {
        std::array<double, 2> most{};
        const auto voxels = static_cast<double>(m_block.x * m_block.y * m_count.y);
        for (std::int64_t i = 0; i < m_count.x; ++i) {
            const Moments sums = between(i, 0, i + 1, m_count.y);
            most[0] = std::max(most[0], sums[1] / voxels);
            most[1] = std::max(most[1], (sums[2] - 2 * level * sums[1]) / voxels + level * level);
        }
        return most;
    }
    /// The mean of x^2.
    [[nodiscard]] double level() {
        return between(0, 0, m_count.x, m_count.y)[1] /
               static_cast<double>(m_block.x * m_block.y * m_count.x * m_count.y);
    }

  private:
    [[nodiscard]] Moments& at(std::int64_t i, std::int64_t j) {
        return m_sums[static_cast<std::size_t>(j * (m_count.x + 1) + i)];
    }
    [[nodiscard]] Moments between(std::int64_t i0, std::int64_t j0, std::int64_t i1,
                                  std::int64_t j1) {
        Moments sums{};
        for (std::size_t k = 0; k < sums.size(); ++k) {
            sums[k] = (at(i1, j1)[k] - at(i0, j1)[k]) - (at(i1, j0)[k] - at(i0, j0)[k]);
        }
        return sums;
    }

    Extents m_block;
    Extents m_box;
    Extents m_count;
    std::vector<Moments> m_sums; ///< of all blocks before each corner
};

/// The largest mean of a line of values along each axis.
class LineMeans {
  public:
    explicit LineMeans(const Extents& count)
        : m_rows(static_cast<std::size_t>(count.y)), m_columns(static_cast<std::size_t>(count.x)) {}
    void add(std::int64_t i, std::int64_t j, double value) {
        m_rows[static_cast<std::size_t>(j)] += value;
        m_columns[static_cast<std::size_t>(i)] += value;
    }
    /// TileEnergy::largestGathered of a tile with such lines.
    [[nodiscard]] double gathered(const Extents& points) const {
        constexpr double kGathered = method::shared::TileEnergy::kGathered;
        const auto mostOf = [](const std::vector<double>& sums, std::size_t length) {
            return *std::max_element(sums.begin(), sums.end()) / static_cast<double>(length);
        };
        const auto length = static_cast<double>(points.y);
        return mostOf(m_columns, m_rows.size()) * length / std::min(length, kGathered) +
               mostOf(m_rows, m_columns.size()) * static_cast<double>(points.x) / kGathered;
    }

  private:
    std::vector<double> m_rows;
    std::vector<double> m_columns;
};

/// True if more than a 64th of the boxes of a slice break the promise.
bool isPoor(Blocks& blocks, const Extents& points, const Extents& m, double promise) {
    const Extents count = blocks.boxes();
    const double voxels = blocks.voxels();
    const double level = blocks.level();
    std::array<LineMeans, 2> out{LineMeans(count), LineMeans(count)};
    const auto forBoxes = [&](const auto& use) {
        for (std::int64_t j = 0; j < count.y; ++j) {
            for (std::int64_t i = 0; i < count.x; ++i) {
                use(i, j, blocks.box(i, j));
            }
        }
    };
    forBoxes([&](std::int64_t i, std::int64_t j, const Moments& sums) {
        const double second = sums[1] - level * voxels;
        out[0].add(i, j, sums[0] * sums[0] / voxels);
        out[1].add(i, j, second * second / voxels);
    });
    const std::array<double, 2> in = blocks.brightestColumns(level);
    std::array<double, 2> errors{};
    for (std::size_t k = 0; k < 2; ++k) {
        method::shared::TileEnergy from;
        from.largestMeanSquare = in[k];
        method::shared::TileEnergy to;
        to.largestGathered = out[k].gathered(points);
        errors[k] = std::sqrt(voxels) *
                    method::shared::fourierBound(points, m, from, to, {kUnitSingle, 1}).typical;
    }
    const double share = promise / 0.54;
    std::int64_t poor = 0;
    forBoxes([&](std::int64_t, std::int64_t, const Moments& sums) {
        const double variance = sums[1] - sums[0] * sums[0] / voxels;
        const double error = errors[1] + (2 * std::abs(sums[0]) + errors[0]) * errors[0] / voxels +
                             8 * kUnitSingle * sums[1];
        poor += error > share * variance ? 1 : 0;
    });
    constexpr std::int64_t kShare = 64;
    return kShare * poor > base::voxelCount(count);
}

} // namespace

bool expectsPoorSums(const Extents& points, const Extents& m, const Extents& out,
                     const simd::FloatBox& x, double promise) {
    Blocks blocks(m, {out.x + m.x - 1, out.y + m.y - 1, 1});
    for (std::int64_t z = 0; z < out.z; ++z) {
        blocks.load(x.data + z * x.sliceStride, x.rowStride);
        if (isPoor(blocks, points, m, promise)) {
            return true;
        }
    }
    return false;
}

} // namespace flcc::cpu
