#include "engine/cpu/transform/part_transform.h"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/cpu/transform/fftw_part_transform.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using beam::kElement;
using beam::kLines;

/// Values that kLines elements of a beam take.
constexpr std::int64_t kSquare = kLines * kElement;

/// Groups of kLines columns: two for each strip.
std::int64_t groupsOf(const Extents& points) {
    constexpr std::int64_t kColumns = 2 * kLines;
    return 2 * ((points.x + kColumns - 1) / kColumns);
}

/// Frequencies along the slowest axis that a part has.
std::int64_t frequenciesOf(const Extents& points, PartKind kind) {
    return kind == PartKind::Complex ? points.z
           : kind == PartKind::Real  ? points.z / 2 + 1
                                     : (points.z + 1) / 2;
}

/// The same with an unused one, if beams along y would otherwise share a cache set.
std::int64_t depthOf(const Extents& points, PartKind kind) {
    const std::int64_t frequencies = frequenciesOf(points, kind);
    return frequencies + (points.y > 1 && frequencies % 8 == 0 ? 1 : 0);
}

/// Beams of kLines rows, counted through all y.
std::int64_t rowGroupsOf(const Extents& points, PartKind kind) {
    return (points.y * depthOf(points, kind) + kLines - 1) / kLines;
}

std::int64_t groupValues(const Extents& points, PartKind kind) {
    return rowGroupsOf(points, kind) * kSquare;
}

/// By the kernels of simd/beam.h: a strip is transformed along the slowest axis when it goes in.
template <class Real> class BeamPartTransform final : public PartTransform<Real> {
  public:
    explicit BeamPartTransform(const Extents& points);

    [[nodiscard]] bool takesHalfAsReal() const override { return false; }
    void takeStrip(PartKind kind, Real* strip, std::int64_t y, std::int64_t index,
                   Real* buffer) const override;
    void clearStrip(PartKind kind, std::int64_t y, std::int64_t index, Real* buffer) const override;
    void giveStrip(PartKind kind, const Real* buffer, std::int64_t y, std::int64_t index,
                   Real* strip) const override;
    bool makeTemplate(const ForItems& each, PartKind kind, Real scale, Real* scratch,
                      Real* buffer) const override;
    bool correlate(const ForItems& each, PartKind kind, const Real* templ, Real* scratch,
                   Real* buffer) const override;

  private:
    /// Calls `use` with every beam along y.
    template <class Use>
    bool forMiddles(const ForItems& each, PartKind kind, Real* buffer, Use&& use) const;
    [[nodiscard]] Real* place(PartKind kind, Real* buffer, std::int64_t group,
                              std::int64_t y) const;
    [[nodiscard]] const std::vector<beam::Conjugates>& places(PartKind kind) const {
        return m_places[kind == PartKind::Half ? 1 : 0];
    }
    [[nodiscard]] std::int64_t scratchOf(int worker) const {
        return worker * this->scratchValues(m_points, false);
    }

    Extents m_points;
    beam::Plan<Real> m_x;
    beam::Plan<Real> m_y;
    beam::Plan<Real> m_z;
    std::array<std::vector<beam::Conjugates>, 2> m_places; ///< of Real and of Half
};

template <class Real>
BeamPartTransform<Real>::BeamPartTransform(const Extents& points)
    : m_points(points), m_x(points.x), m_y(points.y), m_z(points.z) {
    for (std::int64_t k = 0; k <= points.z / 2; ++k) {
        m_places[0].push_back({m_z.position(k), m_z.position((points.z - k) % points.z)});
    }
    // Frequency k stands for k + 1/2, so that its negative is l - 1 - k.
    for (std::int64_t k = 0; k < (points.z + 1) / 2; ++k) {
        m_places[1].push_back({m_z.position(k), m_z.position(points.z - 1 - k)});
    }
}

template <class Real>
Real* BeamPartTransform<Real>::place(PartKind kind, Real* buffer, std::int64_t group,
                                     std::int64_t y) const {
    return buffer + group * groupValues(m_points, kind) + y * depthOf(m_points, kind) * kElement;
}

template <class Real>
void BeamPartTransform<Real>::takeStrip(PartKind kind, Real* strip, std::int64_t y,
                                        std::int64_t index, Real* buffer) const {
    Real* const first = place(kind, buffer, 2 * index, y);
    Real* const second = place(kind, buffer, 2 * index + 1, y);
    beam::forward(m_z, strip, kElement);
    const std::int64_t used = frequenciesOf(m_points, kind) * kElement;
    if (kind == PartKind::Complex) {
        Real* const other = strip + used;
        beam::forward(m_z, other, kElement);
        std::copy_n(strip, used, first);
        std::copy_n(other, used, second);
    } else {
        beam::takeApart(strip, places(kind), first, second, static_cast<Real*>(nullptr));
    }
    // What no frequency uses stays 0: another part may have left values there.
    const std::int64_t depth = depthOf(m_points, kind) * kElement;
    const std::int64_t rest = y + 1 < m_points.y ? depth : groupValues(m_points, kind) - y * depth;
    std::fill(first + used, first + rest, Real{0});
    std::fill(second + used, second + rest, Real{0});
}

template <class Real>
void BeamPartTransform<Real>::clearStrip(PartKind kind, std::int64_t y, std::int64_t index,
                                         Real* buffer) const {
    const std::int64_t depth = depthOf(m_points, kind) * kElement;
    const std::int64_t rest = y + 1 < m_points.y ? depth : groupValues(m_points, kind) - y * depth;
    std::fill_n(place(kind, buffer, 2 * index, y), rest, Real{0});
    std::fill_n(place(kind, buffer, 2 * index + 1, y), rest, Real{0});
}

