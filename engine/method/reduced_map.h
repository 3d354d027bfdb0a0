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

/// What is wanted of a map that nobody asked for as a whole.
struct Reduction {
    /// Lowest score of a peak. Those of 0 and more come back in any case: the best of them is what
    /// a single peak is compared with.
    double minScore = 0.5;
    bool partialPeaks = false;        ///< PARTIAL voxels take part
    std::vector<base::Index> asked{}; ///< voxels that come back whatever they hold
};

/// What of a map came back from a device: the voxels that may be peaks, those that were asked for,
/// and the sums of all scores. Parts that had too many of them came back whole.
///
/// **Threads**: parts may be filled side by side; reading begins when all are.
class ReducedMap {
  public:
    /// A voxel that was asked for.
    struct Asked {
        base::Index at; ///< in its part
        double value = 0;
        base::Status status = base::Status::NotComputed;
        std::int32_t templ = 0; ///< of a bank: which gave the value; -1 without one
    };

    struct Part {
        base::Box box;
        bool whole = false;
        base::Image<float> value; ///< of a whole one
        base::Image<base::Status> status;
        base::Image<double> exact;       ///< of a whole one of a run in double
        base::Image<std::int32_t> index; ///< of a whole one of a bank
        /// Of the others: voxels block by block (shared::blockGrid), those of block i from
        /// firstOf[i] below firstOf[i + 1].
        std::vector<KeptVoxel> kept;
        std::vector<std::int32_t> templ; ///< of a bank: which template gave each of them
        std::vector<std::int64_t> firstOf;
        std::vector<Asked> asked;
        ScoreTally tally;
    };

    /// What is known of a voxel.
    struct Voxel {
        const Part* part = nullptr;      ///< that it lies in
        bool known = false;              ///< false: it has no value, or a neighbour in
                                         ///< its part is certainly higher
        const KeptVoxel* kept = nullptr; ///< null in a whole part
        double value = 0;
        base::Status status = base::Status::NotComputed;
        std::int32_t templ = 0; ///< of a bank, of one that is known: which gave the value
    };

    /// Of a map in parts of extents `part`.
    ReducedMap(const base::Extents& map, const base::Extents& part);

    [[nodiscard]] const base::Extents& extents() const { return m_extents; }
    [[nodiscard]] const std::vector<Part>& parts() const { return m_parts; }
    /// The part that begins at `corner`.
    [[nodiscard]] Part& partAt(const base::Index& corner) { return m_parts[numberOf(corner)]; }

    [[nodiscard]] Voxel at(const base::Index& at) const;
    /// As at(), of one that was asked for: known.
    [[nodiscard]] Voxel asked(const base::Index& at) const;

    /// Of all parts.
    [[nodiscard]] ScoreTally tally() const;
    /// Voxels that came back.
    [[nodiscard]] std::int64_t count() const;

  private:
    [[nodiscard]] std::size_t numberOf(const base::Index& at) const;

    base::Extents m_extents;
    base::Extents m_part;
    base::Extents m_grid;
    std::vector<Part> m_parts;
};

} // namespace flcc::method
