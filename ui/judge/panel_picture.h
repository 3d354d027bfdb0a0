#pragma once

#include <QFont>
#include <QImage>
#include <QPixmap>
#include <QString>

#include <functional>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/pixels.h"
#include "viz/scene.h"

namespace flcc::ui {

/// The panels of a picture: one of an image, XY, XZ and YZ of a volume.
[[nodiscard]] int panelsOf(const base::Extents& extents);

/// A box of an image as square grey pictures side by side: its only slice, or the middle slices XY,
/// XZ and YZ of a volume. Voxels outside the image and without a number are `outside`. A panel is
/// `side` pixels along its longer side, or as many as the box has voxels, if those are fewer.
/// **Cost**: reads side * side voxels a panel.
[[nodiscard]] QImage boxPicture(const base::AnyView& image, const base::Box& box,
                                const viz::GreyWindow& window, int side, QRgb outside);

/// The same of a box of values; NaN is `outside`. `value` takes indices from 0.
[[nodiscard]] QImage boxPicture(const std::function<double(const base::Index&)>& value,
                                const base::Extents& extents, const viz::GreyWindow& window,
                                int side, QRgb outside);

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
