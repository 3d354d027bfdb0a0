#pragma once

#include "viz/volume/box_lines.h"
#include "viz/volume/volume_model.h"

class vtkRenderer;

namespace flcc::viz::detail {

/// The lines of a 3D view: outline, crosshair, boxes and blobs.
class VolumeLines {
  public:
    VolumeLines(vtkRenderer& renderer, VolumeModel& model);

    void update(const ViewColours& look, double ratio);
    /// `clean`: a picture without marks; boxes of what is selected stay where `boxes`.
    void setClean(bool clean, bool boxes);

  private:
    void addBlobs(const ViewColours& look);
    void addSliceFrames();

    VolumeModel& m_model;
    BoxLines m_outline;
    BoxLines m_crossLines; ///< not in clean pictures
    BoxLines m_peakLines;
    BoxLines m_selectedLines;
    BoxLines m_blobLines;
};

} // namespace flcc::viz::detail
