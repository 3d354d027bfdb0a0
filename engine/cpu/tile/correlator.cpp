#include "engine/cpu/tile/correlator.h"
#include "engine/cpu/common/tile_grid.h"

#include <algorithm>
#include <cmath>

namespace flcc::cpu {

namespace {

using base::Extents;

constexpr double kUnit = 0x1p-53;

simd::DoubleBox boxOf(base::Image<double>& image) {
    return {image.data(), image.extents().x, image.extents().x * image.extents().y};
}

/// Number of outputs that general tiles of a problem need: three; two more if a panel may be partly
/// outside; one more for the overlap rule; one more if voxels may not be finite.
std::int64_t outputsOf(const method::Problem& problem) {
    const bool partial = problem.extent != method::Extent::Valid || problem.sceneMask;
    const bool overlap = problem.outside == method::Outside::Overlap;
    return 3 + (partial ? 2 : 0) + (partial && overlap ? 1 : 0) +
           (base::isInteger(problem.scenePixel) ? 0 : 1);
}

/// Makes an output when it is first needed, since a mask alone needs only three.
base::Image<double>& made(base::Image<double>& image, const Extents& extents) {
    if (image.empty()) {
        image = base::Image<double>(extents, 0.0);
    }
    return image;
}

} // namespace

Extents directInput(const Extents& m, const Extents& tile) {
    return {roundUp(tile.x, simd::kBlockColumns) + roundUp(m.x, 16) + TileTransform<double>::kZeros,
            roundUp(tile.y, simd::kBlockRows) + m.y - 1, tile.z + m.z - 1};
}

Extents directOutput(const Extents& tile) {
    return {roundUp(tile.x, simd::kBlockColumns) + TileTransform<double>::kZeros,
            roundUp(tile.y, simd::kBlockRows), tile.z};
}

DirectCorrelator::DirectCorrelator(const Extents& m, const Extents& tile)
    : m_m(m), m_input(directInput(m, tile), 0.0) {
    m_outputs[0] = base::Image<double>(directOutput(tile), 0.0);
}

void DirectCorrelator::clear() { m_input.fill(0.0); }

simd::DoubleBox DirectCorrelator::input() { return boxOf(m_input); }

void DirectCorrelator::correlate(const SupportTemplate& templ, Weights weights, const Extents& out,
                                 std::int64_t slot) {
    simd::correlateDirect(input(), templ.weights(weights).data(), m_m, out, output(slot));
}

simd::DoubleBox DirectCorrelator::output(std::int64_t slot) {
    return boxOf(made(m_outputs[slot], m_outputs[0].extents()));
}

double DirectCorrelator::panelError() const {
    return kUnit * static_cast<double>(simd::directChain(m_m) + 1);
}

std::int64_t DirectCorrelator::bytes(const method::Problem& problem, const Extents& tile) {
    return base::byteCount(directInput(problem.templ, tile), 8) +
           outputsOf(problem) * base::byteCount(directOutput(tile), 8);
}

const base::Image<double>& SupportSpectra::of(Weights weights) const {
    const std::lock_guard lock(m_lock);
    base::Image<double>& spectrum = m_spectra[static_cast<std::size_t>(m_templ->counting(weights))];
    if (spectrum.empty()) {
        spectrum = TileTransform<double>::of(m_points)->templateSpectrum(
            m_templ->weights(weights).view(), oneAfterTheOther());
    }
    return spectrum;
}

FourierCorrelator::FourierCorrelator(const TransformShape& points)
    : m_points(points), m_transform(TileTransform<double>::of(points)),
      m_input({base::voxelCount(points) + TileTransform<double>::kZeros, 1, 1}, 0.0),
      m_spectrum({TileTransform<double>::spectrumValues(points), 1, 1}),
      m_work({TileTransform<double>::spectrumValues(points), 1, 1}) {}

void FourierCorrelator::clear() { m_input.fill(0.0); }

simd::DoubleBox FourierCorrelator::input() {
    return {m_input.data(), m_points.x, m_points.x * m_points.y};
}

void FourierCorrelator::inputChanged() {
    m_transform->forward(m_input.data(), m_work.data(), m_spectrum.data());
}

void FourierCorrelator::correlate(const SupportTemplate&, Weights weights, const Extents& out,
                                  std::int64_t slot) {
    m_transform->inverse(m_spectra->of(weights).data(), m_spectrum.data(), m_work.data(),
                         output(slot).data, out);
}

simd::DoubleBox FourierCorrelator::output(std::int64_t slot) {
    return boxOf(made(m_outputs[slot], m_points));
}

double FourierCorrelator::tileError() const {
    const double points =
        static_cast<double>(std::max<std::int64_t>(2, base::voxelCount(m_points)));
    return 6 * kUnit * std::sqrt(std::log2(points));
}

std::int64_t FourierCorrelator::bytes(const method::Problem& problem,
                                      const TransformShape& points) {
    return 8 * ((1 + outputsOf(problem)) * base::voxelCount(points) +
                TileTransform<double>::kZeros + 2 * TileTransform<double>::spectrumValues(points));
}

std::int64_t FourierCorrelator::spectraBytes(const method::Problem& problem,
                                             const TransformShape& points) {
    const std::int64_t outputs = outputsOf(problem);
    const std::int64_t spectra = problem.weights ? (outputs > 3 ? 3 : 2) : (outputs > 5 ? 3 : 2);
    return 8 * spectra * TileTransform<double>::spectrumValues(points);
}

} // namespace flcc::cpu
