#pragma once

#include <string>
#include <vector>

#include "engine/job/report.h"

namespace flcc::job::detail {

/// One picture of the gallery: a template, or the panel of a peak.
struct PagePanel {
    std::string caption;
    std::vector<std::string> images; ///< data URIs: one, or three cuts of a volume
};

/// Pictures of a page as SVG elements; what is empty is left out.
struct PagePictures {
    std::string scene;
    std::string heatmap;
    std::string histogram;
    std::string hands; ///< sorted scores of both hands
    std::string slice; ///< which slice of a volume is shown: "z = 12"
    std::vector<PagePanel> gallery;
    std::string galleryNote;
};

/// The report as one page that needs no other file, no network and no script.
[[nodiscard]] std::string pageOf(const JobReport& report, const PagePictures& pictures);

} // namespace flcc::job::detail
