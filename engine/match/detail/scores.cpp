#include "engine/match/detail/scores.h"

#include <array>
#include <charconv>
#include <vector>

#include "engine/base/error.h"
#include "engine/method/shared/posed_view.h"

namespace flcc::match::detail {

namespace {

/// Two scores differ by at most 2, whatever the bound of a LOWCONF voxel is.
constexpr double kLargestDifference = 2;
/// With a wide bound every LOWCONF voxel may be a peak and is scored again, at most this many
/// (about 70 MB of scores). Of more LOWCONF voxels the bound counts as at most kCappedMargin.
constexpr std::int64_t kMostLowConf = 1'000'000;
constexpr double kCappedMargin = 0.05;
/// Of a score that is kept as a float: a bound of a run in double leaves that out.
constexpr double kFloatRounding = 0x1p-24;
constexpr std::int64_t kFewestScores = 10'000;
constexpr std::int64_t kVoxelBudget = 4'000'000'000;
/// Time of making a member of a bank of poses, in times of comparing it with a panel.
constexpr std::int64_t kMemberCost = 16;
/// Voxels of members that are kept.
constexpr std::int64_t kMemberVoxels = 8'000'000;
/// Voxels of all members up to which a placement is compared with all of them.
constexpr std::int64_t kComparedVoxels = 100'000;

/// Voxels of the support that lie in the scene and its mask.
std::int64_t insideCount(const method::MaskedView& scene, const method::CanonicalTemplate& templ,
                         const base::Index& corner) {
    const base::Extents& extents = templ.extents();
    const base::Extents room = scene.extents();
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < base::voxelCount(extents); ++i) {
        const base::Index at{corner.x + i % extents.x, corner.y + i / extents.x % extents.y,
                             corner.z + i / (extents.x * extents.y)};
        const bool inside = at.x >= 0 && at.x < room.x && at.y >= 0 && at.y < room.y && at.z >= 0 &&
                            at.z < room.z &&
                            (scene.mask.data() == nullptr || scene.mask.at(at) != 0);
        count += inside && (templ.support().empty() || templ.support().data()[i] != 0) ? 1 : 0;
    }
    return count;
}

/// Two digits: "0.13", "2".
std::string boundText(double bound) {
    std::array<char, 32> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), bound, std::chars_format::general, 2);
    return {text.data(), end.ptr};
}

} // namespace

Scores::Scores(const method::MaskedView& scene, const SearchedMap& map, const PeakOptions& options)
    : m_scene(scene), m_map(&map),
      m_extents(map.reduced != nullptr ? map.reduced->extents() : map.value.extents()),
      m_value(map.value),
      m_exact(map.operation.traits().inScoreUnits ? base::View<const double>() : map.exact),
      m_status(map.status), m_first(map.firstPlacement), m_outside(options.outside),
      m_minOverlap(options.minOverlap), m_partialPeaks(options.partialPeaks),
      m_leavesSomeOut(!options.partialPeaks &&
                      (!(map.firstPlacement == base::Index{}) || method::isMasked(scene))) {
    std::int64_t most = 0; // voxels of the largest support
    std::int64_t all = 0;
    for (const method::MaskedView& templ : map.templates) {
        m_templates.emplace_back(templ, map.operation);
        most = std::max(most, m_templates.back().count());
        all += m_templates.back().count();
        m_differ = m_differ || !method::sameSupport(map.templates.front(), templ);
    }
    if (map.poses) {
        m_templExtents = map.poses->box();
        most = base::voxelCount(m_templExtents);
        const std::int64_t voxels = most * map.poses->count();
        m_allMembers =
            map.operation.traits().comparesMembers && !m_partialPeaks && voxels <= kComparedVoxels;
        all = m_allMembers ? voxels : kMemberCost * most;
    } else {
        m_templExtents = m_templates[0].extents();
    }
    requireWhole();
    m_canonicalBound = method::canonicalBound(most);
    if (m_partialPeaks && m_outside == method::Outside::Overlap) {
        m_canonicalBound += method::kOverlapBound;
    }
    const method::MapFacts& facts = map.facts;
    m_canonicalBound += kFloatRounding;
    m_margin = facts.largestBound + m_canonicalBound;
    const method::OperationTraits& traits = map.operation.traits();
    m_sign = traits.sign();
    if (!traits.absolutePromise) {
        m_margin = 2 * facts.largestBound; // the bound of a map covers its canonical values
        m_lowConfMargin = 2 * std::max(facts.largestBound, facts.largestLowConf);
        m_relativeMargin = traits.isPure() ? 3 * facts.largestRelative : 0;
    }
    m_limit = std::max(kFewestScores, kVoxelBudget / all);
    m_budget = m_limit;
    if (traits.absolutePromise) {
        setLowConfMargin();
    }
}

