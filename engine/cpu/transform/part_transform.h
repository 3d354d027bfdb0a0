#pragma once

#include <cstdint>
#include <memory>

#include "engine/base/extents.h"
#include "engine/cpu/common/for_items.h"
#include "engine/cpu/simd/beam.h"

namespace flcc::cpu {

/// What the values of a part of a decimated real box are (Karas (17), (18)).
enum class PartKind : std::uint8_t {
    Real,   ///< real: part 0
    Half,   ///< real numbers times exp(-i pi n / l), with n along the slowest axis: part d / 2
    Complex ///< complex: all others
};

/// Circular correlation of one part of a real box, decimated in frequency along its slowest axis,
/// with the same part of another box. A spectrum takes the place of its part: both are in one
/// buffer. Of parts of real numbers half of the frequencies are kept.
///
/// Parts go in and out in *strips*: all values along the slowest axis of kColumns columns at one y.
/// A strip is a beam (simd/beam.h) whose real lanes are the first sixteen columns and whose
/// imaginary lanes are the others; of a complex part it is two beams, one after the other.
///
/// **Threads**: immutable; callers bring the buffers.
template <class Real> class PartTransform {
  public:
    /// `points`: of one part, the slowest axis as z. Each length is a product of 2, 3, 5 and 7,
    /// unless FFTW makes the transforms.
    [[nodiscard]] static std::unique_ptr<const PartTransform> of(const base::Extents& points,
                                                                 bool fftw);
    PartTransform() = default;
    PartTransform(const PartTransform&) = delete;
    PartTransform& operator=(const PartTransform&) = delete;
    virtual ~PartTransform() = default;

    static constexpr std::int64_t kColumns = 2 * beam::kLines;
    [[nodiscard]] static std::int64_t strips(const base::Extents& points);
    /// Values of a buffer, of a strip, and of the scratch of a worker.
    [[nodiscard]] static std::int64_t bufferValues(const base::Extents& points, PartKind kind,
                                                   bool fftw);
    [[nodiscard]] static std::int64_t stripValues(const base::Extents& points, PartKind kind);
    [[nodiscard]] static std::int64_t scratchValues(const base::Extents& points, bool fftw);

    /// True if strips of PartKind::Half go in and out as their real numbers alone.
    [[nodiscard]] virtual bool takesHalfAsReal() const = 0;
    /// Puts the strip `index` at `y` into the buffer. The strip is overwritten.
    virtual void takeStrip(PartKind kind, Real* strip, std::int64_t y, std::int64_t index,
                           Real* buffer) const = 0;
    /// Fills the place of a strip of zeros.
    virtual void clearStrip(PartKind kind, std::int64_t y, std::int64_t index,
                            Real* buffer) const = 0;
    /// The way back; the strip is not scaled.
    virtual void giveStrip(PartKind kind, const Real* buffer, std::int64_t y, std::int64_t index,
                           Real* strip) const = 0;

    /// Turns a buffer of strips into scale * conj(spectrum), in the order that correlate() reads.
    /// `scratch` holds scratchValues() for each worker. False if stopped.
    virtual bool makeTemplate(const ForItems& each, PartKind kind, Real scale, Real* scratch,
                              Real* buffer) const = 0;
    /// Turns a buffer of strips into its circular correlation with the template, as strips again.
    virtual bool correlate(const ForItems& each, PartKind kind, const Real* templ, Real* scratch,
                           Real* buffer) const = 0;
};

} // namespace flcc::cpu
