#include "tests/engine/job/posed_shapes.h"

#include <QRegularExpression>
#include <QString>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <sstream>

#include <nlohmann/json.hpp>

namespace flcc::test {

using base::Extents;
using base::Point;

namespace {

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

} // namespace

Turn productOf(const Turn& a, const Turn& b) {
    Turn c{};
    for (std::size_t i = 0; i < 9; ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
            c[i] += a[i / 3 * 3 + k] * b[3 * k + i % 3];
        }
    }
    return c;
}

Turn transposedOf(const Turn& m) { return {m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}; }

Turn turnAbout(const Point& axis, double degrees) {
    const double c = std::cos(radians(degrees));
    const double s = std::sin(radians(degrees));
    const auto [x, y, z] = axis;
    return {c + x * x * (1 - c),     x * y * (1 - c) - z * s, x * z * (1 - c) + y * s,
            y * x * (1 - c) + z * s, c + y * y * (1 - c),     y * z * (1 - c) - x * s,
            z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)};
}

namespace {

const Point kX{1, 0, 0};
const Point kZ{0, 0, 1};

/// Euler_angles2matrix of RELION: its reference lies turned by this matrix.
Turn ofRelion(double rot, double tilt, double psi) {
    const double ca = std::cos(radians(rot));
    const double sa = std::sin(radians(rot));
    const double cb = std::cos(radians(tilt));
    const double sb = std::sin(radians(tilt));
    const double cg = std::cos(radians(psi));
    const double sg = std::sin(radians(psi));
    return {cg * cb * ca - sg * sa,
            cg * cb * sa + sg * ca,
            -cg * sb,
            -sg * cb * ca - cg * sa,
            -sg * cb * sa + cg * ca,
            sg * sb,
            sb * ca,
            sb * sa,
            cb};
}

/// Dynamo turns a particle onto its template about z by tdrot, then about x by tilt, then about z
/// by narot; the template lies turned by the inverse.
Turn ofDynamo(double tdrot, double tilt, double narot) {
    return transposedOf(
        productOf(turnAbout(kZ, narot), productOf(turnAbout(kX, tilt), turnAbout(kZ, tdrot))));
}

} // namespace

Turn onScreen(double degrees) {
    const double c = std::cos(radians(degrees));
    const double s = std::sin(radians(degrees));
    return {c, s, 0, -s, c, 0, 0, 0, 1};
}

namespace {

/// Three unequal arms; those in the plane also form a shape that no turn makes its mirror image.
double shapeAt(const Point& p, bool flat) {
    struct Arm {
        Point direction;
        double length;
        double value;
    };
    static const std::array<Arm, 3> kFlat{
        {{{1, 0, 0}, 8, 1}, {{0, 1, 0}, 5.5, 1.2}, {{-0.6, -0.8, 0}, 3.5, 0.9}}};
    static const std::array<Arm, 3> kSpace{
        {{{1, 0, 0}, 7.5, 1}, {{0, 1, 0}, 5, 1.2}, {{0, 0, 1}, 3.5, 1.5}}};
    double sum = 0;
    for (const Arm& arm : flat ? kFlat : kSpace) {
        const double along = std::inner_product(p.begin(), p.end(), arm.direction.begin(), 0.0);
        const double nearest = std::clamp(along, 0.0, arm.length);
        double square = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            square += std::pow(p[axis] - nearest * arm.direction[axis], 2);
        }
        sum = std::max(sum, arm.value * std::exp(-square / (2 * 1.3 * 1.3)));
    }
    return sum;
}

} // namespace

base::Image<float> drawn(const Extents& n, const std::vector<Placed>& all) {
    base::Image<float> image(n, 0.0F);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        for (const Placed& each : all) {
            const Point o{static_cast<double>(i % n.x) - each.centre[0],
                          static_cast<double>(i / n.x % n.y) - each.centre[1],
                          static_cast<double>(i / (n.x * n.y)) - each.centre[2]};
            if (std::hypot(o[0], o[1], o[2]) > 14) {
                continue;
            }
            Point p{};
            for (std::size_t a = 0; a < 3; ++a) {
                p[a] = (each.turn[a] * o[0] + each.turn[3 + a] * o[1] + each.turn[6 + a] * o[2]) /
                       each.scale;
            }
            p[0] *= each.mirrored ? -1 : 1;
            image.data()[i] += static_cast<float>(shapeAt(p, n.z == 1));
        }
    }
    return image;
}

