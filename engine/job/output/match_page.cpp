#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/io/drawing.h"
#include "engine/job/exports.h"
#include "engine/job/output/match_drawing.h"
#include "engine/job/report/report_html.h"
#include "engine/job/report/text.h"

namespace flcc::job {

namespace {

using detail::PagePanel;
using detail::PagePictures;
using detail::PanelPlace;

constexpr std::size_t kMostPanels = 60;

/// A part of the scene with one slice along axis `across`, its rows along the last other axis.
struct Cut {
    base::Box box;
    int across = 2;
};

/// The three cuts through the middle of a box; one if it is flat.
std::vector<Cut> cutsOf(const base::Box& box) {
    const auto middle = [](std::int64_t corner, std::int64_t edge) { return corner + edge / 2; };
    const base::Index& at = box.corner;
    const base::Extents& n = box.extents;
    std::vector<Cut> cuts{{{{at.x, at.y, middle(at.z, n.z)}, {n.x, n.y, 1}}, 2}};
    if (n.z > 1) {
        cuts.push_back({{{at.x, middle(at.y, n.y), at.z}, {n.x, 1, n.z}}, 1});
        cuts.push_back({{{middle(at.x, n.x), at.y, at.z}, {1, n.y, n.z}}, 0});
    }
    return cuts;
}

/// The values of a cut, row by row; NaN outside of the image.
std::vector<double> valuesOf(const base::AnyView& image, const Cut& cut, int& columns, int& rows) {
    const base::Extents n = base::extentsOf(image);
    const base::Extents& size = cut.box.extents;
    columns = static_cast<int>(cut.across == 0 ? size.y : size.x);
    rows = static_cast<int>(cut.across == 2 ? size.y : size.z);
    std::vector<double> values;
    for (std::int64_t z = 0; z < size.z; ++z) {
        for (std::int64_t y = 0; y < size.y; ++y) {
            for (std::int64_t x = 0; x < size.x; ++x) {
                const base::Index at{cut.box.corner.x + x, cut.box.corner.y + y,
                                     cut.box.corner.z + z};
                const bool inside =
                    at.x >= 0 && at.y >= 0 && at.z >= 0 && at.x < n.x && at.y < n.y && at.z < n.z;
                values.push_back(inside ? base::valueAt(image, at) : NAN);
            }
        }
    }
    return values;
}

/// The cuts of a box as pictures with one scale of grey, from the least to the largest value.
std::vector<std::string> picturesOf(const base::AnyView& image, const base::Box& box) {
    struct Values {
        std::vector<double> values;
        int columns = 0;
        int rows = 0;
    };
    std::vector<Values> all;
    double low = INFINITY;
    double high = -INFINITY;
    for (const Cut& cut : cutsOf(box)) {
        Values one;
        one.values = valuesOf(image, cut, one.columns, one.rows);
        for (const double value : one.values) {
            if (std::isfinite(value)) {
                low = std::min(low, value);
                high = std::max(high, value);
            }
        }
        all.push_back(std::move(one));
    }
    std::vector<std::string> pictures;
    for (const Values& one : all) {
        std::vector<match::Colour> pixels;
        for (std::size_t i = 0; i < one.values.size(); ++i) {
            const double value = one.values[i];
            const auto columns = static_cast<std::size_t>(one.columns);
            if (std::isfinite(value)) {
                const double share = high > low ? (value - low) / (high - low) : 0.5;
                const auto grey = static_cast<std::uint8_t>(std::lround(255 * share));
                pixels.push_back({grey, grey, grey});
            } else {
                pixels.push_back(match::hatchColour(static_cast<std::int64_t>(i % columns),
                                                    static_cast<std::int64_t>(i / columns)));
            }
        }
        pictures.push_back(io::pngDataUri(pixels, one.columns, one.rows));
    }
    return pictures;
}

std::vector<PagePanel> galleryOf(const JobResult& result) {
    std::vector<PagePanel> gallery;
    for (std::size_t i = 0; i < result.templates.size() && i < kMostPanels; ++i) {
        const SceneImage& templ = *result.templates[i];
        gallery.push_back(
            {result.templates.size() == 1 ? "template" : "template " + std::to_string(i),
             picturesOf(base::viewOf(templ.pixels), {{}, templ.extents()})});
    }
    for (std::size_t i = 0; i < std::min(kMostPanels, result.peaks.size()); ++i) {
        const match::Peak& peak = result.peaks[i];
        const base::Extents size =
            result.templates[static_cast<std::size_t>(peak.templ)]->extents();
        const std::string decision = decisionText(result.report.decisions.of(match::keyOf(peak)));
        gallery.push_back({std::to_string(i + 1) + ": " + detail::fixed(peak.score, 3) +
                               (decision.empty() ? "" : ", " + decision),
                           picturesOf(base::viewOf(result.scene->pixels), {peak.corner, size})});
    }
    return gallery;
}

constexpr double kPanelWidth = 250;  // points
constexpr double kPanelHeight = 360; // points

std::string scenePicture(const JobResult& result, std::int64_t z) {
    const PanelPlace place = detail::placeOf(result, {1, 1}, kPanelWidth, kPanelHeight);
    io::Drawing drawing{place.width() + 60, place.height() + 20};
    detail::drawScene(drawing, result, place, z);
    detail::drawScaleBar(drawing, result, place);
    return io::toSvg(drawing);
}

std::string heatmapPicture(const JobResult& result, std::int64_t z) {
    const PanelPlace place = detail::placeOf(result, {1, 1}, kPanelWidth, kPanelHeight);
    io::Drawing drawing{place.width() + 60, place.height() + 20};
    detail::drawHeatmap(drawing, result, place, z);
    detail::drawColourBar(drawing, result, {place.width() + 8, 6}, place.height() - 8);
    return io::toSvg(drawing);
}

} // namespace

std::string toHtml(const JobResult& result, double threshold, std::optional<std::int64_t> slice) {
    requirePixels(result);
    PagePictures pictures;
    const std::int64_t z = detail::drawnSlice(result, slice);
    const bool flat = base::isFlat2D(result.scene->extents());
    if (!flat) {
        const std::int64_t middle =
            z + result.mapCorner.z + (result.templates.front()->extents().z - 1) / 2;
        pictures.slice = "slice z = " + std::to_string(middle);
    }
    pictures.scene = scenePicture(result, z);
    if (result.map) {
        pictures.heatmap = heatmapPicture(result, z);
        pictures.histogram = io::toSvg(detail::histogramOf(result, threshold));
    }
    if (result.report.handedness) {
        pictures.hands = io::toSvg(detail::handsOf(*result.report.handedness));
    }
    pictures.gallery = galleryOf(result);
    if (!flat) {
        pictures.galleryNote = "Three cuts through the middle of each: xy, xz and yz. ";
    }
    pictures.galleryNote += "Each has its own scale of grey.";
    if (result.peaks.size() > kMostPanels) {
        pictures.galleryNote += " The best " + std::to_string(kMostPanels) + " of " +
                                std::to_string(result.peaks.size()) + " peaks are shown.";
    }
    return detail::pageOf(result.report, pictures);
}

} // namespace flcc::job
