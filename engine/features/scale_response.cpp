#include "engine/features/detail/scale_response.h"

#include <algorithm>
#include <numbers>

#include "engine/filter/recursive.h"

namespace flcc::features::detail {

namespace {

constexpr std::int64_t kRowBlocksATile = 4;
/// Columns that are copied together, so that more than one cache line of a row is read at once.
constexpr std::int64_t kColumnBlocksATile = 4;
/// Voxels of a batch of levels: small images filter several levels between two meetings of threads.
constexpr std::int64_t kBatchVoxels = 1 << 17;
constexpr std::int64_t kMostBatch = 16;

shared::LineFilter lineFilter(const filter::RecursiveGaussian& gaussian) {
    const auto section = [](const filter::RecursiveSection& s) {
        return shared::LineSection{s.c1, s.c2, s.a1, s.a2, (s.c1 + s.c2) / s.gain};
    };
    const auto& sections = gaussian.sections();
    return {sections[0].b0 + sections[1].b0, section(sections[0]), section(sections[1])};
}

int bufferCount(const Grid& grid) { return grid.extents.z > 1 ? 4 : 2; }

std::int64_t blockSize(const Grid& grid) {
    return kLines * std::max({grid.extents.x, grid.extents.y, grid.extents.z});
}

/// Blocks of a worker: the columns of a tile, and the output.
constexpr std::int64_t kBlocksAWorker = kColumnBlocksATile + 1;

} // namespace

ScaleFilters scaleFilters(double sigma, double edge) {
    const double own =
        edge > 1 ? std::max(sigma / edge, filter::RecursiveGaussian::kLeastSigma) : sigma;
    ScaleFilters filters{lineFilter(filter::RecursiveGaussian(0, own)),
                         lineFilter(filter::RecursiveGaussian(2, own))};
    const double by = 1 / (edge * edge);
    filters.second.centre *= by;
    for (shared::LineSection* section : {&filters.second.first, &filters.second.second}) {
        section->c1 *= by;
        section->c2 *= by;
        section->rest *= by;
    }
    return filters;
}

double scaleWeight(double sigma, bool volume) {
    return (volume ? 1.080985 : std::numbers::e / 2) * sigma * sigma;
}

ScaleResponse::ScaleResponse(const Grid& grid, const LineKernels& kernels, base::TilePool& pool,
                             const base::Point& edges)
    : m_grid(grid), m_edges(edges), m_kernels(kernels), m_pool(pool),
      m_stages(stagesOf(grid.extents.z > 1)), m_batch(batchOf(grid)), m_blockSize(blockSize(grid)) {
    for (int i = 0; i < bufferCount(grid); ++i) {
        m_buffers.emplace_back(base::Extents{grid.count(), m_batch, 1}, 0.0);
    }
    for (int i = 0; i < pool.threads(); ++i) {
        m_blocks.emplace_back(base::Extents{m_blockSize, kBlocksAWorker, 1});
    }
}

std::int64_t ScaleResponse::bytes(const Grid& grid, int threads) {
    const std::int64_t values = bufferCount(grid) * batchOf(grid) * grid.count() +
                                threads * kBlocksAWorker * blockSize(grid);
    return values * static_cast<std::int64_t>(sizeof(double));
}

std::int64_t ScaleResponse::batchOf(const Grid& grid) {
    return std::clamp(kBatchVoxels / grid.count(), std::int64_t{1}, kMostBatch);
}

std::vector<ScaleResponse::Stage> ScaleResponse::stagesOf(bool volume) {
    using enum Axis;
    if (!volume) {
        return {{{X, false, kIndicator, 0, false}},
                {{Y, true, 0, 0, false}, {Y, false, kIndicator, 1, false}},
                {{X, true, 1, kMagnitude, false}}};
    }
    // Buffer 0 holds one smoothed axis; 1, 2, 3 what is smoothed along the two axes other than x,
    // y, z, in both orders. The factor 2 of both orders is part of the weight.
    return {{{X, false, kIndicator, 0, false}},
            {{Y, false, 0, 3, false}, {Z, false, 0, 2, false}},
            {{Y, false, kIndicator, 0, false}},
            {{X, false, 0, 3, true}, {Z, false, 0, 1, false}},
            {{Z, false, kIndicator, 0, false}},
            {{X, false, 0, 2, true}, {Y, false, 0, 1, true}},
            {{Z, true, 3, 3, false}, {Y, true, 2, 2, false}},
            {{X, true, 1, kMagnitude, false}}};
}

double* ScaleResponse::buffer(int number, std::size_t level) {
    return m_buffers[static_cast<std::size_t>(number)].data() +
           static_cast<std::int64_t>(level) * m_grid.count();
}

double* ScaleResponse::block(int worker, int number) {
    return m_blocks[static_cast<std::size_t>(worker)].data() + number * m_blockSize;
}

const shared::LineFilter& ScaleResponse::filterOf(const Task& task, const Pass& pass) {
    const ScaleFilters& own = task.filters[static_cast<std::size_t>(pass.axis)];
    return pass.second ? own.second : own.smooth;
}

std::int64_t ScaleResponse::tilesOf(const Pass& pass) const {
    const base::Extents& n = m_grid.extents;
    if (pass.axis == Axis::X) {
        return (m_grid.rowBlocks() + kRowBlocksATile - 1) / kRowBlocksATile;
    }
    const std::int64_t columnBlocks = m_grid.stride / kLines;
    return (columnBlocks + kColumnBlocksATile - 1) / kColumnBlocksATile *
           (pass.axis == Axis::Y ? n.z : n.y);
}

bool ScaleResponse::add(const LevelImage& levels, double step, double sigma, double* sum,
                        const std::stop_token& stop, const Progress& progress) {
    Task task{.image = &levels,
              .filters = {scaleFilters(sigma, m_edges[0]), scaleFilters(sigma, m_edges[1]),
                          scaleFilters(sigma, m_edges[2])},
              .weight = step * scaleWeight(sigma, isVolume()) / (isVolume() ? 2 : 1),
              .sum = sum};
    const auto batch = static_cast<std::size_t>(m_batch);
    for (task.first = 0; task.first < levels.levels.size(); task.first += batch) {
        task.count = std::min(batch, levels.levels.size() - task.first);
        for (const Stage& stage : m_stages) {
            if (!runStage(stage, task, stop)) {
                return false;
            }
        }
        progress(task.first + task.count);
    }
    return true;
}

bool ScaleResponse::runStage(const Stage& stage, const Task& task, const std::stop_token& stop) {
    if (stage.front().to == kMagnitude) {
        return m_pool.run(
            tilesOf(stage.front()),
            [&](std::int64_t tile, int worker) { magnitudes(task, tile, worker); }, stop);
    }
    std::int64_t tiles = 0;
    for (const Pass& pass : stage) {
        tiles += tilesOf(pass);
    }
    const auto work = [&](std::int64_t item, int worker) {
        const auto level = static_cast<std::size_t>(item / tiles);
        std::int64_t tile = item % tiles;
        for (const Pass& pass : stage) {
            const std::int64_t own = tilesOf(pass);
            if (tile < own) {
                pass.axis == Axis::X ? rows(pass, task, level, tile, worker)
                                     : columns(pass, task, level, tile, worker);
                return;
            }
            tile -= own;
        }
    };
    return m_pool.run(tiles * static_cast<std::int64_t>(task.count), work, stop);
}

/// Filters a block of rows into block 0 of the worker.
void ScaleResponse::filterRowBlock(const Pass& pass, const Task& task, std::size_t level,
                                   std::int64_t rowBlock, int worker) {
    const std::int64_t length = m_grid.extents.x;
    const shared::LineFilter& filter = filterOf(task, pass);
    double* const out = block(worker, 0);
    if (pass.from == kIndicator) {
        const IndicatorLines lines{task.image->blocks.data() + rowBlock * length * kLines, kLines,
                                   task.image->levels[task.first + level].level};
        m_kernels.filterIndicator(filter, lines, out, {out}, length);
        return;
    }
    double* const in = block(worker, 1);
    m_kernels.toBlock(buffer(pass.from, level) + rowBlock * kLines * m_grid.stride, m_grid.stride,
                      in, length);
    m_kernels.filter(filter, in, out, {out}, length);
}

void ScaleResponse::rows(const Pass& pass, const Task& task, std::size_t level, std::int64_t tile,
                         int worker) {
    const std::int64_t end = std::min(m_grid.rowBlocks(), (tile + 1) * kRowBlocksATile);
    for (std::int64_t b = tile * kRowBlocksATile; b < end; ++b) {
        filterRowBlock(pass, task, level, b, worker);
        m_kernels.fromBlock(block(worker, 0), buffer(pass.to, level) + b * kLines * m_grid.stride,
                            m_grid.stride, m_grid.extents.x, pass.add);
    }
}

void ScaleResponse::columns(const Pass& pass, const Task& task, std::size_t level,
                            std::int64_t tile, int worker) {
    const base::Extents& n = m_grid.extents;
    const bool alongY = pass.axis == Axis::Y;
    const std::int64_t columnBlocks = m_grid.stride / kLines;
    const std::int64_t tilesALine = (columnBlocks + kColumnBlocksATile - 1) / kColumnBlocksATile;
    const std::int64_t line = tile / tilesALine; // z of columns along y, y of columns along z
    const std::int64_t first = tile % tilesALine * kColumnBlocksATile;
    const std::int64_t blocks = std::min(kColumnBlocksATile, columnBlocks - first);
    const std::int64_t length = alongY ? n.y : n.z;
    const std::int64_t step = alongY ? m_grid.stride : m_grid.stride * n.y;
    const std::int64_t corner =
        line * (alongY ? m_grid.stride * n.y : m_grid.stride) + first * kLines;
    const shared::LineFilter& filter = filterOf(task, pass);
    double* const scratch = block(worker, 0);
    if (pass.from != kIndicator) {
        m_kernels.gather(buffer(pass.from, level) + corner, step, blocks, block(worker, 1),
                         m_blockSize, length);
    }
    for (std::int64_t b = 0; b < blocks; ++b) {
        const LineOutput out{buffer(pass.to, level) + corner + b * kLines, step, pass.add};
        if (pass.from == kIndicator) {
            const IndicatorLines lines{task.image->rows.data() + corner + b * kLines, step,
                                       task.image->levels[task.first + level].level};
            m_kernels.filterIndicator(filter, lines, scratch, out, length);
        } else {
            m_kernels.filter(filter, block(worker, static_cast<int>(b) + 1), scratch, out, length);
        }
    }
}

/// Filters a tile of rows for the last term and adds the magnitudes of all levels in their order.
void ScaleResponse::magnitudes(const Task& task, std::int64_t tile, int worker) {
    const Pass& pass = m_stages.back().front();
    const std::int64_t length = m_grid.extents.x;
    const std::int64_t end = std::min(m_grid.rowBlocks(), (tile + 1) * kRowBlocksATile);
    for (std::int64_t b = tile * kRowBlocksATile; b < end; ++b) {
        for (std::size_t level = 0; level < task.count; ++level) {
            const DistinctLevel& own = task.image->levels[task.first + level];
            filterRowBlock(pass, task, level, b, worker);
            double* const last = block(worker, 1);
            m_kernels.fromBlock(block(worker, 0), last, length, length, false);
            for (std::int64_t i = 0; i < kLines; ++i) {
                const std::int64_t at = (b * kLines + i) * m_grid.stride;
                const double* const y = isVolume() ? buffer(2, level) + at : buffer(0, level) + at;
                const double* const z = isVolume() ? buffer(3, level) + at : nullptr;
                m_kernels.addMagnitude(last + i * length, y, z, task.weight * own.count,
                                       task.sum + at, length);
            }
        }
    }
}

} // namespace flcc::features::detail
