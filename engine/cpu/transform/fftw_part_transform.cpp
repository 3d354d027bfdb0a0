#include "engine/cpu/transform/fftw_part_transform.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numbers>
#include <optional>
#include <type_traits>
#include <vector>

#include "engine/cpu/transform/fft_plan.h"

namespace flcc::cpu {

namespace {

using base::Extents;

/// The box behind a part. The real numbers a(n) of a part of PartKind::Half have the frequencies
/// k + 1/2 along the slowest axis, of length l. If l is odd, these are the whole frequencies of
/// (-1)^n a(n), which are real. If it is even, the complex numbers
/// (a(n) - i a(n + l / 2)) exp(-i pi n / l), n < l / 2, have those with even k; the others are
/// their conjugates.
struct PartBox {
    FftBox kind;
    Extents points;

    PartBox(const Extents& part, PartKind of)
        : kind(of == PartKind::Complex || (of == PartKind::Half && part.z % 2 == 0)
                   ? FftBox::ComplexInPlace
                   : FftBox::RealInPlace),
          points{part.x, part.y,
                 of == PartKind::Half && kind == FftBox::ComplexInPlace ? part.z / 2 : part.z} {}

    [[nodiscard]] std::int64_t rowValues() const {
        return 2 * (kind == FftBox::ComplexInPlace ? points.x : points.x / 2 + 1);
    }
    [[nodiscard]] std::int64_t values() const { return rowValues() * points.y * points.z; }
};

template <class Real> class FftwPartTransform final : public PartTransform<Real> {
  public:
    explicit FftwPartTransform(const Extents& points)
        : m_boxes{PartBox(points, PartKind::Real), PartBox(points, PartKind::Half),
                  PartBox(points, PartKind::Complex)} {
        // Angles in double have errors of several roundings of a double.
        using Angle = std::conditional_t<std::is_same_v<Real, float>, double, long double>;
        for (std::int64_t n = 0; n < points.z / 2; ++n) {
            const Angle angle =
                -std::numbers::pi_v<Angle> * static_cast<Angle>(n) / static_cast<Angle>(points.z);
            m_turns.push_back(
                {static_cast<Real>(std::cos(angle)), static_cast<Real>(std::sin(angle))});
        }
    }
    FftwPartTransform(const FftwPartTransform&) = delete;
    FftwPartTransform& operator=(const FftwPartTransform&) = delete;
    ~FftwPartTransform() override {
        const std::lock_guard lock(plannerLock());
        for (auto& plans : m_plans) {
            plans.reset();
        }
    }

    [[nodiscard]] bool takesHalfAsReal() const override { return true; }

    void takeStrip(PartKind kind, Real* strip, std::int64_t y, std::int64_t index,
                   Real* buffer) const override {
        const PartBox& box = boxOf(kind);
        const std::int64_t columns = columnsOf(index);
        for (std::int64_t n = 0; n < box.points.z; ++n) {
            const Real* const from = strip + n * kColumns;
            Real* const to = rowOf(kind, buffer, n, y, index);
            if (box.kind == FftBox::RealInPlace) {
                const Real sign = kind == PartKind::Half && n % 2 == 1 ? Real{-1} : Real{1};
                std::transform(from, from + columns, to, [=](Real a) { return sign * a; });
            } else if (kind == PartKind::Half) {
                const Real* const other = from + box.points.z * kColumns;
                const auto [re, im] = m_turns[static_cast<std::size_t>(n)];
                for (std::int64_t x = 0; x < columns; ++x) {
                    to[2 * x] = from[x] * re + other[x] * im;
                    to[2 * x + 1] = from[x] * im - other[x] * re;
                }
            } else {
                forComplex(box, columns, [&](std::int64_t x, std::int64_t lane) {
                    to[2 * x] = from[lane];
                    to[2 * x + 1] = from[lane + beam::kLines];
                });
            }
        }
    }

    void clearStrip(PartKind kind, std::int64_t y, std::int64_t index,
                    Real* buffer) const override {
        const PartBox& box = boxOf(kind);
        const std::int64_t values = columnsOf(index) * (box.kind == FftBox::ComplexInPlace ? 2 : 1);
        for (std::int64_t n = 0; n < box.points.z; ++n) {
            std::fill_n(rowOf(kind, buffer, n, y, index), values, Real{0});
        }
    }

    void giveStrip(PartKind kind, const Real* buffer, std::int64_t y, std::int64_t index,
                   Real* strip) const override {
        const PartBox& box = boxOf(kind);
        const std::int64_t columns = columnsOf(index);
        for (std::int64_t n = 0; n < box.points.z; ++n) {
            // rowOf() needs a pointer to mutable values; they are only read.
            const Real* const from = rowOf(kind, const_cast<Real*>(buffer), n, y, index);
            Real* const to = strip + n * kColumns;
            if (box.kind == FftBox::RealInPlace) {
                const Real sign = kind == PartKind::Half && n % 2 == 1 ? Real{-1} : Real{1};
                std::transform(from, from + columns, to, [=](Real a) { return sign * a; });
            } else if (kind == PartKind::Half) {
                Real* const other = to + box.points.z * kColumns;
                const auto [re, im] = m_turns[static_cast<std::size_t>(n)];
                for (std::int64_t x = 0; x < columns; ++x) {
                    to[x] = from[2 * x] * re + from[2 * x + 1] * im;
                    other[x] = from[2 * x] * im - from[2 * x + 1] * re;
                }
            } else {
                forComplex(box, columns, [&](std::int64_t x, std::int64_t lane) {
                    to[lane] = from[2 * x];
                    to[lane + beam::kLines] = from[2 * x + 1];
                });
            }
        }
    }

    bool makeTemplate(const ForItems& each, PartKind kind, Real scale, Real*,
                      Real* buffer) const override {
        // Of the even frequencies k alone, the inverse gives half of the values.
        const bool even = kind == PartKind::Half && boxOf(kind).kind == FftBox::ComplexInPlace;
        const Real factor = even ? 2 * scale : scale;
        const FftJobs jobs(each);
        plansOf(kind).forward(buffer);
        return !jobs.stopped() && forPairs(each, kind, [=](std::int64_t i) {
            buffer[i] *= factor;
            buffer[i + 1] *= -factor;
        });
    }

    bool correlate(const ForItems& each, PartKind kind, const Real* templ, Real*,
                   Real* buffer) const override {
        const FftJobs jobs(each);
        const auto& plans = plansOf(kind);
        plans.forward(buffer);
        const bool done = !jobs.stopped() && forPairs(each, kind, [=](std::int64_t i) {
            const Real re = buffer[i] * templ[i] - buffer[i + 1] * templ[i + 1];
            buffer[i + 1] = buffer[i + 1] * templ[i] + buffer[i] * templ[i + 1];
            buffer[i] = re;
        });
        if (done) {
            plans.inverse(buffer);
        }
        return done && !jobs.stopped();
    }

  private:
    using PartTransform<Real>::kColumns;
    using Plans = BoxPlans<std::conditional_t<std::is_same_v<Real, float>, Single, Double>>;
    struct Turn {
        Real re;
        Real im;
    };

    [[nodiscard]] const PartBox& boxOf(PartKind kind) const {
        return m_boxes[static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] std::int64_t columnsOf(std::int64_t index) const {
        return std::min(kColumns, m_boxes.front().points.x - index * kColumns);
    }
    [[nodiscard]] Real* rowOf(PartKind kind, Real* buffer, std::int64_t n, std::int64_t y,
                              std::int64_t index) const {
        const PartBox& box = boxOf(kind);
        const std::int64_t first = index * kColumns * (box.kind == FftBox::ComplexInPlace ? 2 : 1);
        return buffer + (n * box.points.y + y) * box.rowValues() + first;
    }

    /// Calls `use` with every column of a complex strip and the place of its real part in a row of
    /// two beams.
    template <class Use>
    static void forComplex(const PartBox& box, std::int64_t columns, const Use& use) {
        for (std::int64_t x = 0; x < columns; ++x) {
            const std::int64_t second = x / beam::kLines * box.points.z * beam::kElement;
            use(x, second + x % beam::kLines);
        }
    }

    template <class Use> bool forPairs(const ForItems& each, PartKind kind, const Use& use) const {
        const PartBox& box = boxOf(kind);
        return cpu::forRows(each, {box.rowValues(), box.points.y, box.points.z},
                            [&](std::int64_t y, std::int64_t z) {
                                const std::int64_t row = (z * box.points.y + y) * box.rowValues();
                                for (std::int64_t i = row; i < row + box.rowValues(); i += 2) {
                                    use(i);
                                }
                            });
    }

    /// The plans of a kind, which the first call makes: few runs need all of them.
    [[nodiscard]] const Plans& plansOf(PartKind kind) const {
        const std::lock_guard lock(plannerLock());
        std::optional<Plans>& plans = m_plans[static_cast<std::size_t>(kind)];
        if (!plans) {
            plans.emplace(boxOf(kind).points, FftSearch{}, boxOf(kind).kind);
        }
        return *plans;
    }

    std::array<PartBox, 3> m_boxes;                      ///< by PartKind
    std::vector<Turn> m_turns;                           ///< exp(-i pi n / l)
    mutable std::array<std::optional<Plans>, 3> m_plans; // guarded by plannerLock()
};

} // namespace

template <class Real>
std::unique_ptr<const PartTransform<Real>> fftwPartTransform(const Extents& points) {
    return std::make_unique<const FftwPartTransform<Real>>(points);
}

std::int64_t fftwPartValues(const Extents& points, PartKind kind) {
    return PartBox(points, kind).values();
}

template std::unique_ptr<const PartTransform<float>> fftwPartTransform(const Extents& points);
template std::unique_ptr<const PartTransform<double>> fftwPartTransform(const Extents& points);

} // namespace flcc::cpu
