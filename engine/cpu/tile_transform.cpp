#include "engine/cpu/tile_transform.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "engine/cpu/fft_plan.h"
#include "engine/cpu/simd/kernels.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using base::Image;

/// Columns that are transformed together: one cache line of complex values.
constexpr int kColumns = 8;

/// Columns of one length, `stride` values apart, in blocks of kColumns and a rest.
template <class Precision> class ColumnPlans {
  public:
    using Value = typename Precision::Value;

    ColumnPlans() = default;

    /// Between two places of the same layout, or from and to a packed block.
    ColumnPlans(std::int64_t length, std::int64_t columns, std::int64_t stride, Value* a, Value* b,
                bool packed, int sign, const FftSearch& search)
        : m_columns(columns) {
        const auto make = [&](int count) {
            const Layout spread{static_cast<int>(stride), 1};
            const Layout block{count, 1};
            const bool forward = sign == FFTW_FORWARD;
            return Plan<Precision>(static_cast<int>(length), count, a,
                                   packed && !forward ? block : spread, b,
                                   packed && forward ? block : spread, sign, search);
        };
        if (columns >= kColumns) {
            m_block = make(kColumns);
        }
        if (columns % kColumns != 0) {
            m_rest = make(static_cast<int>(columns % kColumns));
        }
    }

    /// Calls `use(plan, first column, columns)` for each block.
    template <class Use> void forBlocks(Use&& use) const {
        std::int64_t column = 0;
        for (; column + kColumns <= m_columns; column += kColumns) {
            use(m_block, column, std::int64_t{kColumns});
        }
        if (column < m_columns) {
            use(m_rest, column, m_columns - column);
        }
    }

    [[nodiscard]] const Plan<Precision>& of(std::int64_t count) const {
        return count == kColumns ? m_block : m_rest;
    }

    /// The least effort behind its plans.
    [[nodiscard]] FftEffort effort() const {
        return std::min(m_block.made() ? m_block.effort() : FftEffort::Patient,
                        m_rest.made() ? m_rest.effort() : FftEffort::Patient);
    }

  private:
    std::int64_t m_columns = 0;
    Plan<Precision> m_block;
    Plan<Precision> m_rest;
};

/// Rows of one length in blocks of kRows and a rest.
class RowPlans {
  public:
    RowPlans() = default;
    RowPlans(std::int64_t length, std::int64_t rows, std::int64_t stride, float* from, float* to,
             int sign, const FftSearch& search)
        : m_rows(rows), m_stride(2 * stride) {
        const Layout row{1, static_cast<int>(stride)};
        const auto make = [&](std::int64_t count) {
            return Plan<Single>(static_cast<int>(length), static_cast<int>(count), from, row, to,
                                row, sign, search);
        };
        if (rows >= kRows) {
            m_block = make(kRows);
        }
        if (rows % kRows != 0) {
            m_rest = make(rows % kRows);
        }
    }

    void operator()(float* from, float* to) const {
        std::int64_t row = 0;
        for (; row + kRows <= m_rows; row += kRows) {
            m_block(from + row * m_stride, to + row * m_stride);
        }
        if (row < m_rows) {
            m_rest(from + row * m_stride, to + row * m_stride);
        }
    }

    [[nodiscard]] FftEffort effort() const {
        return std::min(m_block.made() ? m_block.effort() : FftEffort::Patient,
                        m_rest.made() ? m_rest.effort() : FftEffort::Patient);
    }

  private:
    /// So that wisdom of a row length serves tiles of any height.
    static constexpr std::int64_t kRows = 8;

    std::int64_t m_rows = 0;
    std::int64_t m_stride = 0;
    Plan<Single> m_block;
    Plan<Single> m_rest;
};

