// What a list states against what is known of its scene: sizes of voxels, extents, positions.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/io/files/paths.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/list_file.h"
#include "engine/io/lists/preset.h"
#include "engine/io/lists/text_lists.h"

namespace flcc::io {

namespace lists = detail::lists;
using base::Error;
using base::ErrorCode;

namespace {

constexpr std::array kAxisNames{"x", "y", "z"};
constexpr std::array kFactors{2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0};

std::array<double, 3> edgesOf(const base::Extents& n) {
    return {static_cast<double>(n.x), static_cast<double>(n.y), static_cast<double>(n.z)};
}

/// Edges of a voxel by the scene alone; zeros if it states none.
base::Point sceneVoxel(const ListPlace& place) {
    ListPlace alone{.scene = {}, .extents = place.extents, .geometry = place.geometry};
    return lists::voxelAngstrom(alone);
}

/// Whether a position lies in the scene or less than `beyond` voxels beyond its outermost ones.
bool isInside(const base::Point& at, const base::Extents& scene, const base::Point& beyond) {
    const std::array<double, 3> edges = edgesOf(scene);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!(at[axis] > -1 - beyond[axis] && at[axis] < edges[axis] + beyond[axis])) {
            return false;
        }
    }
    return true;
}

/// One reading of all positions under which they would lie in the scene.
struct Guess {
    std::string words;
    std::function<base::Point(const base::Point&)> moved;
};

std::vector<Guess> guessesFor(const PositionList& list) {
    std::vector<Guess> guesses;
    const auto swapped = [&](std::size_t a, std::size_t b) {
        guesses.push_back(
            {std::string("with ") + kAxisNames.at(a) + " and " + kAxisNames.at(b) + " swapped",
             [a, b](base::Point at) {
                 std::swap(at[a], at[b]);
                 return at;
             }});
    };
    swapped(0, 1);
    swapped(0, 2);
    swapped(1, 2);
    guesses.push_back({"counted from the middle of the scene",
                       [half = edgesOf(list.place.extents)](base::Point at) {
                           for (std::size_t axis = 0; axis < 3; ++axis) {
                               at[axis] += half[axis] > 1 ? half[axis] / 2 : 0;
                           }
                           return at;
                       }});
    const base::Geometry& geometry = list.place.geometry;
    if (geometry.unitSource != base::UnitSource::Missing && geometry.unit != "px") {
        guesses.push_back(
            {"as lengths in " + geometry.unit, [spacing = geometry.spacing](base::Point at) {
                 for (std::size_t axis = 0; axis < 3; ++axis) {
                     at[axis] /= std::abs(spacing[axis]);
                 }
                 return at;
             }});
    }
    for (const double factor : kFactors) {
        guesses.push_back({"divided by " + detail::numberText(factor) + " (pixels of another size)",
                           [factor](const base::Point& at) {
                               return base::Point{at[0] / factor, at[1] / factor, at[2] / factor};
                           }});
    }
    return guesses;
}

/// Why positions may lie outside, by what would bring all of them into the scene. Of the factors
/// the smallest is said.
std::string causeOf(const PositionList& list) {
    std::string words;
    bool divided = false;
    for (const Guess& guess : guessesFor(list)) {
        const bool divides = guess.words.starts_with("divided");
        if (!(divides && divided) &&
            std::ranges::all_of(list.positions, [&](const ListedPosition& each) {
                return isInside(guess.moved(each.centre), list.place.extents, {0, 0, 0});
            })) {
            words += (words.empty() ? "" : " or ") + guess.words;
            divided = divided || divides;
        }
    }
    return words.empty() ? "the list may be of another image or tomogram, or count pixels of "
                           "another size"
                         : words + " they would lie inside";
}

std::string rangeText(const PositionList& list) {
    std::string text;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double least = std::numeric_limits<double>::infinity();
        double most = -least;
        for (const ListedPosition& each : list.positions) {
            least = std::min(least, each.centre[axis]);
            most = std::max(most, each.centre[axis]);
        }
        text += std::string(axis == 0 ? "" : ", ") + kAxisNames.at(axis) + " " +
                detail::numberText(std::round(least * 10) / 10) + " to " +
                detail::numberText(std::round(most * 10) / 10);
    }
    return text;
}

} // namespace

