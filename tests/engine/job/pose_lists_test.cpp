#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>
#include <numeric>
#include <sstream>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/io/image_file.h"
#include "engine/io/list_file.h"
#include "engine/job/peak_lists.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

// A shape with three unequal arms, drawn turned by known angles, is searched for and listed in
// every format with angles. Small readers of those formats, written from what each says of itself,
// give matrices, by which the picture is drawn once more. Nothing here uses engine/rotation.

using namespace flcc;
using base::Extents;
using base::Point;

namespace {

using Matrix = std::array<double, 9>; // row-major; takes points of the shape to the scene

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

Matrix product(const Matrix& a, const Matrix& b) {
    Matrix c{};
    for (std::size_t i = 0; i < 9; ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
            c[i] += a[i / 3 * 3 + k] * b[3 * k + i % 3];
        }
    }
    return c;
}

Matrix transposed(const Matrix& m) {
    return {m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]};
}

/// By the right hand about an axis of length 1 (Rodrigues).
Matrix about(const Point& axis, double degrees) {
    const double c = std::cos(radians(degrees));
    const double s = std::sin(radians(degrees));
    const auto [x, y, z] = axis;
    return {c + x * x * (1 - c),     x * y * (1 - c) - z * s, x * z * (1 - c) + y * s,
            y * x * (1 - c) + z * s, c + y * y * (1 - c),     y * z * (1 - c) - x * s,
            z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)};
}

const Point kX{1, 0, 0};
const Point kZ{0, 0, 1};

/// Euler_angles2matrix of RELION: its reference lies turned by this matrix.
Matrix ofRelion(double rot, double tilt, double psi) {
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
Matrix ofDynamo(double tdrot, double tilt, double narot) {
    return transposed(product(about(kZ, narot), product(about(kX, tilt), about(kZ, tdrot))));
}

/// Counter-clockwise on a screen, where y points down: by 90 degrees, right comes to lie on top.
Matrix onScreen(double degrees) {
    const double c = std::cos(radians(degrees));
    const double s = std::sin(radians(degrees));
    return {c, s, 0, -s, c, 0, 0, 0, 1};
}

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

struct Placed {
    Point centre{};
    Matrix turn{1, 0, 0, 0, 1, 0, 0, 0, 1};
    double scale = 1;
    bool mirrored = false; ///< along x, before it is turned
};

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

/// Readers of one format each. The voxels of the scene have 10 angstrom and begin at 0.
constexpr double kVoxel = 10;

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
                    ? table.at(row, "rlnCenteredCoordinate" + name + "Angst") / kVoxel + half[axis]
                : format == "m" ? table.at(row, "wrpCoordinate" + name + "1") / kVoxel
                                : table.at(row, "rlnCoordinate" + name);
        }
        each.turn =
            ofRelion(table.at(row, angle + "Rot" + end), table.at(row, angle + "Tilt" + end),
                     table.at(row, angle + "Psi" + end));
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
        each.centre = {at.at("x").get<double>() / kVoxel, at.at("y").get<double>() / kVoxel,
                       at.at("z").get<double>() / kVoxel};
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
            each.centre[axis] = point.at("position").at(axis).get<double>() / kVoxel;
        }
        each.turn = point.at("orientation").get<Matrix>();
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

std::vector<Placed> readBy(const std::string& format, const std::string& text,
                           const Extents& scene) {
    const bool flat = scene.z == 1;
    return format == "dynamo"    ? fromDynamo(text, 1)
           : format == "dynamo0" ? fromDynamo(text, 0)
           : format == "copick"  ? fromCopick(text)
           : format == "slicer"  ? fromSlicer(text)
           : format == "csv"     ? fromTable(text, ",", flat)
           : format == "tsv"     ? fromTable(text, "\t", flat)
           : format == "json"    ? fromJson(text, flat)
                                 : fromStar(text, format, scene);
}

const std::array<std::pair<const char*, const char*>, 10> kFormats{{{"relion4", ".star"},
                                                                    {"relion5", ".star"},
                                                                    {"warp", ".star"},
                                                                    {"m", ".star"},
                                                                    {"dynamo", ".tbl"},
                                                                    {"dynamo0", ".tbl"},
                                                                    {"copick", ".json"},
                                                                    {"slicer", ".mrk.json"},
                                                                    {"csv", ".csv"},
                                                                    {"json", ".json"}}};

