#include "engine/search/detail/coarse.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/widest.h"
#include "engine/cpu/transform/tile_transform.h"
#include "engine/method/shared/smooth_length.h"
#include "engine/search/detail/bounds.h"

namespace flcc::search::detail {

namespace {

using Transform = cpu::TileTransform<float>;

/// Memory that spectra may take; others are made in every search.
constexpr std::int64_t kMostSpectra = std::int64_t{1} << 28;
/// Nodes that may hold a peak.
constexpr std::int64_t kMostNodes = 20'000'000;
/// Nodes of clusters that are kept; of further ones the members' own limits are computed first.
constexpr std::int64_t kMostClusters = 4'000'000;

cpu::TransformShape shapeFor(const Prepared& prepared, const base::Extents& frame) {
    const base::Extents nodes = nodesOf(prepared, frame);
    const base::Extents& box = prepared.bank->box();
    const std::int64_t x = nodes.x + (box.x + prepared.edge - 1) / prepared.edge + 1;
    const std::int64_t y = nodes.y + (box.y + prepared.edge - 1) / prepared.edge + 1;
    return cpu::TransformShape(
        {method::shared::nextSmooth((x + 7) / 8) * 8, method::shared::nextSmooth(y), 1});
}

std::int64_t baseCount(const Prepared& prepared) {
    return std::ssize(prepared.clusters) + std::ssize(prepared.sectors);
}

/// A transform with the buffers of a thread.
class Correlator {
  public:
    explicit Correlator(const cpu::TransformShape& shape)
        : m_shape(shape), m_transform(Transform::of(shape)), m_tile(room(voxels())),
          m_work(room(Transform::spectrumValues(shape))),
          m_spectrum(room(Transform::spectrumValues(shape))),
          m_result(room(std::max(voxels(), Transform::writtenValues(shape, shape)))) {
        m_tile.fill(0);
    }

    [[nodiscard]] base::Image<float> sceneSpectrum(const CellLevel& cells) const {
        base::Image<double> means({m_shape.x, m_shape.y, 1}, 0.0);
        constexpr std::int64_t kMargin = CellLevel::kMargin;
        const std::int64_t rows = std::min(m_shape.y, cells.rows - 2 * kMargin);
        const std::int64_t columns = std::min(m_shape.x, cells.columns - 2 * kMargin);
        for (std::int64_t y = 0; y < rows; ++y) {
            for (std::int64_t x = 0; x < columns; ++x) {
                means.view().at(x, y, 0) =
                    static_cast<double>(cells.means[static_cast<std::size_t>(cells.cell(x, y))]);
            }
        }
        return m_transform->templateSpectrum(std::as_const(means).view(), cpu::oneAfterTheOther());
    }

    void makeSpectrum(const CellSums& sums, base::Image<float>& spectrum) {
        m_tile.fill(0);
        const float* from = sums.sums.data();
        for (const Run& run : sums.runs) {
            const std::int64_t length = run.to - run.from;
            std::copy_n(from, length, m_tile.data() + run.row * m_shape.x + run.from);
            from += (length + CellSums::kLanes - 1) / CellSums::kLanes * CellSums::kLanes;
        }
        (void)m_transform->forward(m_tile.data(), m_work.data(), spectrum.data());
    }
    [[nodiscard]] base::Image<float> makeSpectrum(const CellSums& sums) {
        base::Image<float> spectrum = room(Transform::spectrumValues(m_shape));
        makeSpectrum(sums, spectrum);
        return spectrum;
    }

    /// Writes the largest of the products at the four corners of each node. The transform has the
    /// scene where it expects a template, so that its result runs backwards.
    void largest(const base::Image<float>& scene, const base::Image<float>* templ,
                 const CellSums& sums, const base::Extents& nodes, float* to) {
        if (templ == nullptr) {
            makeSpectrum(sums, m_spectrum);
            templ = &m_spectrum;
        }
        (void)m_transform->inverse(scene.data(), templ->data(), m_work.data(), m_result.data(),
                                   m_shape);
        const auto rowOf = [&](std::int64_t y) {
            return m_result.data() + (y == 0 ? 0 : m_shape.y - y) * m_shape.x;
        };
        std::vector<float> pairs(static_cast<std::size_t>(m_shape.x));
        base::inWidest([&] {
            for (std::int64_t y = 0; y < nodes.y; ++y) {
                const float* const upper = rowOf(y);
                const float* const lower = rowOf(y + 1);
                for (std::int64_t i = 0; i < m_shape.x; ++i) {
                    pairs[static_cast<std::size_t>(i)] = std::max(upper[i], lower[i]);
                }
                float* const row = to + y * nodes.x;
                row[0] = std::max(pairs[0], pairs[static_cast<std::size_t>(m_shape.x - 1)]);
                const float* const last = pairs.data() + m_shape.x;
                for (std::int64_t x = 1; x < nodes.x; ++x) {
                    row[x] = std::max(last[-x], last[-x - 1]);
                }
            }
        });
    }

