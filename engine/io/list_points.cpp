// Which point of a particle a list states: its geometric centre, or where a voxel of its box lies.

#include <algorithm>
#include <cmath>

#include "engine/io/list_file.h"
#include "engine/io/lists/preset.h"
#include "engine/io/lists/text_lists.h"

namespace flcc::io {

namespace lists = detail::lists;

namespace {

/// How the note on missing boxes begins.
constexpr const char* kBoxNote = "the format states where the voxel m / 2";

base::Point toReference(const ListedPosition& position, const base::Geometry& geometry) {
    return rotation::apply(rotation::matrixOf(poseOf(position), geometry.spacing),
                           position.reference.value_or(rotation::toReferenceVoxel(position.box)));
}

/// Moves the centre so that the reference voxel lies at `point`.
void placeReference(ListedPosition& position, const base::Geometry& geometry,
                    const base::Point& point) {
    const base::Point way = toReference(position, geometry);
    position.centre = {point[0] - way[0], point[1] - way[1], point[2] - way[2]};
}

} // namespace

std::string conventionText(const ListFormatInfo& info) {
    return std::string(info.convention) +
           (info.reference ? std::string("; ") + lists::kReferencePoint : std::string());
}

rotation::Pose poseOf(const ListedPosition& position) {
    return {position.angles ? rotation::fromEuler(*position.angles) : rotation::Quaternion{},
            position.scale, position.mirrored};
}

base::Point referenceOf(const ListedPosition& position, const base::Geometry& geometry) {
    const base::Point way = toReference(position, geometry);
    const base::Point& c = position.centre;
    return {c[0] + way[0], c[1] + way[1], c[2] + way[2]};
}

void takeTemplate(PositionList& list, const base::Extents& box, const base::Point& reference) {
    if (list.format == ListFormat::Auto || !infoOf(list.format).reference) {
        return;
    }
    for (ListedPosition& position : list.positions) {
        const base::Point point = referenceOf(position, list.place.geometry);
        position.box = position.box.x > 0 ? position.box : box;
        position.reference = reference;
        placeReference(position, list.place.geometry, point);
    }
    fillPeakCells(list);
    std::erase_if(list.notes, [](const std::string& note) { return note.starts_with(kBoxNote); });
}

std::optional<std::pair<base::Extents, base::Point>> templateOf(const PositionList& list) {
    std::optional<std::pair<base::Extents, base::Point>> common;
    for (const ListedPosition& position : list.positions) {
        const auto own = std::pair(
            position.box, position.reference.value_or(rotation::toReferenceVoxel(position.box)));
        if (position.box.x == 0 || (common && *common != own)) {
            return std::nullopt;
        }
        common = own;
    }
    return list.isOfBlobs() ? std::nullopt : common;
}

namespace detail::lists {

base::Point statedPoint(const Preset& preset, const PositionList& list,
                        const ListedPosition& position) {
    return preset.info.reference && !list.isOfBlobs() ? referenceOf(position, list.place.geometry)
                                                      : position.centre;
}

void placeAt(const Preset& preset, const PositionList& list, const base::Point& point,
             ListedPosition& position) {
    position.centre = point;
    position.reference = list.place.unknowns.reference;
    if (preset.info.reference) {
        placeReference(position, list.place.geometry, point);
    }
}

std::vector<std::string> pointNotes(const Preset& preset, const PositionList& list, bool written) {
    std::vector<std::string> notes;
    if (!preset.info.reference || list.isOfBlobs()) {
        return notes;
    }
    const auto unknown = std::ranges::count_if(list.positions, [](const ListedPosition& each) {
        return each.box.x == 0 && !each.reference;
    });
    const bool said = std::ranges::any_of(
        list.notes, [](const std::string& note) { return note.starts_with(kBoxNote); });
    if (unknown > 0 && (!written || !said)) {
        notes.push_back(
            std::string(kBoxNote) + " of a particle's box of m voxels lies, and of " +
            std::to_string(unknown) + (unknown == 1 ? " position" : " positions") +
            (written ? " no box is known: their centres were written, which is half a voxel off "
                       "along axes of even boxes; give --box"
                     : " no box is known: they were taken as centres, which is half a voxel off "
                       "along axes of even boxes; give --box"));
    }
    const auto turned = std::ranges::count_if(list.positions, [](const ListedPosition& each) {
        const rotation::Pose pose = poseOf(each);
        return pose.turn != rotation::Quaternion{};
    });
    if (written && turned > 0 && !holdsAngles(preset)) {
        notes.push_back("the format has no place for angles, which the positions of " +
                        std::to_string(turned) + " turned particles follow");
    }
    return notes;
}

} // namespace detail::lists

} // namespace flcc::io
