#include "engine/cpu/half_transform.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

namespace flcc::cpu {

namespace {

using base::Extents;
using base::Image;

/// line *= templ, complex, `count` pairs (re, im).
void multiply(float* line, const float* templ, std::int64_t count) {
    simd::multiplySpectra(line, templ, count, line);
}
void multiply(double* line, const double* templ, std::int64_t count) {
    for (std::int64_t i = 0; i < 2 * count; i += 2) {
        const double re = line[i] * templ[i] - line[i + 1] * templ[i + 1];
        line[i + 1] = line[i + 1] * templ[i] + line[i] * templ[i + 1];
        line[i] = re;
    }
}

/// Adds the squares of `count` lines along `steps` values, `stride` apart, to `sums`: in Value for
/// a while, then in double, which is as fast and as good.
template <class Value>
void addSquares(const Value* from, std::int64_t stride, std::int64_t steps, std::int64_t count,
                double* sums) {
    constexpr std::int64_t kWhile = 64;
    constexpr std::int64_t kWide = 256;
    std::array<Value, kWide> part{};
    for (std::int64_t step = 0; step < steps; step += kWhile) {
        std::fill_n(part.begin(), count, Value{0});
        for (std::int64_t i = step; i < std::min(steps, step + kWhile); ++i) {
            const Value* const row = from + i * stride;
            for (std::int64_t x = 0; x < count; ++x) {
                part[static_cast<std::size_t>(x)] += row[x] * row[x];
            }
        }
        for (std::int64_t x = 0; x < count; ++x) {
            sums[x] += static_cast<double>(part[static_cast<std::size_t>(x)]);
        }
    }
}

template <class Value> double rowSquares(const Value* row, std::int64_t count) {
    constexpr std::int64_t kLanes = 16;
    std::array<double, kLanes> sums{};
    const std::int64_t steps = count / kLanes;
    addSquares(row, kLanes, steps, kLanes, sums.data());
    addSquares(row + steps * kLanes, 0, 1, count - steps * kLanes, sums.data());
    double total = 0;
    for (const double sum : sums) {
        total += sum;
    }
    return total;
}

/// Sum of a row, in lanes.
template <class Value> double rowSum(const Value* row, std::int64_t count) {
    constexpr std::int64_t kLanes = 8;
    std::array<double, kLanes> sums{};
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
            sums[static_cast<std::size_t>(lane)] += static_cast<double>(row[i + lane]);
        }
    }
    for (; i < count; ++i) {
        sums[0] += static_cast<double>(row[i]);
    }
    double total = 0;
    for (const double sum : sums) {
        total += sum;
    }
    return total;
}

} // namespace

double sumOf(const float* row, std::int64_t count) { return rowSum(row, count); }
double sumOf(const double* row, std::int64_t count) { return rowSum(row, count); }
double sumOfSquares(const float* row, std::int64_t count) { return rowSquares(row, count); }
double sumOfSquares(const double* row, std::int64_t count) { return rowSquares(row, count); }

template <class Precision> LineTransform<Precision>::LineTransform(std::int64_t length) {
    if (length > INT32_MAX) {
        throw base::Error(base::ErrorCode::Internal,
                          "FFTW has no plan for length " + std::to_string(length));
    }
    const int count = static_cast<int>(length);
    Image<Value> a({2 * length, 1, 1});
    Image<Value> b({2 * length, 1, 1});
    Image<Value> row({2 * (length / 2 + 1), 1, 1});
    const Layout line{1, count};
    m_forward = {count, 1, a.data(), line, b.data(), line, FFTW_FORWARD, {}};
    m_inverse = {count, 1, a.data(), line, b.data(), line, FFTW_BACKWARD, {}};
    m_realForward = {count, row.data(), true};
    m_realInverse = {count, row.data(), false};
}

template <class Precision>
std::shared_ptr<const LineTransform<Precision>> LineTransform<Precision>::of(std::int64_t length) {
    // Kept on purpose until the process is gone: threads may still hold a transform at its end.
    static auto& made = *new std::map<std::int64_t, std::shared_ptr<const LineTransform>>;
    const std::lock_guard lock(plannerLock());
    auto& transform = made[length];
    if (!transform) {
        transform = std::make_shared<const LineTransform>(length);
    }
    return transform;
}

template <class Precision>
void LineTransform<Precision>::forward(const Value* from, Value* to) const {
    m_forward(const_cast<Value*>(from), to); // FFTW keeps the input of these
}

template <class Precision>
void LineTransform<Precision>::inverse(const Value* from, Value* to) const {
    m_inverse(const_cast<Value*>(from), to);
}

