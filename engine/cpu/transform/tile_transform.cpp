#include "engine/cpu/transform/tile_transform.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/cpu/common/tile_grid.h"
#include "engine/cpu/transform/fft_plan.h"
#include "engine/cpu/transform/half_beam_transform.h"
#include "engine/cpu/transform/search.h"
#include "engine/method/shared/smooth_length.h"

namespace flcc::cpu {

namespace {

/// Most points of a job of FFTW, which does not look for a stop.
constexpr std::int64_t kLongestJob = std::int64_t{1} << 23;

} // namespace

TransformShape::TransformShape(const base::Extents& points, method::Transforms by)
    : Extents(points), fftw(by == method::Transforms::Fftw || !hasHalfBeamTransform(points)) {}

bool TransformShape::smooth() const { return hasHalfBeamTransform(*this); }

method::Transforms transformsFor(const base::Extents& points, const method::Limits& limits) {
    return allTransformsFor(points, limits).front();
}

std::vector<method::Transforms> allTransformsFor(const base::Extents& points,
                                                 const method::Limits& limits) {
    using method::Transforms;
    if (limits.transforms != Transforms::Auto) {
        return {limits.transforms};
    }
    return hasHalfBeamTransform(points) ? std::vector{Transforms::Own, Transforms::Fftw}
                                        : std::vector{Transforms::Fftw};
}

std::string transformsRefusal(const method::Candidate& candidate, bool whole) {
    const base::Extents& points = candidate.tile;
    if (candidate.transforms == method::Transforms::Own && !hasHalfBeamTransform(points)) {
        return "the program's own transforms need lengths that are products of 2, 3, 5 and 7, and "
               "rows of at least 8 points, not " +
               base::toString(points) + "; use --transforms fftw";
    }
    if (whole && TransformShape(candidate).fftw &&
        base::voxelCount(points) > jobsOf(points) * kLongestJob) {
        return "FFTW transforms " + base::toString(points) +
               " points in parts that take too long to be cancelled; use a --tile with lengths "
               "that "
               "are products of 2, 3, 5 and 7, or --transforms own";
    }
    return {};
}

double timeFactor(const TransformShape& shape) {
    if (!shape.fftw) {
        return 1;
    }
    // Measured on two cores with AVX-512, plans by estimate: 1.2 to 4, and 12 to 50.
    constexpr double kSmall = 2.5;
    constexpr double kLargePrimes = 20;
    const auto isSmall = [](std::int64_t length) {
        using method::shared::without;
        return method::shared::isSmooth(without<13>(without<11>(length)));
    };
    return isSmall(shape.x) && isSmall(shape.y) && isSmall(shape.z) ? kSmall : kLargePrimes;
}

namespace {

using base::Extents;
using base::Image;

template <class Real>
using PrecisionOf = std::conditional_t<std::is_same_v<Real, float>, Single, Double>;

/// Transforms by FFTW. **Threads**: made under plannerLock(), which the destructor takes.
template <class Real> class FftwTransform final : public TileTransform<Real> {
  public:
    FftwTransform(const TransformShape& points, const FftSearch& search)
        : TileTransform<Real>(points), m_plans(std::in_place, points, search),
          m_templatePlans(std::in_place, points, FftSearch{}) {}
    FftwTransform(const FftwTransform&) = delete;
    FftwTransform& operator=(const FftwTransform&) = delete;
    ~FftwTransform() override {
        const std::lock_guard lock(plannerLock());
        m_plans.reset();
        m_templatePlans.reset();
    }

    [[nodiscard]] std::string_view planning() const override { return name(m_plans->effort()); }

    bool templateSpectrum(const base::View<const double>& templ, const ForItems& each, double* work,
                          Real* spectrum) const override {
        const Extents& points = this->points();
        Image<double> tile(points);
        const Extents& m = templ.extents();
        const bool loaded = cpu::forRows(each, points, [&](std::int64_t y, std::int64_t z) {
            double* const row = tile.view().row(y, z);
            const std::int64_t used = y < m.y && z < m.z ? m.x : 0;
            if (used > 0) {
                std::copy_n(templ.row(y, z), used, row);
            }
            std::fill(row + used, row + points.x, 0.0);
        });
        if (!loaded) {
            return false;
        }
        const FftJobs jobs(each);
        m_templatePlans->forward(tile.data(), work);
        const double scale = 1.0 / static_cast<double>(base::voxelCount(points));
        return !jobs.stopped() && forPairs(each, [&](std::int64_t i) {
            spectrum[i] = static_cast<Real>(work[i] * scale);
            spectrum[i + 1] = static_cast<Real>(work[i + 1] * -scale);
        });
    }

    using TileTransform<Real>::correlate;
    std::optional<TileEnergies> correlate(const Sharers& sharers, const Real* templ,
                                          const Real* tile, Real* work, Real* to,
                                          const Extents& /*wanted*/) const override {
        // A stop is looked for before each job of a pass and between the passes.
        const FftJobs jobs(sharers.each);
        TileEnergies energies;
        energies.in = forwardWith(sharers.each, tile, work);
        if (jobs.stopped() || !multiply(sharers.each, templ, work, work)) {
            return std::nullopt;
        }
        energies.out = inverseWith(sharers.each, work, to);
        // Energies alone can be missing now.
        const bool whole = !jobs.stopped() && sharers.each(1, [](std::int64_t, int) {});
        return whole ? std::optional(energies) : std::nullopt;
    }

    method::shared::TileEnergy forward(const Real* tile, Real*, Real* pairs) const override {
        return forwardWith(oneAfterTheOther(), tile, pairs);
    }

    method::shared::TileEnergy inverse(const Real* spectrum, const Real* pairs, Real* product,
                                       Real* to, const Extents& /*wanted*/) const override {
        (void)multiply(oneAfterTheOther(), spectrum, pairs, product);
        return inverseWith(oneAfterTheOther(), product, to);
    }

    void inverse(const Real* sum, Real* work, Real* to, const Extents& /*wanted*/) const override {
        std::copy_n(sum, 2 * pairsOf(this->points()), work);
        m_plans->inverse(work, to);
    }

    void addProduct(const Real* templ, const Real* spectrum, std::int64_t count,
                    Real* sum) const override {
        for (std::int64_t i = 0; i < count; i += 2) {
            sum[i] += spectrum[i] * templ[i] - spectrum[i + 1] * templ[i + 1];
            sum[i + 1] += spectrum[i + 1] * templ[i] + spectrum[i] * templ[i + 1];
        }
    }

  private:
    /// Calls `use(i)` for the index of the real part of every pair of a spectrum. False: stopped.
    template <class Use> bool forPairs(const ForItems& each, const Use& use) const {
        const std::int64_t values = 2 * pairsOf(this->points());
        const std::int64_t parts = jobsOf(this->points());
        const std::int64_t part = (values / 2 + parts - 1) / parts * 2;
        return each(parts, [&](std::int64_t item, int) {
            for (std::int64_t i = item * part; i < std::min(values, (item + 1) * part); i += 2) {
                use(i);
            }
        });
    }

    method::shared::TileEnergy forwardWith(const ForItems& each, const Real* tile,
                                           Real* pairs) const {
        m_plans->forward(tile, pairs);
        return simd::lineEnergy(tile, this->points(), jobsOf(this->points()), each);
    }

    bool multiply(const ForItems& each, const Real* templ, const Real* pairs, Real* product) const {
        return forPairs(each, [=](std::int64_t i) {
            const Real re = pairs[i] * templ[i] - pairs[i + 1] * templ[i + 1];
            const Real im = pairs[i + 1] * templ[i] + pairs[i] * templ[i + 1];
            product[i] = re;
            product[i + 1] = im;
        });
    }

    method::shared::TileEnergy inverseWith(const ForItems& each, Real* product, Real* to) const {
        m_plans->inverse(product, to);
        return simd::lineEnergy(to, this->points(), jobsOf(this->points()), each);
    }

    std::optional<BoxPlans<PrecisionOf<Real>>> m_plans;
    std::optional<BoxPlans<Double>> m_templatePlans;
};

} // namespace

template <class Real>
Image<Real> TileTransform<Real>::templateSpectrum(const base::View<const double>& templ,
                                                  const ForItems& each) const {
    Image<double> work({templateWorkValues(m_points, templ.extents()), 1, 1});
    Image<Real> spectrum({spectrumValues(m_points), 1, 1});
    return templateSpectrum(templ, each, work.data(), spectrum.data()) ? std::move(spectrum)
                                                                       : Image<Real>();
}

template <class Real>
std::int64_t TileTransform<Real>::templateWorkValues(const TransformShape& points,
                                                     const Extents& m) {
    return points.fftw ? 2 * pairsOf(points) : halfBeamTemplateValues(points, m);
}

template <class Real>
std::int64_t TileTransform<Real>::spectrumValues(const TransformShape& points) {
    return points.fftw ? 2 * pairsOf(points) : halfBeamSpectrumValues(points);
}

template <class Real>
std::int64_t TileTransform<Real>::writtenValues(const TransformShape& points,
                                                const Extents& wanted) {
    // Columns of two slices are transformed together. With an odd number of slices the last goes
    // with the first of other columns, so that all may be written.
    const bool pairs = !points.fftw && points.z % 2 == 0;
    return points.x * points.y * (pairs ? roundUp(wanted.z, 2) : points.z);
}

template <class Real> std::int64_t TileTransform<Real>::scratchBytes(const TransformShape& points) {
    constexpr std::int64_t kMost = std::int64_t{1} << 21;
    constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Real));
    return points.fftw ? std::min(kMost, kBytes * base::voxelCount(points))
                       : kBytes * halfBeamScratchValues(points);
}

