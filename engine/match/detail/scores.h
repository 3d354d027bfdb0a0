#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/base/status.h"
#include "engine/match/exclusion.h"
#include "engine/match/peaks.h"
#include "engine/method/canonical.h"
#include "engine/method/match_map.h"
#include "engine/method/operation_template.h"

namespace flcc::match::detail {

/// A score and the bound on its error. Where the smallest value of an operation is best, its sign
/// is changed here and in Seen.
struct Score {
    double value = 0;
    double bound = 0;
    int templ = -1; ///< the map's template that gave the score; -1 where no template has a score
};

/// A map, the bounds on its errors, and the canonical scores computed so far.
class Scores {
  public:
    /// `scene` and `map` must outlive this object.
    Scores(const method::MaskedView& scene, const SearchedMap& map, const PeakOptions& options);

    [[nodiscard]] const SearchedMap& map() const { return *m_map; }
    [[nodiscard]] const method::MaskedView& scene() const { return m_scene; }
    /// Extents of what is compared with a panel: of the template, or of the box of all poses.
    [[nodiscard]] const base::Extents& templExtents() const { return m_templExtents; }
    /// Templates that are compared with a panel for its canonical score.
    [[nodiscard]] std::int64_t compared() const {
        return std::max<std::int64_t>(1, std::ssize(m_templates));
    }
    /// Peak::templ, Peak::dark and Peak::pose of a score.
    [[nodiscard]] int numberOf(const Score& score) const;
    [[nodiscard]] std::optional<bool> isDark(const Score& score) const;
    [[nodiscard]] std::optional<rotation::Pose> poseOf(const Score& score) const;
    [[nodiscard]] std::optional<Exclusion::Turned> turnedAs(const Score& score) const;
    /// From the corner of what is compared with a panel to the template's centre in it, in the pose
    /// of a score.
    [[nodiscard]] base::Point centreOf(const Score& score) const;

    [[nodiscard]] const base::Extents& extents() const { return m_extents; }
    /// The values of a map that was copied back whole.
    [[nodiscard]] const base::View<const float>& values() const { return m_value; }
    /// The same in double if an operation other than lcc has them; else without voxels.
    [[nodiscard]] const base::View<const double>& exact() const { return m_exact; }
    [[nodiscard]] const base::View<const base::Status>& statuses() const { return m_status; }
    /// +1 or -1: times a value it is largest for the best placement.
    [[nodiscard]] double sign() const { return m_sign; }

    /// Content of the map at one voxel. An unknown voxel has no value, or is certainly lower than a
    /// neighbour in its part of a reduced map.
    struct Seen {
        bool known = true;
        double value = 0;
        base::Status status = base::Status::NotComputed;
        std::int32_t templ = 0; ///< the template that gave the value
    };
    [[nodiscard]] Seen seen(const base::Index& at) const {
        if (m_map->reduced == nullptr) {
            const double value =
                m_exact.data() == nullptr ? static_cast<double>(m_value.at(at)) : m_exact.at(at);
            return {true, m_sign * value, m_status.at(at),
                    m_map->index.data() == nullptr ? 0 : m_map->index.at(at)};
        }
        const method::ReducedMap::Voxel voxel = m_map->reduced->at(at);
        return {voxel.known, voxel.value, voxel.status, voxel.templ};
    }

    /// Linear index; its order is the order of z, y, x.
    [[nodiscard]] std::int64_t linear(const base::Index& at) const {
        return (at.z * extents().y + at.y) * extents().x + at.x;
    }
    [[nodiscard]] base::Index index(std::int64_t linear) const {
        const std::int64_t row = linear / extents().x;
        return {linear % extents().x, row % extents().y, row / extents().y};
    }

    /// True if the voxel has a value and may be a peak or exclude one. PARTIAL voxels, and LOWCONF
    /// voxels that are partial, count only if the options say so.
    [[nodiscard]] bool takesPart(const base::Index& at);
    /// As takesPart(), for a voxel with this status.
    [[nodiscard]] bool takesPart(const base::Index& at, base::Status status) const;

    /// Calls `visit(Index)` for the neighbours of `at` that may be as high, in the order z, y, x,
    /// until `visit` returns false. Returns true if `visit` never returned false and no neighbour
    /// is certainly higher.
    template <class Visit> [[nodiscard]] bool forRivals(const base::Index& at, Visit&& visit) const;
    /// True if some voxels that have a value may not be peaks.
    [[nodiscard]] bool leavesSomeOut() const { return m_leavesSomeOut; }
    /// True if the map's value may belong to a template that does not count at the voxel. Then the
    /// value is only an upper limit of the canonical score.
    [[nodiscard]] bool onlyFromAbove() const { return m_leavesSomeOut && m_differ; }
    /// Status of the score at a voxel for which takesPart() is true.
    [[nodiscard]] base::Status statusOf(const base::Index& at) const;

    /// The scene voxel under the first template voxel.
    [[nodiscard]] base::Index placement(const base::Index& at) const {
        return {at.x + m_first.x, at.y + m_first.y, at.z + m_first.z};
    }

