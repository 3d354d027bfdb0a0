#include "engine/cpu/tile/template_spectra.h"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace flcc::cpu {

using base::Extents;

template <class Real>
const TemplateSpectra::Spectra<Real>& TemplateSpectra::of(const Sharers& sharers,
                                                          const std::stop_token& stop) const {
    static const Spectra<Real> kNone;
    std::unique_lock lock(m_lock, std::defer_lock);
    while (!lock.try_lock_for(std::chrono::milliseconds(20))) {
        if (stop.stop_requested()) {
            return kNone;
        }
    }
    auto& spectra = std::get<Spectra<Real>>(m_spectra);
    if (!spectra.empty()) {
        return spectra;
    }
    const auto transform = TileTransform<Real>::of(m_points);
    const auto blocks = static_cast<std::int64_t>(m_blocks.size());
    const bool one = blocks == 1;
    const std::int64_t step = stepOf<Real>(m_points);
    Spectra<Real> made{base::Image<Real>({step * blocks, 1, 1}), step};
    std::vector<base::Image<double>> work(
        static_cast<std::size_t>(one ? 1 : sharers.workers)); // of each worker
    std::atomic<bool> whole = true;
    const auto make = [&](std::int64_t item, const ForItems& each, base::Image<double>& scratch) {
        const base::Box& block = m_blocks[static_cast<std::size_t>(item)];
        if (scratch.empty()) { // for the first block, which is the largest
            scratch = base::Image<double>(
                {TileTransform<Real>::templateWorkValues(m_points, m_blocks.front().extents), 1,
                 1});
        }
        if (!transform->templateSpectrum(m_templ.values().view().part(block), each, scratch.data(),
                                         made.values.data() + item * step)) {
            whole = false;
        }
    };
    if (one) {
        make(0, sharers.each, work.front());
    } else if (!sharers.each(blocks, [&](std::int64_t item, int worker) {
                   make(item, oneAfterTheOther(), work[static_cast<std::size_t>(worker)]);
               })) {
        whole = false;
    }
    if (!whole) {
        return kNone;
    }
    spectra = std::move(made);
    return spectra;
}

void TemplateSpectra::makeIfSmall(const method::Problem& problem, base::TilePool& pool) const {
    if (!areMadeAtOnce(m_points, static_cast<std::int64_t>(m_blocks.size()))) {
        return;
    }
    if (problem.precision == method::Precision::Single) {
        (void)of<float>({itemsOf(pool), pool.threads()}, {});
    } else {
        (void)of<double>({itemsOf(pool), pool.threads()}, {});
    }
}

void TemplateSpectra::planTransforms(const method::Problem& problem, const TransformShape& points) {
    if (problem.precision == method::Precision::Single) {
        (void)TileTransform<float>::of(points);
    } else {
        (void)TileTransform<double>::of(points);
    }
}

template <class Real>
std::int64_t TemplateSpectra::partBytes(const Part& part, const Extents& block, std::int64_t blocks,
                                        int workers) {
    const TransformShape& points = part.points;
    // The spectra are made in double in either precision. FFTW needs the box of the template's
    // block too.
    const std::int64_t values = TileTransform<Real>::templateWorkValues(points, block) +
                                (points.fftw ? base::voxelCount(points) : 0);
    const std::int64_t making = 8 * (blocks > 1 ? workers : 1) * values +
                                workers * TileTransform<double>::scratchBytes(points);
    return bytes<Real>(points, blocks) + std::max(making, part.buffers);
}

std::int64_t TemplateSpectra::runBytes(const method::Problem& problem, const Extents& block,
                                       std::int64_t blocks, int workers, const Part& single,
                                       const Part& inDouble) {
    const bool inSingle = problem.precision == method::Precision::Single;
    const std::int64_t first = inSingle ? partBytes<float>(single, block, blocks, workers) : 0;
    if (inSingle && !problem.recompute) {
        return first;
    }
    const std::int64_t kept = inSingle ? bytes<float>(single.points, blocks) : 0;
    return std::max(first, kept + partBytes<double>(inDouble, block, blocks, workers));
}

template std::int64_t TemplateSpectra::partBytes<float>(const Part&, const Extents&, std::int64_t,
                                                        int);
template std::int64_t TemplateSpectra::partBytes<double>(const Part&, const Extents&, std::int64_t,
                                                         int);
template const TemplateSpectra::Spectra<float>&
TemplateSpectra::of<float>(const Sharers&, const std::stop_token&) const;
template const TemplateSpectra::Spectra<double>&
TemplateSpectra::of<double>(const Sharers&, const std::stop_token&) const;

} // namespace flcc::cpu