class FftwTransform final : public TileTransform {
  public:
    FftwTransform(const Extents& points, const FftSearch& search)
        : m_points(points), m_stride(strideOf(points.x)) {
        TransformBuffers buffers = makeBuffers();
        float* const tile = buffers.tile.data();
        float* const rows = buffers.rows.data();
        float* const column = buffers.column.data();
        const std::int64_t lines = points.y * points.z;
        m_rowsForward = RowPlans(points.x, lines, m_stride, tile, rows, FFTW_FORWARD, search);
        m_rowsInverse = RowPlans(points.x, lines, m_stride, rows, tile, FFTW_BACKWARD, search);
        const auto columns = [&](std::int64_t length, std::int64_t count, std::int64_t stride,
                                 float* from, float* to, bool packed, int sign) {
            return ColumnPlans<Single>(length, count, stride, from, to, packed, sign, search);
        };
        // Columns of padding are transformed with the others: they hold zeros.
        if (volume()) {
            const std::int64_t slice = m_stride * points.y;
            m_middleForward =
                columns(points.y, m_stride, m_stride, rows, tile, false, FFTW_FORWARD);
            m_middleInverse =
                columns(points.y, m_stride, m_stride, tile, rows, false, FFTW_BACKWARD);
            m_lastForward = columns(points.z, slice, slice, tile, column, true, FFTW_FORWARD);
            m_lastInverse = columns(points.z, slice, slice, column, tile, true, FFTW_BACKWARD);
        } else {
            m_lastForward = columns(points.y, points.x, m_stride, rows, column, true, FFTW_FORWARD);
            m_lastInverse =
                columns(points.y, points.x, m_stride, column, rows, true, FFTW_BACKWARD);
        }
        planTemplate(search);
    }

    [[nodiscard]] FftEffort effort() const override {
        const FftEffort middle = volume()
                                     ? std::min(m_middleForward.effort(), m_middleInverse.effort())
                                     : FftEffort::Patient;
        return std::min({m_rowsForward.effort(), m_rowsInverse.effort(), middle,
                         m_lastForward.effort(), m_lastInverse.effort()});
    }

    [[nodiscard]] std::int64_t rowStride() const override { return m_stride; }

    [[nodiscard]] TransformBuffers makeBuffers() const override {
        const Extents whole{2 * values() + simd::kSlack, 1, 1};
        return {Image<float>(whole, 0.0F), Image<float>(whole, 0.0F),
                Image<float>({2 * kColumns * lastLength() + simd::kSlack, 1, 1}, 0.0F)};
    }

    [[nodiscard]] Image<float> templateSpectrum(const Image<double>& templ) const override {
        Image<double> tile({2 * values(), 1, 1}, 0.0);
        Image<double> column({2 * kColumns * lastLength(), 1, 1}, 0.0);
        const Extents& m = templ.extents();
        // Rows and slices without a template voxel are zero and stay so.
        for (std::int64_t z = 0; z < m.z; ++z) {
            double* const slice = tile.data() + 2 * z * m_points.y * m_stride;
            for (std::int64_t y = 0; y < m.y; ++y) {
                const double* const row = templ.view().row(y, z);
                double* const to = slice + 2 * y * m_stride;
                for (std::int64_t x = 0; x < m.x; ++x) {
                    to[2 * x] = row[x];
                }
                m_templateRow(to, to);
            }
            if (volume()) {
                m_templateMiddle.forBlocks([&](const auto& plan, std::int64_t first, std::int64_t) {
                    plan(slice + 2 * first, slice + 2 * first);
                });
            }
        }
        // The order of the last pass: a block of columns at a time, its values packed.
        Image<float> spectrum({2 * values(), 1, 1}, 0.0F);
        const double scale = 1.0 / static_cast<double>(base::voxelCount(m_points));
        float* to = spectrum.data();
        m_templateLast.forBlocks([&](const auto& plan, std::int64_t first, std::int64_t count) {
            plan(tile.data() + 2 * first, column.data());
            for (std::int64_t i = 0; i < count * lastLength(); ++i, to += 2) {
                to[0] = static_cast<float>(column.data()[2 * i] * scale);
                to[1] = static_cast<float>(-column.data()[2 * i + 1] * scale);
            }
        });
        return spectrum;
    }

