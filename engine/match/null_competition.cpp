#include "engine/match/null_competition.h"

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

/// P(at most k of n) of fair coins.
double byChance(std::int64_t n, std::int64_t k) {
    const auto all = static_cast<double>(n);
    double sum = 0;
    for (std::int64_t i = 0; i <= k; ++i) {
        const auto some = static_cast<double>(i);
        sum += std::exp(std::lgamma(all + 1) - std::lgamma(some + 1) - std::lgamma(all - some + 1) -
                        all * std::log(2.0));
    }
    return sum;
}

/// The best score of the null within half of the extents of the template that gave a peak; 0 where
/// it has no peak.
double bestBeside(const Peak& peak, const std::vector<Peak>& nulls, const Exclusion::Turned& zone) {
    const rotation::Matrix back = rotation::inverse(zone.matrix);
    const base::Point half{static_cast<double>(zone.templ.x) / 2,
                           static_cast<double>(zone.templ.y) / 2,
                           static_cast<double>(zone.templ.z) / 2};
    const auto found = std::ranges::find_if(nulls, [&](const Peak& null) {
        bool near = true;
        for (std::size_t row = 0; row < 3; ++row) {
            double way = 0;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                way += back[3 * row + axis] * (null.centre[axis] - peak.centre[axis]);
            }
            near = near && std::abs(way) <= half[row];
        }
        return near;
    });
    return found == nulls.end() ? 0 : found->score;
}

/// Sets what NullCompetition says of peaks that reach the threshold.
void compareScores(NullCompetition& made, const std::vector<Peak>& peaks,
                   const std::vector<Peak>& nulls, double threshold,
                   const std::function<Exclusion::Turned(const Peak&)>& zone) {
    constexpr double kRare = 0.01;
    constexpr double kCopy = 0.999;
    std::vector<double> ratios;
    std::int64_t judged = 0;
    std::int64_t lost = 0;
    std::int64_t next = 8;
    for (const Peak& peak : peaks) {
        if (peak.score < threshold || peak.score <= 0) {
            break;
        }
        const double beside = bestBeside(peak, nulls, zone(peak));
        ratios.push_back(beside / peak.score);
        ++made.peaks;
        made.matched += beside >= peak.score ? 1 : 0;
        if (peak.score < kCopy) {
            ++judged;
            lost += beside >= peak.score ? 1 : 0;
        }
        if (judged == next) {
            made.better = made.better || byChance(judged, lost) < kRare;
            next *= 2;
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
                        double threshold, const base::Extents& largest,
                        const std::function<Exclusion::Turned(const Peak&)>& zone) {
    NullCompetition made;
    compareScores(made, peaks, nulls, threshold, zone);
    Places own(largest, zone);
    Places other(largest, zone);
    auto peak = peaks.begin();
    auto null = nulls.begin();
    while (peak != peaks.end() || null != nulls.end()) {
        if (null == nulls.end() || (peak != peaks.end() && peak->score > null->score)) {
            const bool lost = other.cover(*peak);
            if (lost) {
                made.scores.push_back(peak->score);
            } else {
                own.add(*peak);
            }
            ++peak;
        } else {
            if (!own.cover(*null)) {
                other.add(*null);
                made.scores.push_back(null->score);
            }
            ++null;
        }
    }
    return made;
}

} // namespace flcc::match