void Scores::setLowConfMargin() {
    const method::MapFacts& facts = m_map->facts;
    const double bound =
        std::max(std::min(facts.largestLowConf, kLargestDifference), facts.largestBound);
    const double capped = std::max(kCappedMargin, facts.largestBound);
    const std::int64_t lowConf =
        facts.statusCounts[static_cast<std::size_t>(base::Status::LowConf)];
    const std::int64_t most = std::min(m_limit, kMostLowConf);
    if (bound > capped && lowConf > most) {
        m_lowConfMargin = capped + m_canonicalBound;
        m_incomplete = std::to_string(lowConf) + " voxels are LOWCONF with error bounds of up to " +
                       boundText(bound) + ", and the search scores at most " +
                       std::to_string(most) + " such voxels again; switch recomputing on";
        return;
    }
    m_lowConfMargin = bound + m_canonicalBound;
    m_budget += bound > capped ? lowConf : 0;
}

/// Throws for a reduced map whose values are only upper limits: then a voxel left on the device
/// need not have a higher neighbour.
void Scores::requireWhole() const {
    const auto isWhole = [](const method::ReducedMap::Part& part) { return part.whole; };
    if (m_map->reduced != nullptr && onlyFromAbove() &&
        !std::all_of(m_map->reduced->parts().begin(), m_map->reduced->parts().end(), isWhole)) {
        throw base::Error(base::ErrorCode::Internal,
                          "with templates of different masks and without partial peaks, the search "
                          "for peaks needs the whole map");
    }
}

/// A voxel that was not copied back is not LOWCONF, so its pixels give its status. Where PARTIAL
/// voxels may not be peaks, all templates have the same support.
bool Scores::takesPart(const base::Index& at) {
    const Seen seen = this->seen(at);
    if (seen.known) {
        return takesPart(at, seen.status);
    }
    return (m_partialPeaks || method::isWhole(m_scene, m_templates[0], placement(at))) &&
           computed(at).templ >= 0;
}

bool Scores::takesPart(const base::Index& at, base::Status status) const {
    if (!base::hasValue(status) || status == base::Status::Ok || m_partialPeaks) {
        return base::hasValue(status);
    }
    const base::Index corner = placement(at);
    if (m_map->poses) { // the status is that of the member that the index names
        return status == base::Status::LowConf &&
               method::isWhole(m_scene, *member(m_map->index.at(at)), corner);
    }
    if (m_differ) {
        return std::any_of(m_templates.begin(), m_templates.end(), [&](const auto& templ) {
            return method::isWhole(m_scene, templ, corner);
        });
    }
    return status == base::Status::LowConf && method::isWhole(m_scene, m_templates[0], corner);
}

base::Status Scores::statusOf(const base::Index& at) const {
    const base::Status status = seen(at).status;
    return onlyFromAbove() && status == base::Status::Partial ? base::Status::Ok : status;
}

/// Whether a template counts at a voxel, judged by its support.
bool Scores::counts(const method::CanonicalTemplate& templ, const base::Index& corner) const {
    if (m_leavesSomeOut) {
        return method::isWhole(m_scene, templ, corner);
    }
    return !m_partialPeaks || covers(templ, corner);
}

/// Whether enough of a template's support lies inside.
bool Scores::covers(const method::CanonicalTemplate& templ, const base::Index& corner) const {
    return method::isScored(static_cast<double>(insideCount(m_scene, templ, corner)),
                            static_cast<double>(templ.count()), m_outside, m_minOverlap);
}

method::CanonicalValue Scores::canonical(const method::CanonicalTemplate& templ,
                                         const base::Index& corner) const {
    const method::OperationValue found =
        method::canonicalValue(m_map->operation, m_scene, templ, corner, m_outside, m_minOverlap);
    return {m_sign * found.value, found.bound, base::hasValue(found.status)};
}

std::shared_ptr<const method::CanonicalTemplate> Scores::member(std::int32_t number) const {
    const auto known = m_members.find(number);
    if (known != m_members.end()) {
        return known->second;
    }
    if ((std::ssize(m_members) + 1) * base::voxelCount(m_templExtents) > kMemberVoxels) {
        m_members.clear();
    }
    const rotation::TurnedTemplate made = m_map->poses->member(number);
    return m_members
        .emplace(number, std::make_shared<const method::CanonicalTemplate>(method::viewOf(made),
                                                                           m_map->operation))
        .first->second;
}

/// The best canonical score of all members that lie in the scene. It is counted as that of the
/// first member whose score is equal but for rounding: search::searchPruned() does the same.
Score Scores::ofAllMembers(const base::Index& corner) const {
    const std::optional<base::Box>& room = m_map->room;
    const method::MaskedView inside = room ? method::partOf(m_scene, *room) : m_scene;
    const base::Index first = room ? room->corner : base::Index{};
    const base::Index place{corner.x - first.x, corner.y - first.y, corner.z - first.z};
    std::vector<Score> scores;
    Score best;
    for (std::int64_t number = 0; number < m_map->poses->count(); ++number) {
        const auto templ = member(static_cast<std::int32_t>(number));
        if (!method::isWhole(inside, *templ, place)) {
            continue;
        }
        const auto [score, bound, scored] = canonical(*templ, corner);
        if (scored) {
            scores.push_back({score, bound, static_cast<int>(number)});
            best = best.templ < 0 || score > best.value ? scores.back() : best;
        }
    }
    for (const Score& each : scores) {
        if (each.value + each.bound >= best.value - best.bound) {
            best.templ = each.templ;
            break;
        }
    }
    return best;
}

