#include "engine/cpu/tile_transform.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "engine/cpu/beam_transform.h"
#include "engine/cpu/fft_plan.h"
#include "engine/cpu/half_transform.h"
#include "engine/cpu/simd/kernels.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using base::Image;

/// Lines across rows that are gathered together: one cache line of complex values.
constexpr std::int64_t kLinesTogether = 8;

/// Whole groups of them.
std::int64_t wholeGroups(std::int64_t length) {
    return (length + kLinesTogether - 1) / kLinesTogether * kLinesTogether;
}

/// Complex values between the starts of two rows of `length`, or of two lines: whole groups of
/// lines, and no large power of two, so that the values of a column do not share a cache set.
std::int64_t rowStride(std::int64_t length) {
    const std::int64_t values = wholeGroups(length);
    return values % 64 == 0 ? values + kLinesTogether : values;
}

/// Floats of a tile, of a buffer of lines and of a spectrum.
std::int64_t tileValues(const Extents& points) {
    return 2 * rowStride(points.x) * points.y * points.z + simd::kSlack;
}
std::int64_t lineValues(const Extents& points) {
    return 2 * kLinesTogether * rowStride(std::max(points.y, points.z));
}
std::int64_t fftwSpectrumValues(const Extents& points) {
    return 2 * wholeGroups(points.x) * points.y * points.z;
}

