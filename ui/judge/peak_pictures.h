#pragma once

#include <QImage>

#include <memory>

#include "engine/job/job.h"
#include "engine/match/peaks.h"

namespace flcc::ui {

/// A peak's panel, its template brought to the panel's brightness and contrast, and what is left of
/// the panel without it, all in one scale of grey.
struct PeakPictures {
    QImage panel;
    QImage templ;
    QImage difference; ///< 0 is the middle grey
    /// The fit panel = gain * template + offset of least squares, under the support.
    double gain = 1;
    double offset = 0;
};

/// `side`: pixels of a picture; `outside`: colour of what is not in the scene or the support.
/// **Threads**: any. **Cost**: reads at most about a million voxels of panel and template.
[[nodiscard]] PeakPictures picturesOf(const job::SceneImage& scene, const job::JobResult& result,
                                      const match::Peak& peak, int side, QRgb outside);

} // namespace flcc::ui
