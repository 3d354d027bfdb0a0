#include "engine/cpu/operation/rim_scores.h"

#include <algorithm>
#include <cmath>

#include "engine/base/widest.h"
#include "engine/method/shared/template_error.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using method::Outside;

constexpr double kUnit = 0x1p-53;

template <Outside Rule> struct RimLoop {
    const RimFrame& of;
    const RimRow& to;

    void operator()() const {
        const RimFrame frame = of; // copies that no store can alias
        const RimRow row = to;
        const RimErrors e = frame.errors;
        const double total = frame.total;
        const double level = frame.level;
        const double magnitude = std::abs(level);
        for (std::int64_t i = 0; i < row.count; ++i) {
            const double n = row.n[i];
            const double per = 1 / n;
            const auto cn = static_cast<double>(row.cn[i]);
            const double s1 = row.s1[i];
            const double s2 = std::max(0.0, row.s2[i]);
            const double t1 = row.t1[i];
            const double size = std::abs(s1);
            const double s1Error = e.s1 + e.s1Own * size;
            const double s2Error = e.s2 + e.s2Own * s2;
            const double joined = size * per;
            const double square = s1 * joined * (s1 < 0 ? -1 : 1);
            const double inner = s2 - square;
            const double innerError = s2Error + per * s1Error * (2 * size + s1Error) +
                                      6 * kUnit * (s2 + square) + e.n * joined * joined;
            double cnError = e.cn + e.cnOwn * std::abs(cn);
            cnError = cnError < e.cnWorst ? cnError : e.cnWorst;
            double d;
            double dError;
            double numerator;
            double numeratorError;
            bool open = false;
            if constexpr (Rule == Outside::Overlap) {
                const double t2 = row.t2[i];
                const double squared = t1 * t1 * per;
                const double v = t2 - squared;
                const double vError = e.t2 + per * e.t1 * (2 * std::abs(t1) + e.t1) +
                                      6 * kUnit * (t2 + squared) + e.n * squared * per;
                const double joint = s1 * t1 * per;
                numerator = cn - joint;
                numeratorError =
                    cnError + per * (size * e.t1 + std::abs(t1) * s1Error + s1Error * e.t1) +
                    4 * kUnit * (std::abs(joint) + std::abs(cn)) + e.n * per * std::abs(joint);
                open = !(v > 4 * vError);
                d = inner * v;
                dError = innerError * (v + vError) + std::abs(inner) * vError + 4 * kUnit * d;
            } else {
                const double mean = level + s1 * per;
                const double meanError =
                    s1Error * per + 4 * kUnit * (magnitude + joined) + e.n * per * joined;
                const double share = n * (total - n) / total;
                const double outer = level * (total - n) / total;
                const double own = s1 / total;
                const bool zero = Rule == Outside::Zero;
                const double gain = zero ? level : outer - own;
                const double gainError = zero ? 0
                                              : s1Error / total + e.n * magnitude / total +
                                                    4 * kUnit * (std::abs(outer) + std::abs(own));
                const double beyond = gain * t1;
                numerator = cn + beyond;
                numeratorError = cnError + std::abs(gain) * e.t1 + gainError * std::abs(t1) +
                                 gainError * e.t1 + 4 * kUnit * (std::abs(beyond) + std::abs(cn));
                d = inner + share * mean * mean;
                dError = innerError + share * meanError * (2 * std::abs(mean) + meanError) +
                         (e.n + 8 * kUnit * share) * mean * mean + 4 * kUnit * std::abs(d);
            }
            open = open || !(d > 4 * dError);
            const double inverse = 1 / std::sqrt(open ? 1 : d);
            const double value = numerator * inverse;
            const double direct = (numeratorError + e.voxels * std::sqrt(s2)) * inverse;
            const double relative = 0.54 * dError * inverse * inverse;
            const double most = std::abs(value) + direct + relative;
            const double bound =
                direct + relative * (most < 1 ? most : 1) + method::shared::kNormedError;
            row.value[i] = open ? 0 : value;
            row.bound[i] = open ? kOpen : bound;
        }
    }
};

struct Sums {
    double* s1;
    double* s2;
};

/// Adds a row of voxels and of their squares, or with `sign` -1 subtracts it.
void addVoxels(const float* x, std::int64_t count, double sign, const Sums& to) {
    double* const s1 = to.s1;
    double* const s2 = to.s2;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto value = static_cast<double>(x[i]);
        s1[i] += sign * value;
        s2[i] += sign * (value * value);
    }
}
void addSums(const double* from, std::int64_t count, double sign, double* to) {
    for (std::int64_t i = 0; i < count; ++i) {
        to[i] += sign * from[i];
    }
}