template <class Precision>
HalfTransform<Precision>::HalfTransform(const Extents& points)
    : m_points(points), m_x(LineTransform<Precision>::of(points.x)),
      m_y(LineTransform<Precision>::of(points.y)), m_z(LineTransform<Precision>::of(points.z)) {}

template <class Precision>
typename HalfTransform<Precision>::Scratch HalfTransform<Precision>::makeScratch() const {
    const Extents size{scratchValues(m_points) / 2, 1, 1};
    return {Image<Value>(size, Value{0}), Image<Value>(size, Value{0})};
}

template <class Precision>
typename HalfTransform<Precision>::Group
HalfTransform<Precision>::middleGroup(std::int64_t item) const {
    const std::int64_t first = item % groups() * kTogether;
    return {item / groups() * sliceStride() + 2 * first, rowStride(),
            std::min(kTogether, half(m_points) - first), m_points.y, 0};
}

template <class Precision>
typename HalfTransform<Precision>::Group
HalfTransform<Precision>::lastGroup(std::int64_t item) const {
    const std::int64_t first = item % groups() * kTogether;
    const std::int64_t row = item / groups(); // 0 in two dimensions
    return {row * rowStride() + 2 * first, volume() ? sliceStride() : rowStride(),
            std::min(kTogether, half(m_points) - first), lastLength(m_points),
            row * half(m_points) + first};
}

template <class Precision>
void HalfTransform<Precision>::gather(const Value* data, const Group& group, std::int64_t used,
                                      Value* lines) const {
    const std::int64_t stride = 2 * whole(group.length);
    simd::transposePairs(data + group.offset, group.step, used, group.count, lines, stride);
    for (std::int64_t k = 0; k < group.count; ++k) {
        std::fill_n(lines + k * stride + 2 * used, 2 * (group.length - used), Value{0});
    }
}

template <class Precision>
void HalfTransform<Precision>::scatter(const Value* lines, const Group& group, Value* data) const {
    simd::transposePairs(lines, 2 * whole(group.length), group.count, group.length,
                         data + group.offset, group.step);
}

template <class Precision>
bool HalfTransform<Precision>::rowsForward(const ForItems& each, Value* data,
                                           const Extents& used) const {
    return forRows(each, used, m_points.x, [&](std::int64_t y, std::int64_t z, std::int64_t) {
        m_x->realForward(data + z * sliceStride() + y * rowStride());
    });
}

template <class Precision>
bool HalfTransform<Precision>::rowsInverse(const ForItems& each, Value* data) const {
    return forRows(each, m_points, m_points.x, [&](std::int64_t y, std::int64_t z, std::int64_t) {
        m_x->realInverse(data + z * sliceStride() + y * rowStride());
    });
}

template <class Precision>
bool HalfTransform<Precision>::middle(const ForItems& each, Value* data, std::int64_t slices,
                                      std::int64_t used, bool inverse,
                                      std::vector<Scratch>& scratch) const {
    return each(slices * groups(), [&](std::int64_t item, int worker) {
        Scratch& own = scratch[static_cast<std::size_t>(worker)];
        const Group group = middleGroup(item);
        gather(data, group, used, own.lines.data());
        const std::int64_t stride = 2 * whole(m_points.y);
        for (std::int64_t k = 0; k < group.count; ++k) {
            const Value* const from = own.lines.data() + k * stride;
            Value* const to = own.images.data() + k * stride;
            inverse ? m_y->inverse(from, to) : m_y->forward(from, to);
        }
        scatter(own.images.data(), group, data);
    });
}

template <class Precision>
bool HalfTransform<Precision>::forward(const ForItems& each, Value* data, const Extents& used,
                                       const LineSink& sink, std::vector<Scratch>& scratch) const {
    const LineTransform<Precision>& last = volume() ? *m_z : *m_y;
    return rowsForward(each, data, used) &&
           (!volume() || middle(each, data, used.z, used.y, false, scratch)) &&
           each(lastGroups(), [&](std::int64_t item, int worker) {
               Scratch& own = scratch[static_cast<std::size_t>(worker)];
               const Group group = lastGroup(item);
               gather(data, group, volume() ? used.z : used.y, own.lines.data());
               Value* const image = own.images.data(); // its padding is 0 and stays so
               for (std::int64_t k = 0; k < group.count; ++k) {
                   last.forward(own.lines.data() + k * lineStride(), image);
                   sink(group.firstLine + k, image);
               }
           });
}

