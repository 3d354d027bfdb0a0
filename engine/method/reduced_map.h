#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/image.h"
#include "engine/base/pixels.h"
#include "engine/base/status.h"
#include "engine/method/kept_voxel.h"
#include "engine/method/match_map.h"
#include "engine/method/score_tally.h"

namespace flcc::method {

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
