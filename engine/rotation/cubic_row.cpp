#include "engine/rotation/detail/cubic_row.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/base/widest.h"

namespace flcc::rotation::detail {

namespace {

using Four [[gnu::vector_size(4 * sizeof(double))]] = double;

[[gnu::always_inline]] inline void load(Four& to, const double* from) {
    std::memcpy(&to, from, sizeof to);
}

/// Places are worked on in blocks that stay in the nearest cache.
constexpr std::int64_t kBlock = 64;

/// The four weights along one axis, of the places of a block.
struct Weights {
    alignas(64) double of[4][kBlock];
};

/// The kernel of Keys with a = -1/2 at 1 + t, t, 1 - t and 2 - t. The weights add up to 1.
[[gnu::always_inline]] inline void keys(Weights& to, std::int64_t i, double t) {
    to.of[0][i] = ((-0.5 * t + 1) * t - 0.5) * t;
    to.of[1][i] = (1.5 * t - 2.5) * t * t + 1;
    to.of[2][i] = ((-1.5 * t + 2) * t + 0.5) * t;
    to.of[3][i] = (0.5 * t - 0.5) * t * t;
}

/// The sum over the voxels of four neighbouring rows, column by column.
[[gnu::always_inline]] inline void addRows(Four& to, const double* from, std::int64_t width,
                                           const Weights& down, std::int64_t i) {
    Four row;
    load(row, from);
    to = down.of[0][i] * row;
    load(row, from + width);
    to += down.of[1][i] * row;
    load(row, from + 2 * width);
    to += down.of[2][i] * row;
    load(row, from + 3 * width);
    to += down.of[3][i] * row;
}

struct Block {
    Weights across;
    Weights down;
    Weights deeper;
    std::int64_t at[kBlock]; ///< the first voxel under the kernel
};

[[gnu::always_inline]] inline void addColumns(Four& to, const Block& block, std::int64_t i,
                                              bool flat, const double* values, std::int64_t width,
                                              std::int64_t slice) {
    const double* const from = values + block.at[i];
    addRows(to, from, width, block.down, i);
    if (flat) {
        return;
    }
    to *= block.deeper.of[0][i];
    for (int plane = 1; plane < 4; ++plane) {
        Four sum;
        addRows(sum, from + plane * slice, width, block.down, i);
        to += block.deeper.of[plane][i] * sum;
    }
}

/// Four values from four columns each.
[[gnu::always_inline]] inline void addAcross(const Four (&columns)[4], const Weights& across,
                                             std::int64_t i, double* result) {
    const Four a = __builtin_shufflevector(columns[0], columns[1], 0, 4, 2, 6);
    const Four b = __builtin_shufflevector(columns[0], columns[1], 1, 5, 3, 7);
    const Four c = __builtin_shufflevector(columns[2], columns[3], 0, 4, 2, 6);
    const Four d = __builtin_shufflevector(columns[2], columns[3], 1, 5, 3, 7);
    const Four of[4] = {
        __builtin_shufflevector(a, c, 0, 1, 4, 5), __builtin_shufflevector(b, d, 0, 1, 4, 5),
        __builtin_shufflevector(a, c, 2, 3, 6, 7), __builtin_shufflevector(b, d, 2, 3, 6, 7)};
    Four weight;
    load(weight, across.of[0] + i);
    Four sum = weight * of[0];
    for (int column = 1; column < 4; ++column) {
        load(weight, across.of[column] + i);
        sum += weight * of[column];
    }
    std::memcpy(result + i, &sum, sizeof sum);
}

/// The voxels of a row whose place on one axis lies within `reach` of the template's voxels.
void narrow(double slope, double rest, double length, double reach, double& first, double& last) {
    const double low = -reach - rest;
    const double high = length - 1 + reach - rest;
    if (std::abs(slope) < 1e-12) {
        if (low > 0 || high < 0) {
            last = first - 1;
        }
        return;
    }
    first = std::max(first, std::min(low / slope, high / slope));
    last = std::min(last, std::max(low / slope, high / slope));
}

/// Places on one axis of voxels from `offset` on.
void placeOn(double* to, int count, const double* back, const base::Point& offset, double centre,
             double snap) {
    base::inWidest([&] {
        double* const places = to;
        const double slope = back[0];
        const double second = back[1] * offset[1];
        const double third = back[2] * offset[2];
        const double first = offset[0];
        const double middle = centre;
        const double near = snap;
        for (int i = 0; i < count; ++i) {
            const double at = (slope * (first + static_cast<double>(i)) + second + third) + middle;
            const double whole = std::nearbyint(at);
            places[i] = std::abs(at - whole) < near ? whole : at;
        }
    });
}

} // namespace

RowOfPlaces::RowOfPlaces(std::int64_t count) {
    const auto length = static_cast<std::size_t>(count);
    for (std::vector<double>& each : place) {
        each.resize(length);
    }
    inside.resize(length);
    deep.resize(length);
}

void RowOfPlaces::set(const Matrix& back, const base::Point& row, const base::Point& centre,
                      const base::Extents& lengths, std::int64_t slice, double snap,
                      std::int64_t count) {
    // Round supports reach less than one voxel beyond the template.
    constexpr double kReach = 1.5;
    const bool flat = slice >= 0;
    const double length[3] = {static_cast<double>(lengths.x), static_cast<double>(lengths.y),
                              static_cast<double>(lengths.z)};
    double first = 0;
    double last = static_cast<double>(count - 1);
    for (std::size_t axis = 0; axis < (flat ? 2U : 3U); ++axis) {
        const double rest = back[3 * axis] * row[0] + back[3 * axis + 1] * row[1] +
                            back[3 * axis + 2] * row[2] + centre[axis];
        narrow(back[3 * axis], rest, length[axis], kReach, first, last);
    }
    from = first > last ? 0 : static_cast<std::int64_t>(std::floor(first));
    to = first > last ? 0 : std::min(count, static_cast<std::int64_t>(std::ceil(last)) + 1);
    const auto voxels = static_cast<std::size_t>(to - from);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (flat && axis == 2) {
            std::fill_n(place[axis].begin(), voxels, static_cast<double>(slice));
        } else {
            placeOn(place[axis].data(), static_cast<int>(voxels), back.data() + 3 * axis,
                    {row[0] + static_cast<double>(from), row[1], row[2]}, centre[axis], snap);
        }
    }
    // Places run along a straight line, so that both are true from one voxel to another.
    const auto within = [&](double before, double behind, std::vector<std::uint8_t>& flags) {
        const auto is = [&](std::size_t i) {
            bool in = true;
            for (std::size_t axis = 0; axis < (flat ? 2U : 3U); ++axis) {
                in = in && place[axis][i] >= before && place[axis][i] <= length[axis] - behind;
            }
            return in;
        };
        std::size_t begin = 0;
        while (begin < voxels && !is(begin)) {
            ++begin;
        }
        std::size_t end = voxels;
        while (end > begin && !is(end - 1)) {
            --end;
        }
        std::fill_n(flags.begin(), voxels, 0);
        std::fill_n(flags.data() + begin, end - begin, 1);
    };
    within(-0.5 - snap, 0.5 - snap, inside);
    within(1, 2 + 1e-9, deep);
}

