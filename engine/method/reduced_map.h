#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/base/image.h"
#include "engine/base/pixels.h"
#include "engine/base/status.h"
#include "engine/method/device_reduction.h"
#include "engine/method/match_map.h"

namespace flcc::method {

/// An exact sum of up to 2^30 whole numbers of at most 53 bits each.
class WholeSum {
  public:
    void add(double whole) {
        const auto value = static_cast<std::int64_t>(whole);
        m_high += value >> kBits;
        m_low += value & kMask;
    }
    void add(const WholeSum& more) {
        m_high += more.m_high;
        m_low += more.m_low;
    }
    /// The sum, rounded to double. It does not depend on the order of the additions.
    [[nodiscard]] double value() const {
        return static_cast<double>(m_high + (m_low >> kBits)) * (std::int64_t{1} << kBits) +
               static_cast<double>(m_low & kMask);
    }

  private:
    static constexpr int kBits = 30;
    static constexpr std::int64_t kMask = (std::int64_t{1} << kBits) - 1;

    std::int64_t m_high = 0;
    std::int64_t m_low = 0;
};

/// Counts and sums from which the statistics of a map are computed. They do not depend on the order
/// in which voxels are added. **Units**: `sum` and `squares` in kScoreUnit.
struct ScoreTally {
    std::int64_t count = 0;
    WholeSum sum;
    WholeSum squares;
    float minimum = 2;
    float maximum = -2;

    void add(const ScoreTally& more) {
        count += more.count;
        sum.add(more.sum);
        squares.add(more.squares);
        minimum = std::min(minimum, more.minimum);
        maximum = std::max(maximum, more.maximum);
    }
    void add(float score) {
        const auto value = static_cast<double>(score);
        count += 1;
        sum.add(inScoreUnits(value));
        squares.add(inScoreUnits(value * value));
        minimum = std::min(minimum, score);
        maximum = std::max(maximum, score);
    }
};

/// Adds the voxels of a row that have a score to a tally.
void addRow(const float* value, const base::Status* status, std::int64_t length, ScoreTally& tally);

/// The voxels that a caller of MethodOnDevice::reduce() needs.
struct Reduction {
    /// Lowest score of a peak. Candidates for peaks with scores of 0 and more are copied back even
    /// if `minScore` is higher, since a single peak is compared with the best of them.
    double minScore = 0.5;
    bool partialPeaks = false;        ///< PARTIAL voxels may be peaks and suppress others
    std::vector<base::Index> asked{}; ///< map voxels that are copied back whatever they hold
};

/// A map of which a device has copied back only the voxels that may be peaks, the requested voxels
/// (Reduction::asked), and the sums of all scores. Parts of the map with too many candidates for
/// peaks are copied back whole.
///
/// **Threads**: different parts may be filled at the same time. Read only after all are filled.
class ReducedMap {
  public:
    /// A requested voxel.
    struct Asked {
        base::Index at; ///< relative to the corner of its part
        double value = 0;
        base::Status status = base::Status::NotComputed;
        std::int32_t templ = 0; ///< in a bank: template that gave the value, -1 without a score
    };

    /// A part of the map. The images are empty unless `whole`; `kept`, `templ` and `firstOf` are
    /// empty if `whole`.
    struct Part {
        base::Box box;
        bool whole = false;
        base::Image<float> value;
        base::Image<base::Status> status;
        base::Image<double> exact;       ///< only after a run in double
        base::Image<std::int32_t> index; ///< in a bank: template that gave each value
        /// Candidates for peaks, sorted by block (shared::blockGrid): those of block i are the
        /// elements [firstOf[i], firstOf[i + 1]).
        std::vector<KeptVoxel> kept;
        std::vector<std::int32_t> templ; ///< in a bank: template that gave each value of `kept`
        std::vector<std::int64_t> firstOf;
        std::vector<Asked> asked;
        ScoreTally tally;
    };

    /// A voxel of the map, as far as it was copied back.
    struct Voxel {
        const Part* part = nullptr; ///< the part of the map that holds the voxel
        /// False for a voxel that was not copied back. It cannot be a peak: it has no score, too
        /// low a score, or a neighbour in its part that is certainly higher.
        bool known = false;
        const KeptVoxel* kept = nullptr; ///< null in a whole part
        double value = 0;
        base::Status status = base::Status::NotComputed;
        std::int32_t templ = 0; ///< if `known`, in a bank: template that gave the value
    };

    /// An empty map of extents `map`, divided into parts of extents `part`; the last parts along an
    /// axis may be smaller.
    ReducedMap(const base::Extents& map, const base::Extents& part);

    [[nodiscard]] const base::Extents& extents() const { return m_extents; }
    [[nodiscard]] const std::vector<Part>& parts() const { return m_parts; }
    /// The part whose first voxel is `corner`.
    [[nodiscard]] Part& partAt(const base::Index& corner) { return m_parts[numberOf(corner)]; }

    [[nodiscard]] Voxel at(const base::Index& at) const;
    /// As at(), and also finds requested voxels (Reduction::asked), which are always `known`.
    [[nodiscard]] Voxel asked(const base::Index& at) const;

    /// The sums over all parts.
    [[nodiscard]] ScoreTally tally() const;
    /// Number of voxels that were copied back, requested ones aside.
    [[nodiscard]] std::int64_t count() const;

  private:
    [[nodiscard]] std::size_t numberOf(const base::Index& at) const;

    base::Extents m_extents;
    base::Extents m_part;
    base::Extents m_grid;
    std::vector<Part> m_parts;
};

} // namespace flcc::method
