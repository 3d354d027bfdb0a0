#include "engine/cuda/run/support_tiles.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "engine/cuda/run/map_run.h"
#include "engine/method/shared/template_error.h"

namespace flcc::cuda {

namespace {

using base::Extents;
using method::Problem;

/// True if voxels may be NaN or Inf. Their number under the support is then one more sum.
bool mayBeNonFinite(const Problem& problem) { return !base::isInteger(problem.scenePixel); }

std::vector<SupportSum> sumsOf(const Problem& problem) {
    std::vector<SupportSum> sums{kSumCn, kSumS1, kSumS2};
    if (mayBeNonFinite(problem)) {
        sums.push_back(kSumNonFinite);
    }
    if (mayBePartial(problem)) {
        sums.insert(sums.end(), {kSumN, kSumT1});
    }
    if (mayOverlap(problem)) {
        sums.push_back(kSumT2);
    }
    return sums;
}

/// Number of inputs of a tile: x, x^2, and if needed the voxels that are NaN or Inf and the voxels
/// inside.
std::int64_t inputsOf(const Problem& problem) {
    return 2 + (mayBeNonFinite(problem) ? 1 : 0) + (mayBePartial(problem) ? 1 : 0);
}

/// The weights `which` of a template, one for each voxel.
std::vector<double> weightsOf(const method::CanonicalTemplate& templ, SupportWeights which) {
    const base::Image<double>& that = templ.values();
    const base::Image<std::uint8_t>& support = templ.support();
    std::vector<double> weights(that.data(), that.data() + that.count());
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const bool inside = support.empty() || support.data()[i] != 0;
        weights[i] = which == SupportWeights::Support  ? (inside ? 1 : 0)
                     : which == SupportWeights::Square ? weights[i] * weights[i]
                                                       : weights[i];
    }
    return weights;
}

double normOf(const std::vector<double>& weights) {
    double squares = 0;
    for (const double weight : weights) {
        squares += weight * weight;
    }
    return std::sqrt(squares);
}

} // namespace

std::vector<std::int32_t> levelsOf(const method::MaskedView& templ) {
    const Extents m = templ.extents();
    std::vector<std::int32_t> levels(static_cast<std::size_t>(base::voxelCount(m)), -1);
    std::visit(
        [&](const auto& pixels) {
            const auto at = [&](std::size_t i) {
                const auto place = static_cast<std::int64_t>(i);
                return base::Index{place % m.x, place / m.x % m.y, place / (m.x * m.y)};
            };
            const auto counts = [&](std::size_t i) {
                return templ.mask.data() == nullptr || templ.mask.at(at(i)) != 0;
            };
            std::vector<std::remove_cvref_t<decltype(*pixels.data())>> values;
            for (std::size_t i = 0; i < levels.size(); ++i) {
                if (counts(i)) {
                    values.push_back(pixels.at(at(i)));
                }
            }
            std::sort(values.begin(), values.end());
            for (std::size_t i = 0; i < levels.size(); ++i) {
                if (counts(i)) {
                    levels[i] = static_cast<std::int32_t>(
                        std::lower_bound(values.begin(), values.end(), pixels.at(at(i))) -
                        values.begin());
                }
            }
        },
        templ.pixels);
    return levels;
}

SupportRoom supportRoomOf(const Problem& problem, const Tiling& tiling) {
    SupportRoom room;
    room.tile = tileValues(tiling.points);
    room.batch = tiling.batch();
    // Templates without a mask share all sums of SupportWeights::Support. Only x and the voxels
    // inside are correlated again, with That and That^2.
    room.loaded = problem.templates == 1 ? 1 : problem.mask ? inputsOf(problem) : 2;
    room.each = mayOverlap(problem) ? 3 : 2;
    room.spectra = problem.templates * room.each;
    room.sums = supportSums(problem);
    room.shares = room.batch * shareCount(tiling.points);
    room.weights = base::voxelCount(problem.templ);
    room.templ = problem.templates * room.weights;
    room.levels = mayOverlap(problem) ? room.templ : 0;
    room.workBytes = 16 * room.batch * base::voxelCount(tiling.points);
    return room;
}

std::int64_t supportSums(const Problem& problem) { return std::ssize(sumsOf(problem)); }

std::string boxRefusal(const Problem& problem) {
    if (problem.statistics == method::WindowStatistics::Box &&
        (problem.mask || problem.sceneMask)) {
        return std::string(
                   "use --statistics auto: window sums need a support that is a box, and the ") +
               (problem.mask ? "template" : "scene") + " has a mask";
    }
    return {};
}

