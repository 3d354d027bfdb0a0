#include "engine/cpu/tile/box_sums.h"

#include <algorithm>
#include <cmath>

#include "engine/base/widest.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using simd::DoubleBox;

Extents seenOf(const Extents& m, const Extents& tile) {
    return {tile.x + m.x - 1, tile.y + m.y - 1, tile.z + m.z - 1};
}

/// to = x + more, of both sums; `starts`: to = x. `Squares`: the line holds x, which is squared.
/// `more` may be `to`.
template <bool Squares> struct AddLine {
    LineWindows::Pair line;
    bool starts;
    const double* more;
    double* to;
    std::int64_t apart; ///< from the sums of x to those of x^2, in `more` and `to`
    std::int64_t length;

    void operator()() const {
        const double* const sums = line.sums;
        const double* const squares = line.squares;
        const double* const before = more;
        double* const out = to;
        const std::int64_t second = apart;
        const std::int64_t count = length;
        if (starts) {
#pragma GCC ivdep
            for (std::int64_t x = 0; x < count; ++x) {
                out[x] = sums[x];
                out[second + x] = Squares ? sums[x] * sums[x] : squares[x];
            }
            return;
        }
#pragma GCC ivdep
        for (std::int64_t x = 0; x < count; ++x) {
            const double square = Squares ? sums[x] * sums[x] : squares[x];
            out[x] = before[x] + sums[x];
            out[second + x] = before[second + x] + square;
        }
    }
};

/// Sums over windows of `width` values along a line, by doubling: windows of 2w are made of two of
/// w, and windows of any width of those of powers of two. Destroys the line.
struct AlongLine {
    double* line;
    std::int64_t width;
    std::int64_t count; ///< windows
    double* to;

    void operator()() const {
        double* const from = line;
        double* const out = to;
        const std::int64_t all = count;
        std::int64_t length = count + width - 1; // of `line`
        std::int64_t done = 0;                   // width of the windows in `to`
        for (std::int64_t step = 1; step <= width; step *= 2) {
            if ((width & step) != 0) {
                const double* const part = from + done;
                if (done == 0) {
                    std::copy_n(part, all, out);
                } else {
#pragma GCC ivdep
                    for (std::int64_t x = 0; x < all; ++x) {
                        out[x] += part[x];
                    }
                }
                done += step;
            }
            length -= step;
            if (2 * step > width) {
                return;
            }
#pragma GCC ivdep
            for (std::int64_t x = 0; x < length; ++x) { // reads ahead of what it writes
                from[x] += from[x + step];
            }
        }
    }
};

} // namespace

LineWindows::LineWindows(std::int64_t width, std::int64_t lines, std::int64_t length)
    : m_width(width), m_lines(lines), m_length(length),
      m_rows(static_cast<std::size_t>(2 * (width + 1) * lines * length)) {}

template <bool Squares, class LineAt>
LineWindows::Pair LineWindows::make(std::int64_t first, std::int64_t line, std::int64_t length,
                                    const LineAt& lineAt) {
    const auto add = [&](std::int64_t from, bool starts, const double* more, double* to) {
        base::inWidest(AddLine<Squares>{lineAt(from), starts, more, to, m_length, length});
    };
    const std::int64_t in = first % m_width; // of the block
    if (in == 0) {
        for (std::int64_t i = m_width - 1; i >= 0; --i) {
            add(first + i, i == m_width - 1, tail(i + 1, line), tail(i, line));
        }
        return last(first, line);
    }
    double* const head = tail(m_width, line);
    add(first + m_width - 1, in == 1, head, head);
    double* const own = tail(in, line);
    base::inWidest(AddLine<false>{{head, head + m_length}, false, own, own, m_length, length});
    return last(first, line);
}

BoxSums::BoxSums(const Extents& m, const Extents& tile)
    : m_m(m), m_seen(seenOf(m, tile)), m_planes(m.z, m.z > 1 ? m_seen.y : 0, m_seen.x),
      m_rows(m.y, 1, m_seen.x) {}

std::int64_t BoxSums::bytes(const Extents& m, const Extents& tile) {
    const Extents seen = seenOf(m, tile);
    return LineWindows::bytes(m.y, 1, seen.x) +
           (m.z > 1 ? LineWindows::bytes(m.z, seen.y, seen.x) : 0);
}

double BoxSums::error(const Extents& m) {
    // Along y and z a term passes through at most as many additions as the window has lines; along
    // x through two for each bit of the width. The square is rounded once.
    const double along = 2 * std::ceil(std::log2(static_cast<double>(m.x) + 1));
    return 0x1p-53 * (static_cast<double>(m.y) + static_cast<double>(m.z) + along + 1);
}

void BoxSums::sum(const DoubleBox& x, const Extents& out, const DoubleBox& sums,
                  const DoubleBox& squares) {
    const std::int64_t length = out.x + m_m.x - 1;
    const std::int64_t lines = out.y + m_m.y - 1;
    const auto voxels = [&](std::int64_t y, std::int64_t z) {
        return LineWindows::Pair{x.data + z * x.sliceStride + y * x.rowStride, nullptr};
    };
    const auto alongX = [&](double* line, const DoubleBox& to, std::int64_t y, std::int64_t z) {
        base::inWidest(
            AlongLine{line, m_m.x, out.x, to.data + z * to.sliceStride + y * to.rowStride});
    };
    for (std::int64_t z = 0; z < out.z; ++z) {
        for (std::int64_t y = 0; m_m.z > 1 && y < lines; ++y) {
            m_planes.make<true>(z, y, length, [&](std::int64_t i) { return voxels(y, i); });
        }
        for (std::int64_t y = 0; y < out.y; ++y) {
            const LineWindows::Pair window =
                m_m.z > 1
                    ? m_rows.make<false>(y, 0, length,
                                         [&](std::int64_t i) { return m_planes.last(z, i); })
                    : m_rows.make<true>(y, 0, length, [&](std::int64_t i) { return voxels(i, z); });
            alongX(window.sums, sums, y, z);
            alongX(window.squares, squares, y, z);
        }
    }
}

} // namespace flcc::cpu
