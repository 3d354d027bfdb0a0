#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/image.h"

/// Complex transforms of kLines lines at once, one in each lane: no value crosses lanes, and every
/// vector is full whatever the length.
///
/// A *beam* is kLines lines of one length: element k holds their kLines real parts, then their
/// kLines imaginary parts, aligned to a cache line. Forward transforms work in place and leave the
/// frequencies where Plan::position() says; backward ones take them from there and do not scale. A
/// product of spectra does not mind the order, so nothing is ever sorted.
namespace flcc::cpu::beam {

inline constexpr std::int64_t kLines = 16;
/// Values of an element.
inline constexpr std::int64_t kElement = 2 * kLines;

/// How lines of one length are transformed in float or double: passes of radix 8, 7, 5, 4, 3 and 2,
/// the same in both.
/// **Threads**: immutable.
template <class Real> class Plan {
  public:
    /// One pass over blocks of radix * step elements.
    struct Stage {
        int radix;
        std::int64_t blocks;
        std::int64_t step;
        std::vector<Real> twiddles; ///< exp(-2 pi i j q / (radix step)) at j, q = 1 .. radix - 1
    };

    /// `length`: a product of 2, 3, 5 and 7.
    explicit Plan(std::int64_t length);

    [[nodiscard]] std::int64_t length() const { return m_length; }
    [[nodiscard]] const std::vector<Stage>& stages() const { return m_stages; }
    /// The passes after the first one are done part by part, so that they stay in cache.
    [[nodiscard]] std::int64_t parts() const { return m_length > 128 ? m_stages[0].radix : 1; }
    [[nodiscard]] std::int64_t partLength() const { return m_length / parts(); }
    /// Where a frequency lies.
    [[nodiscard]] std::int64_t position(std::int64_t frequency) const;

  private:
    std::int64_t m_length;
    std::vector<Stage> m_stages;
};

/// Columns of two real boxes as real and imaginary part.
template <class Value> struct Planes {
    Value* real = nullptr;
    Value* imaginary = nullptr;
    std::int64_t rowStride = 0;
};

/// The beam of the kLines columns that begin at `from`, transformed.
void forwardColumns(const Plan<float>& plan, const Planes<const float>& from, float* beam);
void forwardColumns(const Plan<double>& plan, const Planes<const double>& from, double* beam);
/// And back: `columns` of the real box, `others` of the imaginary one. The beam is overwritten.
void backwardColumns(const Plan<float>& plan, float* beam, const Planes<float>& to,
                     std::int64_t columns, std::int64_t others);
void backwardColumns(const Plan<double>& plan, double* beam, const Planes<double>& to,
                     std::int64_t columns, std::int64_t others);

/// The transforms of a beam whose elements begin `step` values apart.
void forward(const Plan<float>& plan, float* beam, std::int64_t step);
void forward(const Plan<double>& plan, double* beam, std::int64_t step);
/// to = scale conj(forward(beam)), elements side by side, rounded once. The beam is overwritten.
void forwardConjugates(const Plan<double>& plan, double* beam, double scale, float* to);
void forwardConjugates(const Plan<double>& plan, double* beam, double scale, double* to);
void backward(const Plan<float>& plan, float* beam, std::int64_t step);
void backward(const Plan<double>& plan, double* beam, std::int64_t step);

/// beam = backward(forward(beam) * templ), elements side by side.
void correlate(const Plan<float>& plan, float* beam, const float* templ);
void correlate(const Plan<double>& plan, double* beam, const double* templ);
/// beam = backward(spectrum * templ)
void backwardProduct(const Plan<float>& plan, const float* spectrum, const float* templ,
                     float* beam);
void backwardProduct(const Plan<double>& plan, const double* spectrum, const double* templ,
                     double* beam);

/// kLines rows that `groups` beams hold beside each other, kLines columns each, `apart` values
/// between them, as one beam along the rows; and back.
void turn(const float* beams, std::int64_t apart, std::int64_t groups, float* beam);
void turn(const double* beams, std::int64_t apart, std::int64_t groups, double* beam);
void turnBack(const float* beam, std::int64_t groups, float* beams, std::int64_t apart);
void turnBack(const double* beam, std::int64_t groups, double* beams, std::int64_t apart);

/// Where a frequency and its negative lie in a beam.
struct Conjugates {
    std::int64_t at;
    std::int64_t mirrored;
};

/// Twice the spectra of the real lines and of the imaginary ones, from the spectrum of both at the
/// frequencies of `places`, which are 0 .. length / 2; and the spectrum of both from such halves,
/// once. The energies of both halves to `sums`, kLines of each, where it is not null.
void takeApart(const float* beam, const std::vector<Conjugates>& places, float* real,
               float* imaginary, float* sums);
void takeApart(const double* beam, const std::vector<Conjugates>& places, double* real,
               double* imaginary, double* sums);
void putTogether(const float* real, const float* imaginary, const std::vector<Conjugates>& places,
                 float* beam, float* sums);
void putTogether(const double* real, const double* imaginary, const std::vector<Conjugates>& places,
                 double* beam, double* sums);

/// Of each of the kLines real lines whose frequencies `places` are in `half`: the sum of the
/// squares of all frequencies.
void energies(const float* half, const std::vector<Conjugates>& places, float* sums);
void energies(const double* half, const std::vector<Conjugates>& places, double* sums);

/// The largest energies of lines across columns.
template <class Real> struct Crossing {
    Real row = 0;    ///< along x
    Real pillar = 0; ///< along z, where there are several slices
};
/// Of a real box: of its rows, and of the lines through its slices. `sums`: scratch, a row.
[[nodiscard]] Crossing<float> crossing(const base::View<const float>& box, float* sums);
[[nodiscard]] Crossing<double> crossing(const base::View<const double>& box, double* sums);

/// sum += beam * templ, element by element, of `count` values.
void addProduct(const float* templ, const float* beam, std::int64_t count, float* sum);
void addProduct(const double* templ, const double* beam, std::int64_t count, double* sum);

} // namespace flcc::cpu::beam
