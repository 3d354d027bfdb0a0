#include "engine/rotation/cubic_row.h"

#include <array>
#include <cmath>

#include "engine/base/widest.h"

namespace flcc::rotation::detail {

namespace {

/// The kernel of Keys with a = -1/2 at distances up to 1, and from 1 to 2.
[[gnu::always_inline]] inline double near(double d) { return (1.5 * d - 2.5) * d * d + 1; }
[[gnu::always_inline]] inline double far(double d) { return ((-0.5 * d + 2.5) * d - 4) * d + 2; }

/// The weights of the four voxels about a place, divided by their sum.
struct Weights {
    double before, at, after, last;
    [[gnu::always_inline]] Weights(double place, double whole) {
        before = far(place - (whole - 1));
        at = near(place - whole);
        after = near(whole + 1 - place);
        last = far(whole + 2 - place);
        const double sum = before + at + after + last;
        before /= sum;
        at /= sum;
        after /= sum;
        last /= sum;
    }
};

} // namespace

PlacesOfRow::PlacesOfRow(std::int64_t count)
    : x(static_cast<std::size_t>(count)), y(static_cast<std::size_t>(count)),
      inside(static_cast<std::size_t>(count)), deep(static_cast<std::size_t>(count)) {}

void PlacesOfRow::set(const Matrix& back, double first, double row, const base::Point& centre,
                      const base::Extents& lengths, double snap) {
    base::inWidest([&] {
        const double width = static_cast<double>(lengths.x);
        const double height = static_cast<double>(lengths.y);
        const auto onVoxel = [snap](double place) {
            const double whole = std::nearbyint(place);
            return std::abs(place - whole) < snap ? whole : place;
        };
        double* const px = x.data();
        double* const py = y.data();
        std::uint8_t* const isInside = inside.data();
        std::uint8_t* const isDeep = deep.data();
        const auto count = static_cast<int>(x.size());
        for (int i = 0; i < count; ++i) {
            const double offset = first + static_cast<double>(i);
            const double u = onVoxel((back[0] * offset + back[1] * row) + centre[0]);
            const double v = onVoxel((back[3] * offset + back[4] * row) + centre[1]);
            px[i] = u;
            py[i] = v;
            isInside[i] =
                static_cast<std::uint8_t>((u >= -0.5 - snap) & (u <= width - 0.5 + snap) &
                                          (v >= -0.5 - snap) & (v <= height - 0.5 + snap));
            const double left = std::floor(u);
            const double top = std::floor(v);
            isDeep[i] = static_cast<std::uint8_t>((left >= 1) & (left + 3 <= width) & (top >= 1) &
                                                  (top + 3 <= height));
        }
    });
}

void cubicRow(const PlacesOfRow& places, std::int64_t from, std::int64_t to, const double* values,
              std::int64_t width, double* result) {
    base::inWidest([&] {
        const double* const px = places.x.data();
        const double* const py = places.y.data();
        for (std::int64_t i = from; i < to; ++i) {
            const double left = std::floor(px[i]);
            const double top = std::floor(py[i]);
            const Weights across(px[i], left);
            const Weights down(py[i], top);
            const double* const at = values + (static_cast<std::int64_t>(top) - 1) * width +
                                     static_cast<std::int64_t>(left) - 1;
            const auto line = [&](const double* row) {
                return across.before * row[0] + across.at * row[1] + across.after * row[2] +
                       across.last * row[3];
            };
            result[i] = down.before * line(at) + down.at * line(at + width) +
                        down.after * line(at + 2 * width) + down.last * line(at + 3 * width);
        }
    });
}

} // namespace flcc::rotation::detail
