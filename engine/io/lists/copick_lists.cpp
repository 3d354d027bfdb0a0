#include "engine/io/lists/json_lists.h"

#include <algorithm>
#include <cmath>

#include "engine/base/text.h"
#include "engine/io/files/paths.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/format/reading.h"
#include "engine/io/lists/json_text.h"
#include "engine/io/lists/text_lists.h"

namespace flcc::io::detail::lists {

namespace {

/// The turn of a 4x4 matrix, and its translation. **Errors**: Input for what is no turn.
struct Transformation {
    Matrix turn{1, 0, 0, 0, 1, 0, 0, 0, 1};
    base::Point shift{0, 0, 0};
};
Transformation transformationOf(const JsonValue& rows, const std::filesystem::path& name) {
    Transformation read;
    for (std::size_t i = 0; i < 9; ++i) {
        read.turn[i] = rows.at(i / 3).at(i % 3).get<double>();
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        read.shift[axis] = rows.at(axis).at(3).get<double>();
    }
    const Matrix& m = read.turn;
    double worst = 0; // against the identity
    for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t b = 0; b < 3; ++b) {
            const double product =
                m[3 * a] * m[3 * b] + m[3 * a + 1] * m[3 * b + 1] + m[3 * a + 2] * m[3 * b + 2];
            worst = std::max(worst, std::abs(product - (a == b ? 1 : 0)));
        }
    }
    const double volume = m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
                          m[2] * (m[3] * m[7] - m[4] * m[6]);
    if (!(worst < 1e-3) || volume < 0) {
        failInput(name, "a transformation_ is not the turn of a particle: it scales, shears or "
                        "mirrors");
    }
    return read;
}

} // namespace

std::string copickText(const PositionList& list, const Preset& preset) {
    JsonValue points = JsonValue::array();
    for (const ListedPosition& position : list.positions) {
        const base::Point place =
            toFormat(preset, list.place, statedPoint(preset, list, position), position.box);
        const Matrix turn =
            position.angles ? matrixOf(*position.angles) : Matrix{1, 0, 0, 0, 1, 0, 0, 0, 1};
        points.push_back({{"location", {{"x", place[0]}, {"y", place[1]}, {"z", place[2]}}},
                          {"transformation_",
                           {{turn[0], turn[1], turn[2], 0.0},
                            {turn[3], turn[4], turn[5], 0.0},
                            {turn[6], turn[7], turn[8], 0.0},
                            {0.0, 0.0, 0.0, 1.0}}},
                          {"instance_id", 0},
                          {"score", position.score.value_or(1)}});
    }
    const bool angles = std::ranges::any_of(
        list.positions, [](const ListedPosition& each) { return each.angles.has_value(); });
    return dumped({{"pickable_object_name", list.noun},
                   {"user_id", "flcc"},
                   {"session_id", "1"},
                   {"run_name", std::filesystem::path(list.place.scene).stem().string()},
                   {"voxel_spacing", voxelAngstrom(list.place)[0]},
                   {"unit", "angstrom"},
                   {"trust_orientation", angles},
                   {"points", points}});
}

void takeCopick(std::string_view text, const Preset& preset, PositionList& list,
                const std::filesystem::path& name) {
    parsed(text, name, [&](const JsonValue& document) {
        const bool turns = document.value("trust_orientation", true);
        const std::string unit = document.value("unit", "angstrom");
        if (unit != "angstrom" && unit != "A" && unit != "\xC3\x85") {
            failInput(name, "its unit is " + base::excerpt(unit) +
                                ", but Copick states positions in angstrom");
        }
        const auto object = document.value("pickable_object_name", std::string());
        if (!object.empty() && object != list.noun) { // the noun: written by copickText()
            list.species = {object};
        }
        for (const JsonValue& point : document.at("points")) {
            const JsonValue& place = point.at("location");
            ListedPosition position;
            position.species = list.species.empty() ? -1 : 0;
            position.box = list.place.unknowns.box.value_or(base::Extents{0, 0, 0});
            const bool matrix =
                point.contains("transformation_") && point["transformation_"].is_array();
            const Transformation moved =
                matrix ? transformationOf(point["transformation_"], name) : Transformation{};
            // Copick: the centre of the particle is location + transformation[:3, 3].
            const base::Point stated = fromFormat(preset, list.place,
                                                  {place.at("x").get<double>() + moved.shift[0],
                                                   place.at("y").get<double>() + moved.shift[1],
                                                   place.at("z").get<double>() + moved.shift[2]},
                                                  position.box);
            if (point.contains("score") && point["score"].is_number()) {
                position.score = point["score"].get<double>();
            }
            if (turns && matrix) {
                position.angles = anglesOf(moved.turn);
            }
            placeAt(preset, list, stated, position);
            list.positions.push_back(std::move(position));
        }
    });
}

} // namespace flcc::io::detail::lists
