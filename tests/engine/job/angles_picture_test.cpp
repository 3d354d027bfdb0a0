#include <QtTest>

#include <array>
#include <cmath>
#include <string>

#include "engine/io/drawing.h"
#include "engine/io/image_file.h"
#include "engine/rotation/orientation.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/test_class.h"

// The picture of the manual's page on angles, drawn by the rotations of the engine. With
// FLCC_PICTURES=FOLDER it is written there as angles.png, for resources/manual/pictures.

using namespace flcc;
using io::DrawingPoint;

namespace {

constexpr match::Colour kLong{200, 50, 40};
constexpr match::Colour kMiddle{30, 140, 60};
constexpr match::Colour kShort{40, 80, 200};
constexpr match::Colour kGrey{150, 150, 150};
constexpr match::Colour kPale{215, 215, 215};
constexpr double kText = 3.4;

void write(io::Drawing& drawing, DrawingPoint at, const std::string& text,
           const match::Colour& colour = io::kBlack, bool bold = false,
           io::TextAnchor anchor = io::TextAnchor::Middle) {
    io::DrawnText item{at, text, kText, anchor};
    item.colour = colour;
    item.bold = bold;
    drawing.add(item);
}

void arrow(io::Drawing& drawing, DrawingPoint from, DrawingPoint to, const match::Colour& colour,
           double width, const std::string& name) {
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    const double x = (to.x - from.x) / length;
    const double y = (to.y - from.y) / length;
    drawing.line(from, to, colour, width);
    const double head = 2.2;
    io::DrawnPath tip;
    tip.points = {{to.x + x, to.y + y},
                  {to.x - head * x - head / 2 * y, to.y - head * y + head / 2 * x},
                  {to.x - head * x + head / 2 * y, to.y - head * y - head / 2 * x}};
    tip.closed = true;
    tip.fill = colour;
    tip.stroke.reset();
    drawing.add(tip);
    write(drawing, {to.x + 4 * x, to.y + 4 * y + 1.2}, name, colour);
}

/// A template of the plane: a long arm along x, a short one along y, its box with the tick that
/// views draw.
void drawFlat(io::Drawing& drawing, DrawingPoint at, const rotation::Pose& pose, bool pale) {
    const rotation::Matrix m = rotation::matrixOf(pose);
    const auto placed = [&](double x, double y) {
        return DrawingPoint{at.x + m[0] * x + m[1] * y, at.y + m[3] * x + m[4] * y};
    };
    io::DrawnPath box;
    box.points = {placed(-14, -9), placed(14, -9), placed(14, 9), placed(-14, 9)};
    box.closed = true;
    box.stroke = pale ? kPale : kGrey;
    box.width = 0.5;
    box.dashed = pale;
    drawing.add(box);
    drawing.line(placed(0, -9), placed(0, -4.5), *box.stroke, 0.5);
    drawing.line(at, placed(12, 0), pale ? kPale : kLong, 1.6);
    drawing.line(at, placed(0, 6.5), pale ? kPale : kMiddle, 1.6);
}

/// A template of space in the axes of the scene: x to the right, y down, z away.
void drawSpace(io::Drawing& drawing, DrawingPoint at, const rotation::Quaternion& turn,
               const std::string& title, const std::string& angle) {
    const auto shown = [&](const base::Point& p) {
        return DrawingPoint{at.x + p[0] + 0.5 * p[2], at.y + p[1] - 0.4 * p[2]};
    };
    const std::array<std::string, 3> names{"x", "y", "z"};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        base::Point end{};
        end[axis] = axis == 1 ? 13 : 15;
        arrow(drawing, at, shown(end), kGrey, 0.4, names[axis]);
    }
    const rotation::Matrix m = rotation::matrixOf(turn);
    const std::array<double, 3> lengths{13, 9.5, 7};
    const std::array<match::Colour, 3> colours{kLong, kMiddle, kShort};
    for (std::size_t arm = 0; arm < 3; ++arm) {
        const DrawingPoint end =
            shown({m[arm] * lengths[arm], m[3 + arm] * lengths[arm], m[6 + arm] * lengths[arm]});
        drawing.line(at, end, colours[arm], 1.6);
        io::DrawnDisc disc{end, 1};
        disc.fill = colours[arm];
        disc.stroke.reset();
        drawing.add(disc);
    }
    write(drawing, {at.x, at.y + 24.5}, title, io::kBlack, true);
    write(drawing, {at.x, at.y + 29}, angle);
}