/// A scene of placed shapes with a little noise, and the shape as template.
job::JobImages imagesOf(const Extents& n, const std::vector<Placed>& planted) {
    base::Image<float> scene = drawn(n, planted);
    const base::AnyImage noise = test::noise(base::PixelType::Float32, n, 3);
    const auto& more = std::get<base::Image<float>>(noise);
    const auto [least, most] = std::minmax_element(more.data(), more.data() + more.count());
    for (std::int64_t i = 0; i < scene.count(); ++i) {
        scene.data()[i] += 0.2F * more.data()[i] / (*most - *least);
    }
    const std::int64_t edge = 21;
    const bool flat = n.z == 1;
    base::Image<float> templ =
        drawn({edge, edge, flat ? 1 : edge}, {{.centre = {10, 10, flat ? 0.0 : 10.0}}});
    base::Geometry geometry;
    geometry.spacing = {kVoxel, kVoxel, kVoxel};
    geometry.unit = "A";
    geometry.unitSource = base::UnitSource::Header;
    return test::imagesOf(std::move(scene), std::move(templ), geometry);
}

/// The least that a picture drawn from a list may have in common with the scene without noise:
/// all shapes `degrees` off about an axis that moves all arms, and a third of a voxel beside.
double leastCorrelation(const Extents& n, const std::vector<Placed>& planted, double degrees) {
    std::vector<Placed> off = planted;
    const double third = 1 / std::sqrt(3.0);
    for (Placed& each : off) {
        each.centre[0] += 0.33;
        each.turn = product(each.turn,
                            n.z == 1 ? onScreen(degrees) : about({third, third, third}, degrees));
    }
    return correlation(drawn(n, planted), drawn(n, off));
}

/// Draws the picture of every list; `hand`: of formats that have scales and hands.
void judge(const job::Job& search, const Extents& n, const std::vector<Placed>& planted,
           double degrees, bool hand) {
    const job::JobImages images = imagesOf(n, planted);
    const base::Image<float> scene = drawn(n, planted);
    const double least = leastCorrelation(n, planted, degrees);
    const test::Folder folder;
    for (const auto& [format, end] : kFormats) {
        const std::string name(format);
        if (hand && name != "csv" && name != "json") {
            continue;
        }
        job::Job job = search;
        job.peaks = folder.path(name + end);
        job.peaksFormat = io::listFormatNamed(name, "--peaks-format");
        job.peaksUnknowns = {.binning = 1, .unbinnedPixel = kVoxel, .unbinnedSize = n};
        const job::JobResult result = job::runJob(job, images);
        QCOMPARE(result.peaks.size(), planted.size());
        const std::vector<Placed> read = readBy(name, test::bytesOf(job.peaks), n);
        QVERIFY2(read.size() == planted.size(), format);
        const double alike = correlation(scene, drawn(n, read));
        QVERIFY2(
            alike >= least,
            qPrintable(QStringLiteral("%1: %2, at least %3").arg(format).arg(alike).arg(least)));
        // Turned the other way round, the shapes do not fit: the test would see it.
        std::vector<Placed> wrong = read;
        for (Placed& each : wrong) {
            each.turn = transposed(each.turn);
        }
        QVERIFY(correlation(scene, drawn(n, wrong)) < least - 0.05);
    }
}

} // namespace

class PoseListsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    static void noOtherFormatHasAngles() {
        const Extents n{60, 50, 1};
        const job::JobImages images = imagesOf(n, {{.centre = {30, 25, 0}, .turn = onScreen(90)}});
        const test::Folder folder;
        for (const io::ListFormatInfo& info : io::listFormats()) {
            const auto isJudged = [&](const auto& each) { return info.name == each.first; };
            if (info.name == "tsv" || std::ranges::any_of(kFormats, isJudged)) {
                continue; // a table of tabs is one of commas
            }
            job::Job job = searching("90");
            job.peaks = folder.path("list" + std::string(info.extension));
            job.peaksFormat = info.format;
            job.peaksUnknowns = {.binning = 1, .unbinnedPixel = kVoxel, .unbinnedSize = n};
            const job::JobResult result = job::runJob(job, images);
            const io::PositionList read = io::readList(job.peaks, info.format,
                                                       {.scene = {},
                                                        .extents = n,
                                                        .geometry = result.geometry,
                                                        .unknowns = job.peaksUnknowns});
            QCOMPARE(std::ssize(read.positions), 1);
            QVERIFY2(!read.positions[0].angles, std::string(info.name).c_str());
        }
    }

    static void aPictureIsDrawnFromItsLists() {
        const Extents n{100, 96, 1};
        std::vector<Placed> planted;
        for (const auto& [x, y, degrees] : {std::tuple(24.0, 23.4, 37.0),
                                            {74.3, 25.0, 158.0},
                                            {25.0, 70.0, 251.0},
                                            {73.0, 71.6, 329.0}}) {
            planted.push_back({.centre = {x, y, 0}, .turn = onScreen(degrees)});
        }
        judge(searching("6"), n, planted, 3, false);
    }

    static void aPictureOfBothHandsAndSizesIsDrawnFromItsLists() {
        const Extents n{100, 96, 1};
        const std::vector<Placed> planted{
            {.centre = {24, 23.4, 0}, .turn = onScreen(37), .mirrored = true},
            {.centre = {74.3, 25, 0}, .turn = onScreen(158), .scale = 1.2},
            {.centre = {26, 70, 0}, .turn = onScreen(251), .scale = 1.2, .mirrored = true},
            {.centre = {73, 71.6, 0}, .turn = onScreen(329)}};
        job::Job job = searching("6");
        job.poses.scales = "1,1.2";
        job.poses.mirror = true;
        judge(job, n, planted, 3, true);
    }

    static void averagesLieAsTheTemplateDoes() {
        const Extents n{100, 96, 1};
        const std::vector<Placed> planted{
            {.centre = {24, 23.4, 0}, .turn = onScreen(37), .mirrored = true},
            {.centre = {74.3, 25, 0}, .turn = onScreen(158), .scale = 1.2},
            {.centre = {26, 70, 0}, .turn = onScreen(251), .scale = 1.2, .mirrored = true},
            {.centre = {73, 71.6, 0}, .turn = onScreen(329)}};
        const test::Folder folder;
        const job::JobImages images = imagesOf(n, planted);
        (void)io::writeImage(folder.path("scene.mha"), base::viewOf(images.scene->pixels),
                             images.scene->geometry);
        job::Job job = searching("6");
        job.poses.scales = "1,1.2";
        job.poses.mirror = true;
        job.peaks = folder.path("peaks.csv");
        job.exports.average = folder.path("average.mha");
        (void)job::runJob(job, images);
        const auto pixelsOf =
            [](const std::shared_ptr<const job::SceneImage>& image) -> const base::Image<float>& {
            return std::get<base::Image<float>>(image->pixels);
        };
        const auto average = job::loadImage(folder.path("average.mha"), {}, {});
        const double alike = correlation(pixelsOf(average), pixelsOf(images.templates[0]));
        QVERIFY2(alike > 0.97, qPrintable(QString::number(alike)));
        // The list alone gives the same, with its angles, sizes and hands.
        job::ListConversion list;
        list.input = job.peaks;
        list.scene = folder.path("scene.mha");
        list.exports.average = folder.path("again.mha");
        QCOMPARE(job::convertList(list).average->count, std::int64_t{4});
        const auto again = job::loadImage(folder.path("again.mha"), {}, {});
        QVERIFY(correlation(pixelsOf(average), pixelsOf(again)) > 1 - 1e-9);
    }

    static void aVolumeIsDrawnFromItsLists() {
        // Turns about axes of no symmetry, as quaternions in a list: no angle of any format.
        const Extents n{60, 56, 48};
        const std::vector<std::tuple<Point, Point, double>> turns{
            {{16, 17.4, 15}, {2.0 / 7, 3.0 / 7, 6.0 / 7}, 70},
            {{42.3, 17, 31}, {-6.0 / 7, 2.0 / 7, 3.0 / 7}, 125},
            {{28, 39.6, 22}, {0.6, 0, -0.8}, 205}};
        const test::Folder folder;
        const std::string list = folder.path("list.txt").string();
        std::vector<Placed> planted;
        std::ofstream rows(list);
        rows.precision(17);
        for (const auto& [centre, axis, degrees] : turns) {
            planted.push_back({.centre = centre, .turn = about(axis, degrees)});
            for (const double angle : {degrees, degrees + 90, degrees + 180}) { // and two others
                const double s = std::sin(radians(angle) / 2);
                rows << std::cos(radians(angle) / 2) << ' ' << s * axis[0] << ' ' << s * axis[1]
                     << ' ' << s * axis[2] << '\n';
            }
        }
        rows.close();
        job::Job job = searching("list:" + list);
        job.masks = {"sphere:10"};
        judge(job, n, planted, 1, false);
    }

  private:
    static job::Job searching(const std::string& rotations) {
        job::Job job;
        job.poses.rotations = rotations;
        job.threads = 2;
        job.planning = plan::Planning::Estimate;
        job.minScore = 0.7;
        return job;
    }
};

const flcc::test::TestClass<PoseListsTest> kPoseListsTest;
#include "pose_lists_test.moc"