/// Windows of `m` elements of a row of `columns` by doubling: additions only.
void windowsAlong(const double* row, std::int64_t m, std::int64_t count, double* power,
                  double* to) {
    const std::int64_t columns = count + m - 1;
    std::copy_n(row, columns, power);
    std::fill_n(to, count, 0.0);
    std::int64_t done = 0;
    for (std::int64_t width = 1; width <= m; width *= 2) {
        if ((m & width) != 0) {
            addSums(power + done, count, 1, to);
            done += width;
        }
        if (2 * width <= m) {
            // In place: each element reads only those behind it.
            const std::int64_t last = columns - 2 * width + 1;
            for (std::int64_t i = 0; i < last; ++i) {
                power[i] += power[i + width];
            }
        }
    }
}

struct BoxLoop {
    const simd::FloatBox& x;
    const Extents& m;
    const Extents& out;
    double* work;
    double* to;
    std::int64_t stride;

    void operator()() const {
        const std::int64_t columns = out.x + m.x - 1;
        const std::int64_t lines = out.y + m.y - 1;
        const std::int64_t plane = columns * lines;
        double* const planes = work; // sums along z: s1 of all lines, then s2
        double* const rows = planes + 2 * plane;
        double* const power = rows + 2 * columns;
        std::fill_n(planes, 2 * plane, 0.0);
        const auto take = [&](std::int64_t z, double sign) {
            for (std::int64_t y = 0; y < lines; ++y) {
                addVoxels(x.data + z * x.sliceStride + y * x.rowStride, columns, sign,
                          {planes + y * columns, planes + plane + y * columns});
            }
        };
        for (std::int64_t z = 0; z + 1 < m.z; ++z) {
            take(z, 1);
        }
        for (std::int64_t z = 0; z < out.z; ++z) {
            if (z > 0) {
                take(z - 1, -1);
            }
            take(z + m.z - 1, 1);
            std::fill_n(rows, 2 * columns, 0.0);
            for (std::int64_t y = 0; y + 1 < m.y; ++y) {
                addSums(planes + y * columns, columns, 1, rows);
                addSums(planes + plane + y * columns, columns, 1, rows + columns);
            }
            for (std::int64_t y = 0; y < out.y; ++y) {
                double* const row = to + 2 * (z * out.y + y) * stride;
                for (std::int64_t k = 0; k < 2; ++k) {
                    const double* const of = planes + k * plane;
                    double* const sums = rows + k * columns;
                    if (y > 0) {
                        addSums(of + (y - 1) * columns, columns, -1, sums);
                    }
                    addSums(of + (y + m.y - 1) * columns, columns, 1, sums);
                    windowsAlong(sums, m.x, out.x, power, row + k * stride);
                }
            }
        }
    }
};

} // namespace

void scoreRim(const RimFrame& frame, const RimRow& row) {
    switch (frame.outside) {
    case Outside::Zero:
        base::inWidest(RimLoop<Outside::Zero>{frame, row});
        return;
    case Outside::Eibl:
        base::inWidest(RimLoop<Outside::Eibl>{frame, row});
        return;
    case Outside::Overlap:
        base::inWidest(RimLoop<Outside::Overlap>{frame, row});
        return;
    }
}

std::int64_t boxSumsWork(const Extents& m, const Extents& out) {
    const std::int64_t columns = out.x + m.x - 1;
    return 2 * columns * (out.y + m.y - 1) + 3 * columns;
}

double sumBoxes(const simd::FloatBox& x, const Extents& m, const Extents& out, bool exact,
                double* work, double* to, std::int64_t stride) {
    base::inWidest(BoxLoop{x, m, out, work, to, stride});
    if (exact) {
        return 0;
    }
    // |x| <= 1. Along z and y each window is off by the roundings of all that were added and
    // subtracted before it, each of the largest sum at most; along x by those of the doubling.
    const auto of = [](std::int64_t value) { return static_cast<double>(value); };
    double largest = 1;
    double error = 0; // of x and of x^2 in double
    const auto run = [&](std::int64_t width, std::int64_t windows) {
        error = of(width) * error + of(width + 2 * windows) * kUnit * of(width + 1) * largest;
        largest *= of(width);
    };
    run(m.z, out.z);
    run(m.y, out.y);
    return of(m.x) * error + 2 * std::ceil(std::log2(of(m.x) + 1)) * kUnit * largest * of(m.x);
}

} // namespace flcc::cpu