std::int64_t SupportRoom::bytes() const {
    return 8 * tile * (batch * (loaded + sums) + spectra) +
           static_cast<std::int64_t>(sizeof(TileFacts)) * batch +
           static_cast<std::int64_t>(sizeof(TileShare)) * shares + 8 * weights + templ +
           4 * levels + workBytes;
}

int supportTransforms(const Problem& problem) {
    return 5 + (mayBeNonFinite(problem) ? 2 : 0) + // inputs x and x^2; sums cn, s1 and s2
           (mayBePartial(problem) ? 3 : 0) + (mayOverlap(problem) ? 1 : 0);
}

int ownTransforms(const Problem& problem) {
    return problem.mask ? static_cast<int>(supportSums(problem))
                        : 1 + (mayBePartial(problem) ? 1 : 0) + (mayOverlap(problem) ? 1 : 0);
}

SupportTiles::SupportTiles(Engine& engine, std::int32_t device)
    : m_data(engine, device), m_spectra(engine, device), m_sums(engine, device),
      m_weights(engine, device), m_support(engine, device), m_levels(engine, device),
      m_facts(engine, device), m_tileShares(engine, device), m_work(engine, device) {}

void SupportTiles::prepare(const Stream& stream, const Problem& problem, const Tiling& tiling,
                           const std::vector<SupportTempl>& templates, double stored) {
    m_room = supportRoomOf(problem, tiling);
    m_launch = {};
    m_launch.points = tiling.points;
    m_launch.out = tiling.out;
    m_launch.templ = problem.templ;
    m_launch.inDouble = true;
    m_launch.constants.promise = problem.promise;
    // 6 u53 sqrt(log2 M) of NUMERICS.md, section 5, last part, times the factor of cuFFT.
    m_launch.tileError =
        kTransformFactor * 6 * kUnitDouble *
        std::sqrt(std::log2(std::max(2.0, static_cast<double>(countOf(tiling.points)))));
    m_launch.outside = problem.outside;
    m_launch.minOverlap = problem.minOverlap;
    m_firstSpectrum = m_spectra.room(m_room.spectra * m_room.tile);
    m_firstSupport = m_support.room(m_room.templ);
    m_firstLevels = m_levels.room(m_room.levels);
    std::tuple<std::vector<std::int64_t>, Extents> wanted;
    std::get<1>(wanted) = tiling.points;
    for (const SupportTempl& templ : templates) {
        std::get<0>(wanted).push_back(templ.number);
    }
    if (m_transformed != wanted) {
        m_transformed = {};
        makeSpectra(stream, templates);
        m_transformed = wanted;
    }
    for (std::size_t i = 0; i < templates.size(); ++i) {
        m_constants[i].count = static_cast<double>(templates[i].canonical.count());
        m_constants[i].bound = method::shared::kNormedError + stored;
    }
    const std::tuple<Extents, std::int64_t> planned{tiling.points, m_room.batch};
    if (!m_inverse || m_planned != planned) {
        m_inverse.reset();
        m_forward.emplace(stream,
                          TransformShape{TransformKind::Double, tiling.points, m_room.batch});
        m_inverse.emplace(
            stream, TransformShape{TransformKind::DoubleInverse, tiling.points, m_room.batch});
        m_planned = planned;
    }
    m_loaded = m_data.room(m_room.loaded * m_room.batch * m_room.tile);
    m_launch.facts = m_facts.room(m_room.batch);
    m_launch.shares = m_tileShares.room(m_room.shares);
    double* sum = m_sums.room(m_room.sums * m_room.batch * m_room.tile);
    for (const SupportSum which : sumsOf(problem)) {
        m_launch.sums[which] = sum;
        sum += m_room.batch * m_room.tile;
    }
    m_workArea = m_work.room(std::max(m_forward->workBytes(), m_inverse->workBytes()));
}

