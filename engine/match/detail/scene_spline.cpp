#include "engine/match/detail/scene_spline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <variant>

#include "engine/base/widest.h"

namespace flcc::match::detail {

namespace {

/// Voxels about the box: two lie under the kernel, and what lies beyond decays by 0.27 a voxel.
constexpr std::int64_t kMargin = 6;
/// Of the filter that makes coefficients: the root of 4 z^2 + 13 z + 4; its gain is 21 / 4.
const double kPole = (std::sqrt(105.0) - 13) / 8;
constexpr float kGain = 5.25F;

/// Makes coefficients of `count` values, `stride` apart, in `lanes` neighbouring columns. Beyond
/// both ends the values are taken to stay the same.
void filterColumns(float* values, std::int64_t count, std::int64_t stride, std::int64_t lanes) {
    const auto z = static_cast<float>(kPole);
    base::inWidest([=] {
        const float start = 1 / (1 - z);
        float* const first = values;
        for (std::int64_t i = 0; i < lanes; ++i) {
            first[i] *= start;
        }
        for (std::int64_t k = 1; k < count; ++k) {
            float* const to = values + k * stride;
            for (std::int64_t i = 0; i < lanes; ++i) {
                to[i] += z * to[i - stride];
            }
        }
        float* const last = values + (count - 1) * stride;
        for (std::int64_t i = 0; i < lanes; ++i) {
            last[i] *= -z * start;
        }
        for (std::int64_t k = count - 2; k >= 0; --k) {
            float* const to = values + k * stride;
            for (std::int64_t i = 0; i < lanes; ++i) {
                to[i] = z * (to[i + stride] - to[i]);
            }
        }
        for (std::int64_t k = 0; k < count; ++k) {
            float* const to = values + k * stride;
            for (std::int64_t i = 0; i < lanes; ++i) {
                to[i] *= kGain;
            }
        }
    });
}

/// The same along rows that lie one after another: eight at once as columns.
void filterRows(float* values, std::int64_t length, std::int64_t rows) {
    constexpr std::int64_t kLanes = 8;
    std::vector<float> columns(static_cast<std::size_t>(kLanes * length));
    for (std::int64_t row = 0; row < rows; row += kLanes) {
        const std::int64_t lanes = std::min(kLanes, rows - row);
        float* const from = values + row * length;
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            for (std::int64_t x = 0; x < length; ++x) {
                columns[static_cast<std::size_t>(x * kLanes + lane)] = from[lane * length + x];
            }
        }
        filterColumns(columns.data(), length, kLanes, kLanes);
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            for (std::int64_t x = 0; x < length; ++x) {
                from[lane * length + x] = columns[static_cast<std::size_t>(x * kLanes + lane)];
            }
        }
    }
}

} // namespace

SceneSpline::SceneSpline(const method::MaskedView& scene, const base::Box& box, bool deep)
    : m_box{box.extents.x + 2 * kMargin, box.extents.y + 2 * kMargin,
            box.extents.z + (deep ? 2 * kMargin : 0)},
      m_corner{box.corner.x - kMargin, box.corner.y - kMargin, box.corner.z - (deep ? kMargin : 0)},
      m_deep(deep), m_values(static_cast<std::size_t>(base::voxelCount(m_box))) {
    std::vector<std::uint8_t> unknown;
    read(scene, {m_corner, m_box}, unknown);
    fill(unknown);
    filter();
}