  private:
    static base::Image<float> room(std::int64_t values) {
        return base::Image<float>({values + Transform::kZeros, 1, 1}, 0.0F);
    }
    [[nodiscard]] std::int64_t voxels() const { return m_shape.x * m_shape.y; }

    cpu::TransformShape m_shape;
    std::shared_ptr<const Transform> m_transform;
    base::Image<float> m_tile;
    base::Image<float> m_work;
    base::Image<float> m_spectrum;
    base::Image<float> m_result;
};

/// What limits need of a sector, for nodes of twice the coarse edge.
class SectorLimits {
  public:
    SectorLimits(const CellLevel& cells, const base::Extents& nodes)
        : m_cells(cells), m_columns((nodes.x + 1) / 2), m_rows((nodes.y + 1) / 2),
          m_limits(static_cast<std::size_t>(m_columns * m_rows)) {
        const auto count = static_cast<std::size_t>(m_columns);
        m_outer.resize(count);
        m_inner.resize(count);
    }

    /// `rounding`: of products, absolute. `needed`: for each coarse node, the product that may
    /// reach a score of `least`.
    void write(const Prepared& prepared, const Prepared::Sector& sector, double least, double trust,
               double rounding, const base::Extents& nodes, std::vector<float>& needed) {
        Remainder between;
        double unseen = 0;
        for (std::size_t c = sector.first; c < sector.end; ++c) {
            between = between.with(prepared.clusters[c].between);
            unseen = std::max(unseen, static_cast<double>(prepared.clusters[c].unseen));
        }
        // These larger cells do not tell their means from pixels about them.
        const double fine = std::hypot(static_cast<double>(between.high), unseen);
        const double pixels = static_cast<double>(m_cells.edge * m_cells.edge);
        const double outer = static_cast<double>(cellsOf(sector.regions.outer)) * pixels;
        const double inner = static_cast<double>(cellsOf(sector.regions.inner)) * pixels;
        std::vector<float> row(static_cast<std::size_t>(m_columns));
        for (std::int64_t y = 0; y < m_rows; ++y) {
            add(sector.regions.outer, y, m_outer);
            add(sector.regions.inner, y, m_inner);
            for (std::int64_t x = 0; x < m_columns; ++x) {
                const auto at = static_cast<std::size_t>(x);
                const Energies of =
                    energiesOf(m_outer[at], outer, m_inner[at], inner, m_cells.slack);
                const bool flat =
                    of.contrast <= 1e-5 * of.whole && isFlat(sector.regions.outer, m_cells, x, y);
                const double rest = trust * restOf(of, static_cast<double>(between.low), fine) +
                                    kSumRounding * of.whole + rounding;
                const double product = least * of.contrast - rest;
                m_limits[static_cast<std::size_t>(y * m_columns + x)] = {of.contrast, rest};
                row[at] = flat ? std::numeric_limits<float>::infinity()
                               : static_cast<float>(product - 1e-6 * std::abs(product));
            }
            for (std::int64_t below = 2 * y; below < std::min(nodes.y, 2 * y + 2); ++below) {
                for (std::int64_t x = 0; x < nodes.x; ++x) {
                    needed[static_cast<std::size_t>(below * nodes.x + x)] =
                        row[static_cast<std::size_t>(x / 2)];
                }
            }
        }
    }

    /// The limit on scores at a coarse node whose largest product is this.
    [[nodiscard]] float limit(double product, std::int64_t x, std::int64_t y) const {
        const Limit& of = m_limits[static_cast<std::size_t>(y / 2 * m_columns + x / 2)];
        constexpr double kUnknown = 2;
        return static_cast<float>(
            of.contrast > 0 ? std::min(kUnknown, (product + of.rest) / of.contrast * (1 + 1e-6))
                            : kUnknown);
    }

  private:
    void add(const Runs& runs, std::int64_t y, std::vector<CellLevel::Sums>& to) const {
        std::ranges::fill(to, CellLevel::Sums{});
        base::inWidest([&] {
            for (const Run& run : runs) {
                const CellLevel::Sums* const from =
                    m_cells.sums.data() + m_cells.prefix(run.from, y + run.row);
                const CellLevel::Sums* const end = from + (run.to - run.from);
                for (std::int64_t x = 0; x < m_columns; ++x) {
                    CellLevel::Sums& sums = to[static_cast<std::size_t>(x)];
                    sums.pixels += end[x].pixels - from[x].pixels;
                    sums.squares += end[x].squares - from[x].squares;
                    sums.fine += end[x].fine - from[x].fine;
                    sums.uneven += end[x].uneven - from[x].uneven;
                }
            }
        });
    }