namespace {

/// The table of transforms of the process: all that are in use and, of the others, those that were
/// requested last. The table itself is never destroyed, since threads may still hold a transform
/// when the process ends.
/// **Threads**: any.
template <class Real> class MadeTransforms {
  public:
    using Transform = std::shared_ptr<const TileTransform<Real>>;
    /// Transforms that left the table. The caller lets them end outside all locks.
    using Released = std::vector<Transform>;

    [[nodiscard]] static MadeTransforms& all() {
        static auto& made = *new MadeTransforms;
        return made;
    }

    /// The transform of a shape; null if there is none.
    [[nodiscard]] Transform of(const TransformShape& points) {
        const std::lock_guard lock(m_lock);
        const auto found = m_made.find(keyOf(points));
        if (found == m_made.end()) {
            return nullptr;
        }
        found->second.asked = ++m_clock;
        return found->second.transform;
    }
    /// Adds a transform, in place of an older one of the shape.
    void add(const TransformShape& points, Transform transform, Released& released) {
        const std::lock_guard lock(m_lock);
        Entry& entry = m_made[keyOf(points)];
        released.push_back(std::exchange(entry.transform, std::move(transform)));
        entry.asked = ++m_clock;
        while (m_made.size() > TileTransform<Real>::kKeptShapes && release(released)) {
        }
    }

  private:
    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, bool>;
    static Key keyOf(const TransformShape& points) {
        return {points.x, points.y, points.z, points.fftw};
    }
    struct Entry {
        Transform transform;
        std::uint64_t asked = 0; ///< m_clock at the last request
    };

    /// Removes the unused transform that was requested longest ago. False if all are in use.
    bool release(Released& released) {
        auto oldest = m_made.end();
        for (auto one = m_made.begin(); one != m_made.end(); ++one) {
            // A count of 1 cannot grow here: copies are made under the lock only.
            if (one->second.transform.use_count() == 1 &&
                (oldest == m_made.end() || one->second.asked < oldest->second.asked)) {
                oldest = one;
            }
        }
        if (oldest == m_made.end()) {
            return false;
        }
        released.push_back(std::move(oldest->second.transform));
        m_made.erase(oldest);
        return true;
    }

    std::mutex m_lock; // guards m_made and m_clock
    std::map<Key, Entry> m_made;
    std::uint64_t m_clock = 0;
};

} // namespace