void SceneSpline::read(const method::MaskedView& scene, const base::Box& box,
                       std::vector<std::uint8_t>& unknown) {
    const base::Extents n = scene.extents();
    const base::Extents& size = box.extents;
    std::vector<double> read(m_values.size());
    const auto leaves = [](std::int64_t corner, std::int64_t length, std::int64_t room) {
        return corner < 0 || corner + length > room;
    };
    bool all = !leaves(box.corner.x, size.x, n.x) && !leaves(box.corner.y, size.y, n.y) &&
               !leaves(box.corner.z, size.z, n.z) && scene.mask.data() == nullptr;
    std::vector<std::uint8_t> counts(m_values.size(), 1);
    unknown.assign(m_values.size(), 0);
    double sum = 0;
    double known = 0;
    std::visit(
        [&](const auto& view) {
            std::size_t i = 0;
            for (std::int64_t z = 0; z < size.z; ++z) {
                const std::int64_t ownZ = box.corner.z + z;
                const std::int64_t sceneZ = std::clamp<std::int64_t>(ownZ, 0, n.z - 1);
                for (std::int64_t y = 0; y < size.y; ++y) {
                    const std::int64_t ownY = box.corner.y + y;
                    const std::int64_t sceneY = std::clamp<std::int64_t>(ownY, 0, n.y - 1);
                    for (std::int64_t x = 0; x < size.x; ++x, ++i) {
                        const std::int64_t ownX = box.corner.x + x;
                        const std::int64_t sceneX = std::clamp<std::int64_t>(ownX, 0, n.x - 1);
                        const auto value = static_cast<double>(view.at(sceneX, sceneY, sceneZ));
                        const bool in =
                            std::isfinite(value) && (scene.mask.data() == nullptr ||
                                                     scene.mask.at(sceneX, sceneY, sceneZ) != 0);
                        counts[i] =
                            in && ownX == sceneX && ownY == sceneY && ownZ == sceneZ ? 1 : 0;
                        all = all && in;
                        unknown[i] = in ? 0 : 1;
                        read[i] = in ? value : 0;
                        sum += read[i];
                        known += in ? 1 : 0;
                    }
                }
            }
        },
        scene.pixels);
    const double level = known > 0 ? sum / known : 0;
    double unit = 0;
    for (std::size_t i = 0; i < read.size(); ++i) {
        unit = std::max(unit, unknown[i] != 0 ? 0 : std::abs(read[i] - level));
    }
    for (std::size_t i = 0; i < read.size(); ++i) {
        m_values[i] =
            unknown[i] != 0 || unit == 0 ? 0 : static_cast<float>((read[i] - level) / unit);
    }
    m_counts = all ? std::vector<std::uint8_t>() : std::move(counts);
    if (all || known == 0) {
        unknown.clear();
    }
}

/// Gives unknown voxels the mean of their neighbours, from the outside in; those farther in keep
/// the level of the box.
void SceneSpline::fill(std::vector<std::uint8_t>& unknown) {
    constexpr int kPasses = 4;
    const std::array<std::int64_t, 3> length{m_box.x, m_box.y, m_box.z};
    const std::array<std::int64_t, 3> stride{1, m_box.x, m_box.x * m_box.y};
    for (int pass = 0; pass < kPasses && !unknown.empty(); ++pass) {
        const std::vector<std::uint8_t> before = unknown;
        bool any = false;
        for (std::size_t i = 0; i < before.size(); ++i) {
            if (before[i] == 0) {
                continue;
            }
            any = true;
            float sum = 0;
            float count = 0;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const auto at = static_cast<std::int64_t>(i);
                const std::int64_t place = at / stride[axis] % length[axis];
                for (const std::int64_t side : {-1, 1}) {
                    const bool in = place + side >= 0 && place + side < length[axis];
                    const auto other = static_cast<std::size_t>(in ? at + side * stride[axis] : at);
                    if (in && before[other] == 0) {
                        sum += m_values[other];
                        count += 1;
                    }
                }
            }
            if (count > 0) {
                m_values[i] = sum / count;
                unknown[i] = 0;
            }
        }
        if (!any) {
            return;
        }
    }
}

void SceneSpline::filter() {
    const std::int64_t slice = m_box.x * m_box.y;
    filterRows(m_values.data(), m_box.x, m_box.y * m_box.z);
    for (std::int64_t z = 0; z < m_box.z; ++z) {
        filterColumns(m_values.data() + z * slice, m_box.y, m_box.x, m_box.x);
    }
    if (m_deep) {
        for (std::int64_t y = 0; y < m_box.y; ++y) {
            filterColumns(m_values.data() + y * m_box.x, m_box.z, slice, m_box.x);
        }
    }
}