/// The canonical score of the member that the index names. Of a template of few voxels many members
/// have scores that rounding alone tells apart: there the map does not say which is the best.
Score Scores::ofMember(const base::Index& at) const {
    const std::int32_t number = m_map->index.at(at);
    if (number < 0) {
        return {};
    }
    if (m_allMembers) {
        return ofAllMembers(placement(at));
    }
    const auto templ = member(number);
    const base::Index corner = placement(at);
    const auto [score, bound, scored] = canonical(*templ, corner);
    const bool counted =
        scored && (m_outside != method::Outside::Overlap || covers(*templ, corner));
    return counted ? Score{score, bound, number} : Score{};
}

std::size_t Scores::ownOf(const Score& score) const {
    return m_map->poses ? m_map->poses->templ(score.templ) : static_cast<std::size_t>(score.templ);
}

int Scores::numberOf(const Score& score) const { return m_map->numbers[ownOf(score)]; }

std::optional<bool> Scores::isDark(const Score& score) const {
    return m_map->darkFrom ? std::optional(ownOf(score) >= *m_map->darkFrom) : std::nullopt;
}

std::optional<rotation::Pose> Scores::poseOf(const Score& score) const {
    return m_map->poses ? std::optional(m_map->poses->pose(score.templ)) : std::nullopt;
}

std::optional<Exclusion::Turned> Scores::turnedAs(const Score& score) const {
    const auto& bank = m_map->poses;
    return bank ? std::optional(Exclusion::Turned{
                      bank->ownExtents(), bank->matrixOf(ownOf(score), bank->pose(score.templ))})
                : std::nullopt;
}

base::Point Scores::centreOf(const Score& score) const {
    const auto middle = [](std::int64_t length) { return static_cast<double>(length - 1) / 2; };
    return m_map->poses ? m_map->poses->centreOf(ownOf(score), m_map->poses->pose(score.templ))
                        : base::Point{middle(m_templExtents.x), middle(m_templExtents.y),
                                      middle(m_templExtents.z)};
}

Score Scores::best(const base::Index& corner) const {
    Score best;
    for (std::size_t i = 0; i < m_templates.size(); ++i) {
        if (m_differ && !counts(m_templates[i], corner)) {
            continue;
        }
        const auto [score, bound, scored] = canonical(m_templates[i], corner);
        if ((m_map->reduced != nullptr || m_templates.size() > 1) &&
            !(scored &&
              (m_outside != method::Outside::Overlap || covers(m_templates[i], corner)))) {
            continue;
        }
        if (best.templ < 0 || score > best.value) {
            best = {score, bound, static_cast<int>(i)};
        }
    }
    return best;
}

Score Scores::score(const base::Index& at) {
    const Seen seen = this->seen(at);
    if (m_budget == 0 && seen.known && !m_known.contains(linear(at))) {
        if (m_incomplete.empty()) {
            m_incomplete = "more than " + std::to_string(m_limit) +
                           " voxels have scores that are equal within their error bounds, and the "
                           "search scores no more of them again";
        }
        return {seen.value, margin(seen), seen.templ};
    }
    return computed(at);
}

/// The canonical score, whatever it costs.
Score Scores::computed(const base::Index& at) {
    const std::int64_t key = linear(at);
    const auto known = m_known.find(key);
    if (known != m_known.end()) {
        return known->second;
    }
    m_budget = std::max<std::int64_t>(0, m_budget - 1);
    return m_known.emplace(key, m_map->poses ? ofMember(at) : best(placement(at))).first->second;
}

std::shared_ptr<const method::CanonicalTemplate> Scores::templateOf(const Score& score) const {
    if (m_map->poses) {
        return member(score.templ);
    }
    return {std::shared_ptr<const void>(), &m_templates[static_cast<std::size_t>(score.templ)]};
}

std::optional<double> Scores::scoreOf(const method::CanonicalTemplate& templ,
                                      const base::Index& at) {
    if (!base::contains(m_extents, {at, {1, 1, 1}}) || !takesPart(at)) {
        return std::nullopt;
    }
    if (m_templates.size() == 1) {
        return score(at).value;
    }
    const base::Index corner = placement(at);
    if ((m_differ || m_map->poses) && !counts(templ, corner)) {
        return std::nullopt;
    }
    const auto [value, bound, scored] = canonical(templ, corner);
    return scored ? std::optional(value) : std::nullopt;
}

int Scores::compare(const base::Index& at, double reference) {
    const Seen seen = this->seen(at);
    const double open = margin(seen);
    if (seen.known && seen.value + open < reference) {
        return -1;
    }
    if (seen.known && seen.value - open > reference && !onlyFromAbove()) {
        return 1;
    }
    const auto [exact, bound, templ] = score(at);
    if (templ < 0) {
        return -1;
    }
    return exact < reference ? -1 : (exact > reference ? 1 : 0);
}

} // namespace flcc::match::detail
