#pragma once

#include <string>

#include "viz/labels/scalar_bar.h"
#include "viz/volume/volume_camera.h"
#include "viz/volume/volume_model.h"

class vtkCamera;

namespace flcc::viz::detail {

/// Bars, notes, numbers and handles over a 3D view.
struct VolumeLabels {
    bool scalarBarVisible = true;
    std::string mapName = "LCC";
    std::string mapNote;

    /// `note`: VolumeScene::note(). `vtk`: the camera whose directions the axes show.
    void draw(const Canvas& canvas, const VolumeModel& model, const VolumeCamera& camera,
              vtkCamera& vtk, const std::string& note) const;
};

} // namespace flcc::viz::detail