void cubicRow(const RowOfPlaces& row, std::int64_t first, std::int64_t last, bool flat,
              const double* values, const base::Extents& lengths, double* result) {
    base::inWidest([&] {
        const std::int64_t width = lengths.x;
        const std::int64_t slice = lengths.x * lengths.y;
        Block block;
        for (std::int64_t begin = first; begin < last; begin += kBlock) {
            const auto count = static_cast<int>(std::min(kBlock, last - begin));
            const double* const px = row.place[0].data() + begin;
            const double* const py = row.place[1].data() + begin;
            const double* const pz = row.place[2].data() + begin;
            for (int i = 0; i < count; ++i) {
                const double left = std::floor(px[i]);
                const double top = std::floor(py[i]);
                keys(block.across, i, px[i] - left);
                keys(block.down, i, py[i] - top);
                block.at[i] = (static_cast<std::int64_t>(top) - 1) * width +
                              static_cast<std::int64_t>(left) - 1;
            }
            for (int i = 0; i < count && !flat; ++i) {
                const double front = std::floor(pz[i]);
                keys(block.deeper, i, pz[i] - front);
                block.at[i] += (static_cast<std::int64_t>(front) - 1) * slice;
            }
            alignas(32) double made[kBlock];
            for (std::int64_t i = 0; i < count; i += 4) {
                Four columns[4];
                for (std::int64_t k = 0; k < 4; ++k) {
                    addColumns(columns[k], block, std::min<std::int64_t>(i + k, count - 1), flat,
                               values, width, slice);
                }
                addAcross(columns, block.across, i, made);
            }
            std::copy_n(made, count, result + begin);
        }
    });
}

void linearRow(const RowOfPlaces& row, std::int64_t first, std::int64_t last, bool flat,
               const double* values, const base::Extents& lengths, double* result) {
    base::inWidest([&] {
        const std::int64_t width = lengths.x;
        const std::int64_t slice = lengths.x * lengths.y;
        for (std::int64_t i = first; i < last; ++i) {
            const double x = std::floor(row.place[0][static_cast<std::size_t>(i)]);
            const double y = std::floor(row.place[1][static_cast<std::size_t>(i)]);
            const double z = std::floor(row.place[2][static_cast<std::size_t>(i)]);
            const double right = row.place[0][static_cast<std::size_t>(i)] - x;
            const double below = row.place[1][static_cast<std::size_t>(i)] - y;
            const double behind = row.place[2][static_cast<std::size_t>(i)] - z;
            const double* const from = values + (flat ? 0 : static_cast<std::int64_t>(z) * slice) +
                                       static_cast<std::int64_t>(y) * width +
                                       static_cast<std::int64_t>(x);
            const auto line = [right](const double* at) {
                return (1 - right) * at[0] + right * at[1];
            };
            const auto plane = [&](const double* at) {
                return (1 - below) * line(at) + below * line(at + width);
            };
            const double near = plane(from);
            result[i] = flat ? near : (1 - behind) * near + behind * plane(from + slice);
        }
    });
}

} // namespace flcc::rotation::detail
