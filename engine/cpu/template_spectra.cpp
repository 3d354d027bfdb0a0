#include "engine/cpu/template_spectra.h"

#include <algorithm>
#include <chrono>

#include "engine/cpu/half_beam_transform.h"

namespace flcc::cpu {

using base::Extents;

template <class Real>
const TemplateSpectra::Spectra<Real>& TemplateSpectra::of(const ForItems& each,
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
    const auto spectrumOf = [&](const base::Box& block, const ForItems& items) {
        return transform->templateSpectrum(m_templ.values().view().part(block), items);
    };
    Spectra<Real> made(m_blocks.size());
    if (m_blocks.size() == 1) {
        made.front() = spectrumOf(m_blocks.front(), each);
    } else {
        (void)each(static_cast<std::int64_t>(m_blocks.size()), [&](std::int64_t item, int) {
            const auto at = static_cast<std::size_t>(item);
            made[at] = spectrumOf(m_blocks[at], oneAfterTheOther());
        });
    }
    if (std::any_of(made.begin(), made.end(), [](const auto& one) { return one.empty(); })) {
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
        (void)of<float>(itemsOf(pool), {});
    } else {
        (void)of<double>(itemsOf(pool), {});
    }
}

void TemplateSpectra::planTransforms(const method::Problem& problem, const Extents& points) {
    if (problem.precision == method::Precision::Single) {
        (void)TileTransform<float>::of(points);
    } else {
        (void)TileTransform<double>::of(points);
    }
}

template <class Real>
std::int64_t TemplateSpectra::partBytes(const Part& part, const Extents& block, std::int64_t blocks,
                                        int workers) {
    const Extents& points = part.points;
    // The spectra are made in double in either precision. FFTW needs the box of the template's
    // block too.
    const std::int64_t values = TileTransform<Real>::templateWorkValues(points, block) +
                                (hasHalfBeamTransform(points) ? 0 : base::voxelCount(points));
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
TemplateSpectra::of<float>(const ForItems&, const std::stop_token&) const;
template const TemplateSpectra::Spectra<double>&
TemplateSpectra::of<double>(const ForItems&, const std::stop_token&) const;

} // namespace flcc::cpu
