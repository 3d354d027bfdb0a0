#include "tests/engine/match/peak_judge.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>

#include "engine/method/canonical.h"
#include "engine/reference/lcc.h"
#include "tests/support/scenes.h"

namespace flcc::test {

namespace {

template <class Visit> void forAll(const base::Extents& extents, const Visit& visit) {
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            for (std::int64_t x = 0; x < extents.x; ++x) {
                visit(base::Index{x, y, z});
            }
        }
    }
}

/// Canonical scores of every placement, NaN where there is none.
base::Image<double> canonicalMap(const base::AnyView& scene, const base::AnyView& templ) {
    const reference::ScoreMap judged = reference::Lcc(templ).map(scene);
    const method::CanonicalTemplate canonical(templ);
    base::Image<double> scores(judged.value.extents());
    forAll(scores.extents(), [&](const base::Index& at) {
        scores.view().at(at) = base::hasValue(judged.status.view().at(at))
                                   ? method::canonicalScore(scene, canonical, at)
                                   : std::nan("");
    });
    return scores;
}

/// The voxels connected with `from` that have its score; empty when one of their neighbours is
/// higher.
std::vector<base::Index> plateau(const base::View<const double>& scores, const base::Index& from) {
    std::vector<base::Index> found{from};
    for (std::size_t i = 0; i < found.size(); ++i) {
        const base::Index at = found[i];
        for (std::int64_t z = at.z - 1; z <= at.z + 1; ++z) {
            for (std::int64_t y = at.y - 1; y <= at.y + 1; ++y) {
                for (std::int64_t x = at.x - 1; x <= at.x + 1; ++x) {
                    const base::Index next{x, y, z};
                    if (!base::contains(scores.extents(), {next, {1, 1, 1}})) {
                        continue;
                    }
                    if (scores.at(next) > scores.at(from)) {
                        return {};
                    }
                    if (scores.at(next) == scores.at(from) &&
                        std::find(found.begin(), found.end(), next) == found.end()) {
                        found.push_back(next);
                    }
                }
            }
        }
    }
    return found;
}

bool firstInOrder(const base::Index& a, const base::Index& b) {
    return std::tie(a.z, a.y, a.x) < std::tie(b.z, b.y, b.x);
}

bool suppresses(const base::Index& higher, const base::Extents& templ, const base::Index& lower,
                const base::Extents& other, std::optional<double> distance) {
    const auto apart = [](std::int64_t a, std::int64_t m, std::int64_t b, std::int64_t n) {
        return std::abs(static_cast<double>(a - b) + static_cast<double>(m - n) / 2);
    };
    const double dx = apart(higher.x, templ.x, lower.x, other.x);
    const double dy = apart(higher.y, templ.y, lower.y, other.y);
    const double dz = apart(higher.z, templ.z, lower.z, other.z);
    if (distance) {
        return std::sqrt(dx * dx + dy * dy + dz * dz) < *distance;
    }
    return 2 * dx <= static_cast<double>(templ.x) && 2 * dy <= static_cast<double>(templ.y) &&
           2 * dz <= static_cast<double>(templ.z);
}

std::string words(const Place& place) {
    return base::toString(place.corner) + " score " + std::to_string(place.score) + " template " +
           std::to_string(place.templ);
}

} // namespace

MapOf mapWithErrors(const base::AnyView& scene, const base::AnyView& templ, double bound,
                    std::uint64_t seed) {
    const base::Image<double> scores = canonicalMap(scene, templ);
    const reference::ScoreMap judged = reference::Lcc(templ).map(scene);
    MapOf made{method::MatchMap(scores.extents()), {}};
    Random random(seed);
    forAll(scores.extents(), [&](const base::Index& at) {
        const base::Status status = judged.status.view().at(at);
        made.map.status.view().at(at) = status;
        ++made.facts.statusCounts[static_cast<std::size_t>(status)];
        if (base::hasValue(status)) {
            const double error = (2 * random.uniform() - 1) * bound;
            made.map.value.view().at(at) =
                static_cast<float>(std::clamp(scores.view().at(at) + error, -1.0, 1.0));
        } else {
            made.map.value.view().at(at) = 0;
        }
    });
    made.facts.largestBound = bound; // as of a run in double, without the rounding to float
    return made;
}

