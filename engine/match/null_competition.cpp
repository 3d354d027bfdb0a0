#include "engine/match/null_template.h"

#include <algorithm>
#include <cmath>

namespace flcc::match {

namespace {

/// The corner of a box about the centre of a peak, within half a voxel.
base::Index cornerAbout(const Peak& peak, const base::Extents& box) {
    const auto corner = [](double centre, std::int64_t length) {
        return std::llround(centre - static_cast<double>(length - 1) / 2);
    };
    return {corner(peak.centre[0], box.x), corner(peak.centre[1], box.y),
            corner(peak.centre[2], box.z)};
}

/// The places of peaks that were accepted.
class Places {
  public:
    Places(const base::Extents& largest, const std::function<Exclusion::Turned(const Peak&)>& zone)
        : m_zone(&zone), m_exclusion(largest, std::nullopt, {1, 1, 1}) {}
    void add(const Peak& peak) {
        const Exclusion::Turned turned = (*m_zone)(peak);
        m_exclusion.add(cornerAbout(peak, turned.templ), turned.templ, turned);
    }
    [[nodiscard]] bool cover(const Peak& peak) const {
        constexpr base::Extents kVoxel{1, 1, 1};
        return m_exclusion.covers(cornerAbout(peak, kVoxel), kVoxel);
    }

  private:
    const std::function<Exclusion::Turned(const Peak&)>* m_zone;
    Exclusion m_exclusion;
};

/// The best score of peaks within half of the extents of the template that gave `peak`. Where there
/// is none it is below that of the last one.
double bestBeside(const Peak& peak, const std::vector<Peak>& others,
                  const Exclusion::Turned& zone) {
    const rotation::Matrix back = rotation::inverse(zone.matrix);
    const base::Point half{static_cast<double>(zone.templ.x) / 2,
                           static_cast<double>(zone.templ.y) / 2,
                           static_cast<double>(zone.templ.z) / 2};
    const auto found = std::ranges::find_if(others, [&](const Peak& other) {
        bool near = true;
        for (std::size_t row = 0; row < 3; ++row) {
            double way = 0;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                way += back[3 * row + axis] * (other.centre[axis] - peak.centre[axis]);
            }
            near = near && std::abs(way) <= half[row];
        }
        return near;
    });
    return found != others.end() ? found->score
           : others.empty()      ? 0
                                 : std::max(0.0, others.back().score);
}

/// A peak that has its place.
struct Winner {
    const Peak* peak;
    bool isNull;
};

/// Sets what NullCompetition says of the places.
void judge(NullCompetition& made, const std::vector<Winner>& winners,
           const std::vector<Peak>& peaks, const std::vector<Peak>& nulls, double threshold,
           double deviation, const std::function<Exclusion::Turned(const Peak&)>& zone) {
    constexpr double kRare = 3.1; // deviations: 1 in 1000
    constexpr double kCopy = 0.999;
    constexpr std::size_t kMost = 1000;
    std::vector<double> ratios;
    double count = 0;
    double sum = 0;
    for (std::size_t i = 0; i < std::min(kMost, winners.size()); ++i) {
        const auto& [peak, isNull] = winners[i];
        if (peak->score < threshold || peak->score <= 0) {
            break;
        }
        const double beside = bestBeside(*peak, isNull ? peaks : nulls, zone(*peak));
        const double own = isNull ? beside : peak->score;
        const double null = isNull ? peak->score : beside;
        if (own >= threshold) {
            ++made.peaks;
            made.matched += isNull ? 1 : 0;
            ratios.push_back(null / own);
        }
        if (isNull || own < kCopy) {
            count += 1;
            sum += own - null;
            made.better = made.better || sum > kRare * deviation * std::sqrt(2 * count);
        }
    }
    if (!ratios.empty()) {
        const auto middle = ratios.begin() + std::ssize(ratios) / 2;
        std::ranges::nth_element(ratios, middle);
        made.ratio = *middle;
    }
}

} // namespace

NullCompetition compete(const std::vector<Peak>& peaks, const std::vector<Peak>& nulls,
                        double threshold, double deviation, const base::Extents& largest,
                        const std::function<Exclusion::Turned(const Peak&)>& zone) {
    NullCompetition made;
    std::vector<Winner> winners;
    Places own(largest, zone);
    Places other(largest, zone);
    auto peak = peaks.begin();
    auto null = nulls.begin();
    while (peak != peaks.end() || null != nulls.end()) {
        if (null == nulls.end() || (peak != peaks.end() && peak->score > null->score)) {
            if (other.cover(*peak)) {
                made.scores.push_back(peak->score);
            } else {
                own.add(*peak);
                winners.push_back({&*peak, false});
            }
            ++peak;
        } else {
            if (!own.cover(*null)) {
                other.add(*null);
                winners.push_back({&*null, true});
                made.scores.push_back(null->score);
            }
            ++null;
        }
    }
    judge(made, winners, peaks, nulls, threshold, deviation, zone);
    return made;
}

} // namespace flcc::match
