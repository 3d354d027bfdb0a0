#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/base/geometry.h"
#include "engine/base/tile_pool.h"
#include "engine/match/peaks.h"
#include "engine/method/masked_view.h"
#include "engine/rotation/pose_bank.h"

/// The best placements of a template in many poses without the score of every one. README.md has
/// the mathematics.
namespace flcc::search {

/// What a search derives from a bank alone, for scenes of any extents.
struct Prepared;

/// Makes every member of a flat bank once and takes its cells. Null if cancelled. `scene`: extents
/// of the scenes that are searched first; others work too. `share` gets the finished part, on any
/// thread.
/// **Errors**: Problem for a bank of volumes and for a member without contrast. **Cost**: turning
/// all members; memory as preparedBytes().
[[nodiscard]] std::shared_ptr<const Prepared>
prepare(std::shared_ptr<const rotation::PoseBank> bank, const base::Extents& scene,
        base::TilePool& pool, const std::stop_token& stop = {},
        const std::function<void(double)>& share = {});

/// Whether it was prepared for a bank with the same members.
[[nodiscard]] bool isOf(const Prepared& prepared, const rotation::PoseBank& bank);

/// Bytes that a bank takes when it is prepared for a scene; an estimate.
[[nodiscard]] std::int64_t preparedBytes(const rotation::PoseBank& bank,
                                         const base::Extents& scene);

struct Options {
    double minScore = 0.5; ///< as match::PeakOptions
    std::int64_t maxPeaks = 100;
    std::optional<double> minDistance{};
    base::Point edges{1, 1, 1};
    std::optional<double> maxOverlap{};
    /// The share of the bound on what cells do not see that counts. With 1 the list of peaks is
    /// that of all scores. Below 1 the search is faster and may miss peaks.
    double trust = 1;
    /// The search gives up beyond it, by Facts::dividingMs.
    double mostMs = std::numeric_limits<double>::infinity();
};

/// A bank and the numbers of its templates (Peak::templ).
struct Part {
    std::shared_ptr<const Prepared> prepared;
    std::vector<int> numbers{0};
};

/// What a search has looked at.
struct Facts {
    std::int64_t members = 0;
    std::int64_t edge = 0;    ///< of coarse cells, of the first part
    double placements = 0;    ///< of all members: as many scores has the whole search
    std::int64_t nodes = 0;   ///< coarse nodes of all bases
    std::int64_t kept = 0;    ///< nodes of members that may hold a peak
    std::int64_t points = 0;  ///< placements that may
    std::int64_t limits = 0;  ///< placements compared pixel by pixel
    std::int64_t scores = 0;  ///< canonical scores
    std::int64_t turned = 0;  ///< members made pixel by pixel
    std::int64_t refined = 0; ///< members whose fine cells were made
    /// What dividing nodes should take by these numbers, and not by a clock: the same on every
    /// machine, however busy.
    double dividingMs = 0;
    double cellsMs = 0;
    double coarseMs = 0;
    double fineMs = 0;
};

struct Found {
    /// As match::findPeaks() lists them, but without what needs all scores: `zscore`,
    /// `falsePositives`, `sharpness`, and `rival` of a single peak.
    std::vector<match::Peak> peaks;
    Facts facts;
    bool cancelled = false;
    bool gaveUp = false; ///< beyond Options::mostMs; there are no peaks
};

/// What a search is expected to take, with preparing its members.
struct Expected {
    double beforeMs = 0;   ///< preparing, and the limits of all nodes
    double dividingMs = 0; ///< as Facts::dividingMs
    double slower = 1;   ///< how much longer the rehearsal took than what it looked at should take
    bool isMore = false; ///< beyond `mostMs`, where the rehearsal ends

    [[nodiscard]] double ms() const { return beforeMs + dividingMs; }
};

/// Searches with a part of the members, spread over all, and expects that the others take as long.
/// Empty if cancelled. **Errors**: as prepare() and searchPruned(). **Cost**: a twentieth of the
/// search, at most about a tenth of `mostMs`.
[[nodiscard]] std::optional<Expected>
rehearse(const method::MaskedView& scene,
         const std::vector<std::shared_ptr<const rotation::PoseBank>>& banks,
         const Options& options, double mostMs, base::TilePool& pool,
         const std::stop_token& stop = {});

/// The peaks of a flat scene at or above Options::minScore, by lcc, for placements whose pixels
/// that count lie inside of the scene; the corner of a peak, that of the members' box, may lie
/// outside. With `trust` 1 they are those of match::findPeaks() on the best scores of all members:
/// the same placements, members, canonical scores and sub-voxel positions. Of members whose scores
/// are equal within their bounds the first is listed; match::findPeaks() does so where the members
/// of a bank have at most 100 000 voxels, and takes that of the map in larger banks. The number of
/// threads changes nothing.
/// **Errors**: Problem for a scene with a mask, with NaN or Inf or with values whose squares
/// overflow, for a scene in which no member has room, and where too many placements may reach
/// `minScore`.
/// **Cost**: depends on the scene; Facts tells.
[[nodiscard]] Found searchPruned(const method::MaskedView& scene, const std::vector<Part>& parts,
                                 const base::Geometry& geometry, const Options& options,
                                 base::TilePool& pool, const std::stop_token& stop = {},
                                 const std::function<void(double)>& share = {});

} // namespace flcc::search
