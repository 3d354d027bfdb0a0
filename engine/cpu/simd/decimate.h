#pragma once

#include <cstdint>

/// Sums over the rows of a strip (part_transform.h): how parts of a box are made and how their
/// results are joined. A row has kStrip values.
namespace flcc::cpu {

inline constexpr std::int64_t kStrip = 32;

/// A complex factor.
template <class Real> struct Factor {
    Real re = 1;
    Real im = 0;
};

/// sums += factor * strip
void addStrip(const float* strip, std::int64_t rows, float factor, float* sums);
void addStrip(const double* strip, std::int64_t rows, double factor, double* sums);

/// beams += factor * strip: the first half of each row to the first beam, the second half to the
/// beam behind it.
void addStrip(const float* strip, std::int64_t rows, Factor<float> factor, float* beams);
void addStrip(const double* strip, std::int64_t rows, Factor<double> factor, double* beams);

/// Multiplies each element of a beam by the factor of its row, or by its conjugate.
void turnStrip(const Factor<float>* factors, std::int64_t rows, bool conjugate, float* beam);
void turnStrip(const Factor<double>* factors, std::int64_t rows, bool conjugate, double* beam);

/// Where results of a strip go: the first `columns` of each row.
template <class Real> struct StripTarget {
    Real* to = nullptr;
    std::int64_t stride = 0; ///< between rows
    std::int64_t rows = 0;
    std::int64_t columns = 0; ///< at most kStrip
};

/// to = factor * strip, or to += factor * strip.
void storeStrip(const float* strip, float factor, bool add, const StripTarget<float>& target);
void storeStrip(const double* strip, double factor, bool add, const StripTarget<double>& target);

/// to += the real part of factor * beams; `length` elements lie between both beams.
void storeStrip(const float* beams, std::int64_t length, Factor<float> factor,
                const StripTarget<float>& target);
void storeStrip(const double* beams, std::int64_t length, Factor<double> factor,
                const StripTarget<double>& target);

} // namespace flcc::cpu