    void correlate(const Image<float>& spectrum, TransformBuffers& buffers) const override {
        float* const tile = buffers.tile.data();
        float* const rows = buffers.rows.data();
        m_rowsForward(tile, rows);
        if (!volume()) {
            multiplyColumns(spectrum, rows, buffers.column.data());
        } else {
            middle(m_middleForward, rows, tile);
            multiplyColumns(spectrum, tile, buffers.column.data());
            middle(m_middleInverse, tile, rows);
        }
        m_rowsInverse(rows, tile);
    }

    void forward(TransformBuffers& buffers, Image<float>& spectrum) const override {
        float* const rows = buffers.rows.data();
        float* data = rows;
        m_rowsForward(buffers.tile.data(), rows);
        if (volume()) {
            data = buffers.tile.data();
            middle(m_middleForward, rows, data);
        }
        float* to = spectrum.data();
        m_lastForward.forBlocks([&](const auto& plan, std::int64_t first, std::int64_t count) {
            plan(data + 2 * first, to);
            to += 2 * count * lastLength();
        });
    }

    void inverse(const Image<float>& spectrum, const Image<float>& templ,
                 TransformBuffers& buffers) const override {
        float* const tile = buffers.tile.data();
        float* const rows = buffers.rows.data();
        float* const column = buffers.column.data();
        float* const data = volume() ? tile : rows;
        std::int64_t at = 0;
        m_lastInverse.forBlocks([&](const auto& plan, std::int64_t first, std::int64_t count) {
            simd::multiplySpectra(spectrum.data() + at, templ.data() + at, count * lastLength(),
                                  column);
            plan(column, data + 2 * first);
            at += 2 * count * lastLength();
        });
        if (volume()) {
            middle(m_middleInverse, tile, rows);
        }
        m_rowsInverse(rows, tile);
    }

  private:
    /// Even, so that every block starts where FFTW's vectors may; no large power of two, so that
    /// the values of a column do not share one cache set.
    static std::int64_t strideOf(std::int64_t length) {
        return length % 64 == 0 ? length + kColumns : length + length % 2;
    }
    [[nodiscard]] bool volume() const { return m_points.z > 1; }
    /// Length of the axis whose transform is joined with the product.
    [[nodiscard]] std::int64_t lastLength() const { return volume() ? m_points.z : m_points.y; }
    [[nodiscard]] std::int64_t values() const { return m_stride * m_points.y * m_points.z; }

    /// A template is transformed once a run: measuring is enough.
    void planTemplate(FftSearch search) {
        search.effort = std::min(search.effort, FftEffort::Measure);
        Image<double> tile({2 * values(), 1, 1}, 0.0);
        Image<double> column({2 * kColumns * lastLength(), 1, 1}, 0.0);
        const Layout row{1, static_cast<int>(m_stride)};
        double* const data = tile.data();
        m_templateRow = Plan<Double>(static_cast<int>(m_points.x), 1, data, row, data, row,
                                     FFTW_FORWARD, search);
        const std::int64_t slice = m_stride * m_points.y;
        if (volume()) {
            m_templateMiddle = ColumnPlans<Double>(m_points.y, m_stride, m_stride, data, data,
                                                   false, FFTW_FORWARD, search);
        }
        m_templateLast = ColumnPlans<Double>(lastLength(), volume() ? slice : m_points.x,
                                             volume() ? slice : m_stride, data, column.data(), true,
                                             FFTW_FORWARD, search);
    }

    /// The columns of every slice of a volume.
    void middle(const ColumnPlans<Single>& plans, float* from, float* to) const {
        for (std::int64_t z = 0; z < m_points.z; ++z) {
            const std::int64_t slice = 2 * z * m_stride * m_points.y;
            plans.forBlocks([&](const auto& plan, std::int64_t first, std::int64_t) {
                plan(from + slice + 2 * first, to + slice + 2 * first);
            });
        }
    }

    void multiplyColumns(const Image<float>& spectrum, float* data, float* column) const {
        const float* templ = spectrum.data();
        m_lastForward.forBlocks([&](const auto& forward, std::int64_t first, std::int64_t count) {
            forward(data + 2 * first, column);
            simd::multiplySpectra(column, templ, count * lastLength(), column);
            m_lastInverse.of(count)(column, data + 2 * first);
            templ += 2 * count * lastLength();
        });
    }