    const CellLevel& m_cells;
    std::int64_t m_columns;
    std::int64_t m_rows;
    struct Limit {
        double contrast = 0;
        double rest = 0;
    };
    std::vector<Limit> m_limits;
    std::vector<CellLevel::Sums> m_outer;
    std::vector<CellLevel::Sums> m_inner;
};

/// What a thread needs, and the nodes of a sector.
struct Worker {
    Correlator correlator;
    SectorLimits limits;
    std::vector<float> needed;
    std::vector<float> ofBase;
    std::vector<float> ofNext;
};

} // namespace

base::Extents nodesOf(const Prepared& prepared, const base::Extents& frame) {
    const base::Extents& box = prepared.bank->box();
    return {(frame.x - box.x) / prepared.edge + 1, (frame.y - box.y) / prepared.edge + 1, 1};
}

void appendMembers(const Prepared& prepared, const Frame& frame,
                   const std::vector<CellLevel>& levels, const Node& node, double least,
                   double trust, std::vector<Node>& to,
                   const std::function<const CellRemainders&(std::int64_t)>& remainders) {
    const Prepared::Cluster& cluster =
        prepared.clusters[static_cast<std::size_t>(-1 - node.member)];
    const Known known{
        static_cast<double>(node.product), least,
        nodeEnergies(cluster.node, levels[1], cluster.sector, levels[2], node.x, node.y)};
    for (std::int64_t member = cluster.first; member < cluster.end; ++member) {
        const MemberCells& cells = prepared.members[static_cast<std::size_t>(member)];
        if (!frame.cornersOf(cells.reach).touchesCell(node.x, node.y, prepared.edge)) {
            continue;
        }
        std::function<const CellRemainders&()> own;
        if (remainders) {
            own = [&]() -> const CellRemainders& { return remainders(member); };
        }
        const double limit = nodeLimit(cells, levels, node.x, node.y, trust, known, own);
        if (limit >= least) {
            to.push_back({static_cast<float>(limit * (1 + 1e-6)), 0,
                          static_cast<std::int32_t>(member), node.x, node.y});
        }
    }
}

float clusterLimit(const Prepared::Cluster& cluster, const std::vector<CellLevel>& levels,
                   const Node& node, double rounding, double trust) {
    const Energies of =
        nodeEnergies(cluster.node, levels[1], cluster.sector, levels[2], node.x, node.y);
    return of.flat ? -1
                   : static_cast<float>(
                         limitOf(static_cast<double>(node.product), of,
                                 restOf(of, cluster.between, static_cast<double>(cluster.unseen)),
                                 rounding, trust) *
                         (1 + 1e-6));
}

bool makeSpectra(const Prepared& prepared, const base::Extents& frame, base::TilePool& pool,
                 const std::stop_token& stop) {
    const std::lock_guard lock(prepared.lock);
    const cpu::TransformShape shape = shapeFor(prepared, frame);
    if (prepared.spectra && prepared.spectra->points == shape) {
        return true;
    }
    prepared.spectra = nullptr;
    if (4 * Transform::spectrumValues(shape) * baseCount(prepared) > kMostSpectra) {
        return true;
    }
    auto made = std::make_shared<Prepared::Spectra>();
    made->points = shape;
    made->of.resize(prepared.members.size());
    std::vector<std::int64_t> bases;
    for (const Prepared::Cluster& cluster : prepared.clusters) {
        bases.push_back(cluster.first);
        bases.push_back(cluster.next);
    }
    std::ranges::sort(bases);
    bases.erase(std::ranges::unique(bases).begin(), bases.end());
    std::vector<std::unique_ptr<Correlator>> workers(static_cast<std::size_t>(pool.threads()));
    const bool done = pool.run(
        std::ssize(bases),
        [&](std::int64_t i, int worker) {
            auto& correlator = workers[static_cast<std::size_t>(worker)];
            if (!correlator) {
                correlator = std::make_unique<Correlator>(shape);
            }
            const auto number = static_cast<std::size_t>(bases[static_cast<std::size_t>(i)]);
            made->of[number] = correlator->makeSpectrum(prepared.members[number].coarse);
        },
        stop);
    if (done) {
        prepared.spectra = std::move(made);
    }
    return done;
}

std::vector<Node> coarseNodes(const Prepared& prepared, const Frame& frame, const SceneCells& cells,
                              double least, double trust, base::TilePool& pool,
                              const std::stop_token& stop,
                              const std::function<void(double)>& share) {
    const cpu::TransformShape shape = shapeFor(prepared, frame.extents);
    const base::Extents nodes = nodesOf(prepared, frame.extents);
    const CellLevel& coarse = cells.levels[1];
    const base::Image<float> sceneSpectrum = Correlator(shape).sceneSpectrum(coarse);
    std::shared_ptr<const Prepared::Spectra> spectra;
    {
        const std::lock_guard lock(prepared.lock);
        spectra =
            prepared.spectra && prepared.spectra->points == shape ? prepared.spectra : nullptr;
    }
    // Three transforms of log2 n passes, each with a few roundings of all it sums; NUMERICS.md.
    const double rounding = 16 * std::log2(static_cast<double>(base::voxelCount(shape))) * 0x1p-24 *
                            std::sqrt(cells.energy);
    const auto product = [&](Worker& worker, std::int64_t member, std::vector<float>& to) {
        const auto number = static_cast<std::size_t>(member);
        const base::Image<float>* const known = spectra ? &spectra->of[number] : nullptr;
        worker.correlator.largest(sceneSpectrum, known, prepared.members[number].coarse, nodes,
                                  to.data());
    };
    std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(pool.threads()));
    std::vector<std::vector<Node>> found(prepared.sectors.size());
    std::atomic<std::int64_t> count = 0;
    std::atomic<std::int64_t> done = 0;
    (void)pool.run(
        std::ssize(prepared.sectors),
        [&](std::int64_t i, int number) {
            auto& owned = workers[static_cast<std::size_t>(number)];
            if (!owned) {
                const auto all = static_cast<std::size_t>(nodes.x * nodes.y);
                owned = std::make_unique<Worker>(Worker{
                    Correlator(shape), SectorLimits(cells.levels[2], nodes),
                    std::vector<float>(all), std::vector<float>(all), std::vector<float>(all)});
            }
            Worker& worker = *owned;
            const Prepared::Sector& sector = prepared.sectors[static_cast<std::size_t>(i)];
            worker.limits.write(prepared, sector, least, trust, rounding, nodes, worker.needed);
            std::vector<Node>& to = found[static_cast<std::size_t>(i)];
            std::int64_t loaded = -1;
            for (std::size_t c = sector.first; c < sector.end && !stop.stop_requested(); ++c) {
                const Prepared::Cluster& cluster = prepared.clusters[c];
                Corners corners;
                for (std::int64_t m = cluster.first; m < cluster.end; ++m) {
                    corners = corners.with(
                        frame.cornersOf(prepared.members[static_cast<std::size_t>(m)].reach));
                }
                if (loaded == cluster.first) {
                    worker.ofBase.swap(worker.ofNext);
                } else {
                    product(worker, cluster.first, worker.ofBase);
                }
                const bool two = cluster.next != cluster.first;
                if (two) {
                    product(worker, cluster.next, worker.ofNext);
                    loaded = cluster.next;
                }
                for (std::int64_t at = 0; at < nodes.x * nodes.y; ++at) {
                    const auto n = static_cast<std::size_t>(at);
                    if (worker.ofBase[n] < worker.needed[n] &&
                        (!two || worker.ofNext[n] < worker.needed[n])) {
                        continue;
                    }
                    if (!corners.touchesCell(at % nodes.x, at / nodes.x, prepared.edge)) {
                        continue;
                    }
                    const float highest =
                        two ? std::max(worker.ofBase[n], worker.ofNext[n]) : worker.ofBase[n];
                    Node node{worker.limits.limit(static_cast<double>(highest), at % nodes.x,
                                                  at / nodes.x),
                              static_cast<float>(static_cast<double>(highest) + rounding),
                              -1 - static_cast<std::int32_t>(c),
                              static_cast<std::int32_t>(at % nodes.x),
                              static_cast<std::int32_t>(at / nodes.x)};
                    node.limit = std::min(
                        node.limit, clusterLimit(cluster, cells.levels, node, kSumRounding, trust));
                    if (node.limit < static_cast<float>(least)) {
                        continue;
                    }
                    const std::size_t before = to.size();
                    if (count < kMostClusters) {
                        to.push_back(node);
                    } else {
                        appendMembers(prepared, frame, cells.levels, node, least, trust, to);
                    }
                    count += std::ssize(to) - static_cast<std::int64_t>(before);
                    if (count > kMostNodes) {
                        throw base::Error(base::ErrorCode::Problem,
                                          "more than " + std::to_string(kMostNodes) +
                                              " parts of the pruned search may hold a score of " +
                                              std::to_string(least) +
                                              "; raise --min-score or use --search exhaustive");
                    }
                }
            }
            const std::int64_t now = ++done;
            if (share) {
                share(static_cast<double>(now) / static_cast<double>(prepared.sectors.size()));
            }
        },
        stop);
    std::vector<Node> all;
    all.reserve(static_cast<std::size_t>(count));
    for (const std::vector<Node>& each : found) {
        all.insert(all.end(), each.begin(), each.end());
    }
    return all;
}

} // namespace flcc::search::detail