namespace {

using Four [[gnu::vector_size(4 * sizeof(float))]] = float;

[[gnu::always_inline]] inline void load(Four& to, const float* from) {
    std::memcpy(&to, from, sizeof to);
}

constexpr int kBlock = 64;

/// The four weights along one axis, of the places of a block, and the first voxel under them.
struct Weights {
    alignas(64) float of[4][kBlock];
    std::int32_t first[kBlock];
    float counts[kBlock];
};

/// Of places from + i step, counted from the first voxel of the box.
[[gnu::always_inline]] inline void setWeights(Weights& to, int count, double from, double step,
                                              std::int64_t length) {
    const double last = static_cast<double>(length) - 3;
    const double end = static_cast<double>(length) - 1;
    for (int i = 0; i < count; ++i) {
        const double place = from + step * static_cast<double>(i);
        to.counts[i] = place >= 0 && place <= end ? 1.0F : 0.0F;
        const double whole = std::clamp(std::floor(place), 1.0, last);
        const auto t = static_cast<float>(std::clamp(place - whole, 0.0, 1.0));
        const float u = 1 - t;
        to.first[i] = static_cast<std::int32_t>(whole) - 1;
        to.of[0][i] = u * (7 * u * u + 1) * (1.0F / 42);
        to.of[1][i] = (t * (7 * t * (3 * t - 6) + 3) + 26) * (1.0F / 42);
        to.of[2][i] = (u * (7 * u * (3 * u - 6) + 3) + 26) * (1.0F / 42);
        to.of[3][i] = t * (7 * t * t + 1) * (1.0F / 42);
    }
}

struct Block {
    Weights across;
    Weights down;
    Weights deeper;
};

[[gnu::always_inline]] inline void addRows(Four& to, const float* from, std::int64_t width,
                                           const Weights& down, int i) {
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

[[gnu::always_inline]] inline float valueAt(const Block& block, int i, bool deep, const float* from,
                                            std::int64_t width, std::int64_t slice) {
    Four sum;
    addRows(sum, from, width, block.down, i);
    if (deep) {
        sum *= block.deeper.of[0][i];
        for (int plane = 1; plane < 4; ++plane) {
            Four more;
            addRows(more, from + plane * slice, width, block.down, i);
            sum += block.deeper.of[plane][i] * more;
        }
    }
    return (block.across.of[0][i] * sum[0] + block.across.of[1][i] * sum[1]) +
           (block.across.of[2][i] * sum[2] + block.across.of[3][i] * sum[3]);
}

} // namespace

void SceneSpline::row(const base::Point& from, const base::Point& step, std::int64_t count,
                      float* values, float* counts) const {
    const std::int64_t width = m_box.x;
    const std::int64_t slice = m_box.x * m_box.y;
    const base::Point first{from[0] - static_cast<double>(m_corner.x),
                            from[1] - static_cast<double>(m_corner.y),
                            from[2] - static_cast<double>(m_corner.z)};
    base::inWidest([&] {
        Block block;
        for (std::int64_t begin = 0; begin < count; begin += kBlock) {
            const auto size = static_cast<int>(std::min<std::int64_t>(kBlock, count - begin));
            const auto done = static_cast<double>(begin);
            setWeights(block.across, size, first[0] + step[0] * done, step[0], m_box.x);
            setWeights(block.down, size, first[1] + step[1] * done, step[1], m_box.y);
            if (m_deep) {
                setWeights(block.deeper, size, first[2] + step[2] * done, step[2], m_box.z);
            } else {
                const auto z = static_cast<std::int32_t>(
                    std::clamp(std::floor(first[2] + 0.5), 0.0, static_cast<double>(m_box.z - 1)));
                std::fill_n(block.deeper.first, size, z);
                std::fill_n(block.deeper.counts, size, 1.0F);
            }
            for (int i = 0; i < size; ++i) {
                const std::int64_t at = block.deeper.first[i] * slice +
                                        block.down.first[i] * width + block.across.first[i];
                values[begin + i] = valueAt(block, i, m_deep, m_values.data() + at, width, slice);
                counts[begin + i] =
                    block.across.counts[i] * block.down.counts[i] * block.deeper.counts[i];
            }
        }
    });
    if (m_counts.empty()) {
        return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
        if (counts[i] == 0) {
            continue;
        }
        const auto nearest = [&](std::size_t axis, std::int64_t length) {
            const double place = first[axis] + step[axis] * static_cast<double>(i);
            return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(place + 0.5)), 0,
                                            length - 1);
        };
        const std::int64_t at =
            nearest(2, m_box.z) * slice + nearest(1, m_box.y) * width + nearest(0, m_box.x);
        counts[i] = m_counts[static_cast<std::size_t>(at)] != 0 ? 1.0F : 0.0F;
    }
}

} // namespace flcc::match::detail
