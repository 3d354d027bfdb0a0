#pragma once

#include <vtkColorTransferFunction.h>
#include <vtkGPUVolumeRayCastMapper.h>
#include <vtkNew.h>
#include <vtkPiecewiseFunction.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>
#include <vtkVolume.h>
#include <vtkVolumeProperty.h>

#include "viz/surface/score_surface.h"
#include "viz/volume/volume_camera.h"
#include "viz/volume/volume_model.h"
#include "viz/volume/volume_texture.h"

namespace flcc::viz::detail {

/// The ray-cast scene or heatmap, and the isosurface of the heatmap.
class VolumeCast {
  public:
    VolumeCast(vtkRenderer& renderer, VolumeModel& model);

    /// Brings everything up to date. `surface`: draw the isosurface, too.
    void update(const VolumeCamera& camera, bool surface);
    void hide() { m_volume->SetVisibility(0); } ///< leaves the volume out of a frame
    void releaseGraphics(vtkRenderWindow& window) { m_caster->ReleaseGraphicsResources(&window); }
    void clearScene() { m_sceneTexture.clear(); }
    void clearMap() { m_mapTexture.clear(); }

    [[nodiscard]] bool hasScene() const { return m_sceneTexture.exists(); }
    [[nodiscard]] bool hasMap() const { return m_mapTexture.exists(); }
    /// The texture that is ray-cast.
    [[nodiscard]] const VolumeTexture& texture() const {
        return m_model.mapCast() ? m_mapTexture : m_sceneTexture;
    }
    /// Parts of a map that is drawn in space still wait for their frame.
    [[nodiscard]] bool mapFills() const {
        return m_mapTexture.exists() && !m_model.freshMapRegions.empty() &&
               (m_model.mapCast() || m_model.isosurface);
    }
    /// Pixels of the screen for each ray, and texels between two samples of a ray.
    void setDistances(double pixels, double texels);

  private:
    void updateIsosurface(const VolumeCamera& camera, bool shown);
    void updateMapTexture();
    void shapeMapTexture();
    void updateTransfer();
    void setMapTransfer();
    void setSceneTransfer();
    void updateClip(const VolumeCamera& camera);

    VolumeModel& m_model;
    GreyWindow m_textureWindow; ///< the one the scene's texture was made with
    bool m_mapHasHoles = true;  ///< some voxels have no value, or none yet
    vtkSmartPointer<vtkGPUVolumeRayCastMapper> m_caster =
        vtkSmartPointer<vtkGPUVolumeRayCastMapper>::New();
    vtkNew<vtkColorTransferFunction> m_colourFunction;
    vtkNew<vtkPiecewiseFunction> m_opacityFunction;
    vtkNew<vtkColorTransferFunction> m_markedColours; ///< of LOWCONF scores and ignored voxels
    vtkNew<vtkPiecewiseFunction> m_outsideOpacity;    ///< of ignored voxels
    vtkNew<vtkVolumeProperty> m_property;
    vtkNew<vtkVolume> m_volume;
    VolumeTexture m_sceneTexture;
    VolumeTexture m_mapTexture;
    ScoreSurface m_scoreSurface;
};

} // namespace flcc::viz::detail
