#pragma once

#include <fftw3.h>

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

/// FFTW's transforms of single lines: what stands in for another library's, and what ours is
/// measured against. Made under cpu::plannerLock().
namespace flcc::test {

/// Where the values of many transforms lie.
struct LineLayout {
    int stride;   ///< between values of one transform
    int distance; ///< between transforms
};

template <class Value>
using LineHandle = std::conditional_t<std::is_same_v<Value, float>, fftwf_plan, fftw_plan>;

inline void destroyLines(fftwf_plan plan) { fftwf_destroy_plan(plan); }
inline void destroyLines(fftw_plan plan) { fftw_destroy_plan(plan); }
inline fftwf_complex* complexOf(float* data) { return reinterpret_cast<fftwf_complex*>(data); }
inline fftw_complex* complexOf(double* data) { return reinterpret_cast<fftw_complex*>(data); }

/// Owns a plan.
template <class Value> class LinePlan {
  public:
    LinePlan() = default;
    LinePlan(LinePlan&& other) noexcept : m_plan(std::exchange(other.m_plan, nullptr)) {}
    LinePlan& operator=(LinePlan&& other) noexcept {
        std::swap(m_plan, other.m_plan);
        return *this;
    }
    ~LinePlan() { destroyLines(m_plan); }

  protected:
    explicit LinePlan(LineHandle<Value> plan) : m_plan(plan) {
        if (plan == nullptr) {
            throw std::runtime_error("FFTW has no such plan");
        }
    }
    [[nodiscard]] LineHandle<Value> plan() const { return m_plan; }

  private:
    LineHandle<Value> m_plan = nullptr;
};

/// `howMany` complex transforms of `length`. `flags`: how hard FFTW searches, which overwrites `in`
/// and `out`.
template <class Value> class ComplexLines : public LinePlan<Value> {
  public:
    ComplexLines() = default;
    ComplexLines(int length, int howMany, Value* in, LineLayout from, Value* out, LineLayout to,
                 int sign, unsigned flags)
        : LinePlan<Value>(made(&length, howMany, in, from, out, to, sign, flags)) {}

    void operator()(Value* in, Value* out) const {
        if constexpr (std::is_same_v<Value, float>) {
            fftwf_execute_dft(this->plan(), complexOf(in), complexOf(out));
        } else {
            fftw_execute_dft(this->plan(), complexOf(in), complexOf(out));
        }
    }

  private:
    static LineHandle<Value> made(const int* length, int howMany, Value* in, LineLayout from,
                                  Value* out, LineLayout to, int sign, unsigned flags) {
        const auto make = [&](auto plan) {
            return plan(1, length, howMany, complexOf(in), nullptr, from.stride, from.distance,
                        complexOf(out), nullptr, to.stride, to.distance, sign, flags);
        };
        if constexpr (std::is_same_v<Value, float>) {
            return make(&fftwf_plan_many_dft);
        } else {
            return make(&fftw_plan_many_dft);
        }
    }
};

/// A real row in place: `length` values to length / 2 + 1 complex ones (forward) or back, without
/// scaling.
template <class Value> class RealLine : public LinePlan<Value> {
  public:
    RealLine() = default;
    /// Overwrites `row`, which has room for the complex values.
    RealLine(int length, Value* row, bool forward)
        : LinePlan<Value>(made(length, row, forward)), m_forward(forward) {}

    void operator()(Value* row) const {
        if constexpr (std::is_same_v<Value, float>) {
            m_forward ? fftwf_execute_dft_r2c(this->plan(), row, complexOf(row))
                      : fftwf_execute_dft_c2r(this->plan(), complexOf(row), row);
        } else {
            m_forward ? fftw_execute_dft_r2c(this->plan(), row, complexOf(row))
                      : fftw_execute_dft_c2r(this->plan(), complexOf(row), row);
        }
    }

  private:
    static LineHandle<Value> made(int length, Value* row, bool forward) {
        if constexpr (std::is_same_v<Value, float>) {
            return forward ? fftwf_plan_dft_r2c_1d(length, row, complexOf(row), FFTW_ESTIMATE)
                           : fftwf_plan_dft_c2r_1d(length, complexOf(row), row, FFTW_ESTIMATE);
        } else {
            return forward ? fftw_plan_dft_r2c_1d(length, row, complexOf(row), FFTW_ESTIMATE)
                           : fftw_plan_dft_c2r_1d(length, complexOf(row), row, FFTW_ESTIMATE);
        }
    }

    bool m_forward = true;
};

} // namespace flcc::test
