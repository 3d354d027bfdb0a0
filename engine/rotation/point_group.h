#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/rotation/orientation.h"

namespace flcc::rotation {

/// The rotations that leave an object as it is, in the frame of its template.
struct PointGroup {
    std::string name = "C1";
    std::vector<Quaternion> elements{Quaternion{}}; ///< the identity first
};

/// "C1", "C7", "D2", "T", "O", "I" or "I2", "I1", in small letters too, on the axes of RELION:
/// - Cn: n-fold about z.
/// - Dn: n-fold about z, twofold about x.
/// - T: threefold about z, twofold about (0, sqrt(2/3), sqrt(1/3)).
/// - O: fourfold about z, threefold about (1, 1, 1).
/// - I, I2: twofold about z, fivefold about (1, 0, g), threefold about (0, 1/g, g), where g is the
///   golden ratio. I1: as I2, turned by 90 degrees about y.
/// **Source**: RELION, symmetries.cpp, fill_symmetry_class.
/// **Errors**: CommandLine for other names, and for n of 0 or above 999.
[[nodiscard]] PointGroup pointGroup(std::string_view name);

/// Whether the template of one orientation, turned by an element of the group first, has the other
/// orientation, within 1e-6 degrees.
[[nodiscard]] bool areEquivalent(const Quaternion& a, const Quaternion& b, const PointGroup& group);

/// The least angle between two orientations of an object with this group, degrees.
[[nodiscard]] double angleBetween(const Quaternion& a, const Quaternion& b,
                                  const PointGroup& group);

} // namespace flcc::rotation
