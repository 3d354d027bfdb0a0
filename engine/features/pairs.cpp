#include "engine/features/pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "engine/base/tile_pool.h"
#include "engine/features/detail/sampler.h"
#include "engine/method/canonical.h"

namespace flcc::features {

namespace {

using detail::Sampler;

constexpr double kReach = 5; ///< of a patch, in sigma
constexpr std::int64_t kPoints = 21;
constexpr std::int64_t kVolumePoints = 11;
constexpr std::int64_t kSearch = 2; ///< points around a blob of B
constexpr std::size_t kNominees = 10;
/// Turns of a patch of an image, degrees.
constexpr std::array<double, 5> kTurns{0, -10, 10, -20, 20};
/// A pair counts if it is this much nearer to a score of 1 than the best pair with another place.
/// **Source**: as the ratio test of Lowe, "Distinctive image features ...", 2004, with scores.
constexpr double kMostRatio = 0.8;

std::int64_t pointsOf(bool volume) { return volume ? kVolumePoints : kPoints; }

/// The distance of two points of a patch, shortest edges of a voxel.
double stepOf(const Blob& blob, bool volume) {
    return kReach * blob.sigma / static_cast<double>(pointsOf(volume) / 2);
}

/// The surroundings of a blob, `margin` points wider on each side than a patch.
base::Image<float> patchOf(const Sampler& image, const Blob& blob, bool volume, std::int64_t margin,
                           double turn = 0) {
    const double cosine = std::cos(turn * std::numbers::pi / 180);
    const double sine = std::sin(turn * std::numbers::pi / 180);
    const std::int64_t half = pointsOf(volume) / 2;
    const std::int64_t side = pointsOf(volume) + 2 * margin;
    const double step = stepOf(blob, volume);
    base::Image<float> patch({side, side, volume ? side : 1});
    const auto offset = [&](std::int64_t i) {
        return step * static_cast<double>(i - half - margin);
    };
    for (std::int64_t k = 0; k < patch.extents().z; ++k) {
        for (std::int64_t j = 0; j < side; ++j) {
            for (std::int64_t i = 0; i < side; ++i) {
                const double x = cosine * offset(i) - sine * offset(j);
                const double y = sine * offset(i) + cosine * offset(j);
                const base::Point& e = blob.edges;
                const base::Point p{blob.centre[0] + x / e[0], blob.centre[1] + y / e[1],
                                    volume ? blob.centre[2] + offset(k) / e[2] : blob.centre[2]};
                patch.view().at(i, j, k) = static_cast<float>(image.mean(p, step, e));
            }
        }
    }
    return patch;
}

/// A patch with mean 0 and norm 1; all 0 for a constant one.
std::vector<float> normalised(const base::View<const float>& patch) {
    const base::Extents& n = patch.extents();
    std::vector<float> values;
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            values.insert(values.end(), patch.row(y, z), patch.row(y, z) + n.x);
        }
    }
    const double mean =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    double square = 0;
    for (float& value : values) {
        value = static_cast<float>(static_cast<double>(value) - mean);
        square += static_cast<double>(value) * static_cast<double>(value);
    }
    const double factor = square > 0 ? 1 / std::sqrt(square) : 0;
    for (float& value : values) {
        value = static_cast<float>(static_cast<double>(value) * factor);
    }
    return values;
}

