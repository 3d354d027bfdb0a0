#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::PixelType;

namespace {

/// A NIfTI file whose quaternion is a turn by `angle`, and whose matrix says the same.
test::NiftiRecipe turned(const std::array<double, 3>& axis, double angle, bool left) {
    test::NiftiRecipe recipe;
    recipe.sizes = {3, 4, 2};
    recipe.spacing = {0.5F, 0.75F, 2.0F};
    recipe.voxels = test::Bytes(48);
    recipe.handedness = left ? -1 : 1;
    recipe.offset = {10.5, -20.25, 3};
    const test::Matrix turn = test::rotation(axis, angle);
    for (std::size_t i = 0; i < 3; ++i) {
        recipe.quaternion[i] = axis[i] * std::sin(angle / 2);
        for (std::size_t j = 0; j < 3; ++j) {
            recipe.matrix[4 * i + j] =
                turn[i][j] * static_cast<double>(recipe.spacing[j]) * (left && j == 2 ? -1 : 1);
        }
        recipe.matrix[4 * i + 3] = recipe.offset[i];
    }
    return recipe;
}

/// Largest difference to a grid that is turned so, in left-posterior-superior.
double difference(const base::Geometry& grid, const test::Matrix& turn, bool left,
                  const std::array<double, 3>& offset, const base::Point& spacing) {
    double largest = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const double sign = i < 2 ? -1 : 1;
        largest = std::max({largest, std::abs(grid.origin[i] - sign * offset[i]),
                            std::abs(grid.spacing[i] - spacing[i])});
        for (std::size_t j = 0; j < 3; ++j) {
            const double expected = sign * turn[i][j] * (left && j == 2 ? -1 : 1);
            largest = std::max(largest, std::abs(grid.direction[3 * i + j] - expected));
        }
    }
    return largest;
}

const std::array<double, 3> kAxis{2.0 / 7, -3.0 / 7, 6.0 / 7};
constexpr std::array<double, 3> kOther{0.6, 0, 0.8};

} // namespace

class NiftiFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    base::Geometry gridOf(const test::NiftiRecipe& recipe) const {
        test::writeFile(at("g.nii"), test::makeNifti(recipe));
        return io::readImageInfo(at("g.nii")).geometry;
    }

  private Q_SLOTS:
    /// Which of the two says where the grid lies: the matrix, if it has a code.
    void theCodesChooseQuaternionOrMatrix_data() {
        QTest::addColumn<int>("qform");
        QTest::addColumn<int>("sform");
        QTest::addColumn<bool>("left");
        QTest::addColumn<bool>("second");
        QTest::addColumn<bool>("swapped");
        for (const int qform : {0, 1, 2, 4}) {
            for (const int sform : {0, 1, 2, 4}) {
                for (int kind = 0; kind < 8; ++kind) {
                    QTest::addRow("q%d s%d %d", qform, sform, kind)
                        << qform << sform << (kind % 2 == 1) << (kind / 2 % 2 == 1) << (kind >= 4);
                }
            }
        }
    }
    void theCodesChooseQuaternionOrMatrix() {
        QFETCH(int, qform);
        QFETCH(int, sform);
        QFETCH(bool, left);
        QFETCH(bool, second);
        QFETCH(bool, swapped);
        test::NiftiRecipe recipe = turned(kAxis, 2.1, left);
        recipe.matrix = turned(kOther, 0.4, left).matrix; // another place than the quaternion's
        recipe.matrix[3] = 77;
        recipe.qform = qform;
        recipe.sform = sform;
        recipe.second = second;
        recipe.turned = swapped;
        const base::Geometry grid = gridOf(recipe);
        const base::Point spacing{0.5, 0.75, 2};
        if (qform == 0 && sform == 0) {
            base::Geometry plain;
            plain.spacing = spacing;
            plain.unit = "mm";
            plain.unitSource = base::UnitSource::Header;
            QVERIFY(grid == plain);
            return;
        }
        const bool matrix = sform > 0;
        const std::vector<std::string> notes = io::readImageInfo(at("g.nii")).notes;
        const bool both = sform > 0 && qform > 0;
        QCOMPARE(notes.size(), std::size_t{both ? 1U : 0U}); // they differ
        QVERIFY(!both || notes.front().find("sform was taken") != std::string::npos);
        const double off =
            matrix ? difference(grid, test::rotation(kOther, 0.4), left, {77, -20.25, 3}, spacing)
                   : difference(grid, test::rotation(kAxis, 2.1), left, {10.5, -20.25, 3}, spacing);
        QVERIFY2(off < (second ? 1e-12 : 1e-6), qPrintable(QString::number(off)));
    }

    void halfATurnIsNoDivisionByZero() {
        const double pi = std::acos(-1.0);
        for (const auto& axis : {kAxis, kOther, std::array<double, 3>{0, 1, 0}}) {
            test::NiftiRecipe recipe = turned(axis, pi, false);
            recipe.qform = 1;
            const double off = difference(gridOf(recipe), test::rotation(axis, pi), false,
                                          recipe.offset, {0.5, 0.75, 2});
            QVERIFY2(off < 1e-6, qPrintable(QString::number(off)));
        }
    }

    void aMatrixWithoutRightAnglesIsTakenAsItIs() {
        test::NiftiRecipe recipe = turned(kAxis, 2.1, false);
        for (std::size_t i = 0; i < 3; ++i) {
            recipe.matrix[4 * i + 1] += 0.3;
        }
        recipe.sform = 1;
        recipe.qform = 2;
        // Its columns count, lengths included.
        const base::Geometry grid = gridOf(recipe);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (std::size_t row = 0; row < 3; ++row) {
                const double step = grid.spacing[axis] * grid.direction[3 * row + axis];
                QVERIFY(std::abs(step - (row < 2 ? -1 : 1) * recipe.matrix[4 * row + axis]) < 1e-6);
            }
        }
        // Three axes in one plane are no grid: the quaternion counts, if there is one.
        for (std::size_t row = 0; row < 3; ++row) {
            recipe.matrix[4 * row + 1] = recipe.matrix[4 * row];
        }
        QVERIFY(difference(gridOf(recipe), test::rotation(kAxis, 2.1), false, recipe.offset,
                           {0.5, 0.75, 2}) < 1e-6);
        recipe.qform = 0;
        test::writeFile(at("flat.nii"), test::makeNifti(recipe));
        QVERIFY(test::errorOf([&] { (void)io::readImageInfo(at("flat.nii")); }));
    }

    void originAndSpacingHaveTheUnitOfTheHeader_data() {
        QTest::addColumn<int>("units");
        QTest::addColumn<QString>("unit");
        QTest::addColumn<double>("factor");
        QTest::newRow("none") << 0 << "mm" << 1.0;
        QTest::newRow("metre") << 1 << "mm" << 1000.0;
        QTest::newRow("millimetre") << 2 << "mm" << 1.0;
        QTest::newRow("micrometre") << 3 << "um" << 1.0;
        QTest::newRow("micrometre and seconds") << 3 + 8 << "um" << 1.0;
        QTest::newRow("seconds") << 8 << "mm" << 1.0;
    }
    void originAndSpacingHaveTheUnitOfTheHeader() {
        QFETCH(int, units);
        QFETCH(QString, unit);
        QFETCH(double, factor);
        for (const bool matrix : {false, true}) {
            test::NiftiRecipe recipe = turned(kAxis, 0, false);
            (matrix ? recipe.sform : recipe.qform) = 1;
            recipe.units = static_cast<char>(units);
            const base::Geometry grid = gridOf(recipe);
            QCOMPARE(grid.unit, unit.toStdString());
            QCOMPARE(grid.spacing, (base::Point{0.5 * factor, 0.75 * factor, 2 * factor}));
            QCOMPARE(grid.origin, (base::Point{-10.5 * factor, 20.25 * factor, 3 * factor}));
        }
    }

    void aPictureKeepsItsPlaceInSpace() {
        test::NiftiRecipe recipe = turned(kAxis, 0, false);
        recipe.sizes = {6, 4};
        recipe.sform = 1;
        base::Geometry grid = gridOf(recipe);
        QCOMPARE(grid.origin, (base::Point{-10.5, 20.25, 3}));
        QCOMPARE(grid.spacing, (base::Point{0.5, 0.75, 1}));
        QCOMPARE(grid.direction, (std::array<double, 9>{-1, 0, 0, 0, -1, 0, 0, 0, 1}));
        // Upright in space: the third axis is across it.
        recipe.matrix = {0, 0, 2, 7, 0.5, 0, 0, 8, 0, 0.75, 0, 9};
        grid = gridOf(recipe);
        QCOMPARE(grid.origin, (base::Point{-7, -8, 9}));
        QCOMPARE(grid.direction, (std::array<double, 9>{0, 0, -1, -1, 0, 0, 0, 1, 0}));
    }

    void axesBeyondTheThirdAreFramesOrChannels_data() {
        QTest::addColumn<QList<int>>("sizes");
        QTest::addColumn<int>("intent");
        QTest::addColumn<int>("frames");
        QTest::addColumn<int>("channels");
        QTest::newRow("time") << QList<int>{2, 2, 2, 3} << 0 << 3 << 1;
        QTest::newRow("more axes") << QList<int>{2, 2, 2, 3, 2, 1, 2} << 0 << 12 << 1;
        QTest::newRow("time of 1") << QList<int>{2, 2, 2, 1} << 0 << 1 << 1;
        QTest::newRow("vector") << QList<int>{2, 2, 2, 1, 3} << 1007 << 1 << 3;
        QTest::newRow("vector and time") << QList<int>{2, 2, 2, 2, 3} << 1007 << 2 << 3;
        QTest::newRow("symmetric matrix") << QList<int>{2, 2, 2, 1, 6} << 1005 << 1 << 6;
        QTest::newRow("another intent") << QList<int>{2, 2, 2, 1, 3} << 2003 << 3 << 1;
    }
    void axesBeyondTheThirdAreFramesOrChannels() {
        QFETCH(QList<int>, sizes);
        QFETCH(int, intent);
        QFETCH(int, frames);
        QFETCH(int, channels);
        test::NiftiRecipe recipe;
        std::int64_t count = 1;
        for (const int size : sizes) {
            recipe.sizes.push_back(static_cast<std::int16_t>(size));
            count *= size;
        }
        recipe.intent = intent;
        const base::AnyImage all = test::patternImage(PixelType::Int16, {count, 1, 1});
        recipe.voxels = test::voxelBytes(all);
        for (const bool second : {false, true}) {
            recipe.second = second;
            test::writeFile(at("a.nii"), test::makeNifti(recipe));
            const io::ImageInfo info = io::readImageInfo(at("a.nii"));
            QCOMPARE(info.frames, frames);
            QCOMPARE(info.channels, channels);
            QVERIFY((info.extents == base::Extents{2, 2, 2}));
            // Values of a vector lie one after the other, each with all frames.
            io::ReadOptions last;
            last.channel = channels - 1;
            last.frame = frames - 1;
            const auto loaded = io::readImage(at("a.nii"), last);
            QCOMPARE(base::valueAt(base::viewOf(loaded.components[0]), {1, 1, 1}),
                     base::valueAt(base::viewOf(all), {count - 1, 0, 0}));
        }
    }

    void bothVersionsReadInBothByteOrders() {
        const auto image = test::patternImage(PixelType::Float32, {7, 6, 5});
        test::NiftiRecipe recipe;
        recipe.sizes = {7, 6, 5};
        recipe.type = 16;
        recipe.bits = 32;
        recipe.spacing = {0.5F, 0.75F, 2};
        recipe.voxels = test::voxelBytes(image);
        for (int kind = 0; kind < 4; ++kind) {
            recipe.second = kind % 2 == 1;
            recipe.turned = kind >= 2;
            test::writeFile(at("b.nii"), test::makeNifti(recipe));
            test::writeFile(at("b.nii.gz"), test::gzip(test::makeNifti(recipe)));
            for (const char* name : {"b.nii", "b.nii.gz"}) {
                const io::LoadedImage loaded = io::readImage(at(name));
                QVERIFY(test::sameBits(loaded.components.front(), image));
                QCOMPARE(loaded.info.metadata.at("descrip"), std::string("descr"));
            }
        }
    }

    void everyBeginningOfAHeaderIsRefused() {
        for (int kind = 0; kind < 4; ++kind) {
            test::NiftiRecipe recipe = turned(kAxis, 1, false);
            recipe.second = kind % 2 == 1;
            const test::Bytes whole = test::makeNifti(recipe);
            for (std::size_t length = 1; length < whole.size(); ++length) {
                test::Bytes part(whole.begin(),
                                 whole.begin() + static_cast<std::ptrdiff_t>(length));
                part = kind >= 2 ? test::gzip(part) : part;
                test::writeFile(at(kind >= 2 ? "p.nii.gz" : "p.nii"), part);
                const auto error = test::errorOf(
                    [&] { (void)io::readImage(at(kind >= 2 ? "p.nii.gz" : "p.nii")); });
                QVERIFY2(error && error->code() == ErrorCode::Input,
                         qPrintable(QString::number(length)));
            }
        }
    }

    void lyingHeadersAreRefused_data() {
        QTest::addColumn<bool>("second");
        QTest::addColumn<int>("byte");
        QTest::addColumn<QByteArray>("value");
        const auto bytes = [](auto value) {
            return QByteArray(reinterpret_cast<const char*>(&value), sizeof(value));
        };
        const float nan = std::nanf("");
        QTest::newRow("zero extent") << false << 42 << bytes(std::int16_t{0});
        QTest::newRow("negative extent") << false << 44 << bytes(std::int16_t{-1});
        QTest::newRow("large extent") << false << 44 << bytes(std::int16_t{32767});
        QTest::newRow("no dimension") << false << 40 << bytes(std::int16_t{0});
        QTest::newRow("8 dimensions") << false << 40 << bytes(std::int16_t{8});
        QTest::newRow("NaN spacing") << false << 80 << bytes(nan);
        QTest::newRow("huge spacing") << false << 84 << bytes(1e30F);
        QTest::newRow("NaN offset") << false << 268 << bytes(nan);
        QTest::newRow("NaN matrix") << false << 324 << bytes(nan);
        QTest::newRow("infinite quaternion") << false << 256 << bytes(HUGE_VALF);
        QTest::newRow("complex") << false << 70 << bytes(std::int16_t{32});
        QTest::newRow("bits") << false << 70 << bytes(std::int16_t{1});
        QTest::newRow("matrices") << false << 68 << bytes(std::int16_t{1004});
        QTest::newRow("voxels far away") << false << 108 << bytes(1e15F);
        QTest::newRow("voxels in another file") << false << 344 << QByteArray("ni1");
        QTest::newRow("2: zero extent") << true << 24 << bytes(std::int64_t{0});
        QTest::newRow("2: negative extent") << true << 24 << bytes(std::int64_t{-5});
        QTest::newRow("2: 2^31-1") << true << 24 << bytes(std::int64_t{2147483647});
        QTest::newRow("2: huge extent") << true << 24 << bytes(std::int64_t{INT64_MAX});
        QTest::newRow("2: dimensions") << true << 16 << bytes(std::int64_t{INT64_MIN});
        QTest::newRow("2: NaN spacing") << true << 112 << bytes(std::nan(""));
        QTest::newRow("2: NaN offset") << true << 376 << bytes(std::nan(""));
        QTest::newRow("2: voxels far away") << true << 168 << bytes(std::int64_t{INT64_MAX});
    }
    void lyingHeadersAreRefused() {
        QFETCH(bool, second);
        QFETCH(int, byte);
        QFETCH(QByteArray, value);
        test::NiftiRecipe recipe = turned(kAxis, 1, false);
        recipe.second = second;
        test::Bytes file = test::makeNifti(recipe);
        test::writeFile(at("l.nii"), file);
        QVERIFY(!io::readImage(at("l.nii")).components.empty());
        std::copy(value.begin(), value.end(), file.begin() + byte);
        for (const char* name : {"l.nii", "l.nii.gz"}) {
            test::writeFile(at(name), std::string(name).ends_with("gz") ? test::gzip(file) : file);
            const auto error = test::errorOf([&] { (void)io::readImage(at(name)); });
            // Nothing but the magic makes a plain file a NIfTI file.
            QVERIFY(error && error->code() == ErrorCode::Input);
        }
    }

    void informationIsReadWithoutUnpackingTheVoxels() {
        const auto image = test::patternImage(PixelType::Int16, {60, 50, 40});
        test::NiftiRecipe recipe;
        recipe.sizes = {60, 50, 40};
        recipe.voxels = test::voxelBytes(image);
        test::Bytes file = test::gzip(test::makeNifti(recipe));
        test::writeFile(at("i.nii.gz"), file);
        QVERIFY(!io::readImageInfo(at("i.nii.gz")).complete);
        QVERIFY(io::verifyImage(at("i.nii.gz")).complete);
        // Cut off or damaged: the header is there, the voxels are refused.
        const test::Bytes cut(file.begin(), file.end() - 1000);
        file[file.size() / 2] ^= 1U;
        for (const test::Bytes& bad : {cut, file}) {
            test::writeFile(at("i.nii.gz"), bad);
            const io::ImageInfo info = io::readImageInfo(at("i.nii.gz"));
            QVERIFY((info.extents == base::Extents{60, 50, 40}));
            QVERIFY(!info.complete);
            for (const bool verify : {false, true}) {
                const auto error = test::errorOf([&] {
                    verify ? (void)io::verifyImage(at("i.nii.gz"))
                           : (void)io::readImage(at("i.nii.gz"));
                });
                QVERIFY(error && error->code() == ErrorCode::Input);
            }
        }
    }

    void aFrameOfACutSeriesIsRefused() {
        test::NiftiRecipe recipe;
        recipe.sizes = {60, 50, 4, 10};
        recipe.voxels = test::voxelBytes(test::patternImage(PixelType::Int16, {60, 50, 40}));
        const test::Bytes file = test::gzip(test::makeNifti(recipe));
        test::writeFile(at("s.nii.gz"), file);
        QVERIFY(!io::readImage(at("s.nii.gz"), {.frame = 0}).components.empty());
        test::writeFile(at("s.nii.gz"), test::Bytes(file.begin(), file.end() - 1000));
        const auto error =
            test::errorOf([&] { (void)io::readImage(at("s.nii.gz"), {.frame = 0}); });
        QVERIFY(error && error->code() == ErrorCode::Input);
    }
};

const flcc::test::TestClass<NiftiFileTest> kNiftiFileTest;
#include "nifti_file_test.moc"
