#include "engine/cpu/tile_transform.h"

#include <fftw3.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "engine/base/error.h"
#include "engine/cpu/simd/kernels.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using base::Image;

/// Columns that are transformed together: one cache line of complex values.
constexpr int kColumns = 8;

/// FFTW makes and destroys plans in one thread at a time; execution needs no lock.
std::mutex& plannerLock() {
    static std::mutex lock;
    return lock;
}

/// FFTW's calls for one precision.
struct Single {
    using Value = float;
    using Handle = fftwf_plan;
    static fftwf_complex* complex(float* data) { return reinterpret_cast<fftwf_complex*>(data); }
    static constexpr auto kMany = &fftwf_plan_many_dft;
    static constexpr auto kExecute = &fftwf_execute_dft;
    static constexpr auto kDestroy = &fftwf_destroy_plan;
};
struct Double {
    using Value = double;
    using Handle = fftw_plan;
    static fftw_complex* complex(double* data) { return reinterpret_cast<fftw_complex*>(data); }
    static constexpr auto kMany = &fftw_plan_many_dft;
    static constexpr auto kExecute = &fftw_execute_dft;
    static constexpr auto kDestroy = &fftw_destroy_plan;
};

/// Where the values of many 1D transforms lie.
struct Layout {
    int stride;   ///< between values of one transform
    int distance; ///< between transforms
};

/// One FFTW plan of many 1D transforms.
template <class Precision> class Plan {
  public:
    using Value = typename Precision::Value;

    Plan() = default;
    Plan(int length, int howMany, Value* in, Layout from, Value* out, Layout to, int sign)
        : m_plan(Precision::kMany(1, &length, howMany, Precision::complex(in), nullptr, from.stride,
                                  from.distance, Precision::complex(out), nullptr, to.stride,
                                  to.distance, sign, FFTW_ESTIMATE)) {
        if (m_plan == nullptr) {
            throw base::Error(base::ErrorCode::Internal,
                              "FFTW has no plan for length " + std::to_string(length));
        }
    }
    Plan(Plan&& other) noexcept : m_plan(std::exchange(other.m_plan, nullptr)) {}
    Plan& operator=(Plan&& other) noexcept {
        std::swap(m_plan, other.m_plan);
        return *this;
    }
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;
    ~Plan() { Precision::kDestroy(m_plan); }

    void operator()(Value* in, Value* out) const {
        Precision::kExecute(m_plan, Precision::complex(in), Precision::complex(out));
    }

  private:
    typename Precision::Handle m_plan = nullptr;
};

