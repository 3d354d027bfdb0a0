#pragma once

#include <QString>

#include <optional>
#include <vector>

#include "ui/views/searched_values.h"
#include "viz/volume_scene.h"

class QWidget;

namespace flcc::ui {

class ViewsPanel;

/// How the views show a scene, as the command line says it: `--show view=3d,look=density,peaks`.
struct ViewOptions {
    int view = -1; ///< the one that is maximised; -1: as always
    std::optional<SearchValues> values;
    std::optional<viz::VolumeContent> content;
    std::optional<viz::SliceStyle> slices;
    std::optional<viz::VolumeClip> clip;
    std::optional<viz::VolumeLook> look;
    std::optional<double> threshold;
    std::optional<double> opacity;
    std::optional<viz::Side> side;
    std::optional<double> turn; ///< degrees to the right
    std::optional<double> tilt; ///< degrees: the eye above
    std::optional<double> zoom;
    std::optional<int> slab;
    std::optional<base::Point> at; ///< voxel of the crosshair
    bool surfaces = false;
    bool isosurface = false;
    bool parallel = false;
    bool noPeaks = false;
    bool noHeatmap = false;
    bool noOutline = false;
    bool clean = false; ///< screenshots: the view alone, without texts, on a transparent background

    /// **Errors**: CommandLine, with the part of the list that is unknown and what is known.
    [[nodiscard]] static ViewOptions parse(const QString& list);
    /// Applies them. Menus of `window` show what is on.
    void apply(ViewsPanel& views, QWidget& window) const;
};

} // namespace flcc::ui
