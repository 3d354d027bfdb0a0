#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;

namespace {

const std::filesystem::path kPictures = "/usr/lib/python3/dist-packages/skimage/data";
const std::filesystem::path kVolumes = "/usr/share/mricron/templates";

} // namespace

/// Files that other programs wrote: the packages python3-skimage and mricron-data.
class RealFileTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void picturesHaveTheirKnownSizeAndSum_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        QTest::addColumn<int>("components");
        QTest::addColumn<double>("sum"); // of the first component, by another reader
        QTest::newRow("camera.png") << "camera.png" << 512 << 512 << 1 << 33832495.0;
        QTest::newRow("coins.png") << "coins.png" << 384 << 303 << 1 << 11269333.0;
        QTest::newRow("page.png") << "page.png" << 384 << 191 << 1 << 12581784.0;
        QTest::newRow("astronaut.png") << "astronaut.png" << 512 << 512 << 3 << 37109758.0;
        QTest::newRow("horse.png") << "horse.png" << 400 << 328 << 4 << 22391924.0;
        QTest::newRow("chessboard_RGB.png")
            << "chessboard_RGB.png" << 200 << 200 << 3 << 1310700000.0;
        QTest::newRow("checker_bilevel.png") << "checker_bilevel.png" << 10 << 10 << 1 << 12750.0;
        QTest::newRow("chessboard_GRAY_U16.tif")
            << "chessboard_GRAY_U16.tif" << 200 << 200 << 1 << 5100000.0;
        QTest::newRow("chessboard_GRAY_U16B.tif")
            << "chessboard_GRAY_U16B.tif" << 200 << 200 << 1 << 5100000.0;
    }
    void picturesHaveTheirKnownSizeAndSum() {
        QFETCH(QString, name);
        QFETCH(int, width);
        QFETCH(int, height);
        QFETCH(int, components);
        QFETCH(double, sum);
        const auto path = kPictures / name.toStdString();
        if (!std::filesystem::exists(path)) {
            QSKIP("python3-skimage is not installed");
        }
        const io::LoadedImage loaded = io::readImage(path);
        QVERIFY((loaded.info.extents == base::Extents{width, height, 1}));
        QCOMPARE(loaded.info.components, components);
        const auto view = base::viewOf(loaded.components.front());
        double found = 0;
        for (std::int64_t y = 0; y < height; ++y) {
            for (std::int64_t x = 0; x < width; ++x) {
                found += base::valueAt(view, {x, y, 0});
            }
        }
        QCOMPARE(found, sum);
    }

    void aCutJpegIsRefused() {
        const auto path = kPictures / "rocket.jpg";
        if (!std::filesystem::exists(path)) {
            QSKIP("python3-skimage is not installed");
        }
        const test::Bytes whole = test::readFile(path);
        const QTemporaryDir folder;
        const auto cut = std::filesystem::path(folder.path().toStdString()) / "cut.jpg";
        for (std::size_t length = 100; length < whole.size() - 1; length += whole.size() / 40) {
            test::writeFile(cut, test::Bytes(whole.begin(),
                                             whole.begin() + static_cast<std::ptrdiff_t>(length)));
            const auto error = test::errorOf([&] { (void)io::readImage(cut); });
            QVERIFY(error && error->code() == base::ErrorCode::Input);
        }
    }

    /// Origins and directions that nibabel gives for the same files, in left-posterior-superior.
    void templatesLieWhereTheyLay_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("spacing");
        QTest::addColumn<QList<double>>("origin");
        QTest::addColumn<QList<double>>("diagonal"); // of the direction
        using List = QList<double>;
        QTest::newRow("both, half a turn")
            << "AICHAmc" << 2.0 << List{-90, 126, -72} << List{1, -1, 1};
        QTest::newRow("both, the quaternion left-handed")
            << "JHU-WhiteMatter-labels-1mm" << 1.0 << List{91, 126, -72} << List{-1, -1, 1};
        QTest::newRow("no quaternion") << "aal" << 1.0 << List{90, 125, -71} << List{-1, -1, 1};
        QTest::newRow("scanner") << "ch2better" << 0.5 << List{75, 107, -69.5} << List{-1, -1, 1};
        QTest::newRow("scanner's matrix")
            << "inia19-t1-brain" << 0.5 << List{42, 57.5, -30} << List{-1, -1, 1};
        QTest::newRow("both, the quaternion at the origin")
            << "jhu189" << 1.0 << List{-78, 112, -50} << List{1, -1, 1};
        QTest::newRow("both, without offset in the quaternion")
            << "natbrainlab" << 1.0 << List{-78, 112, -50} << List{1, -1, 1};
    }
    void templatesLieWhereTheyLay() {
        QFETCH(QString, name);
        QFETCH(double, spacing);
        QFETCH(QList<double>, origin);
        QFETCH(QList<double>, diagonal);
        const auto path = kVolumes / (name.toStdString() + ".nii.gz");
        if (!std::filesystem::exists(path)) {
            QSKIP("mricron-data is not installed");
        }
        const base::Geometry grid = io::readImageInfo(path).geometry;
        for (int axis = 0; axis < 3; ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            QCOMPARE(grid.spacing[a], spacing);
            QCOMPARE(grid.origin[a], origin[axis]);
            for (std::size_t row = 0; row < 3; ++row) {
                QVERIFY(std::abs(grid.direction[3 * row + a] - (row == a ? diagonal[axis] : 0)) <
                        1e-6);
            }
        }
    }

    void aBrainIsReadWithItsGrid() {
        const auto path = kVolumes / "ch2bet.nii.gz";
        if (!std::filesystem::exists(path)) {
            QSKIP("mricron-data is not installed");
        }
        const io::LoadedImage loaded = io::readImage(path);
        QVERIFY((loaded.info.extents == base::Extents{181, 217, 181}));
        QCOMPARE(loaded.info.geometry.spacing, (base::Point{1, 1, 1}));
        QCOMPARE(loaded.info.geometry.unit, std::string("mm"));
        const auto& image = std::get<base::Image<std::uint8_t>>(loaded.components.front());
        std::int64_t sum = 0;
        for (std::int64_t i = 0; i < image.count(); ++i) {
            sum += image.data()[i];
        }
        QCOMPARE(sum, std::int64_t{158526435});
    }
};

const flcc::test::TestClass<RealFileTest> kRealFileTest;
#include "real_file_test.moc"
