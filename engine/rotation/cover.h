#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/rotation/orientation.h"
#include "engine/rotation/point_group.h"

namespace flcc::rotation {

/// Which rotations are searched, as a user states it.
struct Rotations {
    enum class Kind : std::uint8_t { None, Step, Range, List, Auto };
    Kind kind = Kind::None;
    double step = 0;     ///< degrees
    double from = 0;     ///< of a range in 2D, degrees
    double to = 0;       ///< included, with a shorter step before it where none ends there
    std::string file;    ///< of a list
    double diameter = 0; ///< of Auto, in the unit of the scene
    friend bool operator==(const Rotations&, const Rotations&) = default;
};

/// "10", "-30:30:5", "list:FILE", "auto:DIAMETER"; empty is None. **Errors**: CommandLine for other
/// texts, for a step that is not above 0, and for numbers that are not finite.
[[nodiscard]] Rotations parseRotations(std::string_view text);

/// The factors of "0.8:1.25:1.1" (from, to, factor: 0.8, 0.88, ..., 1.171, 1.25) or "0.9,1,1.1";
/// {1} of an empty text. **Errors**: CommandLine for other texts, for factors outside 0.05 to 20,
/// for a step of 1 or less, and for more than 1000 factors.
[[nodiscard]] std::vector<double> parseScales(std::string_view text);

/// The step in degrees at which a point on the rim of an object moves by the finest detail of the
/// image: 180 / (pi r d), where d is the diameter and r = 1 / (2 voxel) the highest frequency.
/// **Source**: Crowther, DeRosier, Klug, Proc. R. Soc. Lond. A 317, 1970, equation 4.
[[nodiscard]] double crowtherStep(double diameter, double voxel);

/// The rotations of a list: rows of one number (a turn in the plane, counter-clockwise, degrees),
/// three (rot, tilt and psi of RELION, degrees) or four (a quaternion w, x, y, z); separated by
/// spaces, tabs or commas. Empty rows and rows that begin with '#' do not count; equal rows count
/// once each. `name`: of the list, for sentences. **Errors**: Problem for a list without rows, for
/// rows of other lengths, for numbers that are not finite, and for turns out of the plane where
/// `flat`.
[[nodiscard]] std::vector<Quaternion> parseList(std::string_view text, bool flat,
                                                const std::string& name);

/// What a search turns a template through.
struct Cover {
    bool flat = true; ///< turns in the plane of x and y only
    std::vector<Quaternion> turns;
    std::vector<double> scales{1};
    bool mirror = false; ///< both hands
    PointGroup group;
    double step = 0; ///< degrees between neighbours; 0 of a list
    /// Every orientation of the range has an equivalent one within this angle, degrees; 0 of a
    /// list.
    double radius = 0;
    int nside = 0;   ///< of HEALPix, in 3D
    int inPlane = 0; ///< angles for each direction, in 3D

    [[nodiscard]] std::int64_t count() const {
        return std::ssize(turns) * std::ssize(scales) * (mirror ? 2 : 1);
    }
    /// Pose number `i`: turns change fastest, then scales, then the hand.
    [[nodiscard]] Pose pose(std::int64_t i) const;
};

/// The most turns that a cover may have.
inline constexpr std::int64_t kMostTurns = 20'000'000;

/// Turns in the plane. Of Step: all 360 / n degrees of Cn, in ceil(360 / n / step) equal steps from
/// 0. Of Range: from, from + step, ... and `to`; a range of a whole period has no last turn
/// twice, and one that ends within a step of it none at `to`. `list`: of List. **Errors**:
/// CommandLine for a group other than Cn, and for Auto, whose step is given; Problem above
/// kMostTurns.
[[nodiscard]] Cover flatCover(const Rotations& rotations, const PointGroup& group,
                              const std::vector<Quaternion>& list = {});

/// The pixels of HEALPix and the angles for each of them of a cover of this step, without a group.
struct SpaceCount {
    int nside = 1;
    int inPlane = 1;
};
[[nodiscard]] SpaceCount countOfSpace(double step);

/// Turns in space. Of Step: rot and tilt are the centres of the pixels of HEALPix with the smallest
/// nside for which 12 nside^2 >= 4 pi / step^2; psi takes ceil(360 / step) equal steps. With a
/// group, only the directions within a pixel of its asymmetric unit stay, and none that an element
/// takes to another. Of List: none that an element takes to an earlier one.
/// **Source**: Gorski et al., Astrophys. J. 622, 2005, equations 2 to 9 (ring scheme).
/// **Errors**: CommandLine for Range, which is of 2D, and for Auto; Problem above kMostTurns.
[[nodiscard]] Cover spaceCover(const Rotations& rotations, const PointGroup& group,
                               const std::vector<Quaternion>& list = {});

} // namespace flcc::rotation