float product(const std::vector<float>& a, const std::vector<float>& b) {
    std::array<float, 8> sums{};
    std::size_t i = 0;
    for (; i + 8 <= a.size(); i += 8) {
        for (std::size_t lane = 0; lane < 8; ++lane) {
            sums[lane] += a[i + lane] * b[i + lane];
        }
    }
    float sum = std::accumulate(sums.begin(), sums.end(), 0.0F);
    for (; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/// The surroundings of a blob of B.
struct Candidate {
    base::Image<float> wide;
    std::vector<float> centre; ///< the patch in its middle, normalised
};

Candidate candidateOf(const Sampler& image, const Blob& blob, bool volume) {
    const std::int64_t side = pointsOf(volume);
    Candidate candidate{patchOf(image, blob, volume, kSearch), {}};
    const base::Box middle{{kSearch, kSearch, volume ? kSearch : 0},
                           {side, side, volume ? side : 1}};
    candidate.centre = normalised(base::View<const float>(candidate.wide.view()).part(middle));
    return candidate;
}

/// The best placement of a template around a blob of B.
struct Found {
    double score = -1;
    base::Point offset{}; ///< from the blob's centre, in points
};

/// Where a parabola through three scores, one a point, has its maximum; the middle one is the
/// largest. Within half a point.
double summit(double before, double middle, double after) {
    const double bend = before - 2 * middle + after;
    return bend < 0 ? std::clamp((before - after) / (2 * bend), -0.5, 0.5) : 0;
}

Found searchAround(const method::CanonicalTemplate& templ, const Candidate& candidate) {
    const method::MaskedView scene{candidate.wide.view()};
    const base::Extents places = base::validExtents(candidate.wide.extents(), templ.extents());
    base::Image<double> scores(places);
    Found best;
    std::array<std::int64_t, 3> at{};
    for (std::int64_t z = 0; z < places.z; ++z) {
        for (std::int64_t y = 0; y < places.y; ++y) {
            for (std::int64_t x = 0; x < places.x; ++x) {
                const double score = method::canonicalScore(scene, templ, {x, y, z});
                scores.view().at(x, y, z) = score;
                if (score > best.score) {
                    best.score = score;
                    at = {x, y, z};
                }
            }
        }
    }
    const std::array<std::int64_t, 3> sizes{places.x, places.y, places.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (sizes[axis] == 1) {
            continue;
        }
        double shift = 0;
        if (at[axis] > 0 && at[axis] + 1 < sizes[axis]) {
            const auto beside = [&](std::int64_t step) {
                std::array<std::int64_t, 3> p = at;
                p[axis] += step;
                return scores.view().at(p[0], p[1], p[2]);
            };
            shift = summit(beside(-1), best.score, beside(1));
        }
        best.offset[axis] = static_cast<double>(at[axis] - kSearch) + shift;
    }
    return best;
}

/// A patch of A in one turn.
struct Turned {
    double degrees = 0;
    std::vector<float> centre; ///< normalised
    method::CanonicalTemplate templ;
};

/// The patches of a blob of A; none if it is constant.
std::vector<Turned> turnedPatches(const Sampler& image, const Blob& blob, bool volume) {
    std::vector<Turned> patches;
    for (const double degrees : kTurns) {
        if (volume && degrees != 0) {
            continue;
        }
        const base::Image<float> patch = patchOf(image, blob, volume, 0, degrees);
        std::vector<float> centre = normalised(patch.view());
        if (std::any_of(centre.begin(), centre.end(), [](float v) { return v != 0; })) {
            patches.push_back({degrees, std::move(centre),
                               method::CanonicalTemplate{method::MaskedView{patch.view()}}});
        }
    }
    return patches;
}

/// A turned patch of A and the blob of B that it looks like.
struct Nominee {
    float score = 0;
    std::size_t patch = 0;
    std::size_t b = 0;
};

/// The blobs of B whose patches are most like one of `patches`, the best first.
std::vector<Nominee> nominees(const std::vector<Turned>& patches,
                              const std::vector<Candidate>& candidates) {
    std::vector<Nominee> all;
    for (std::size_t b = 0; b < candidates.size(); ++b) {
        Nominee best{-2, 0, b};
        for (std::size_t i = 0; i < patches.size(); ++i) {
            const float score = product(patches[i].centre, candidates[b].centre);
            if (score > best.score) {
                best.score = score;
                best.patch = i;
            }
        }
        all.push_back(best);
    }
    const std::size_t count = std::min(kNominees, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                      [](const Nominee& x, const Nominee& y) {
                          return x.score != y.score ? x.score > y.score : x.b < y.b;
                      });
    all.resize(count);
    return all;
}

/// The pairs of one blob of A that were searched; the best of them, if no other place is as good.
struct Row {
    std::vector<Pair> pairs;
    std::optional<Pair> best{};
};

bool isBetter(const Pair& pair, const std::optional<Pair>& than) {
    return !than || pair.score > than->score;
}

/// Removes the best pair of a row if another place of B is nearly as good.
void requireDistinct(Row& row, const std::vector<Blob>& blobs) {
    if (!row.best) {
        return;
    }
    const Blob& best = blobs[row.best->b];
    const bool rivalled = std::any_of(row.pairs.begin(), row.pairs.end(), [&](const Pair& pair) {
        const base::Point& at = blobs[pair.b].centre;
        const base::Point& e = best.edges;
        const double distance =
            std::hypot(e[0] * (at[0] - best.centre[0]), e[1] * (at[1] - best.centre[1]),
                       e[2] * (at[2] - best.centre[2]));
        return distance > best.radius && 1 - row.best->score > kMostRatio * (1 - pair.score);
    });
    if (rivalled) {
        row.best.reset();
    }
}

} // namespace

base::Image<float> greyImage(const ChannelImage& image) {
    const base::Extents& n = image.extents();
    base::Image<float> grey(n);
    std::vector<double> row(static_cast<std::size_t>(n.x));
    const auto forRows = [&](const auto& take) {
        for (std::int64_t i = 0; i < n.y * n.z; ++i) {
            image.row(0, i % n.y, i / n.y, row.data());
            take(grey.view().row(i % n.y, i / n.y));
        }
    };
    double largest = 0;
    forRows([&](float*) {
        for (const double value : row) {
            largest = std::max(largest, std::abs(value));
        }
    });
    // Scores do not depend on the unit; float holds these values and their squares.
    constexpr double kUsual = 1e15;
    const bool usual = largest == 0 || (largest <= kUsual && largest >= 1 / kUsual);
    const int exponent = usual ? 0 : -std::ilogb(largest);
    forRows([&](float* to) {
        std::transform(row.begin(), row.end(), to, [exponent](double value) {
            return static_cast<float>(std::ldexp(value, exponent));
        });
    });
    return grey;
}

std::int64_t pairBytes(std::size_t blobsA, std::size_t blobsB, bool volume) {
    const auto cube = [volume](std::int64_t side) { return side * side * (volume ? side : 1); };
    const std::int64_t patch = cube(pointsOf(volume));
    const std::int64_t wide = cube(pointsOf(volume) + 2 * kSearch);
    return 4 * static_cast<std::int64_t>(blobsB) * (patch + wide) +
           static_cast<std::int64_t>(blobsA * (kNominees + 2) * sizeof(Pair));
}

bool matchBlobs(const BlobImage& a, const BlobImage& b, const PairOptions& options,
                const std::stop_token& stop, const std::function<void(double)>& progress,
                std::vector<Pair>& pairs) {
    const bool volume = a.grey.extents().z > 1;
    base::TilePool pool(options.threads);
    const Sampler first(a.grey);
    const Sampler second(b.grey);
    std::vector<Candidate> candidates(b.blobs.size());
    const auto prepare = [&](std::int64_t i, int) {
        const auto at = static_cast<std::size_t>(i);
        candidates[at] = candidateOf(second, b.blobs[at], volume);
    };
    if (!pool.run(static_cast<std::int64_t>(candidates.size()), prepare, stop)) {
        return false;
    }
    std::vector<Row> rows(a.blobs.size());
    const auto score = [&](std::int64_t i, int) {
        Row& row = rows[static_cast<std::size_t>(i)];
        const std::vector<Turned> patches =
            turnedPatches(first, a.blobs[static_cast<std::size_t>(i)], volume);
        if (patches.empty()) {
            return; // a constant patch has no score
        }
        for (const Nominee& nominee : nominees(patches, candidates)) {
            const Turned& patch = patches[nominee.patch];
            const Found found = searchAround(patch.templ, candidates[nominee.b]);
            const Blob& blob = b.blobs[nominee.b];
            Pair pair{found.score, static_cast<std::size_t>(i), nominee.b, blob.centre,
                      -patch.degrees};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                pair.place[axis] += found.offset[axis] * stepOf(blob, volume) / blob.edges[axis];
            }
            row.pairs.push_back(pair);
            if (isBetter(pair, row.best)) {
                row.best = pair;
            }
        }
        requireDistinct(row, b.blobs);
    };
    const double all = static_cast<double>(std::max<std::size_t>(1, rows.size()));
    const bool done =
        pool.run(static_cast<std::int64_t>(rows.size()), score, stop,
                 [&](std::int64_t finished) { progress(static_cast<double>(finished) / all); });
    if (!done) {
        return false;
    }
    std::vector<std::optional<Pair>> bestOfB(b.blobs.size());
    for (const Row& row : rows) {
        for (const Pair& pair : row.pairs) {
            if (isBetter(pair, bestOfB[pair.b])) {
                bestOfB[pair.b] = pair;
            }
        }
    }
    pairs.clear();
    for (const Row& row : rows) {
        if (row.best && row.best->score >= options.minScore && bestOfB[row.best->b] == row.best) {
            pairs.push_back(*row.best);
        }
    }
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Pair& x, const Pair& y) { return x.score > y.score; });
    return true;
}

} // namespace flcc::features
