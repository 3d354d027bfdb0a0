#pragma once

#include <array>
#include <cstddef>

#include "engine/base/geometry.h"

namespace flcc::viz {

/// The anatomical direction of each voxel axis, as the letter of its high end: L, R, A, P, S or I.
/// '\0': unknown.
struct Anatomy {
    std::array<char, 3> high{'\0', '\0', '\0'};

    [[nodiscard]] bool known() const { return high[0] != '\0'; }
    /// The letter of the low end of an axis.
    [[nodiscard]] char low(std::size_t axis) const;
    /// The axis whose high end (sign 1) or low end (sign -1) has a letter. The letter must occur.
    struct End {
        std::size_t axis = 0;
        int sign = 1;
    };
    [[nodiscard]] End find(char letter) const;

    friend bool operator==(const Anatomy&, const Anatomy&) = default;
};

/// The directions of the axes of a volume whose world axes point to the left, to the back and to
/// the head of the patient, as those of NIfTI, DICOM and NRRD files do after reading. Unknown where
/// two axes point the same way.
[[nodiscard]] Anatomy anatomyOf(const base::Geometry& geometry);

} // namespace flcc::viz