void requireConsistent(const ListPlace& place) {
    const ListUnknowns& unknowns = place.unknowns;
    const base::Point scene = sceneVoxel(place);
    constexpr double kShare = 0.01; // headers round, and reconstructions are scaled by calibrations
    const auto [shortest, longest] =
        std::ranges::minmax(std::span(scene).first(place.flat() ? 2U : 3U));
    const bool cubic =
        longest - shortest <= kShare * longest; // one pixel says nothing of oblong voxels
    if (unknowns.binning && unknowns.unbinnedPixel && scene[0] > 0 && cubic) {
        const double voxel = *unknowns.binning * *unknowns.unbinnedPixel;
        if (std::abs(voxel - scene[0]) > kShare * scene[0]) {
            throw Error(ErrorCode::Problem,
                        "a binning of " + detail::numberText(*unknowns.binning) +
                            " and a pixel of the tilt series of " +
                            detail::numberText(*unknowns.unbinnedPixel) +
                            " angstrom make voxels of " + detail::numberText(voxel) +
                            " angstrom, but the scene has voxels of " +
                            detail::numberText(scene[0]) +
                            " angstrom; correct --binning, --unbinned-pixel or the spacing of the "
                            "scene");
        }
    }
    if (!unknowns.binning || !unknowns.unbinnedSize || place.extents.x == 0) {
        return;
    }
    const std::array<double, 3> n = edgesOf(place.extents);
    const std::array<double, 3> whole = edgesOf(*unknowns.unbinnedSize);
    for (std::size_t axis = 0; axis < (place.flat() ? 2U : 3U); ++axis) {
        // Sizes are cut to whole and to even numbers of voxels.
        const double most = std::max(2 * *unknowns.binning + 1, kShare * whole[axis]);
        if (std::abs(whole[axis] - n[axis] * *unknowns.binning) > most) {
            throw Error(ErrorCode::Problem,
                        "the unbinned size " + base::toString(*unknowns.unbinnedSize) +
                            " is not that of a scene of " + base::toString(place.extents) +
                            " voxels binned by " + detail::numberText(*unknowns.binning) +
                            ": along " + kAxisNames.at(axis) + " " +
                            detail::numberText(n[axis] * *unknowns.binning) +
                            " is expected; correct --binning or --unbinned-size");
        }
    }
}

void requireInside(PositionList& list, const std::filesystem::path& name) {
    const base::Extents& scene = list.place.extents;
    if (scene.x == 0 || list.positions.empty()) {
        return;
    }
    const bool own = lists::presetOf(list.format).syntax == lists::Syntax::Own ||
                     lists::presetOf(list.format).syntax == lists::Syntax::Json;
    const auto outside = std::ranges::count_if(list.positions, [&](const ListedPosition& each) {
        // Panels of other extents than "valid" have their centres beyond the border.
        const std::array<double, 3> box = edgesOf(each.box);
        const base::Point beyond{box[0] / 2, box[1] / 2, box[2] / 2};
        return !isInside(each.centre, scene, own ? beyond : base::Point{0, 0, 0});
    });
    const std::string all = std::to_string(list.positions.size());
    if (outside == std::ssize(list.positions)) {
        throw Error(ErrorCode::Problem,
                    detail::shown(name) +
                        (outside == 1 ? ": its position lies" : ": all " + all + " positions lie") +
                        " outside the scene of " + base::toString(scene) + " voxels (" +
                        rangeText(list) + "); " + causeOf(list));
    }
    if (outside > 0) {
        list.notes.push_back(std::to_string(outside) + " of " + all +
                             (outside == 1 ? " positions lies" : " positions lie") +
                             " outside the scene of " + base::toString(scene) + " voxels");
    }
}

namespace detail::lists {

bool differ(double a, double b) {
    return std::abs(a - b) > 1e-3 * std::max(std::abs(a), std::abs(b));
}

void takeStatedPixels(const Sheet& sheet, const Preset& preset, PositionList& list,
                      const std::filesystem::path& name) {
    ListUnknowns& unknowns = list.place.unknowns;
    const auto refuse = [&](double stated, const std::string& what, double known) {
        failInput(name, "it states " + what + " of " + detail::numberText(stated) +
                            " angstrom, but it is given as " + detail::numberText(known) +
                            " angstrom");
    };
    if (sheet.seriesPixel) {
        if (unknowns.unbinnedPixel && differ(*sheet.seriesPixel, *unknowns.unbinnedPixel)) {
            refuse(*sheet.seriesPixel, "a pixel of the tilt series", *unknowns.unbinnedPixel);
        }
        unknowns.unbinnedPixel = sheet.seriesPixel;
    }
    if (!sheet.rowPixel) {
        return;
    }
    if (preset.unit == PlaceUnit::Unbinned && unknowns.unbinnedPixel &&
        differ(*sheet.rowPixel, *unknowns.unbinnedPixel)) {
        refuse(*sheet.rowPixel, "a pixel", *unknowns.unbinnedPixel);
    }
    const double voxel = voxelAngstrom(list.place)[0];
    if (preset.unit == PlaceUnit::Voxel && voxel > 0 && differ(*sheet.rowPixel, voxel)) {
        failInput(name, "its rows are in pixels of " + detail::numberText(*sheet.rowPixel) +
                            " angstrom, but the scene has voxels of " + detail::numberText(voxel) +
                            " angstrom; read it with --from relion4 and --binning " +
                            detail::numberText(std::round(voxel / *sheet.rowPixel * 1000) / 1000));
    }
}

} // namespace detail::lists

} // namespace flcc::io
