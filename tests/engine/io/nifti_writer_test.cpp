#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <random>

#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;

class NiftiWriterTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

  private Q_SLOTS:
    void whatIsWrittenLiesWhereItLay() {
        std::mt19937 random(3);
        std::uniform_real_distribution<double> part(-1, 1);
        const auto image = test::patternImage(PixelType::Float32, {5, 4, 3});
        for (int round = 0; round < 200; ++round) {
            std::array<double, 3> axis{part(random), part(random), part(random)};
            const double length = std::hypot(axis[0], axis[1], axis[2]);
            for (double& coordinate : axis) {
                coordinate /= length;
            }
            const test::Matrix turn = test::rotation(axis, 3.2 * part(random));
            const bool left = round % 2 == 1;
            base::Geometry grid;
            grid.unit = round % 3 == 0 ? "um" : "mm";
            grid.unitSource = base::UnitSource::Header;
            for (std::size_t i = 0; i < 3; ++i) {
                grid.origin[i] = 300 * part(random);
                grid.spacing[i] = 0.1 + std::abs(part(random));
                for (std::size_t j = 0; j < 3; ++j) {
                    grid.direction[3 * i + j] = turn[i][j] * (left && j == 0 ? -1 : 1);
                }
            }
            const auto path = at(round % 5 == 0 ? "w.nii.gz" : "w.nii");
            QVERIFY(io::writeImage(path, base::viewOf(image), grid)->empty());
            const test::Bytes bytes = test::readFile(path);
            base::Geometry read = io::readImageInfo(path).geometry;
            QCOMPARE(read.unit, grid.unit);
            const auto same = [&](double bound) {
                for (std::size_t i = 0; i < 3; ++i) {
                    QVERIFY(std::abs(read.origin[i] - grid.origin[i]) < 300 * bound);
                    QVERIFY(std::abs(read.spacing[i] - grid.spacing[i]) < 2 * bound);
                }
                for (std::size_t i = 0; i < 9; ++i) {
                    QVERIFY(std::abs(read.direction[i] - grid.direction[i]) < bound);
                }
            };
            same(2e-7);           // float32
            if (round % 5 != 0) { // the quaternion says the same
                test::Bytes other = bytes;
                other[254] = 0;
                test::writeFile(path, other);
                read = io::readImageInfo(path).geometry;
                same(1e-3); // near half a turn, float32 leaves no more
            }
        }
    }

    void skewedAxesAreWrittenAsAMatrix() {
        base::Geometry grid;
        grid.direction = {1, 0.6, 0, 0, 0.8, 0, 0, 0, 1};
        grid.spacing = {0.5, 2, 3};
        grid.unit = "mm";
        const auto image = test::patternImage(PixelType::UInt8, {5, 4, 3});
        QVERIFY(io::writeImage(at("k.nii"), base::viewOf(image), grid)->empty());
        const base::Geometry read = io::readImageInfo(at("k.nii")).geometry;
        for (std::size_t i = 0; i < 9; ++i) {
            QVERIFY(std::abs(read.direction[i] - grid.direction[i]) < 1e-6);
        }
        QVERIFY(std::abs(read.spacing[1] - 2) < 1e-6);
    }

    void longAxesAreWrittenAsNifti2() {
        const auto image = test::patternImage(PixelType::Int8, {40000, 2, 1});
        base::Geometry grid;
        grid.origin = {0.1, -1.0 / 3, 0};
        grid.spacing = {1.0 / 7, 0.3, 1};
        grid.unit = "um";
        grid.unitSource = base::UnitSource::Header;
        for (const char* name : {"n.nii", "n.nii.gz"}) {
            (void)io::writeImage(at(name), base::viewOf(image), grid);
            const io::LoadedImage loaded = io::readImage(at(name));
            QVERIFY(test::sameBits(loaded.components[0], image));
            QVERIFY(std::abs(loaded.info.geometry.origin[1] - grid.origin[1]) < 1e-15);
            QVERIFY(std::abs(loaded.info.geometry.spacing[0] - grid.spacing[0]) < 1e-15);
        }
        QCOMPARE(int{test::readFile(at("n.nii"))[0]}, 540 % 256);
    }

    void otherUnitsAreConverted() {
        const auto image = test::patternImage(PixelType::Int8, {4, 2, 2});
        base::Geometry grid;
        grid.unit = "A";
        grid.spacing = {2, 3, 4};
        grid.origin = {10, 20, 30};
        const auto said = io::writeImage(at("u.nii"), base::viewOf(image), grid);
        QCOMPARE(said->size(), std::size_t{1});
        const base::Geometry read = io::readImageInfo(at("u.nii")).geometry;
        QCOMPARE(read.unit, std::string("um"));
        QVERIFY(std::abs(read.spacing[1] - 3e-4) < 1e-10);
        QVERIFY(std::abs(read.origin[2] - 3e-3) < 1e-9);
    }
};

const flcc::test::TestClass<NiftiWriterTest> kNiftiWriterTest;
#include "nifti_writer_test.moc"