template <class Real>
void BeamPartTransform<Real>::giveStrip(PartKind kind, const Real* buffer, std::int64_t y,
                                        std::int64_t index, Real* strip) const {
    // place() needs a pointer to mutable values; they are only read.
    const Real* const first = place(kind, const_cast<Real*>(buffer), 2 * index, y);
    const Real* const second = place(kind, const_cast<Real*>(buffer), 2 * index + 1, y);
    if (kind == PartKind::Complex) {
        const std::int64_t used = m_points.z * kElement;
        std::copy_n(first, used, strip);
        std::copy_n(second, used, strip + used);
        beam::backward(m_z, strip + used, kElement);
    } else {
        beam::putTogether(first, second, places(kind), strip, static_cast<Real*>(nullptr));
    }
    beam::backward(m_z, strip, kElement);
}

template <class Real>
template <class Use>
bool BeamPartTransform<Real>::forMiddles(const ForItems& each, PartKind kind, Real* buffer,
                                         Use&& use) const {
    if (m_points.y == 1) {
        return true;
    }
    constexpr std::int64_t kTogether = 8;
    const std::int64_t frequencies = frequenciesOf(m_points, kind);
    const std::int64_t items = (frequencies + kTogether - 1) / kTogether;
    const std::int64_t step = depthOf(m_points, kind) * kElement;
    return each(groupsOf(m_points) * items, [&](std::int64_t item, int) {
        Real* const group = place(kind, buffer, item / items, 0);
        const std::int64_t k = item % items * kTogether;
        for (std::int64_t i = k; i < std::min(k + kTogether, frequencies); ++i) {
            use(group + i * kElement, step);
        }
    });
}

template <class Real>
bool BeamPartTransform<Real>::makeTemplate(const ForItems& each, PartKind kind, Real scale,
                                           Real* scratch, Real* buffer) const {
    const std::int64_t apart = groupValues(m_points, kind);
    const std::int64_t groups = groupsOf(m_points);
    // takeStrip() gives twice the spectra of parts of real numbers, here and in correlate().
    const Real factor = kind == PartKind::Complex ? scale : scale / 4;
    return forMiddles(each, kind, buffer,
                      [&](Real* line, std::int64_t step) { beam::forward(m_y, line, step); }) &&
           each(rowGroupsOf(m_points, kind), [&](std::int64_t row, int worker) {
               Real* const line = scratch + scratchOf(worker);
               Real* const rows = buffer + row * kSquare;
               beam::turn(rows, apart, groups, line);
               beam::forward(m_x, line, kElement);
               for (std::int64_t i = 0; i < m_points.x * kElement; i += kElement) {
                   for (std::int64_t lane = i; lane < i + kLines; ++lane) {
                       line[lane] *= factor;
                       line[lane + kLines] *= -factor;
                   }
               }
               // The turned beam stays as it is, in the place of the rows that it was made of.
               for (std::int64_t group = 0; group < groups; ++group) {
                   std::copy_n(line + group * kSquare, kSquare, rows + group * apart);
               }
           });
}

template <class Real>
bool BeamPartTransform<Real>::correlate(const ForItems& each, PartKind kind, const Real* templ,
                                        Real* scratch, Real* buffer) const {
    const std::int64_t apart = groupValues(m_points, kind);
    const std::int64_t groups = groupsOf(m_points);
    return forMiddles(each, kind, buffer,
                      [&](Real* line, std::int64_t step) { beam::forward(m_y, line, step); }) &&
           each(rowGroupsOf(m_points, kind),
                [&](std::int64_t row, int worker) {
                    Real* const line = scratch + scratchOf(worker);
                    Real* const other = line + groups * kSquare;
                    Real* const rows = buffer + row * kSquare;
                    beam::turn(rows, apart, groups, line);
                    for (std::int64_t group = 0; group < groups; ++group) {
                        std::copy_n(templ + row * kSquare + group * apart, kSquare,
                                    other + group * kSquare);
                    }
                    beam::correlate(m_x, line, other);
                    std::fill(line + m_points.x * kElement, other, Real{0});
                    beam::turnBack(line, groups, rows, apart);
                }) &&
           forMiddles(each, kind, buffer,
                      [&](Real* line, std::int64_t step) { beam::backward(m_y, line, step); });
}

} // namespace

template <class Real>
std::unique_ptr<const PartTransform<Real>> PartTransform<Real>::of(const Extents& points,
                                                                   bool fftw) {
    return fftw ? fftwPartTransform<Real>(points)
                : std::make_unique<const BeamPartTransform<Real>>(points);
}
template <class Real> std::int64_t PartTransform<Real>::strips(const Extents& points) {
    return groupsOf(points) / 2;
}
template <class Real>
std::int64_t PartTransform<Real>::bufferValues(const Extents& points, PartKind kind, bool fftw) {
    return fftw ? fftwPartValues(points, kind) : groupsOf(points) * groupValues(points, kind);
}
template <class Real>
std::int64_t PartTransform<Real>::stripValues(const Extents& points, PartKind kind) {
    return points.z * kElement * (kind == PartKind::Complex ? 2 : 1);
}
template <class Real>
std::int64_t PartTransform<Real>::scratchValues(const Extents& points, bool fftw) {
    return fftw ? 0 : 2 * groupsOf(points) * kSquare;
}

template class PartTransform<float>;
template class PartTransform<double>;

} // namespace flcc::cpu
