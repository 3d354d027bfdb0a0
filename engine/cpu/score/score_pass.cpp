#include "engine/cpu/score/score_pass.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>

#include "engine/base/error.h"

namespace flcc::cpu {

namespace {

using base::Box;
using base::Extents;

/// Voxels that the canonical values of one item read: about 0.1 s.
constexpr std::int64_t kItemVoxels = 100'000'000;

template <class Real>
simd::VoxelBox<Real> partOf(const simd::VoxelBox<Real>& box, const base::Index& at) {
    return {box.data + at.z * box.sliceStride + at.y * box.rowStride + at.x, box.rowStride,
            box.sliceStride};
}

} // namespace

ScorePass::ScorePass(const method::Problem& problem, const base::AnyView& scene,
                     const TemplateForms& templ, const method::Execution& execution,
                     const method::MapView& map, const Regions& regions)
    : m_problem(problem), m_scene(scene), m_templ(templ), m_execution(execution), m_map(map),
      m_regions(regions), m_scorers(execution.pool.threads(), problem.templ, tileOf(problem)),
      m_steps(static_cast<std::size_t>(execution.pool.threads())),
      m_tallies(static_cast<std::size_t>(execution.pool.threads())) {}

std::string ScorePass::refusal(const method::Problem& problem) {
    if (std::string reason = operationRefusal(problem); !reason.empty()) {
        return reason;
    }
    if (problem.mask || problem.sceneMask) {
        return "does not work where the template or the scene has a mask; use direct or tiled";
    }
    if (problem.extent != method::Extent::Valid) {
        return "finds placements inside the scene only; use direct or tiled for --extent " +
               std::string(method::name(problem.extent));
    }
    if (problem.statistics == method::WindowStatistics::Fourier) {
        return "--statistics fourier does not work with this method on the CPU; use tiled";
    }
    return {};
}

void ScorePass::requireUnmasked(const method::MaskedView& pixels) {
    if (method::isMasked(pixels)) {
        throw base::Error(base::ErrorCode::Problem,
                          "the pixels have a mask that the problem does not name");
    }
}

Extents ScorePass::tileOf(const method::Problem& problem) {
    const Extents map = method::mapExtents(problem);
    const Extents& m = problem.templ;
    // The window sums of a tile read the tile and a margin of the template's extents, so long tiles
    // read little twice. Tiles are about equal, and there are at least a few for the threads.
    const auto equal = [](std::int64_t about, std::int64_t length, std::int64_t least) {
        const std::int64_t few = std::clamp<std::int64_t>(length / 16, 1, least);
        const std::int64_t count = std::max((2 * length + about) / (2 * about), few);
        return (length + count - 1) / count;
    };
    return map.z > 1
               ? Extents{equal(std::max<std::int64_t>(256, 2 * m.x), map.x, 1),
                         equal(std::max<std::int64_t>(32, m.y), map.y, 2),
                         equal(std::max<std::int64_t>(16, m.z), map.z, 2)}
               : Extents{equal(1024, map.x, 1),
                         equal(std::max(2 * m.y, std::clamp<std::int64_t>(map.y / 8, 32, 256)),
                               map.y, map.y < 4 * m.y ? 2 : 4),
                         1};
}

TileGrid ScorePass::gridOf(const method::Problem& problem) {
    return {method::mapExtents(problem), tileOf(problem)};
}

std::int64_t ScorePass::bytes(const Counted& counted, int threads) {
    const method::Problem& problem = counted.problem;
    return std::min<std::int64_t>(threads, gridOf(problem).count()) *
           (counted.scorerBytes(tileOf(problem)) + 2 * stepsRoom(problem));
}

std::int64_t ScorePass::stepsRoom(const method::Problem& problem) {
    constexpr double kByteSteps = 128; // largest distance of a byte from a mean in the middle
    const auto count = static_cast<double>(base::voxelCount(problem.templ));
    return problem.precision == method::Precision::Single && problem.recompute &&
                   problem.scenePixel != base::PixelType::Float64 &&
                   IntegerTemplate::fits(count, kByteSteps, kByteSteps)
               ? AgainInput::stepsRoom(problem.templ, tileOf(problem))
               : 0;
}

ForItems ScorePass::items(Stage stage) {
    return [this, stage](std::int64_t count, const std::function<void(std::int64_t, int)>& work) {
        return m_execution.pool.run(
            count,
            [&](std::int64_t item, int worker) {
                StageClock& clock = m_tallies[static_cast<std::size_t>(worker)].clock;
                clock.start();
                work(item, worker);
                clock.lap(stage);
            },
            m_execution.stop);
    };
}

void ScorePass::finish(TileScorer& scorer, const Box& box, const TileResult& result, int worker) {
    scorer.finish(m_problem, m_scene, box, m_templ.canonical, result, partOf(m_map, box),
                  m_tallies[static_cast<std::size_t>(worker)].facts);
    const std::lock_guard lock(m_lock);
    if (m_execution.regionFinished) {
        m_execution.regionFinished(box);
    }
}

template <class Real>
void ScorePass::score(const Box& out, const Numerators<Real>& numerators, const CentredTile& tile,
                      const BoundTerms& terms, int worker) {
    TileScorer& scorer = m_scorers.of(worker);
    const base::Index at{out.corner.x - numerators.corner.x, out.corner.y - numerators.corner.y,
                         out.corner.z - numerators.corner.z};
    const method::MapView part = partOf(m_map, out);
    TileResult result =
        scorer.score(m_problem, m_scene, out, partOf(numerators.x, at),
                     partOf(numerators.numerator, at), tile, terms, m_templ.canonical, part);
    const double regionNs = m_regions.ns * static_cast<double>(base::voxelCount(out.extents)) /
                            static_cast<double>(base::voxelCount(m_regions.placements));
    if constexpr (std::is_same_v<Real, float>) {
        base::Image<std::int16_t>& steps = m_steps[static_cast<std::size_t>(worker)];
        AgainInput input{partOf(numerators.x, at), m_templ.canonical};
        if (const std::int64_t room = stepsRoom(m_problem); m_templ.integers && room > 0) {
            if (steps.empty()) { // memory that is not written yet costs nothing
                steps = base::Image<std::int16_t>({room, 1, 1});
            }
            input.integers = &*m_templ.integers;
            input.steps = steps.data();
        }
        scorer.scoreAgain(m_problem, input, part, regionNs, result);
    }
    if (!result.inDouble && TileScorer::wantsDouble(m_problem, result, regionNs)) {
        const std::lock_guard lock(m_lock);
        m_waiting.push_back({out, result});
        return;
    }
    finish(scorer, out, result, worker);
}

std::vector<std::vector<Box>> ScorePass::takeDouble() {
    const Extents& region = m_regions.placements;
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::vector<Waiting>> waiting;
    for (const Waiting& tile : std::exchange(m_waiting, {})) {
        const base::Index& at = tile.box.corner;
        waiting[{at.z / region.z, at.y / region.y, at.x / region.x}].push_back(tile);
    }
    std::vector<std::vector<Box>> regions;
    for (const auto& [at, tiles] : waiting) {
        TileResult all;
        for (const Waiting& tile : tiles) {
            all.lowConf += tile.result.lowConf;
        }
        if (!TileScorer::wantsDouble(m_problem, all, m_regions.ns)) {
            m_waiting.insert(m_waiting.end(), tiles.begin(), tiles.end());
            continue;
        }
        std::vector<Box>& boxes = regions.emplace_back();
        for (const Waiting& tile : tiles) {
            clear(tile.box);
            boxes.push_back(tile.box);
        }
    }
    return regions;
}

bool ScorePass::repair() {
    // Tiles are cut into pieces, so that a stop is answered soon. The first piece of a tile alone
    // carries its count of scores out of range, which must be added once.
    std::vector<Waiting> pieces;
    const std::int64_t voxels =
        std::max<std::int64_t>(1, kItemVoxels / base::voxelCount(m_problem.templ));
    for (Waiting& tile : std::exchange(m_waiting, {})) {
        const Extents& whole = tile.box.extents;
        const std::int64_t columns = std::min(whole.x, voxels);
        const std::int64_t rows = std::clamp<std::int64_t>(voxels / columns, 1, whole.y);
        const TileGrid grid(whole, {columns, rows, whole.z > 1 ? 1 : whole.z});
        for (std::int64_t i = 0; i < grid.count(); ++i) {
            Box piece = grid.box(i);
            piece.corner.x += tile.box.corner.x;
            piece.corner.y += tile.box.corner.y;
            piece.corner.z += tile.box.corner.z;
            pieces.push_back({piece, tile.result});
            tile.result.tally.overRange = 0;
        }
    }
    // Scorers of their own, whose sample of bounds is empty: the sample was taken before.
    const Extents tile = tileOf(m_problem);
    std::vector<TileScorer> scorers;
    for (int i = 0; i < m_execution.pool.threads(); ++i) {
        scorers.emplace_back(Extents{1, 1, 1}, Extents{tile.x, 1, 1});
    }
    const bool done = items(kRecomputation)(
        static_cast<std::int64_t>(pieces.size()), [&](std::int64_t item, int worker) {
            Waiting& piece = pieces[static_cast<std::size_t>(item)];
            finish(scorers[static_cast<std::size_t>(worker)], piece.box, piece.result, worker);
            piece.finished = true;
        });
    m_waiting = std::move(pieces);
    std::erase_if(m_waiting, [](const Waiting& piece) { return piece.finished; });
    return done;
}

void ScorePass::clear(const Box& box) const {
    for (std::int64_t z = box.corner.z; z < box.corner.z + box.extents.z; ++z) {
        for (std::int64_t y = box.corner.y; y < box.corner.y + box.extents.y; ++y) {
            const auto of = [&](const auto& view, auto value) {
                std::fill_n(view.row(y, z) + box.corner.x, box.extents.x, value);
            };
            of(m_map.value, 0.0F);
            of(m_map.status, base::Status::NotComputed);
            if (m_map.exact.data() != nullptr) {
                of(m_map.exact, 0.0);
            }
        }
    }
}

method::Outcome ScorePass::outcome(bool done) {
    for (const Waiting& tile : m_waiting) {
        clear(tile.box);
    }
    return outcomeOf(m_tallies, {"load", "transform", "denominator", "recomputation"}, done);
}

template void ScorePass::score(const Box&, const Numerators<float>&, const CentredTile&,
                               const BoundTerms&, int);
template void ScorePass::score(const Box&, const Numerators<double>&, const CentredTile&,
                               const BoundTerms&, int);

} // namespace flcc::cpu