io::Drawing picture() {
    io::Drawing drawing{168, 106};
    drawing.box(0, 0, 168, 106, io::kWhite);
    // In the plane: as it is, turned, and mirrored before it is turned.
    const double degrees = 30;
    const std::array<rotation::Pose, 3> poses{rotation::Pose{},
                                              rotation::Pose{rotation::inPlane(degrees), 1, false},
                                              rotation::Pose{rotation::inPlane(degrees), 1, true}};
    const std::array<std::string, 3> titles{"the template", "rotation 30", "mirror 1, rotation 30"};
    for (std::size_t i = 0; i < 3; ++i) {
        const DrawingPoint at{33 + 52.0 * static_cast<double>(i), 22};
        if (i > 0) {
            drawFlat(drawing, at, {rotation::Quaternion{}, 1, i == 2}, true);
            io::DrawnPath arc;
            const double side = i == 2 ? 180 : 0;
            for (double angle = 0; angle <= degrees; angle += 2) {
                const double radians = (angle + side) * std::acos(-1.0) / 180;
                arc.points.push_back(
                    {at.x + 17 * std::cos(radians), at.y - 17 * std::sin(radians)});
            }
            arc.width = 0.6;
            drawing.add(arc);
            const DrawingPoint last = arc.points.back();
            const DrawingPoint before = arc.points[arc.points.size() - 3];
            arrow(drawing, before, last, io::kBlack, 0.6, "");
        } else {
            arrow(drawing, {6, 8}, {16, 8}, kGrey, 0.4, "x");
            arrow(drawing, {6, 8}, {6, 18}, kGrey, 0.4, "y");
        }
        drawFlat(drawing, at, poses[i], false);
        write(drawing, {at.x, 43}, titles[i], io::kBlack, true);
    }
    drawing.line({4, 48}, {164, 48}, kPale, 0.4);
    // In space: the three turns of RELION's angles, one after the other.
    const double rot = 40;
    const double tilt = 50;
    const double psi = 20;
    const base::Point z{0, 0, 1};
    const rotation::Quaternion first = rotation::aboutAxis(z, -rot);
    const rotation::Quaternion second =
        rotation::product(rotation::aboutAxis({0, 1, 0}, -tilt), first);
    const rotation::Quaternion third = rotation::product(rotation::aboutAxis(z, -psi), second);
    drawSpace(drawing, {18, 70}, {}, "the template", "");
    drawSpace(drawing, {60, 70}, first, "about z by -rot", "rot = 40");
    drawSpace(drawing, {102, 70}, second, "then about y by -tilt", "tilt = 50");
    drawSpace(drawing, {144, 70}, third, "then about z by -psi", "psi = 20");
    return drawing;
}

std::vector<double> greysOf(const std::filesystem::path& file) {
    const auto image = job::loadImage(file, {}, {});
    std::vector<double> greys;
    const base::Extents n = image->extents();
    for (std::int64_t i = 0; i < base::voxelCount(n); ++i) {
        greys.push_back(base::valueAt(base::viewOf(image->pixels), {i % n.x, i / n.x, 0}));
    }
    return greys;
}

} // namespace

class AnglesPictureTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    static void theAnglesAreThoseOfRelion() {
        const rotation::Quaternion turn =
            rotation::product(rotation::aboutAxis({0, 0, 1}, -20),
                              rotation::product(rotation::aboutAxis({0, 1, 0}, -50),
                                                rotation::aboutAxis({0, 0, 1}, -40)));
        QVERIFY(rotation::angleBetween(turn, rotation::fromEuler({40, 50, 20})) < 1e-6);
    }

    static void thePictureOfTheManualIsThisOne() {
        const test::Folder folder;
        const std::filesystem::path drawn = folder.path("angles.png");
        try {
            io::requireDrawable(drawn);
        } catch (const base::Error& error) {
            QSKIP(error.what());
        }
        io::AtomicFile file{drawn};
        io::writeDrawing(file, picture());
        file.commit();
        if (const QString kept = qEnvironmentVariable("FLCC_PICTURES"); !kept.isEmpty()) {
            std::filesystem::copy_file(drawn,
                                       std::filesystem::path(kept.toStdString()) / "angles.png",
                                       std::filesystem::copy_options::overwrite_existing);
        }
        // Fonts differ a little from machine to machine.
        const std::vector<double> now = greysOf(drawn);
        const std::vector<double> then =
            greysOf(FLCC_SOURCE "/resources/manual/pictures/angles.png");
        QCOMPARE(now.size(), then.size());
        std::size_t others = 0;
        for (std::size_t i = 0; i < now.size(); ++i) {
            others += std::abs(now[i] - then[i]) > 40 ? 1U : 0U;
        }
        QVERIFY2(others < now.size() / 50, qPrintable(QString::number(others)));
    }
};

const flcc::test::TestClass<AnglesPictureTest> kAnglesPictureTest;
#include "angles_picture_test.moc"