/// Columns of one length, `stride` values apart, in blocks of kColumns and a rest.
template <class Precision> class ColumnPlans {
  public:
    using Value = typename Precision::Value;

    ColumnPlans() = default;

    /// Between two places of the same layout, or from and to a packed block.
    ColumnPlans(std::int64_t length, std::int64_t columns, std::int64_t stride, Value* a, Value* b,
                bool packed, int sign)
        : m_columns(columns) {
        const auto make = [&](int count) {
            const Layout spread{static_cast<int>(stride), 1};
            const Layout block{count, 1};
            const bool forward = sign == FFTW_FORWARD;
            return Plan<Precision>(static_cast<int>(length), count, a,
                                   packed && !forward ? block : spread, b,
                                   packed && forward ? block : spread, sign);
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

  private:
    std::int64_t m_columns = 0;
    Plan<Precision> m_block;
    Plan<Precision> m_rest;
};

class FftwTransform final : public TileTransform {
  public:
    explicit FftwTransform(const Extents& points) : m_points(points), m_stride(strideOf(points.x)) {
        TransformBuffers buffers = makeBuffers();
        float* const tile = buffers.tile.data();
        float* const rows = buffers.rows.data();
        float* const column = buffers.column.data();
        const auto lines = static_cast<int>(points.y * points.z);
        const Layout row{1, static_cast<int>(m_stride)};
        const auto length = static_cast<int>(points.x);
        m_rowsForward = Plan<Single>(length, lines, tile, row, rows, row, FFTW_FORWARD);
        m_rowsInverse = Plan<Single>(length, lines, rows, row, tile, row, FFTW_BACKWARD);
        // Columns of padding are transformed with the others: they hold zeros.
        if (volume()) {
            const std::int64_t slice = m_stride * points.y;
            m_middleForward =
                ColumnPlans<Single>(points.y, m_stride, m_stride, rows, tile, false, FFTW_FORWARD);
            m_middleInverse =
                ColumnPlans<Single>(points.y, m_stride, m_stride, tile, rows, false, FFTW_BACKWARD);
            m_lastForward =
                ColumnPlans<Single>(points.z, slice, slice, tile, column, true, FFTW_FORWARD);
            m_lastInverse =
                ColumnPlans<Single>(points.z, slice, slice, column, tile, true, FFTW_BACKWARD);
        } else {
            m_lastForward =
                ColumnPlans<Single>(points.y, points.x, m_stride, rows, column, true, FFTW_FORWARD);
            m_lastInverse = ColumnPlans<Single>(points.y, points.x, m_stride, column, rows, true,
                                                FFTW_BACKWARD);
        }
        planTemplate();
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
        const std::int64_t slice = 2 * m_stride * m_points.y;
        m_rowsForward(tile, rows);
        if (!volume()) {
            multiplyColumns(spectrum, rows, buffers.column.data());
        } else {
            for (std::int64_t z = 0; z < m_points.z; ++z) {
                m_middleForward.forBlocks([&](const auto& plan, std::int64_t first, std::int64_t) {
                    plan(rows + z * slice + 2 * first, tile + z * slice + 2 * first);
                });
            }
            multiplyColumns(spectrum, tile, buffers.column.data());
            for (std::int64_t z = 0; z < m_points.z; ++z) {
                m_middleInverse.forBlocks([&](const auto& plan, std::int64_t first, std::int64_t) {
                    plan(tile + z * slice + 2 * first, rows + z * slice + 2 * first);
                });
            }
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

    void planTemplate() {
        Image<double> tile({2 * values(), 1, 1}, 0.0);
        Image<double> column({2 * kColumns * lastLength(), 1, 1}, 0.0);
        const Layout row{1, static_cast<int>(m_stride)};
        double* const data = tile.data();
        m_templateRow =
            Plan<Double>(static_cast<int>(m_points.x), 1, data, row, data, row, FFTW_FORWARD);
        const std::int64_t slice = m_stride * m_points.y;
        if (volume()) {
            m_templateMiddle = ColumnPlans<Double>(m_points.y, m_stride, m_stride, data, data,
                                                   false, FFTW_FORWARD);
        }
        m_templateLast = ColumnPlans<Double>(lastLength(), volume() ? slice : m_points.x,
                                             volume() ? slice : m_stride, data, column.data(), true,
                                             FFTW_FORWARD);
    }

    void multiplyColumns(const Image<float>& spectrum, float* data, float* column) const {
        const float* templ = spectrum.data();
        m_lastForward.forBlocks([&](const auto& forward, std::int64_t first, std::int64_t count) {
            forward(data + 2 * first, column);
            simd::multiplySpectra(column, templ, count * lastLength());
            m_lastInverse.of(count)(column, data + 2 * first);
            templ += 2 * count * lastLength();
        });
    }

    Extents m_points;
    std::int64_t m_stride;
    Plan<Single> m_rowsForward;
    Plan<Single> m_rowsInverse;
    ColumnPlans<Single> m_middleForward;
    ColumnPlans<Single> m_middleInverse;
    ColumnPlans<Single> m_lastForward;
    ColumnPlans<Single> m_lastInverse;
    Plan<Double> m_templateRow;
    ColumnPlans<Double> m_templateMiddle;
    ColumnPlans<Double> m_templateLast;
};

} // namespace

std::shared_ptr<const TileTransform> TileTransform::of(const Extents& points) {
    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
    // Kept on purpose until the process is gone: threads may still hold a transform at its end.
    static auto& transforms = *new std::map<Key, std::shared_ptr<const TileTransform>>;
    const std::lock_guard lock(plannerLock());
    auto& transform = transforms[{points.x, points.y, points.z}];
    if (!transform) {
        transform = std::make_shared<const FftwTransform>(points);
    }
    return transform;
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
