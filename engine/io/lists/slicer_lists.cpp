#include "engine/io/lists/json_lists.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/io/files/paths.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/format/reading.h"
#include "engine/io/lists/json_text.h"
#include "engine/io/lists/text_lists.h"

namespace flcc::io::detail::lists {

namespace {

/// Where the axes x and y of LPS point the other way.
base::Point turned(const base::Point& point) { return {0.0 - point[0], 0.0 - point[1], point[2]}; }

constexpr Matrix kTurn{-1, 0, 0, 0, -1, 0, 0, 0, 1};

/// Units of 3D Slicer in a unit of the scene. Slicer takes the numbers of a file as millimetres;
/// files of NIfTI alone name their unit in its library, which converts them.
double slicerScale(const ListPlace& place) {
    const std::string extension = extensionOf(place.scene);
    const bool nifti = extension == ".nii" || place.scene.ends_with(".nii.gz");
    const std::string& unit = place.geometry.unit;
    const bool length = unit == "mm" || unit == "um" || unit == "nm" || unit == "A";
    return nifti && length ? unitLength(unit) / unitLength("mm") : 1;
}

/// The systems of axes of markups.
enum class System { Lps, Ras, Voxels };

System systemNamed(const std::string& name, const std::filesystem::path& file) {
    constexpr std::array<std::pair<std::string_view, System>, 6> kSystems{{{"LPS", System::Lps},
                                                                           {"RAS", System::Ras},
                                                                           {"IJK", System::Voxels},
                                                                           {"1", System::Lps},
                                                                           {"0", System::Ras},
                                                                           {"2", System::Voxels}}};
    for (const auto& [known, system] : kSystems) {
        if (name == known) {
            return system;
        }
    }
    failInput(file, "its coordinate system is \"" + base::excerpt(name) +
                        "\"; LPS, RAS and IJK are known");
}

/// Voxels of the scene of a position of Slicer.
base::Point voxelOf(const ListPlace& place, System system, double scale, const base::Point& at) {
    if (system == System::Voxels) {
        return at;
    }
    const base::Point own{at[0] / scale, at[1] / scale, at[2] / scale};
    return fromWorld(place.geometry, system == System::Ras ? turned(own) : own);
}

/// Markups are places in the world: without a scene nobody knows its voxels.
void requireScene(const ListPlace& place, const std::filesystem::path& name) {
    if (place.extents.x == 0) {
        throw base::Error(base::ErrorCode::Problem,
                          shown(name) + " states positions in the world, as 3D Slicer does; give "
                                        "--scene, the image that they lie in");
    }
}

/// The unit of the numbers of a markup in those of the scene. Lists of this program before 2026-12
/// stated the unit of the scene.
double scaleOf(const JsonValue& markup, const ListPlace& place, const std::filesystem::path& name) {
    if (!markup.contains("coordinateUnits")) {
        return slicerScale(place);
    }
    const JsonValue& stated = markup["coordinateUnits"];
    // A text, or a code of UCUM: the code, the scheme, the meaning.
    const std::string unit = stated.is_array() && !stated.empty() ? stated.at(0).get<std::string>()
                                                                  : stated.get<std::string>();
    if (unit == "mm") {
        return slicerScale(place);
    }
    if (unit != place.geometry.unit) {
        failInput(name, "its positions are in " + base::excerpt(unit) + ", but the scene is in " +
                            place.geometry.unit);
    }
    return 1;
}

/// Points of the old format: comments, then lines of id, x, y, z and more.
void takeOldMarkups(std::string_view text, PositionList& list, const std::filesystem::path& name) {
    System system = System::Ras; // of versions before the line
    const Sheet sheet = readTable(text, ',', false, name);
    for (const std::string& line : sheet.comments) {
        constexpr std::string_view kKey = "CoordinateSystem = ";
        if (line.starts_with(kKey)) {
            system = systemNamed(line.substr(kKey.size()), name);
        }
    }
    for (std::size_t i = 0; i < sheet.rows.size(); ++i) {
        base::Point at{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto value = numberIn(sheet.rows[i], static_cast<int>(axis) + 1, name);
            if (!value) {
                failInput(name, "point " + std::to_string(i + 1) +
                                    " has no numbers for x, y and z behind its name");
            }
            at[axis] = *value;
        }
        ListedPosition position;
        position.centre = voxelOf(list.place, system, slicerScale(list.place), at);
        position.box = list.place.unknowns.box.value_or(base::Extents{0, 0, 0});
        list.positions.push_back(std::move(position));
    }
}

} // namespace

std::string slicerText(const PositionList& list) {
    const base::Geometry& geometry = list.place.geometry;
    const bool ras = geometry.axes == base::WorldAxes::Ras;
    const auto scaled = [scale = slicerScale(list.place)](const base::Point& at) {
        return base::Point{at[0] * scale, at[1] * scale, at[2] * scale};
    };
    JsonValue points = JsonValue::array();
    for (const ListedPosition& position : list.positions) {
        const std::string number = std::to_string(points.size() + 1);
        std::vector<std::string> words;
        if (position.score) {
            words.push_back(list.scoreName + " " + numberText(*position.score));
        }
        for (std::size_t i = 0; i < list.columns.size(); ++i) {
            if (list.columns[i].name == "sigma") {
                words.push_back("sigma " + position.cells[i] + " voxels");
            }
        }
        if (position.decision) {
            words.push_back(decisionText(position));
        }
        std::string description;
        for (const std::string& word : words) {
            description += (description.empty() ? "" : ", ") + word;
        }
        JsonValue point{{"id", number},
                        {"label", list.noun + "-" + number},
                        {"description", description},
                        {"position", scaled(base::toWorld(geometry, position.centre))}};
        if (position.angles) {
            const Matrix turn = rotation::product(geometry.direction, matrixOf(*position.angles));
            point["orientation"] = ras ? rotation::product(kTurn, turn) : turn;
        }
        point["selected"] = position.decision != match::Decision::Reject;
        point["locked"] = false;
        point["visibility"] = true;
        points.push_back(std::move(point));
    }
    return dumped(
        {{"@schema", "https://raw.githubusercontent.com/slicer/slicer/master/Modules/Loadable/"
                     "Markups/Resources/Schema/markups-schema-v1.0.3.json#"},
         {"markups",
          {{{"type", "Fiducial"},
            {"coordinateSystem", ras ? "RAS" : "LPS"},
            {"coordinateUnits", "mm"}, // the only unit of Slicer's scenes
            {"controlPoints", points}}}}});
}

void takeSlicer(std::string_view text, PositionList& list, const std::filesystem::path& name) {
    requireScene(list.place, name);
    if (text.find_first_not_of(" \t\r\n") == text.find('#')) {
        takeOldMarkups(text, list, name);
        return;
    }
    parsed(text, name, [&](const JsonValue& document) {
        const base::Geometry& geometry = list.place.geometry;
        const Matrix back = rotation::inverse(geometry.direction);
        std::size_t unset = 0;
        for (const JsonValue& markup : document.at("markups")) {
            const std::string type = markup.value("type", "Fiducial");
            if (type != "Fiducial" && type != "PointList") {
                failInput(name, "it holds a markup of the kind " + base::excerpt(type) +
                                    ", whose points are no positions; save a list of points");
            }
            const JsonValue& stated = markup.value("coordinateSystem", JsonValue("LPS"));
            const System system =
                systemNamed(stated.is_number() ? stated.dump() : stated.get<std::string>(), name);
            const bool ras = system == System::Ras;
            const double scale = scaleOf(markup, list.place, name);
            for (const JsonValue& point : markup.at("controlPoints")) {
                const std::string status = point.value("positionStatus", "defined");
                if (status == "undefined" || status == "preview") {
                    ++unset; // planned by the user, but not placed yet
                    continue;
                }
                ListedPosition position;
                position.centre = voxelOf(list.place, system, scale, pointOf(point.at("position")));
                position.box = list.place.unknowns.box.value_or(base::Extents{0, 0, 0});
                const std::string description = point.value("description", "");
                for (const char* word : {"score ", "strength "}) {
                    if (description.starts_with(word)) {
                        const std::string rest = description.substr(std::string(word).size());
                        position.score = numberOf(rest.substr(0, rest.find(',')));
                    }
                }
                const std::size_t last = description.rfind(", ");
                position.decision = match::decisionNamed(
                    description.substr(last == std::string::npos ? 0 : last + 2));
                if (point.contains("orientation")) {
                    const auto turn = point["orientation"].get<Matrix>();
                    position.angles = anglesOf(
                        rotation::product(back, ras ? rotation::product(kTurn, turn) : turn));
                }
                list.positions.push_back(std::move(position));
            }
        }
        if (unset > 0) {
            list.notes.push_back(std::to_string(unset) +
                                 (unset == 1 ? " point without a position was left out"
                                             : " points without a position were left out"));
        }
    });
}

} // namespace flcc::io::detail::lists