template <class Real>
std::shared_ptr<const TileTransform<Real>> TileTransform<Real>::of(const TransformShape& points) {
    auto& all = MadeTransforms<Real>::all();
    if (auto made = all.of(points)) {
        return made;
    }
    typename MadeTransforms<Real>::Released released; // destroyed after the lock below is released
    std::shared_ptr<const TileTransform> made;
    if (!points.fftw) {
        made = halfBeamTransform<Real>(points);
        all.add(points, made, released);
        return made;
    }
    const std::lock_guard lock(plannerLock());
    made = all.of(points); // another thread may have made it under the lock
    if (!made) {
        made = std::make_shared<const FftwTransform<Real>>(points, FftSearch{});
        all.add(points, made, released);
    }
    return made;
}

template <class Real>
void TileTransform<Real>::search(const TransformShape& points, const FftSearch& search) {
    if (!points.fftw) {
        return;
    }
    // both are destroyed after the lock is released
    typename MadeTransforms<Real>::Released released;
    std::shared_ptr<const TileTransform> found;
    const std::lock_guard lock(plannerLock());
    found = std::make_shared<const FftwTransform<Real>>(points, search);
    if (found->planning() != name(FftEffort::Estimate)) {
        MadeTransforms<Real>::all().add(points, found, released);
    }
}

void searchTransforms(const method::Candidate& candidate, bool inDouble, base::TilePool& pool,
                      const std::stop_token& stop) {
    if (candidate.parts > 0) { // plans of parts are not searched for
        return;
    }
    const TransformShape points(candidate);
    const FftSearch search{FftEffort::Patient, stop};
    const ForItems each = itemsOf(pool);
    const FftJobs jobs(each); // plans of several jobs are timed as they will run
    inDouble ? TileTransform<double>::search(points, search)
             : TileTransform<float>::search(points, search);
}

std::string_view planningOf(const TransformShape& points, bool inDouble) {
    const auto of = [](const auto& transform) {
        return transform ? transform->planning() : name(FftEffort::Estimate);
    };
    if (!points.fftw) {
        return "own";
    }
    return inDouble ? of(MadeTransforms<double>::all().of(points))
                    : of(MadeTransforms<float>::all().of(points));
}

double doubleHalfNs(const TransformShape& points) {
    const double bytes = 24 * static_cast<double>(base::voxelCount(points));
    if (!points.fftw) {
        constexpr double kOwnCaches = 0x1p21;
        return 1.5 + 0.75 * std::clamp(std::log2(bytes / kOwnCaches), 0.0, 7.0);
    }
    constexpr double kNs = 9;
    constexpr double kShared = 0x1p26;
    return kNs * (1 + 2 * std::clamp(std::log2(bytes / kShared) / 1.3, 0.0, 1.0));
}

template class TileTransform<float>;
template class TileTransform<double>;

} // namespace flcc::cpu
