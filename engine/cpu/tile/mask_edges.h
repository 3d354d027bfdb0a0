#pragma once

#include <cstdint>
#include <vector>

#include "engine/cpu/tile/support_template.h"

namespace flcc::cpu {

/// How a sum over a flat mask of ones and zeros is added up from prefix sums of rows.
///
/// The sum of a run is the prefix sum behind it less the one before it, so the sum over the mask is
/// that of the places along its right edges less that along its left edges. Straight and round
/// edges repeat themselves: what two neighbouring places have in common with others is added once,
/// as a part, and parts are joined to larger parts in the same way. The mask of a turned box of
/// 64x64 has 128 places and takes about 35 additions.
///
/// **Source**: pairs are replaced as in Larsson and Moffat, Off-line dictionary-based compression,
/// Proc. IEEE 88 (2000) 1722.
class MaskEdges {
  public:
    /// Row `y` and column `x` of a part, counted from a placement or from the part that has it.
    struct Term {
        std::int64_t part = 0; ///< 0: prefix sums; the sum of all voxels before the column
        std::int64_t x = 0;
        std::int64_t y = 0;
    };
    /// Part 1 + i is first + second.
    struct Part {
        Term first;
        Term second;
        std::int64_t height = 1; ///< rows of prefix sums that it is made of
    };

    /// `height`: of the template.
    MaskEdges(const std::vector<SupportTemplate::Run>& runs, std::int64_t height);

    /// Parts that others are made of come first.
    [[nodiscard]] const std::vector<Part>& parts() const { return m_parts; }
    [[nodiscard]] const std::vector<Term>& added() const { return m_added; }
    [[nodiscard]] const std::vector<Term>& subtracted() const { return m_subtracted; }
    [[nodiscard]] std::int64_t runs() const { return m_runs; }
    /// For part i, prefix sums first: the columns that a row of placements needs beyond its own
    /// number, and the rows that are needed at a time.
    struct Need {
        std::int64_t columns = 0;
        std::int64_t rows = 1;
    };
    [[nodiscard]] const std::vector<Need>& needs() const { return m_needs; }
    /// Rows of prefix sums that part i is made of; part 0: 1.
    [[nodiscard]] std::int64_t height(std::int64_t part) const {
        return part == 0 ? 1 : m_parts[static_cast<std::size_t>(part - 1)].height;
    }

    /// Additions for a placement.
    [[nodiscard]] std::int64_t additions() const {
        return std::ssize(m_parts) + std::ssize(m_added) + std::ssize(m_subtracted);
    }

  private:
    bool joinMostFrequent();
    void findNeeds(std::int64_t height);

    std::vector<Part> m_parts;
    std::vector<Term> m_added;
    std::vector<Term> m_subtracted;
    std::vector<Need> m_needs;
    std::int64_t m_runs = 0;
};

} // namespace flcc::cpu
