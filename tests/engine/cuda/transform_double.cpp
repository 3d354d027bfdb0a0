#include "tests/engine/cuda/transform_double.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "engine/base/image.h"
#include "engine/cpu/transform/fft_plan.h"
#include "tests/support/fftw_lines.h"

namespace flcc::test {

namespace {

template <class Value> class PlainTransform final : public TransformDouble {
  public:
    explicit PlainTransform(const cuda::TransformShape& shape)
        : m_shape(shape), m_forward(cuda::isForward(shape.kind)),
          m_line({cuda::rowValues(shape.points) + 2 * std::max(shape.points.y, shape.points.z), 1,
                  1}) {
        const base::Extents& points = shape.points;
        const std::lock_guard lock(cpu::plannerLock());
        m_row = {static_cast<int>(points.x), m_line.data(), m_forward};
        m_columns = plan(points.y);
        m_pillars = plan(points.z);
    }

    [[nodiscard]] std::int64_t workBytes() const override {
        return static_cast<std::int64_t>(2 * sizeof(Value)) * m_shape.batch *
               cuda::countOf(m_shape.points);
    }

    void run(void* data, void* work) const override {
        std::memset(work, 0xFF, static_cast<std::size_t>(workBytes()));
        const base::Extents& points = m_shape.points;
        const std::int64_t row = cuda::rowValues(points);
        for (std::int64_t i = 0; i < m_shape.batch; ++i) {
            Value* const tile = static_cast<Value*>(data) + i * cuda::tileValues(points);
            if (m_forward) {
                alongX(tile);
            }
            for (std::int64_t z = 0; z < points.z && points.y > 1; ++z) {
                for (std::int64_t x = 0; x < row; x += 2) {
                    along(m_columns, tile + z * points.y * row + x, points.y, row);
                }
            }
            for (std::int64_t x = 0; x < points.y * row && points.z > 1; x += 2) {
                along(m_pillars, tile + x, points.z, points.y * row);
            }
            if (!m_forward) {
                alongX(tile);
            }
        }
    }

  private:
    [[nodiscard]] ComplexLines<Value> plan(std::int64_t length) const {
        return {static_cast<int>(length),
                1,
                m_line.data(),
                {1, 1},
                m_line.data(),
                {1, 1},
                m_forward ? FFTW_FORWARD : FFTW_BACKWARD,
                FFTW_ESTIMATE};
    }
    void alongX(Value* tile) const {
        const std::int64_t row = cuda::rowValues(m_shape.points);
        for (std::int64_t line = 0; line < m_shape.points.y * m_shape.points.z; ++line) {
            std::copy_n(tile + line * row, row, m_line.data());
            m_row(m_line.data());
            std::copy_n(m_line.data(), row, tile + line * row);
        }
    }
    void along(const ComplexLines<Value>& plan, Value* first, std::int64_t length,
               std::int64_t stride) const {
        for (std::int64_t i = 0; i < length; ++i) {
            std::copy_n(first + i * stride, 2, m_line.data() + 2 * i);
        }
        plan(m_line.data(), m_line.data());
        for (std::int64_t i = 0; i < length; ++i) {
            std::copy_n(m_line.data() + 2 * i, 2, first + i * stride);
        }
    }

    cuda::TransformShape m_shape;
    bool m_forward;
    mutable base::Image<Value> m_line; ///< aligned as the plans want it
    RealLine<Value> m_row;
    ComplexLines<Value> m_columns;
    ComplexLines<Value> m_pillars;
};

} // namespace

std::unique_ptr<TransformDouble> TransformDouble::of(const cuda::TransformShape& shape) {
    if (cuda::isDouble(shape.kind)) {
        return std::make_unique<PlainTransform<double>>(shape);
    }
    return std::make_unique<PlainTransform<float>>(shape);
}

} // namespace flcc::test
