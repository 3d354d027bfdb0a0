#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/image.h"

/// Complex transforms of kLines lines at once, one line in each lane. No value crosses lanes, and
/// every vector is full at every length.
///
/// A *beam* is kLines lines of one length: element k holds their kLines real parts, then their
/// kLines imaginary parts, aligned to a cache line. Forward transforms work in place and leave the
/// frequencies where Plan::position() says. Backward transforms read them from there and do not
/// scale. Products of spectra do not depend on the order of the frequencies, so nothing is ever
/// sorted.
namespace flcc::cpu::beam {

inline constexpr std::int64_t kLines = 16;
/// Values in an element of a beam.
inline constexpr std::int64_t kElement = 2 * kLines;

/// The plan for lines of one length, in float or double: passes of radix 8, 7, 5, 4, 3 and 2, in
/// the same order for both.
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
    /// Parts into which the passes after the first one are split, so that a part stays in cache.
    [[nodiscard]] std::int64_t parts() const { return m_length > 128 ? m_stages[0].radix : 1; }
    [[nodiscard]] std::int64_t partLength() const { return m_length / parts(); }
    /// Index of the element that holds a frequency.
    [[nodiscard]] std::int64_t position(std::int64_t frequency) const;

  private:
    std::int64_t m_length;
    std::vector<Stage> m_stages;
};

/// Columns of two real boxes, as the real and the imaginary part of a beam.
template <class Value> struct Planes {
    Value* real = nullptr;
    Value* imaginary = nullptr;
    std::int64_t rowStride = 0;
};

/// The transform of the kLines columns that begin at `from`, as a beam.
void forwardColumns(const Plan<float>& plan, const Planes<const float>& from, float* beam);
void forwardColumns(const Plan<double>& plan, const Planes<const double>& from, double* beam);
/// The backward transform: writes `columns` columns of the real box and `others` of the imaginary
/// one. The beam is overwritten.
void backwardColumns(const Plan<float>& plan, float* beam, const Planes<float>& to,
                     std::int64_t columns, std::int64_t others);
void backwardColumns(const Plan<double>& plan, double* beam, const Planes<double>& to,
                     std::int64_t columns, std::int64_t others);

/// The transform of a beam in place; `step` values lie between the starts of its elements.
void forward(const Plan<float>& plan, float* beam, std::int64_t step);
void forward(const Plan<double>& plan, double* beam, std::int64_t step);
/// to = scale conj(forward(beam)), elements adjacent, rounded once. The beam is overwritten.
void forwardConjugates(const Plan<double>& plan, double* beam, double scale, float* to);
void forwardConjugates(const Plan<double>& plan, double* beam, double scale, double* to);
void backward(const Plan<float>& plan, float* beam, std::int64_t step);
void backward(const Plan<double>& plan, double* beam, std::int64_t step);

/// beam = backward(forward(beam) * templ), elements adjacent.
void correlate(const Plan<float>& plan, float* beam, const float* templ);
void correlate(const Plan<double>& plan, double* beam, const double* templ);
/// beam = backward(spectrum * templ)
void backwardProduct(const Plan<float>& plan, const float* spectrum, const float* templ,
                     float* beam);
void backwardProduct(const Plan<double>& plan, const double* spectrum, const double* templ,
                     double* beam);

/// turn() makes one beam along the rows from kLines rows that `groups` beams hold side by side,
/// kLines columns each; `apart` values lie between the starts of these beams. turnBack() does the
/// opposite.
void turn(const float* beams, std::int64_t apart, std::int64_t groups, float* beam);
void turn(const double* beams, std::int64_t apart, std::int64_t groups, double* beam);
void turnBack(const float* beam, std::int64_t groups, float* beams, std::int64_t apart);
void turnBack(const double* beam, std::int64_t groups, double* beams, std::int64_t apart);

/// Elements of a beam that hold a frequency and its negative.
struct Conjugates {
    std::int64_t at;
    std::int64_t mirrored;
};

/// takeApart() separates the spectrum of a beam of two sets of real lines: it gives twice the
/// spectrum of the real parts and of the imaginary parts, at the frequencies of `places`, which are
/// 0 .. length / 2. putTogether() makes the spectrum of a beam from two such halves, without the
/// factor 2. `sums`, if not null, gets the energies of both halves, kLines values each.
void takeApart(const float* beam, const std::vector<Conjugates>& places, float* real,
               float* imaginary, float* sums);
void takeApart(const double* beam, const std::vector<Conjugates>& places, double* real,
               double* imaginary, double* sums);
void putTogether(const float* real, const float* imaginary, const std::vector<Conjugates>& places,
                 float* beam, float* sums);
void putTogether(const double* real, const double* imaginary, const std::vector<Conjugates>& places,
                 double* beam, double* sums);

/// For each of the kLines real lines whose frequencies `places` are in `half`: the sum of the
/// squares of all its frequencies.
void energies(const float* half, const std::vector<Conjugates>& places, float* sums);
void energies(const double* half, const std::vector<Conjugates>& places, double* sums);

/// The largest energies of lines along x and along z.
template <class Real> struct Crossing {
    Real row = 0;    ///< of a line along x
    Real pillar = 0; ///< of a line along z; 0 for a single slice
};
/// The largest energies of the lines of a real box. `sums`: scratch of one row.
[[nodiscard]] Crossing<float> crossing(const base::View<const float>& box, float* sums);
[[nodiscard]] Crossing<double> crossing(const base::View<const double>& box, double* sums);

/// sum += beam * templ, complex, for `count` values.
void addProduct(const float* templ, const float* beam, std::int64_t count, float* sum);
void addProduct(const double* templ, const double* beam, std::int64_t count, double* sum);

} // namespace flcc::cpu::beam