    Extents m_points;
    std::int64_t m_stride;
    RowPlans m_rowsForward;
    RowPlans m_rowsInverse;
    ColumnPlans<Single> m_middleForward;
    ColumnPlans<Single> m_middleInverse;
    ColumnPlans<Single> m_lastForward;
    ColumnPlans<Single> m_lastInverse;
    Plan<Double> m_templateRow;
    ColumnPlans<Double> m_templateMiddle;
    ColumnPlans<Double> m_templateLast;
};

/// The transforms of this process and what is known of others.
struct Shelf {
    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
    static Key keyOf(const Extents& points) { return {points.x, points.y, points.z}; }

    std::mutex lock; // guards what follows; taken after plannerLock() where both are
    std::map<Key, std::shared_ptr<const TileTransform>> made;
    std::map<Key, FftEffort> planned;
};

Shelf& shelf() {
    // Kept on purpose until the process is gone: threads may still hold a transform at its end.
    static auto& shelf = *new Shelf;
    return shelf;
}

/// FFTW destroys plans under its lock, too, whoever lets go of a transform last.
std::shared_ptr<const TileTransform> makeTransform(const Extents& points, const FftSearch& search) {
    return {new FftwTransform(points, search), [](const TileTransform* transform) {
                const std::lock_guard lock(plannerLock());
                delete transform;
            }};
}

} // namespace

std::shared_ptr<const TileTransform> TileTransform::of(const Extents& points) {
    const auto find = [&]() -> std::shared_ptr<const TileTransform> {
        const std::lock_guard lock(shelf().lock);
        const auto found = shelf().made.find(Shelf::keyOf(points));
        return found == shelf().made.end() ? nullptr : found->second;
    };
    if (auto transform = find()) {
        return transform;
    }
    const std::lock_guard planning(plannerLock());
    if (auto transform = find()) {
        return transform;
    }
    auto transform = makeTransform(points, {});
    const std::lock_guard lock(shelf().lock);
    shelf().made[Shelf::keyOf(points)] = transform;
    return transform;
}

FftEffort TileTransform::improve(const Extents& points, const FftSearch& search) {
    std::shared_ptr<const TileTransform> old; // let go of outside the locks
    const std::lock_guard planning(plannerLock());
    auto transform = makeTransform(points, search);
    const FftEffort effort = transform->effort();
    const std::lock_guard lock(shelf().lock);
    old = std::exchange(shelf().made[Shelf::keyOf(points)], std::move(transform));
    return effort;
}

FftEffort TileTransform::effortOf(const Extents& points) {
    const std::lock_guard lock(shelf().lock);
    const Shelf::Key key = Shelf::keyOf(points);
    if (const auto made = shelf().made.find(key); made != shelf().made.end()) {
        return made->second->effort();
    }
    const auto planned = shelf().planned.find(key);
    return planned == shelf().planned.end() ? FftEffort::Estimate : planned->second;
}

void TileTransform::setPlanned(const std::vector<std::pair<Extents, FftEffort>>& shapes) {
    // Those made before the wisdom came are made anew; who holds one keeps it.
    decltype(shelf().made) old; // let go of outside the lock
    const std::lock_guard lock(shelf().lock);
    old.swap(shelf().made);
    shelf().planned.clear();
    for (const auto& [points, effort] : shapes) {
        shelf().planned[Shelf::keyOf(points)] = effort;
    }
}

std::int64_t nextSmooth(std::int64_t length) {
    const auto smooth = [](std::int64_t n) {
        for (const std::int64_t prime : {2, 3, 5, 7}) {
            while (n % prime == 0) {
                n /= prime;
            }
        }
        return n == 1;
    };
    std::int64_t candidate = std::max<std::int64_t>(1, length);
    while (!smooth(candidate)) {
        ++candidate;
    }
    return candidate;
}

} // namespace flcc::cpu