double correlation(const base::Image<float>& a, const base::Image<float>& b) {
    const auto n = static_cast<double>(a.count());
    double sums[5]{};
    for (std::int64_t i = 0; i < a.count(); ++i) {
        const double x = a.data()[i];
        const double y = b.data()[i];
        sums[0] += x;
        sums[1] += y;
        sums[2] += x * x;
        sums[3] += y * y;
        sums[4] += x * y;
    }
    return (sums[4] - sums[0] * sums[1] / n) /
           std::sqrt((sums[2] - sums[0] * sums[0] / n) * (sums[3] - sums[1] * sums[1] / n));
}

namespace {

std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        if (!line.empty() && line[0] != '#') {
            lines.push_back(line);
        }
    }
    return lines;
}

std::vector<std::string> wordsOf(const std::string& line, const char* separators) {
    std::vector<std::string> words;
    for (const QString& word :
         QString::fromStdString(line).split(QRegularExpression(separators), Qt::KeepEmptyParts)) {
        words.push_back(word.toStdString());
    }
    return words;
}

/// A table with named columns: the loop of a STAR file, or a header and rows.
struct Table {
    std::map<std::string, std::size_t> columns;
    std::vector<std::vector<std::string>> rows;

    [[nodiscard]] double at(std::size_t row, const std::string& name) const {
        return std::stod(rows[row].at(columns.at(name)));
    }
};

Table starTable(const std::string& text) {
    Table table;
    for (const std::string& line : linesOf(text)) {
        if (line[0] == '_') {
            table.columns[line.substr(1, line.find(' ') - 1)] = table.columns.size();
        } else if (!table.columns.empty()) {
            table.rows.push_back(wordsOf(line, "\\s+"));
        }
    }
    return table;
}

Table ownTable(const std::string& text, const char* separator) {
    Table table;
    for (const std::string& line : linesOf(text)) {
        const std::vector<std::string> words = wordsOf(line, separator);
        if (table.columns.empty()) {
            for (const std::string& word : words) {
                table.columns[word] = table.columns.size();
            }
        } else {
            table.rows.push_back(words);
        }
    }
    return table;
}

std::vector<Placed> fromStar(const std::string& text, const std::string& format,
                             const Extents& scene) {
    const Table table = starTable(text);
    const std::array<double, 3> half{static_cast<double>(scene.x) / 2,
                                     static_cast<double>(scene.y) / 2,
                                     static_cast<double>(scene.z) / 2};
    const std::string angle = format == "m" ? "wrpAngle" : "rlnAngle";
    const std::string end = format == "m" ? "1" : "";
    std::vector<Placed> all;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        Placed& each = all.emplace_back();
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::string name(1, "XYZ"[axis]);
            each.centre[axis] =
                format == "relion5"
                    ? table.at(row, "rlnCenteredCoordinate" + name + "Angst") / kListedVoxel +
                          half[axis]
                : format == "m" ? table.at(row, "wrpCoordinate" + name + "1") / kListedVoxel
                                : table.at(row, "rlnCoordinate" + name);
        }
        each.turn =
            ofRelion(table.at(row, angle + "Rot" + end), table.at(row, angle + "Tilt" + end),
                     table.at(row, angle + "Psi" + end));
    }
    return all;
}

/// Whole positions from 1 and shifts; the template is turned by Rz(psi) Rx(the) Rz(phi).
std::vector<Placed> fromStopgap(const std::string& text) {
    const Table table = starTable(text);
    std::vector<Placed> all;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        Placed& each = all.emplace_back();
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::string name(1, "xyz"[axis]);
            each.centre[axis] = table.at(row, "orig_" + name) + table.at(row, name + "_shift") - 1;
        }
        each.turn = productOf(turnAbout({0, 0, 1}, table.at(row, "psi")),
                              productOf(turnAbout({1, 0, 0}, table.at(row, "the")),
                                        turnAbout({0, 0, 1}, table.at(row, "phi"))));
    }
    return all;
}