template <class Precision>
bool HalfTransform<Precision>::inverse(const ForItems& each, const Value* spectrum, Value* data,
                                       std::vector<Scratch>& scratch) const {
    const LineTransform<Precision>& last = volume() ? *m_z : *m_y;
    return each(lastGroups(),
                [&](std::int64_t item, int worker) {
                    Value* const lines = scratch[static_cast<std::size_t>(worker)].lines.data();
                    const Group group = lastGroup(item);
                    for (std::int64_t k = 0; k < group.count; ++k) {
                        last.inverse(spectrum + (group.firstLine + k) * lineStride(),
                                     lines + k * lineStride());
                    }
                    scatter(lines, group, data);
                }) &&
           (!volume() || middle(each, data, m_points.z, m_points.y, true, scratch)) &&
           rowsInverse(each, data);
}

template <class Precision>
bool HalfTransform<Precision>::correlate(const ForItems& each, Value* data, const Extents& used,
                                         const Value* templ, std::vector<Scratch>& scratch) const {
    const LineTransform<Precision>& last = volume() ? *m_z : *m_y;
    return rowsForward(each, data, used) &&
           (!volume() || middle(each, data, used.z, used.y, false, scratch)) &&
           each(lastGroups(),
                [&](std::int64_t item, int worker) {
                    Scratch& own = scratch[static_cast<std::size_t>(worker)];
                    const Group group = lastGroup(item);
                    gather(data, group, volume() ? used.z : used.y, own.lines.data());
                    Value* const image = own.images.data();
                    for (std::int64_t k = 0; k < group.count; ++k) {
                        Value* const line = own.lines.data() + k * lineStride();
                        last.forward(line, image);
                        multiply(image, templ + (group.firstLine + k) * lineStride(), group.length);
                        last.inverse(image, line);
                    }
                    scatter(own.lines.data(), group, data);
                }) &&
           (!volume() || middle(each, data, m_points.z, m_points.y, true, scratch)) &&
           rowsInverse(each, data);
}

template <class Value>
bool boxEnergy(const ForItems& each, const simd::VoxelBox<const Value>& box, const Extents& used,
               const Extents& lengths, simd::LineEnergy& energy) {
    constexpr std::int64_t kBlock = 256;
    const std::int64_t blocks = (used.x + kBlock - 1) / kBlock;
    energy = {};
    // Sums are kept by item and joined in order, so that threads change no bit.
    const std::int64_t together = rowsAnItem(used.x);
    const std::int64_t rows = used.y * used.z;
    std::vector<simd::LineEnergy> items(static_cast<std::size_t>((rows + together - 1) / together));
    const auto consider = [](simd::LineEnergy& of, double sum, std::int64_t length) {
        of.largestMeanSquare = std::max(of.largestMeanSquare, sum / static_cast<double>(length));
    };
    bool going = forRows(each, used, used.x, [&](std::int64_t y, std::int64_t z, std::int64_t row) {
        simd::LineEnergy& own = items[static_cast<std::size_t>(row / together)];
        const double sum = rowSquares(box.data + z * box.sliceStride + y * box.rowStride, used.x);
        own.total += sum;
        consider(own, sum, lengths.x);
    });
    const auto join = [&] {
        for (const simd::LineEnergy& item : items) {
            energy.total += item.total;
            energy.largestMeanSquare = std::max(energy.largestMeanSquare, item.largestMeanSquare);
        }
    };
    join();
    const auto across = [&](std::int64_t planes, std::int64_t planeStride, std::int64_t stride,
                            std::int64_t steps, std::int64_t length) {
        items.assign(static_cast<std::size_t>(planes * blocks), {});
        going = going && each(planes * blocks, [&](std::int64_t item, int) {
                    const std::int64_t x = item % blocks * kBlock;
                    const std::int64_t count = std::min(kBlock, used.x - x);
                    std::array<double, kBlock> sums{};
                    addSquares(box.data + item / blocks * planeStride + x, stride, steps, count,
                               sums.data());
                    consider(items[static_cast<std::size_t>(item)],
                             *std::max_element(sums.begin(), sums.end()), length);
                });
        join();
    };
    if (lengths.y > 1) {
        across(used.z, box.sliceStride, box.rowStride, used.y, lengths.y);
    }
    if (lengths.z > 1) {
        across(used.y, box.rowStride, box.sliceStride, used.z, lengths.z);
    }
    return going;
}

template class LineTransform<Single>;
template class LineTransform<Double>;
template class HalfTransform<Single>;
template class HalfTransform<Double>;
template bool boxEnergy(const ForItems&, const simd::VoxelBox<const float>&, const Extents&,
                        const Extents&, simd::LineEnergy&);
template bool boxEnergy(const ForItems&, const simd::VoxelBox<const double>&, const Extents&,
                        const Extents&, simd::LineEnergy&);

} // namespace flcc::cpu