/// Lines of one length that cross rows: gathered, transformed one by one and scattered. Gathered
/// lines begin lineStride() complex values apart, their transforms follow each other.
template <class Precision> class CrossLines {
  public:
    using Value = typename Precision::Value;

    CrossLines() = default;
    CrossLines(std::int64_t length, const FftSearch& search) : m_length(length) {
        base::Image<Value> lines({bufferValues(length), 1, 1});
        base::Image<Value> images({bufferValues(length), 1, 1});
        const Layout spread{1, static_cast<int>(lineStride(length))};
        const Layout packed{1, static_cast<int>(length)};
        const auto points = static_cast<int>(length);
        constexpr int kLines = kLinesTogether;
        m_forward = {points,        kLines, lines.data(), spread,
                     images.data(), packed, FFTW_FORWARD, search};
        m_inverse = {points,       kLines, images.data(), packed,
                     lines.data(), spread, FFTW_BACKWARD, search};
    }

    /// Values of a buffer of lines, or of their transforms.
    static std::int64_t bufferValues(std::int64_t length) {
        return 2 * kLinesTogether * lineStride(length);
    }
    /// Of the transforms of a group.
    [[nodiscard]] std::int64_t imagePairs() const { return kLinesTogether * m_length; }

    /// images = transforms of the lines whose values are `step` values apart, beginning at `data`.
    void forward(const Value* data, std::int64_t step, Value* lines, Value* images) const {
        simd::transposePairs(data, step, m_length, kLinesTogether, lines, 2 * lineStride(m_length));
        m_forward(lines, images);
    }
    /// And back, without scaling.
    void inverse(Value* images, Value* lines, Value* data, std::int64_t step) const {
        m_inverse(images, lines);
        simd::transposePairs(lines, 2 * lineStride(m_length), kLinesTogether, m_length, data, step);
    }

    /// The least effort behind its plans.
    [[nodiscard]] FftEffort effort() const {
        return std::min(m_forward.effort(), m_inverse.effort());
    }

  private:
    static std::int64_t lineStride(std::int64_t length) { return rowStride(length); }

    std::int64_t m_length = 0;
    Plan<Precision> m_forward;
    Plan<Precision> m_inverse;
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
        : m_points(points), m_stride(rowStride(points.x)) {
        TransformBuffers buffers = makeBuffers();
        float* const tile = buffers.tile.data();
        float* const rows = betweenPasses(buffers);
        const std::int64_t lines = points.y * points.z;
        m_rowsForward = RowPlans(points.x, lines, m_stride, tile, rows, FFTW_FORWARD, search);
        m_rowsInverse = RowPlans(points.x, lines, m_stride, rows, tile, FFTW_BACKWARD, search);
        m_last = CrossLines<Single>(lastLength(), search);
        // A template is transformed once a run: measuring is enough.
        FftSearch once = search;
        once.effort = std::min(search.effort, FftEffort::Measure);
        Image<double> row({2 * points.x, 1, 1});
        const Layout alone{1, static_cast<int>(points.x)};
        m_templateRow = Plan<Double>(static_cast<int>(points.x), 1, row.data(), alone, row.data(),
                                     alone, FFTW_FORWARD, once);
        m_templateLast = CrossLines<Double>(lastLength(), once);
        if (volume()) {
            m_middle = CrossLines<Single>(points.y, search);
            m_templateMiddle = CrossLines<Double>(points.y, once);
        }
    }

    [[nodiscard]] FftEffort effort() const override {
        return std::min({m_rowsForward.effort(), m_rowsInverse.effort(), m_last.effort(),
                         volume() ? m_middle.effort() : FftEffort::Patient});
    }

    [[nodiscard]] TransformBuffers makeBuffers() const override {
        const auto zeros = [](std::int64_t values) {
            auto buffer = largeBuffer<float>(values);
            buffer.fill(0.0F);
            return buffer;
        };
        return {zeros(tileValues(m_points)), zeros(tileValues(m_points)),
                zeros(lineValues(m_points)), zeros(lineValues(m_points))};
    }

    void clear(TransformBuffers& buffers) const override { buffers.tile.fill(0.0F); }

    [[nodiscard]] Image<float> templateSpectrum(const Image<double>& templ,
                                                const ForItems& /*each*/) const override {
        Image<double> tile({tileValues(m_points), 1, 1}, 0.0);
        Image<double> lines({lineValues(m_points), 1, 1});
        Image<double> images({lineValues(m_points), 1, 1});
        const Extents& m = templ.extents();
        // Rows and slices without a template voxel are zero and stay so.
        for (std::int64_t z = 0; z < m.z; ++z) {
            double* const slice = tile.data() + z * sliceValues();
            for (std::int64_t y = 0; y < m.y; ++y) {
                const double* const row = templ.view().row(y, z);
                double* const to = slice + y * rowValues();
                for (std::int64_t x = 0; x < m.x; ++x) {
                    to[2 * x] = row[x];
                }
                m_templateRow(to, to);
            }
            if (volume()) {
                forGroups([&](std::int64_t first) {
                    double* const data = slice + first;
                    m_templateMiddle.forward(data, rowValues(), lines.data(), images.data());
                    simd::transposePairs(images.data(), 2 * m_points.y, kLinesTogether, m_points.y,
                                         data, rowValues());
                });
            }
        }
        Image<float> spectrum({fftwSpectrumValues(m_points), 1, 1});
        const double scale = 1.0 / static_cast<double>(base::voxelCount(m_points));
        float* to = spectrum.data();
        forLastGroups([&](std::int64_t first) {
            m_templateLast.forward(tile.data() + first, lastStep(), lines.data(), images.data());
            for (std::int64_t i = 0; i < m_templateLast.imagePairs(); ++i, to += 2) {
                to[0] = static_cast<float>(images.data()[2 * i] * scale);
                to[1] = static_cast<float>(-images.data()[2 * i + 1] * scale);
            }
        });
        return spectrum;
    }

    void correlate(const Planes<const float>& from, const Image<float>& spectrum,
                   TransformBuffers& buffers, const Planes<float>& to) const override {
        pack(from, buffers);
        forwardRows(buffers);
        const float* templ = spectrum.data();
        float* const images = buffers.images.data();
        forLastGroups([&](std::int64_t first) {
            float* const data = betweenPasses(buffers) + first;
            m_last.forward(data, lastStep(), buffers.lines.data(), images);
            simd::multiplySpectra(images, templ, m_last.imagePairs(), images);
            m_last.inverse(images, buffers.lines.data(), data, lastStep());
            templ += 2 * m_last.imagePairs();
        });
        inverseRows(buffers);
        unpack(buffers, to);
    }

    void forward(const Planes<const float>& from, TransformBuffers& buffers,
                 Image<float>& spectrum) const override {
        pack(from, buffers);
        forwardRows(buffers);
        float* to = spectrum.data();
        forLastGroups([&](std::int64_t first) {
            m_last.forward(betweenPasses(buffers) + first, lastStep(), buffers.lines.data(), to);
            to += 2 * m_last.imagePairs();
        });
    }

    void inverse(const Image<float>& spectrum, const Image<float>& templ, TransformBuffers& buffers,
                 const Planes<float>& to) const override {
        float* const images = buffers.images.data();
        std::int64_t at = 0;
        forLastGroups([&](std::int64_t first) {
            simd::multiplySpectra(spectrum.data() + at, templ.data() + at, m_last.imagePairs(),
                                  images);
            m_last.inverse(images, buffers.lines.data(), betweenPasses(buffers) + first,
                           lastStep());
            at += 2 * m_last.imagePairs();
        });
        inverseRows(buffers);
        unpack(buffers, to);
    }

  private:
    [[nodiscard]] bool volume() const { return m_points.z > 1; }
    /// Length of the axis whose transform is joined with the product, and how far apart its values
    /// are.
    [[nodiscard]] std::int64_t lastLength() const { return volume() ? m_points.z : m_points.y; }
    [[nodiscard]] std::int64_t lastStep() const { return volume() ? sliceValues() : rowValues(); }
    [[nodiscard]] std::int64_t rowValues() const { return 2 * m_stride; }
    [[nodiscard]] std::int64_t sliceValues() const { return rowValues() * m_points.y; }

    /// Calls `use(first value)` for every group of columns of a slice.
    template <class Use> void forGroups(Use&& use) const {
        for (std::int64_t x = 0; x < m_points.x; x += kLinesTogether) {
            use(2 * x);
        }
    }
    /// Of the lines along the last axis, in the order of a spectrum.
    template <class Use> void forLastGroups(Use&& use) const {
        for (std::int64_t y = 0; y < (volume() ? m_points.y : 1); ++y) {
            forGroups([&](std::int64_t first) { use(y * rowValues() + first); });
        }
    }

    /// Where the rows are between the passes. FFTW is faster out of place, unless both places do
    /// not fit in a second-level cache by far.
    [[nodiscard]] float* betweenPasses(TransformBuffers& buffers) const {
        constexpr std::int64_t kFar = 1 << 19; // values: 2 MiB
        return tileValues(m_points) < kFar ? buffers.rows.data() : buffers.tile.data();
    }

    void pack(const Planes<const float>& from, TransformBuffers& buffers) const {
        for (std::int64_t line = 0; line < m_points.y * m_points.z; ++line) {
            const auto row = from.moved(line * from.rowStride);
            simd::packPairs(row.real, row.imaginary, row.factor, m_points.x,
                            buffers.tile.data() + line * rowValues());
        }
    }
    void unpack(const TransformBuffers& buffers, const Planes<float>& to) const {
        for (std::int64_t line = 0; line < m_points.y * m_points.z; ++line) {
            const auto row = to.moved(line * to.rowStride);
            simd::unpackPairs(buffers.tile.data() + line * rowValues(), row.factor, m_points.x,
                              row.real, row.imaginary);
        }
    }

    /// All passes but those along the last axis.
    void forwardRows(TransformBuffers& buffers) const {
        m_rowsForward(buffers.tile.data(), betweenPasses(buffers));
        middle(buffers, [&](float* data, float* lines, float* images) {
            m_middle.forward(data, rowValues(), lines, images);
            simd::transposePairs(images, 2 * m_points.y, kLinesTogether, m_points.y, data,
                                 rowValues());
        });
    }
    void inverseRows(TransformBuffers& buffers) const {
        middle(buffers, [&](float* data, float* lines, float* images) {
            simd::transposePairs(data, rowValues(), m_points.y, kLinesTogether, images,
                                 2 * m_points.y);
            m_middle.inverse(images, lines, data, rowValues());
        });
        m_rowsInverse(betweenPasses(buffers), buffers.tile.data());
    }
    /// Calls `pass(data, lines, images)` for the groups of every slice of a volume.
    template <class Pass> void middle(TransformBuffers& buffers, Pass&& pass) const {
        for (std::int64_t z = 0; volume() && z < m_points.z; ++z) {
            float* const slice = betweenPasses(buffers) + z * sliceValues();
            forGroups([&](std::int64_t first) {
                pass(slice + first, buffers.lines.data(), buffers.images.data());
            });
        }
    }

    Extents m_points;
    std::int64_t m_stride;
    RowPlans m_rowsForward;
    RowPlans m_rowsInverse;
    CrossLines<Single> m_middle;
    CrossLines<Single> m_last;
    Plan<Double> m_templateRow;
    CrossLines<Double> m_templateMiddle;
    CrossLines<Double> m_templateLast;
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
    if (hasBeamTransform(points)) {
        return beamTransform(points);
    }
    return {new FftwTransform(points, search), [](const TileTransform* transform) {
                const std::lock_guard lock(plannerLock());
                delete transform;
            }};
}

} // namespace

std::int64_t TileTransform::bufferValues(const Extents& points) {
    return hasBeamTransform(points) ? beamTileValues(points) + beamLineValues(points)
                                    : tileValues(points) + 2 * lineValues(points);
}

std::int64_t TileTransform::rowsValues(const Extents& points) {
    return hasBeamTransform(points) ? 0 : tileValues(points);
}

std::int64_t TileTransform::spectrumValues(const Extents& points) {
    return hasBeamTransform(points) ? beamSpectrumValues(points) : fftwSpectrumValues(points);
}

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
    if (hasBeamTransform(points)) {
        return FftEffort::Patient;
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

} // namespace flcc::cpu
