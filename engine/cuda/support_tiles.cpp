#include "engine/cuda/support_tiles.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "engine/cuda/map_run.h"

namespace flcc::cuda {

namespace {

using base::Extents;
using method::Problem;

/// Voxels may be NaN or infinite: their number under the support is a sum of its own.
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

/// That, B_T or That^2.
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
    room.spectra = mayOverlap(problem) ? 3 : 2;
    room.sums = std::ssize(sumsOf(problem));
    room.shares = room.batch * shareCount(tiling.points);
    room.templ = base::voxelCount(problem.templ);
    room.levels = mayOverlap(problem) ? room.templ : 0;
    room.workBytes = 16 * room.batch * base::voxelCount(tiling.points);
    return room;
}

std::int64_t SupportRoom::bytes() const {
    return 8 * tile * (batch * (1 + sums) + spectra) +
           static_cast<std::int64_t>(sizeof(TileFacts)) * batch +
           static_cast<std::int64_t>(sizeof(TileShare)) * shares + 9 * templ + 4 * levels +
           workBytes;
}

int supportTransforms(const Problem& problem) {
    return 5 + (mayBeNonFinite(problem) ? 2 : 0) + // x and x^2, three sums
           (mayBePartial(problem) ? 3 : 0) + (mayOverlap(problem) ? 1 : 0);
}

SupportTiles::SupportTiles(Engine& engine, std::int32_t device)
    : m_data(engine, device), m_spectra(engine, device), m_sums(engine, device),
      m_weights(engine, device), m_support(engine, device), m_levels(engine, device),
      m_facts(engine, device), m_shares(engine, device), m_work(engine, device) {}

void SupportTiles::prepare(const Stream& stream, const Problem& problem, const Tiling& tiling,
                           const SupportTempl& templ, double stored) {
    m_room = supportRoomOf(problem, tiling);
    const auto count = static_cast<double>(templ.canonical.count());
    m_launch = {};
    m_launch.points = tiling.points;
    m_launch.out = tiling.out;
    m_launch.templ = problem.templ;
    m_launch.twofold = true;
    m_launch.constants.count = count;
    m_launch.constants.promise = problem.promise;
    // Of the score itself, of the template's norm (eight lanes), and of what it is stored as.
    m_launch.constants.boundConstant = (4 + count / 16) * kUnitDouble + stored;
    // The guarantee of METHODS 2.2 for spectra transformed in the same precision.
    m_launch.tileError =
        kTransformFactor * 6 * kUnitDouble *
        std::sqrt(std::log2(std::max(2.0, static_cast<double>(countOf(tiling.points)))));
    m_launch.outside = problem.outside;
    m_launch.minOverlap = problem.minOverlap;
    m_firstSpectrum = m_spectra.room(m_room.spectra * m_room.tile);
    m_launch.support = m_support.room(m_room.templ);
    m_launch.levels = m_levels.room(m_room.levels);
    const std::tuple<std::int64_t, Extents> wanted{templ.number, tiling.points};
    if (m_transformed != wanted) {
        m_transformed = {};
        makeSpectra(stream, templ);
        m_transformed = wanted;
    }
    std::copy(std::begin(m_norms), std::end(m_norms), m_launch.weightNorms);
    const std::tuple<Extents, std::int64_t> planned{tiling.points, m_room.batch};
    if (!m_inverse || m_planned != planned) {
        m_inverse.reset();
        m_forward.emplace(stream,
                          TransformShape{TransformKind::Twofold, tiling.points, m_room.batch});
        m_inverse.emplace(
            stream, TransformShape{TransformKind::TwofoldInverse, tiling.points, m_room.batch});
        m_planned = planned;
    }
    m_launch.data = m_data.room(m_room.batch * m_room.tile);
    m_launch.facts = m_facts.room(m_room.batch);
    m_launch.shares = m_shares.room(m_room.shares);
    double* sum = m_sums.room(m_room.sums * m_room.batch * m_room.tile);
    for (const SupportSum which : sumsOf(problem)) {
        m_launch.sums[which] = sum;
        sum += m_room.batch * m_room.tile;
    }
    m_workArea = m_work.room(std::max(m_forward->workBytes(), m_inverse->workBytes()));
}

void SupportTiles::makeSpectra(const Stream& stream, const SupportTempl& templ) {
    // What copies read outlives the transform, whose end waits for the stream whatever fails.
    std::vector<double> values;
    std::vector<std::uint8_t> inside;
    const Transform transform(stream, {TransformKind::Twofold, m_launch.points, 1});
    void* const work = m_work.room(transform.workBytes());
    double* const weights = m_weights.room(m_room.templ);
    auto* const support = m_support.room(m_room.templ);
    m_launch.weights = weights;
    if (m_room.levels > 0) {
        const auto bytes = m_room.levels * static_cast<std::int64_t>(sizeof(std::int32_t));
        stream.upload({m_levels.room(m_room.levels), bytes, templ.levels.data(), bytes, bytes, 1});
    }
    for (std::int64_t i = 0; i < m_room.spectra; ++i) {
        const auto which = static_cast<SupportWeights>(i);
        values = weightsOf(templ.canonical, which);
        const auto bytes = m_room.templ * static_cast<std::int64_t>(sizeof(double));
        m_norms[i] = normOf(values);
        stream.upload({weights, bytes, values.data(), bytes, bytes, 1});
        if (which == SupportWeights::Support) {
            inside.assign(values.begin(), values.end());
            stream.upload({support, m_room.templ, inside.data(), m_room.templ, m_room.templ, 1});
        }
        m_launch.placed = m_firstSpectrum + i * m_room.tile;
        m_launch.spectrum = m_launch.placed;
        stream.tiled(TiledStep::Place, m_launch);
        transform(m_launch.placed, work);
        stream.tiled(TiledStep::Round, m_launch);
        stream.wait("transforming the template"); // before the host's values go
    }
}

void SupportTiles::start(const Stream& stream, const PartLaunch& of) {
    static_cast<PartLaunch&>(m_launch) = of;
    load(stream, SupportInput::Voxels);
    correlate(stream, SupportWeights::That, kSumCn);
    correlate(stream, SupportWeights::Support, kSumS1);
    load(stream, SupportInput::Squares);
    correlate(stream, SupportWeights::Support, kSumS2);
    if (m_launch.sums[kSumNonFinite] != nullptr) {
        load(stream, SupportInput::NonFinite);
        correlate(stream, SupportWeights::Support, kSumNonFinite);
    }
    if (m_launch.sums[kSumN] != nullptr) {
        load(stream, SupportInput::Inside);
        correlate(stream, SupportWeights::Support, kSumN);
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
    m_launch.spectrum = m_firstSpectrum + static_cast<std::int64_t>(weights) * m_room.tile;
    m_launch.sum = sum;
    stream.support(SupportStep::Multiply, m_launch);
    (*m_inverse)(m_launch.sums[sum], m_workArea);
}

} // namespace flcc::cuda
