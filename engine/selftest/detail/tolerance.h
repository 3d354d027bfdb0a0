#pragma once

#include "engine/base/pixels.h"
#include "engine/method/candidate.h"
#include "engine/method/problem.h"

namespace flcc::selftest {

/// Largest allowed difference between a method's score and the exact score. It is computed without
/// the method's code, from the formulas below (compare `engine/method/NUMERICS.md`, section 5).
/// Where a bound needs values that only the method knows (the reference value `c` of a tile, the
/// lines of a tile), the largest value that any choice could give is used.
class Tolerance {
  public:
    /// Least bound: 4 u, for rounding in the last steps and in the map.
    static constexpr double kLeast = 0x1p-22;

    Tolerance(const method::Problem& problem, const method::Candidate& candidate,
              const method::MaskedView& scene);

    /// Largest |r_computed - r_exact| of the map's voxel `index`. `lowConf`: the method marked the
    /// voxel LOWCONF, so the promise does not apply.
    [[nodiscard]] double at(const base::Index& index, bool lowConf) const;

    /// Whether an error is allowed: as at(), but for most voxels without reading the panel.
    [[nodiscard]] bool allows(double error, const base::Index& index, bool lowConf) const {
        return error <= kLeast || error <= at(index, lowConf);
    }

    /// u [(2 + L/2) K + L/2 + 4]; L is the longest chain of additions of a product: a row, the
    /// rows, the slices.
    [[nodiscard]] static double direct(const base::Extents& templ, double k);

    /// u [8 sqrt(log2 M) (rho_x + rho_y) / sqrt(D) + 64 + K + 4].
    [[nodiscard]] static double fourier(double points, double rhoOverRoot, double k);

    /// 2 u sqrt(log2 M) ||tile|| / sqrt(D) + 4 u.
    [[nodiscard]] static double fourierGuarantee(double points, double tileOverRoot);

  private:
    method::Problem m_problem;
    method::Candidate m_candidate;
    method::MaskedView m_scene;
    long double m_low = 0; // smallest and largest finite voxel
    long double m_high = 0;
};

} // namespace flcc::selftest
