#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/tile/support_template.h"
#include "engine/cpu/transform/tile_transform.h"

namespace flcc::cpu {

/// Extents of the buffers of simd::correlateDirect() for tiles of `tile` placements, rounded up to
/// whole register blocks: the footprint (directInput) and the placements (directOutput).
[[nodiscard]] base::Extents directInput(const base::Extents& m, const base::Extents& tile);
[[nodiscard]] base::Extents directOutput(const base::Extents& tile);

class SupportSpectra;

/// Correlates one tile after the other with the weights of a template, in double, to get the sums
/// of its panels (engine/method/NUMERICS.md, section 1). One for each worker.
class Correlator {
  public:
    /// Outputs: cn, s1, s2, n, t1, t2 and the count of voxels that are not finite.
    static constexpr std::int64_t kOutputs = 7;

    virtual ~Correlator() = default;

    /// Sets the spectra of the template that the next tiles are correlated with, if it needs any.
    virtual void use(const SupportSpectra&) {}

    /// Sets the whole input to 0.
    virtual void clear() = 0;
    /// The box that the caller fills with the footprint of the tile.
    [[nodiscard]] virtual simd::DoubleBox input() = 0;
    /// Must be called after the input was filled and before correlate().
    virtual void inputChanged() = 0;
    /// Computes output(slot) = input * weights for the placements of `out`.
    virtual void correlate(const SupportTemplate& templ, Weights weights, const base::Extents& out,
                           std::int64_t slot) = 0;
    [[nodiscard]] virtual simd::DoubleBox output(std::int64_t slot) = 0;

    /// The error of input * weights is at most
    /// tileError() ||weights|| ||input|| + panelError() sum |input| |weights| over the panel.
    [[nodiscard]] virtual double tileError() const = 0;
    [[nodiscard]] virtual double panelError() const = 0;
};

/// Sums of products by the definition. A product passes through L = directChain(m) roundings, so
/// the error is at most (L + 1) 2^-53 times the sum of the products' magnitudes
/// (engine/method/NUMERICS.md, section 5, masks).
class DirectCorrelator final : public Correlator {
  public:
    DirectCorrelator(const base::Extents& m, const base::Extents& tile);

    void clear() override;
    [[nodiscard]] simd::DoubleBox input() override;
    void inputChanged() override {}
    void correlate(const SupportTemplate& templ, Weights weights, const base::Extents& out,
                   std::int64_t slot) override;
    [[nodiscard]] simd::DoubleBox output(std::int64_t slot) override;
    [[nodiscard]] double tileError() const override { return 0; }
    [[nodiscard]] double panelError() const override;

    /// Bytes of the buffers, with the outputs that tiles of `problem` need.
    [[nodiscard]] static std::int64_t bytes(const method::Problem& problem,
                                            const base::Extents& tile);

  private:
    base::Extents m_m;
    base::Image<double> m_input;
    base::Image<double> m_outputs[kOutputs];
};

/// The spectra of a template's weights for tiles of one shape. Each is made when it is first asked
/// for. **Threads**: safe.
class SupportSpectra {
  public:
    SupportSpectra(const TransformShape& points, const SupportTemplate& templ)
        : m_points(points), m_templ(&templ) {}

    [[nodiscard]] const base::Image<double>& of(Weights weights) const;

  private:
    TransformShape m_points;
    const SupportTemplate* m_templ;
    mutable std::mutex m_lock;
    mutable base::Image<double> m_spectra[kWeights];
};

/// Sums of products by transforms of one shape. The error is at most 6 2^-53 sqrt(log2 M) times the
/// norms of weights and tile: the bound `worst` for spectra transformed in the same precision, as
/// in fourierTerms() (engine/method/NUMERICS.md, section 5, masks; *empirical*).
class FourierCorrelator final : public Correlator {
  public:
    explicit FourierCorrelator(const TransformShape& points);

    /// Sets the template that the next tiles are correlated with.
    void use(const SupportSpectra& spectra) override { m_spectra = &spectra; }

    void clear() override;
    [[nodiscard]] simd::DoubleBox input() override;
    void inputChanged() override;
    void correlate(const SupportTemplate& templ, Weights weights, const base::Extents& out,
                   std::int64_t slot) override;
    [[nodiscard]] simd::DoubleBox output(std::int64_t slot) override;
    [[nodiscard]] double tileError() const override;
    [[nodiscard]] double panelError() const override { return 0; }

    /// Bytes of the buffers, with the outputs that tiles of `problem` need.
    [[nodiscard]] static std::int64_t bytes(const method::Problem& problem,
                                            const TransformShape& points);
    /// Bytes of the spectra of the weights.
    [[nodiscard]] static std::int64_t spectraBytes(const method::Problem& problem,
                                                   const TransformShape& points);

  private:
    TransformShape m_points;
    std::shared_ptr<const TileTransform<double>> m_transform;
    const SupportSpectra* m_spectra = nullptr;
    base::Image<double> m_input;
    base::Image<double> m_spectrum;
    base::Image<double> m_work;
    base::Image<double> m_outputs[kOutputs];
};

} // namespace flcc::cpu