void SupportTiles::makeSpectra(const Stream& stream, const std::vector<SupportTempl>& templates) {
    // Declared before the transform, whose destructor waits for the stream even after an error:
    // copies read these values until then.
    std::vector<double> values;
    std::vector<std::uint8_t> inside;
    const Transform transform(stream, {TransformKind::Double, m_launch.points, 1});
    void* const work = m_work.room(transform.workBytes());
    double* const weights = m_weights.room(m_room.weights);
    m_launch.weights = weights;
    m_constants.assign(templates.size(), {});
    Templates canonical;
    for (const SupportTempl& templ : templates) {
        canonical.push_back(&templ.canonical);
    }
    const std::vector<std::size_t> first = firstOfSupport(canonical);
    const auto upload = [&](auto* to, const auto* from, std::int64_t count) {
        const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(*to));
        stream.upload({to, bytes, from, bytes, bytes, 1});
    };
    for (std::size_t templ = 0; templ < templates.size(); ++templ) {
        const auto place = static_cast<std::int64_t>(templ);
        m_constants[templ].takesSums = first[templ] == templ;
        if (m_room.levels > 0) {
            upload(m_firstLevels + place * m_room.weights, templates[templ].levels.data(),
                   m_room.weights);
        }
        for (std::int64_t i = 0; i < m_room.each; ++i) {
            const auto which = static_cast<SupportWeights>(i);
            values = weightsOf(templates[templ].canonical, which);
            m_constants[templ].norms[i] = normOf(values);
            upload(weights, values.data(), m_room.weights);
            if (which == SupportWeights::Support) {
                inside.assign(values.begin(), values.end());
                upload(m_firstSupport + place * m_room.weights, inside.data(), m_room.weights);
            }
            m_launch.placed = m_firstSpectrum + (place * m_room.each + i) * m_room.tile;
            m_launch.spectrum = m_launch.placed;
            stream.tiled(TiledStep::Place, m_launch);
            transform(m_launch.placed, work);
            stream.tiled(TiledStep::Round, m_launch);
            stream.wait("transforming the template"); // before `values` and `inside` change
        }
    }
}

/// Sets the members of the launch that belong to a template.
void SupportTiles::choose(std::size_t templ) {
    const Constants& own = m_constants[templ];
    const auto place = static_cast<std::int64_t>(templ);
    m_templ = templ;
    m_launch.constants.count = own.count;
    m_launch.constants.boundConstant = own.bound;
    std::copy(std::begin(own.norms), std::end(own.norms), m_launch.weightNorms);
    m_launch.support = m_firstSupport + place * m_room.weights;
    m_launch.levels = m_room.levels > 0 ? m_firstLevels + place * m_room.weights : nullptr;
}

void SupportTiles::start(const Stream& stream, const PartLaunch& of, std::size_t templ) {
    static_cast<PartLaunch&>(m_launch) = of;
    choose(templ);
    const bool loads = templ == 0 || m_room.loaded == 1;
    const bool takes = loads || m_constants[templ].takesSums;
    std::int64_t place = 0;
    const auto loadNext = [&](SupportInput input) {
        const std::int64_t at = std::min(place++, m_room.loaded - 1);
        m_launch.data = m_loaded + at * m_room.batch * m_room.tile;
        if (loads) {
            load(stream, input);
        }
    };
    const auto shared = [&](SupportSum sum) {
        if (takes) {
            correlate(stream, SupportWeights::Support, sum);
        }
    };
    loadNext(SupportInput::Voxels);
    correlate(stream, SupportWeights::That, kSumCn);
    shared(kSumS1);
    loadNext(SupportInput::Squares);
    shared(kSumS2);
    if (m_launch.sums[kSumNonFinite] != nullptr) {
        loadNext(SupportInput::NonFinite);
        shared(kSumNonFinite);
    }
    if (m_launch.sums[kSumN] != nullptr) {
        loadNext(SupportInput::Inside); // loaded last, so that it stays
        shared(kSumN);
        correlate(stream, SupportWeights::That, kSumT1);
        if (m_launch.sums[kSumT2] != nullptr) {
            correlate(stream, SupportWeights::Square, kSumT2);
        }
    }
    stream.support(SupportStep::Score, m_launch);
}

void SupportTiles::load(const Stream& stream, SupportInput input) {
    m_launch.input = input;
    stream.support(SupportStep::Load, m_launch);
    (*m_forward)(m_launch.data, m_workArea);
}

void SupportTiles::correlate(const Stream& stream, SupportWeights weights, SupportSum sum) {
    const std::int64_t spectrum =
        static_cast<std::int64_t>(m_templ) * m_room.each + static_cast<std::int64_t>(weights);
    m_launch.spectrum = m_firstSpectrum + spectrum * m_room.tile;
    m_launch.sum = sum;
    stream.support(SupportStep::Multiply, m_launch);
    (*m_inverse)(m_launch.sums[sum], m_workArea);
}

} // namespace flcc::cuda