    /// Largest difference between map and canonical score at such a voxel.
    [[nodiscard]] double margin(const Seen& seen) const {
        if (seen.status == base::Status::LowConf) {
            return m_lowConfMargin;
        }
        return m_relativeMargin > 0
                   ? std::min(m_margin, m_relativeMargin * std::max(1.0, std::abs(seen.value)))
                   : m_margin;
    }
    [[nodiscard]] double largestMargin() const { return std::max(m_margin, m_lowConfMargin); }

    /// The canonical score at `at`, the largest of the templates that count there; the map's value
    /// once the limit on canonical scores is reached.
    [[nodiscard]] Score score(const base::Index& at);

    /// The template or member of a bank that gave a score.
    [[nodiscard]] std::shared_ptr<const method::CanonicalTemplate>
    templateOf(const Score& score) const;
    /// The canonical score of `templ`, one of the map's, at `at`; empty outside of the map and
    /// where `at` or the template there takes no part.
    [[nodiscard]] std::optional<double> scoreOf(const method::CanonicalTemplate& templ,
                                                const base::Index& at);

    /// Why the list may lack peaks or depend on the method; empty if it does not.
    [[nodiscard]] const std::string& incomplete() const { return m_incomplete; }

    /// The sign of score(at) - reference. Computes the canonical score only if the map's value and
    /// bound do not decide.
    [[nodiscard]] int compare(const base::Index& at, double reference);

  private:
    [[nodiscard]] std::size_t ownOf(const Score& score) const;
    void requireWhole() const;
    void setLowConfMargin();
    [[nodiscard]] bool counts(const method::CanonicalTemplate& templ,
                              const base::Index& corner) const;
    [[nodiscard]] bool covers(const method::CanonicalTemplate& templ,
                              const base::Index& corner) const;
    [[nodiscard]] method::CanonicalValue canonical(const method::CanonicalTemplate& templ,
                                                   const base::Index& corner) const;
    [[nodiscard]] Score best(const base::Index& corner) const;
    [[nodiscard]] Score ofMember(const base::Index& at) const;
    [[nodiscard]] Score ofAllMembers(const base::Index& corner) const;
    [[nodiscard]] std::shared_ptr<const method::CanonicalTemplate>
    member(std::int32_t number) const;
    [[nodiscard]] Score computed(const base::Index& at);

    method::MaskedView m_scene;
    const SearchedMap* m_map;
    base::Extents m_extents;
    std::vector<method::CanonicalTemplate> m_templates; ///< none with poses
    /// Members of a bank of poses that were made last.
    mutable std::unordered_map<std::int32_t, std::shared_ptr<const method::CanonicalTemplate>>
        m_members;
    base::Extents m_templExtents{1, 1, 1};
    double m_sign = 1; ///< of values, so that the largest is the best
    base::View<const float> m_value;
    base::View<const double> m_exact; ///< without voxels for lcc
    base::View<const base::Status> m_status;
    double m_canonicalBound;
    double m_margin;
    double m_lowConfMargin;
    double m_relativeMargin = 0; ///< times a value above 1; 0 if it is not known
    std::int64_t m_limit;        ///< on canonical scores beside those of LOWCONF voxels
    std::int64_t m_budget;       ///< canonical scores left
    std::string m_incomplete;
    base::Index m_first;
    method::Outside m_outside;
    double m_minOverlap;
    bool m_partialPeaks;
    bool m_leavesSomeOut;
    bool m_differ = false;     ///< the templates have different supports
    bool m_allMembers = false; ///< a placement is compared with all members of the bank
    std::unordered_map<std::int64_t, Score> m_known;
};

/// Calls `visit(Index)` for each neighbour of `at` inside `extents`, in the order z, y, x, until
/// `visit` returns false. Returns whether all neighbours were visited.
template <class Visit>
bool forEachNeighbour(const base::Extents& extents, const base::Index& at, const Visit& visit) {
    for (std::int64_t z = at.z - 1; z <= at.z + 1; ++z) {
        for (std::int64_t y = at.y - 1; y <= at.y + 1; ++y) {
            if (z < 0 || z >= extents.z || y < 0 || y >= extents.y) {
                continue;
            }
            for (std::int64_t x = at.x - 1; x <= at.x + 1; ++x) {
                const bool self = x == at.x && y == at.y && z == at.z;
                if (x >= 0 && x < extents.x && !self && !visit(base::Index{x, y, z})) {
                    return false;
                }
            }
        }
    }
    return true;
}

template <class Visit> bool Scores::forRivals(const base::Index& at, Visit&& visit) const {
    if (m_map->reduced == nullptr) {
        return forEachNeighbour(m_extents, at, visit);
    }
    const method::ReducedMap::Voxel voxel = m_map->reduced->at(at);
    if (!voxel.known) {
        return false;
    }
    return forEachNeighbour(m_extents, at, [&](const base::Index& other) {
        const bool lower =
            voxel.kept != nullptr &&
            base::contains(voxel.part->box.extents,
                           {{other.x - voxel.part->box.corner.x, other.y - voxel.part->box.corner.y,
                             other.z - voxel.part->box.corner.z},
                            {1, 1, 1}}) &&
            (voxel.kept->marks &
             method::neighbourMark(other.x - at.x, other.y - at.y, other.z - at.z)) == 0;
        return lower || visit(other);
    });
}

} // namespace flcc::match::detail