match::SearchedMap searchedMap(const method::MaskedView& templ, const MapOf& map) {
    const auto value = map.map.value.view();
    const auto status = map.map.status.view();
    return {.templates = {templ},
            .value = value,
            .status = status,
            .facts = map.facts,
            .statistics = match::mapStatistics(value, status)};
}

std::vector<match::Peak> peaksOf(const base::AnyView& scene, const base::AnyView& templ,
                                 const MapOf& map, const match::PeakOptions& options) {
    return match::findPeaks(scene, {searchedMap(templ, map)}, {}, options);
}

std::vector<Place> judgedPeaks(const base::AnyView& scene, const base::AnyView& templ,
                               const match::PeakOptions& options) {
    return judgedPeaks(scene, {{{templ}, {0}}}, options);
}

std::vector<Place> judgedPeaks(const base::AnyView& scene, const std::vector<JudgedBank>& banks,
                               const match::PeakOptions& options) {
    struct Found {
        Place place;
        base::Extents templ;
    };
    std::vector<Found> maxima;
    for (const JudgedBank& bank : banks) {
        const base::Extents extents = base::extentsOf(bank.templates.front());
        const double bound = method::canonicalBound(base::voxelCount(extents));
        base::Image<double> scores = canonicalMap(scene, bank.templates.front());
        base::Image<std::int32_t> best(scores.extents(), bank.numbers.front());
        for (std::size_t i = 1; i < bank.templates.size(); ++i) {
            const base::Image<double> more = canonicalMap(scene, bank.templates[i]);
            for (std::int64_t v = 0; v < scores.count(); ++v) {
                if (more.data()[v] > scores.data()[v]) {
                    scores.data()[v] = more.data()[v];
                    best.data()[v] = bank.numbers[i];
                }
            }
        }
        forAll(scores.extents(), [&](const base::Index& at) {
            const double score = scores.view().at(at);
            if (std::isnan(score) || score + bound < options.minScore) {
                return;
            }
            const std::vector<base::Index> flat = plateau(scores.view(), at);
            if (!flat.empty() && *std::min_element(flat.begin(), flat.end(), firstInOrder) == at) {
                maxima.push_back({{at, score, best.view().at(at)}, extents});
            }
        });
    }
    std::sort(maxima.begin(), maxima.end(), [](const Found& a, const Found& b) {
        const auto rank = [](const Place& p) {
            return std::tuple(-p.score, p.corner.z, p.corner.y, p.corner.x, p.templ);
        };
        return rank(a.place) < rank(b.place);
    });
    std::vector<Found> kept;
    for (const Found& found : maxima) {
        const bool near = std::any_of(kept.begin(), kept.end(), [&](const Found& higher) {
            return suppresses(higher.place.corner, higher.templ, found.place.corner, found.templ,
                              options.minDistance);
        });
        if (!near && std::ssize(kept) < options.maxPeaks) {
            kept.push_back(found);
        }
    }
    std::vector<Place> places;
    for (const Found& found : kept) {
        places.push_back(found.place);
    }
    return places;
}

std::string firstDifference(const std::vector<match::Peak>& peaks,
                            const std::vector<Place>& judged) {
    for (std::size_t i = 0; i < std::min(peaks.size(), judged.size()); ++i) {
        if (peaks[i].corner != judged[i].corner || peaks[i].score != judged[i].score ||
            peaks[i].templ != judged[i].templ) {
            return "rank " + std::to_string(i + 1) + ": " +
                   words({peaks[i].corner, peaks[i].score, peaks[i].templ}) + ", should be " +
                   words(judged[i]);
        }
    }
    return peaks.size() == judged.size() ? ""
                                         : std::to_string(peaks.size()) + " peaks, should be " +
                                               std::to_string(judged.size());
}

std::string firstDifference(const std::vector<match::Peak>& a, const std::vector<match::Peak>& b) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        if (a[i].corner != b[i].corner || a[i].score != b[i].score || a[i].shift != b[i].shift ||
            a[i].curvature != b[i].curvature || a[i].rival != b[i].rival ||
            a[i].bound != b[i].bound || a[i].templ != b[i].templ || a[i].centre != b[i].centre) {
            return "rank " + std::to_string(i + 1) + ": " + words({a[i].corner, a[i].score}) +
                   " and " + words({b[i].corner, b[i].score});
        }
    }
    return a.size() == b.size()
               ? ""
               : std::to_string(a.size()) + " and " + std::to_string(b.size()) + " peaks";
}

} // namespace flcc::test
