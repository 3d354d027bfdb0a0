#pragma once

#include <QFont>
#include <QImage>
#include <QPixmap>
#include <QString>

#include <functional>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/pixels.h"
#include "engine/match/peaks.h"
#include "viz/scene.h"

namespace flcc::ui {

/// The panels of a picture: one of an image, XY, XZ and YZ of a volume.
[[nodiscard]] int panelsOf(const base::Extents& extents);

/// The values of a box by indices from 0; NaN where it has none.
using BoxValues = std::function<double(const base::Index&)>;
/// Of a box of an image, which must outlive them; NaN outside the image.
[[nodiscard]] BoxValues valuesOf(const base::AnyView& image, const base::Box& box);
/// Of the panel of a peak with a pose, turned back: at offset o from the middle of `extents` lies
/// the image's value at Peak::centre + matrixOf(pose, edges) o, interpolated between the voxels
/// around it. The panel lies as the template does. `edges`: of a voxel. NaN outside the image.
[[nodiscard]] BoxValues turnedBack(const base::AnyView& image, const match::Peak& peak,
                                   const base::Extents& extents, const base::Point& edges);

/// A box as square grey pictures side by side: its only slice, or the middle slices XY, XZ and YZ
/// of a volume. NaN is `outside`. A panel is `side` pixels along its longer side, or as many as the
/// box has voxels, if those are fewer. **Cost**: side * side values a panel.
[[nodiscard]] QImage boxPicture(const BoxValues& value, const base::Extents& extents,
                                const viz::GreyWindow& window, int side, QRgb outside);
/// From the least to the largest value that such a picture shows.
[[nodiscard]] viz::GreyWindow ownWindow(const BoxValues& value, const base::Extents& extents,
                                        int side);

/// A picture of boxPicture() and its name.
struct NamedPicture {
    QString name;
    const QImage* picture = nullptr;
};

/// Pictures beside each other under their names, the planes of a volume below each other. A plane
/// is `side` logical pixels wide and high.
[[nodiscard]] QPixmap columnsOf(const std::vector<NamedPicture>& pictures, int side,
                                const QFont& font, double pixelRatio);
/// The width of so many columns.
[[nodiscard]] int widthOfColumns(int columns, int side);

} // namespace flcc::ui
