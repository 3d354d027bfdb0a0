#pragma once

#include <array>

#include "engine/base/extents.h"

namespace flcc::rotation {

/// A unit quaternion w + xi + yj + zk, as the rotation v -> q v q*. q and -q are the same rotation.
struct Quaternion {
    double w = 1;
    double x = 0;
    double y = 0;
    double z = 0;
    friend bool operator==(const Quaternion&, const Quaternion&) = default;
};

/// Row-major 3x3. It turns a column of voxel coordinates (x, y, z): the point v of a template,
/// counted from its centre, lies at M v in the scene, counted from the centre of the placement.
using Matrix = std::array<double, 9>;

/// The rotation a after b. **Source**: Kuipers, "Quaternions and rotation sequences", 1999, 5.3.
[[nodiscard]] Quaternion product(const Quaternion& a, const Quaternion& b);
[[nodiscard]] Matrix product(const Matrix& a, const Matrix& b);
/// The inverse of a rotation.
[[nodiscard]] Quaternion inverse(const Quaternion& q);
[[nodiscard]] Matrix transposed(const Matrix& m);
[[nodiscard]] double determinant(const Matrix& m);
/// Of a matrix whose determinant is not 0.
[[nodiscard]] Matrix inverse(const Matrix& m);

/// Entries within 1e-14 of -1, 0 and 1 are exact, so that quarter turns are permutations of voxels.
[[nodiscard]] Matrix matrixOf(const Quaternion& q);
/// Of a rotation matrix; w >= 0. **Source**: Shepperd, J. Guidance and Control 1, 1978.
[[nodiscard]] Quaternion quaternionOf(const Matrix& m);

/// By an angle in degrees about an axis of any length but 0, by the right hand: about z, x turns
/// towards y.
[[nodiscard]] Quaternion aboutAxis(const base::Point& axis, double degrees);

/// The angle of the rotation that takes a to b, degrees, 0 to 180.
[[nodiscard]] double angleBetween(const Quaternion& a, const Quaternion& b);

/// rot, tilt and psi of RELION in degrees: M = Rz(-psi) Ry(-tilt) Rz(-rot). The inverse of M is
/// Rz(rot) Ry(tilt) Rz(psi), which turns intrinsically about z, the new y and the new z (ZYZ).
/// **Source**: RELION, euler.cpp, Euler_angles2matrix; the list formats of engine/io use the same.
[[nodiscard]] Quaternion fromEuler(const base::Point& degrees);
/// rot and psi in [-180, 180), tilt in [0, 180]. Where tilt is 0 or 180 within kEulerStep / 2, rot
/// is 0.
[[nodiscard]] base::Point eulerOf(const Quaternion& q);
/// To which angles of lists are told apart, degrees.
inline constexpr double kEulerStep = 1e-6;
/// The same rotation within `step` / 2 degrees: where tilt is 0 or 180 within that, only the sum or
/// the difference of rot and psi counts, and rot becomes 0.
[[nodiscard]] base::Point settledEuler(const base::Point& degrees, double step = kEulerStep);
/// eulerOf() as people read it, in whole steps: rot and psi in [-180, 180), 0 never negative.
[[nodiscard]] base::Point roundedEuler(const Quaternion& q, double step);

/// A turn in the plane of x and y by degrees, counter-clockwise on a screen, where x points to the
/// right and y down: M = Rz(-degrees), that is psi of RELION.
[[nodiscard]] Quaternion inPlane(double degrees);
/// Its degrees in [0, 360), 0 also within kEulerStep / 2 below 360; of other rotations, without a
/// meaning.
[[nodiscard]] double inPlaneDegrees(const Quaternion& q);
/// The same in whole steps: 359.97 is 0 by steps of 0.1.
[[nodiscard]] double roundedInPlane(const Quaternion& q, double step);

/// How a template is placed: first mirrored (x -> -x about its centre), then scaled, then turned.
struct Pose {
    Quaternion turn;
    double scale = 1;
    bool mirrored = false;
    friend bool operator==(const Pose&, const Pose&) = default;
};

/// scale M diag(mirrored ? -1 : 1, 1, 1): it turns lengths.
[[nodiscard]] Matrix matrixOf(const Pose& pose);
/// The same of offsets in voxels with these edges, E^-1 matrixOf(pose) E: of voxels that are no
/// cubes it is no rotation.
[[nodiscard]] Matrix matrixOf(const Pose& pose, const base::Point& edges);
[[nodiscard]] base::Point apply(const Matrix& m, const base::Point& point);

/// From the geometric centre (m - 1) / 2 of a box to its voxel m / 2 (whole division), voxels: 1/2
/// along axes of even extent, else 0. Where that voxel lies is the position of a particle in
/// RELION, Warp, M, Dynamo, EMAN, crYOLO and Copick.
[[nodiscard]] base::Point toReferenceVoxel(const base::Extents& box);

} // namespace flcc::rotation