/// Of pictures: one angle.
std::vector<Placed> fromMicrographs(const std::string& text) {
    const Table table = starTable(text);
    std::vector<Placed> all;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        all.push_back(
            {.centre = {table.at(row, "rlnCoordinateX"), table.at(row, "rlnCoordinateY"), 0},
             .turn = ofRelion(0, 0, table.at(row, "rlnAnglePsi"))});
    }
    return all;
}

std::vector<Placed> fromDynamo(const std::string& text, double first) {
    std::vector<Placed> all;
    for (const std::string& line : linesOf(text)) {
        const std::vector<std::string> words = wordsOf(line, " ");
        const auto column = [&](std::size_t number) { return std::stod(words.at(number - 1)); };
        all.push_back({.centre = {column(24) - first, column(25) - first, column(26) - first},
                       .turn = ofDynamo(column(7), column(8), column(9))});
    }
    return all;
}

std::vector<Placed> fromCopick(const std::string& text) {
    std::vector<Placed> all;
    const nlohmann::json document = nlohmann::json::parse(text);
    for (const nlohmann::json& point : document.at("points")) {
        const nlohmann::json& at = point.at("location");
        Placed& each = all.emplace_back();
        each.centre = {at.at("x").get<double>() / kListedVoxel,
                       at.at("y").get<double>() / kListedVoxel,
                       at.at("z").get<double>() / kListedVoxel};
        for (std::size_t i = 0; i < 9; ++i) {
            each.turn[i] = point.at("transformation_").at(i / 3).at(i % 3).get<double>();
        }
    }
    return all;
}

/// The axes of a scene of angstrom are taken as LPS, so that those of the markups are its own.
std::vector<Placed> fromSlicer(const std::string& text) {
    std::vector<Placed> all;
    const nlohmann::json document = nlohmann::json::parse(text);
    for (const nlohmann::json& point : document.at("markups").at(0).at("controlPoints")) {
        Placed& each = all.emplace_back();
        for (std::size_t axis = 0; axis < 3; ++axis) {
            each.centre[axis] = point.at("position").at(axis).get<double>() / kListedVoxel;
        }
        each.turn = point.at("orientation").get<Turn>();
    }
    return all;
}

std::vector<Placed> fromTable(const std::string& text, const char* separator, bool flat) {
    const Table table = ownTable(text, separator);
    std::vector<Placed> all;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        all.push_back({.centre = {table.at(row, "cx"), table.at(row, "cy"), table.at(row, "cz")},
                       .turn = flat ? onScreen(table.at(row, "rotation"))
                                    : ofRelion(table.at(row, "phi"), table.at(row, "theta"),
                                               table.at(row, "psi")),
                       .scale = table.at(row, "scale"),
                       .mirrored = table.at(row, "mirror") == 1});
    }
    return all;
}

std::vector<Placed> fromJson(const std::string& text, bool flat) {
    std::vector<Placed> all;
    const nlohmann::json document = nlohmann::json::parse(text);
    for (const nlohmann::json& row : document.at("peaks")) {
        const auto angles = row.at("angles").get<Point>();
        all.push_back({.centre = row.at("centre").get<Point>(),
                       .turn = flat ? onScreen(row.at("rotation").get<double>())
                                    : ofRelion(angles[0], angles[1], angles[2]),
                       .scale = row.at("scale").get<double>(),
                       .mirrored = row.at("mirror").get<int>() == 1});
    }
    return all;
}

} // namespace

std::vector<Placed> readPlaced(const std::string& format, const std::string& text,
                               const Extents& scene) {
    const bool flat = scene.z == 1;
    return format == "dynamo"              ? fromDynamo(text, 1)
           : format == "dynamo0"           ? fromDynamo(text, 0)
           : format == "stopgap"           ? fromStopgap(text)
           : format == "relion-micrograph" ? fromMicrographs(text)
           : format == "copick"            ? fromCopick(text)
           : format == "slicer"            ? fromSlicer(text)
           : format == "csv"               ? fromTable(text, ",", flat)
           : format == "tsv"               ? fromTable(text, "\t", flat)
           : format == "json"              ? fromJson(text, flat)
                                           : fromStar(text, format, scene);
}

} // namespace flcc::test
