#include "engine/cpu/template_spectra.h"

#include <algorithm>
#include <chrono>

namespace flcc::cpu {

namespace {

using base::Extents;
using base::Image;

/// conj(F(part of templ)) / M: computed in double, rounded to Precision's values at the end. Empty
/// when stopped.
template <class Precision>
Image<typename Precision::Value> spectrumOf(const Image<double>& templ, const base::Box& part,
                                            const Extents& points, int workers,
                                            const ForItems& each) {
    using Value = typename Precision::Value;
    const HalfTransform<Double> transform(points);
    std::vector<HalfTransform<Double>::Scratch> scratch;
    for (int i = 0; i < workers; ++i) {
        scratch.push_back(transform.makeScratch());
    }
    const Extents& m = part.extents;
    // What is not written costs no memory.
    Image<double> data({transform.sliceStride() * m.z + simd::kSlack, 1, 1});
    Image<Value> spectrum({HalfTransform<Precision>::spectrumValues(points), 1, 1});
    const auto view = templ.view().part(part);
    const bool placed =
        forRows(each, m, points.x, [&](std::int64_t y, std::int64_t z, std::int64_t) {
            double* const row =
                data.data() + z * transform.sliceStride() + y * transform.rowStride();
            std::copy_n(view.row(y, z), m.x, row);
            std::fill(row + m.x, row + points.x, 0.0);
        });
    const double scale = 1.0 / (static_cast<double>(points.x) * static_cast<double>(points.y) *
                                static_cast<double>(points.z));
    const std::int64_t stride = transform.lineStride();
    const auto round = [&](std::int64_t line, const double* values) {
        Value* const to = spectrum.data() + line * stride;
        for (std::int64_t i = 0; i < stride; i += 2) {
            to[i] = static_cast<Value>(values[i] * scale);
            to[i + 1] = static_cast<Value>(-values[i + 1] * scale);
        }
    };
    return placed && transform.forward(each, data.data(), m, round, scratch) ? std::move(spectrum)
                                                                             : Image<Value>();
}

} // namespace

template <class Precision>
const TemplateSpectra::Spectra<Precision>& TemplateSpectra::of(const ForItems& each, int workers,
                                                               const std::stop_token& stop) const {
    static const Spectra<Precision> kNone;
    std::unique_lock lock(m_lock, std::defer_lock);
    while (!lock.try_lock_for(std::chrono::milliseconds(20))) {
        if (stop.stop_requested()) {
            return kNone;
        }
    }
    auto& spectra = std::get<Spectra<Precision>>(m_spectra);
    if (!spectra.empty()) {
        return spectra;
    }
    Spectra<Precision> made(m_blocks.size());
    bool done = true;
    if (m_blocks.size() == 1) {
        made.front() =
            spectrumOf<Precision>(m_templ.values(), m_blocks.front(), m_points, workers, each);
        done = !made.front().empty();
    } else {
        done = each(static_cast<std::int64_t>(m_blocks.size()), [&](std::int64_t item, int) {
            const auto at = static_cast<std::size_t>(item);
            made[at] = spectrumOf<Precision>(m_templ.values(), m_blocks[at], m_points, 1,
                                             oneAfterTheOther());
        });
    }
    if (!done) {
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
        (void)of<Single>(itemsOf(pool), pool.threads(), {});
    } else {
        (void)of<Double>(itemsOf(pool), pool.threads(), {});
    }
}

void TemplateSpectra::planTransforms(const method::Problem& problem, const Extents& points) {
    (void)HalfTransform<Double>(points); // the template's, too
    if (problem.precision == method::Precision::Single) {
        (void)HalfTransform<Single>(points);
    }
}

template <class Precision>
std::int64_t TemplateSpectra::partBytes(const Part& part, const Extents& block, std::int64_t blocks,
                                        int workers) {
    using Transform = HalfTransform<Double>; // spectra are made in it, whatever they are kept in
    const Extents& points = part.points;
    const Extents rows{points.x, points.z > 1 ? points.y : block.y, block.z};
    const std::int64_t making = 8 * ((blocks > 1 ? workers : 1) * Transform::bufferValues(rows) +
                                     workers * Transform::scratchValues(points));
    return bytes<Precision>(points, blocks) + std::max(making, part.buffers);
}

std::int64_t TemplateSpectra::runBytes(const method::Problem& problem, const Extents& block,
                                       std::int64_t blocks, int workers, const Part& single,
                                       const Part& twofold) {
    const bool inSingle = problem.precision == method::Precision::Single;
    const std::int64_t first = inSingle ? partBytes<Single>(single, block, blocks, workers) : 0;
    if (inSingle && !problem.recompute) {
        return first;
    }
    const std::int64_t kept = inSingle ? bytes<Single>(single.points, blocks) : 0;
    return std::max(first, kept + partBytes<Double>(twofold, block, blocks, workers));
}

template std::int64_t TemplateSpectra::partBytes<Single>(const Part&, const Extents&, std::int64_t,
                                                         int);
template std::int64_t TemplateSpectra::partBytes<Double>(const Part&, const Extents&, std::int64_t,
                                                         int);
template const TemplateSpectra::Spectra<Single>&
TemplateSpectra::of<Single>(const ForItems&, int, const std::stop_token&) const;
template const TemplateSpectra::Spectra<Double>&
TemplateSpectra::of<Double>(const ForItems&, int, const std::stop_token&) const;

} // namespace flcc::cpu
