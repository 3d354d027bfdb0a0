#include <QTemporaryDir>
#include <QtTest>

#include "engine/base/geometry.h"
#include "engine/io/image_file.h"
#include "engine/io/process/reader_process.h"
#include "tests/engine/io/scanner_fixture.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using test::Bytes;

namespace {

#ifdef FLCC_ITK
constexpr bool kItk = true;
#else
constexpr bool kItk = false;
#endif

} // namespace

/// VTK legacy, GIPL, BioRad, Stimulate, Bruker, GE and Siemens.
class ItkFileTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path file(const std::string& name) const {
        return std::filesystem::path(m_folder->path().toStdString()) / name;
    }
    io::LoadedImage read(const std::string& name, const Bytes& bytes,
                         const io::ReadOptions& options = {}) const {
        test::writeFile(file(name), bytes);
        return io::readImage(file(name), options);
    }
    /// What reading says is wrong; a file that opens fails the test.
    std::string refusal(const std::string& name, const Bytes& bytes) const {
        test::writeFile(file(name), bytes);
        const auto error = test::errorOf([&] { (void)io::readImage(file(name)); });
        const auto header = test::errorOf([&] { (void)io::readImageInfo(file(name)); });
        return error && error->code() == base::ErrorCode::Input && header
                   ? error->what()
                   : (error ? "no refusal of the header: " : "opened");
    }
    /// Compares all voxels with the pattern, `add` beyond it.
    template <class Voxel>
    static void requireVoxels(const io::LoadedImage& image, const Extents& extents, PixelType type,
                              const std::string& format, double add = 0, double factor = 1) {
        QCOMPARE(image.info.format, format);
        QVERIFY2(image.info.extents == extents, base::toString(image.info.extents).c_str());
        QCOMPARE(image.info.pixel, type);
        QCOMPARE(image.components.size(), std::size_t{1});
        int i = 0;
        for (std::int64_t z = 0; z < extents.z; ++z) {
            for (std::int64_t y = 0; y < extents.y; ++y) {
                for (std::int64_t x = 0; x < extents.x; ++x, ++i) {
                    QCOMPARE(base::valueAt(base::viewOf(image.components[0]), {x, y, z}),
                             static_cast<double>(test::scannerValue<Voxel>(i)) * factor + add);
                }
            }
        }
    }
    static void requirePlace(const io::LoadedImage& image, const std::string& unit,
                             const base::Point& spacing = {0.5, 0.25, 2},
                             const base::Point& origin = {-1, 2, 3.5},
                             const std::array<double, 9>& direction = {1, 0, 0, 0, 1, 0, 0, 0, 1}) {
        const base::Geometry& geometry = image.info.geometry;
        QCOMPARE(geometry.unit, unit);
        for (std::size_t i = 0; i < 3; ++i) {
            QVERIFY2(std::abs(geometry.spacing[i] - spacing[i]) < 1e-6,
                     std::to_string(geometry.spacing[i]).c_str());
            QVERIFY2(std::abs(geometry.origin[i] - origin[i]) < 1e-6,
                     std::to_string(geometry.origin[i]).c_str());
        }
        for (std::size_t i = 0; i < 9; ++i) {
            QVERIFY2(std::abs(geometry.direction[i] - direction[i]) < 1e-6,
                     std::to_string(i).c_str());
        }
    }
    template <class Voxel> void vtkOfType(const std::string& word, PixelType type) const {
        const io::LoadedImage image =
            read("a.vtk", test::joined(test::vtkHead("SCALARS s " + word),
                                       test::scannerVoxels<Voxel>(30, true)));
        requireVoxels<Voxel>(image, {5, 3, 2}, type, "VTK legacy");
        requirePlace(image, "mm");
        QCOMPARE(image.info.geometry.unitSource, base::UnitSource::Missing);
    }
    template <class Voxel> void giplOfType(std::uint16_t number, PixelType type) const {
        Bytes bytes = test::giplHead({5, 3, 2, 1}, number);
        const Bytes voxels = test::scannerVoxels<Voxel>(30, true);
        bytes.insert(bytes.end(), voxels.begin(), voxels.end());
        for (const io::LoadedImage& image :
             {read("a.gipl", bytes), read("a.gipl.gz", test::gzip(bytes))}) {
            requireVoxels<Voxel>(image, {5, 3, 2}, type, "GIPL");
            requirePlace(image, "mm");
        }
    }

  private Q_SLOTS:
    void initTestCase() { io::detail::readerSetup().program = FLCC_READER; }
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        const bool without = qstrcmp(QTest::currentTestFunction(), "aBuildWithoutItkSaysSo") == 0;
        if (without == kItk) {
            QSKIP("of builds with ITK, or without");
        }
    }

    void vtkOfEveryType() {
        vtkOfType<std::uint8_t>("unsigned_char", PixelType::UInt8);
        vtkOfType<std::int8_t>("char", PixelType::Int8);
        vtkOfType<std::uint16_t>("unsigned_short", PixelType::UInt16);
        vtkOfType<std::int16_t>("short 1", PixelType::Int16);
        vtkOfType<std::int32_t>("int", PixelType::Int32);
        vtkOfType<std::int64_t>("long", PixelType::Int64);
        vtkOfType<float>("float", PixelType::Float32);
        vtkOfType<double>("double", PixelType::Float64);
    }

    void vtkOfTextColourAndVectors() {
        std::string numbers;
        for (int i = 0; i < 30; ++i) {
            numbers +=
                std::to_string(test::scannerValue<std::int16_t>(i)) + (i % 5 == 4 ? "\n" : " ");
        }
        const Bytes text = test::joined(test::vtkHead("SCALARS s short", "ASCII") + numbers, {});
        requireVoxels<std::int16_t>(read("a.vtk", text), {5, 3, 2}, PixelType::Int16, "VTK legacy");
        Bytes colours(90);
        for (std::size_t i = 0; i < 90; ++i) {
            colours[i] = static_cast<std::uint8_t>(i);
        }
        const io::LoadedImage colour =
            read("c.vtk", test::joined(test::vtkHead("COLOR_SCALARS c 3"), colours));
        QCOMPARE(colour.info.components, 3);
        QCOMPARE(base::valueAt(base::viewOf(colour.components.at(2)), {4, 0, 1}), 59.0);
        const Bytes vectors =
            test::joined(test::vtkHead("VECTORS v float"), test::scannerVoxels<float>(90, true));
        const io::LoadedImage second = read("v.vtk", vectors, {.channel = 1});
        QCOMPARE(second.info.channels, 3);
        QCOMPARE(base::valueAt(base::viewOf(second.components.at(0)), {2, 1, 0}),
                 static_cast<double>(test::scannerValue<float>(22)));
        // A picture; its lines end as those of Windows do.
        std::string head =
            "# vtk DataFile Version 2.0\r\na\r\nBINARY\r\nDATASET STRUCTURED_POINTS\r\n"
            "DIMENSIONS 6 5 1\r\nSPACING 3 4 5\r\nPOINT_DATA 30\r\nSCALARS s char\r\n"
            "LOOKUP_TABLE default\r\n";
        requireVoxels<std::int8_t>(
            read("d.vtk", test::joined(head, test::scannerVoxels<std::int8_t>(30, true))),
            {6, 5, 1}, PixelType::Int8, "VTK legacy");
    }

    void vtkThatItkMisreadsIsRefused() {
        const Bytes voxels = test::scannerVoxels<std::int16_t>(30, true);
        const auto why = [&](const std::string& head, std::size_t bytes = 60) {
            return refusal("a.vtk",
                           test::joined(head, Bytes(voxels.begin(),
                                                    voxels.begin() + static_cast<int>(bytes))));
        };
        const auto says = [](const std::string& sentence, const char* part) {
            QVERIFY2(sentence.find(part) != std::string::npos, sentence.c_str());
        };
        says(why(test::vtkHead("SCALARS s short"), 59), "60 bytes of voxels and 59 are there");
        says(why(test::vtkHead("SCALARS s short", "ASCII") + "1 2 3\n", 0), "truncated");
        says(why(test::vtkHead("SCALARS s short", "ASCII") + "1 nan 3\n", 0), "nan");
        says(why(test::vtkHead("SCALARS s char", "ASCII") + "300\n", 0), "does not fit");
        says(why(test::vtkHead("SCALARS s short", "BINARY", "SPACING 1 1\n")), "fewer than three");
        says(why(test::vtkHead("SCALARS s short", "BINARY", "CELL_DATA 8\n")), "cell_data");
        says(why(test::vtkHead("SCALARS s short", "BINARY", "POINT_DATA 29\n")), "contradict");
        says(why(test::vtkHead("SCALARS s bit")), "bit");
        says(why(test::vtkHead("TENSORS s float")), "tensors");
        says(why("# vtk DataFile Version 3.0\nt\nBINARY\nDATASET POLYDATA\nPOINTS 3 float\n"),
             "no image");
        says(why("# vtk DataFile Version 3.0\nt\nBINARY\nDATASET STRUCTURED_POINTS\n", 0),
             "truncated within its header");
        says(why(test::vtkHead("SCALARS origin short")), "ITK cannot read it");
        says(why(test::vtkHead("SCALARS vectors short")), "in another way");
        QVERIFY(test::errorOf([&] { (void)read("empty.vtk", {}); }).has_value());
    }

    void giplOfEveryType() {
        giplOfType<std::uint8_t>(8, PixelType::UInt8);
        giplOfType<std::int8_t>(7, PixelType::Int8);
        giplOfType<std::int16_t>(15, PixelType::Int16);
        giplOfType<std::uint16_t>(16, PixelType::UInt16);
        giplOfType<float>(64, PixelType::Float32);
        giplOfType<double>(65, PixelType::Float64);
    }

    void giplOfPicturesAndFrames() {
        const Bytes voxels = test::scannerVoxels<std::int16_t>(30, true);
        const auto gipl = [&](const std::array<std::uint16_t, 4>& sizes, std::uint16_t type = 15) {
            Bytes bytes = test::giplHead(sizes, type);
            bytes.insert(bytes.end(), voxels.begin(), voxels.end());
            return bytes;
        };
        requireVoxels<std::int16_t>(read("a.gipl", gipl({6, 5, 1, 1})), {6, 5, 1}, PixelType::Int16,
                                    "GIPL");
        const io::LoadedImage second = read("a.gipl", gipl({5, 1, 2, 3}), {.frame = 1});
        QCOMPARE(second.info.frames, 3);
        QCOMPARE(base::valueAt(base::viewOf(second.components.at(0)), {0, 0, 1}),
                 static_cast<double>(test::scannerValue<std::int16_t>(15)));
        Bytes cut = gipl({5, 3, 2, 1});
        cut.pop_back();
        QVERIFY(refusal("a.gipl", cut).find("60 bytes of voxels and 59") != std::string::npos);
        QVERIFY(refusal("a.gipl.gz", test::gzip(cut)).find("59 are there") != std::string::npos);
        Bytes half = test::gzip(gipl({5, 3, 2, 1}));
        half.resize(half.size() - 12);
        QVERIFY(refusal("a.gipl.gz", half).find("unpacked to its end") != std::string::npos);
        QVERIFY(refusal("b.gz", test::gzip(gipl({5, 3, 2, 1}))).find(".gipl.gz") !=
                std::string::npos);
        QVERIFY(refusal("a.gipl", gipl({5, 3, 1, 1}, 32)).find("type 32") != std::string::npos);
        QVERIFY(refusal("a.gipl", gipl({65535, 65535, 65535, 65535})).find("more voxels") !=
                std::string::npos);
        QVERIFY(test::holds(read("a.gipl", gipl({5, 3, 1, 1})).info.notes, "30 bytes behind"));
        cut.resize(256);
        QVERIFY(refusal("a.gipl", cut).find("truncated") != std::string::npos);
    }

    void bioRadWithNotes() {
        const auto file = [](bool oneByte, const Bytes& voxels, const std::vector<Bytes>& notes) {
            Bytes bytes = test::bioRadHead(5, 3, 2, oneByte, !notes.empty());
            bytes.insert(bytes.end(), voxels.begin(), voxels.end());
            for (const Bytes& note : notes) {
                bytes.insert(bytes.end(), note.begin(), note.end());
            }
            return bytes;
        };
        const Bytes bytes8 = test::scannerVoxels<std::uint8_t>(30, false);
        const Bytes bytes16 = test::scannerVoxels<std::uint16_t>(30, false);
        const std::vector<Bytes> notes{test::bioRadNote("AXIS_2 001 0.0 5.0e-01 microns"),
                                       test::bioRadNote("AXIS_3 257 0.0 0.25 microns"),
                                       test::bioRadNote("AXIS_4 1 0 2 microns"),
                                       test::bioRadNote("SCALE_FACTOR = 1.0")};
        requireVoxels<std::uint8_t>(read("a.pic", file(true, bytes8, {})), {5, 3, 2},
                                    PixelType::UInt8, "BioRad");
        QCOMPARE(read("a.pic", file(true, bytes8, {})).info.geometry.unit, std::string("px"));
        for (const io::LoadedImage& image : {read("a.pic", file(true, bytes8, notes)),
                                             read("no-extension", file(false, bytes16, notes))}) {
            requirePlace(image, "um", {0.5, 0.25, 2}, {0, 0, 0});
            QVERIFY(image.info.notes.empty());
        }
        requireVoxels<std::uint16_t>(read("a.pic", file(false, bytes16, notes)), {5, 3, 2},
                                     PixelType::UInt16, "BioRad");
        QVERIFY(test::holds(read("a.pic", file(false, bytes8, {})).info.notes,
                            "by its size it has one"));
        const Bytes timed = file(true, bytes8, {test::bioRadNote("AXIS_4 2 0 2 seconds")});
        QCOMPARE(read("a.pic", timed, {.frame = 1}).info.frames, 2);
        Bytes cut = file(false, bytes16, {});
        cut.pop_back();
        QVERIFY(refusal("a.pic", cut).find("59 are there") != std::string::npos);
        cut.resize(70);
        QVERIFY(refusal("a.pic", cut).find("within its header") != std::string::npos);
    }

    void stimulateWithItsVoxels() {
        const auto header = [&](const std::string& type, const std::string& places) {
            return test::joined("numDim: 3\ndim: 5 3 2\n" + places + "dataType: " + type + "\n",
                                {});
        };
        const std::string places = "origin: -1 2 3.5\ninterval: 0.5 0.25 2\n";
        test::writeFile(file("a.sdt"), test::scannerVoxels<std::int16_t>(30, true));
        const io::LoadedImage image = read("a.spr", header("WORD", places), {.digests = true});
        requireVoxels<std::int16_t>(image, {5, 3, 2}, PixelType::Int16, "Stimulate");
        requirePlace(image, "mm");
        QCOMPARE(image.files.size(), std::size_t{2});
        QVERIFY(io::filesBeside(file("a.spr")) == std::vector{file("a.sdt")});
        test::writeFile(file("a.spr.sdt"), test::scannerVoxels<float>(30, true)); // comes first
        requireVoxels<float>(read("a.spr", header("REAL", places)), {5, 3, 2}, PixelType::Float32,
                             "Stimulate");
        test::writeFile(file("b.sdt"), test::scannerVoxels<std::int8_t>(30, true));
        const std::string fov = "fov: 2.5 0.75 4\nstimFileName: b.sdt\n";
        const io::LoadedImage bytes = read("a.spr", header("BYTE", fov));
        requireVoxels<std::int8_t>(bytes, {5, 3, 2}, PixelType::Int8, "Stimulate");
        requirePlace(bytes, "mm", {0.5, 0.25, 2}, {-1, -0.25, -1});
        const auto why = [&](const Bytes& head, const char* part) {
            const std::string sentence = refusal("a.spr", head);
            QVERIFY2(sentence.find(part) != std::string::npos, sentence.c_str());
        };
        why(header("WORD", "stimFileName: b.sdt\n"), "30 are there");
        why(header("LWORD", places), "LWORD");
        why(header("REAL", places + "endian: ieee-le\n"), "low byte first");
        why(header("REAL", "stimFileName: ../b.sdt\n"), "another folder");
        why(header("REAL", "stimFileName: none.sdt\n"), "0 are there");
        why(header("REAL", "origin: 1 2\n"), "as many numbers");
        why(header("REAL", "interval:^ 1 2 3\n"), "may be damaged");
        std::filesystem::create_directory(file("sub"));
        test::writeFile(file("sub/c.sdt"), test::scannerVoxels<float>(30, true));
        std::filesystem::create_symlink(file("sub/c.sdt"), file("c.sdt"));
        why(header("REAL", "stimFileName: c.sdt\n"), "another folder");
        test::writeFile(file("dim.sdt"), test::scannerVoxels<float>(30, true));
        why(header("REAL", "stimFileName: dim.sdt\n"), "dim");
    }

    void brukerVolume() {
        const auto read2dseq = [&](const test::VisuPars& values, const Bytes& voxels) {
            test::writeFile(file("visu_pars"), test::visuPars(values));
            return read("2dseq", voxels, {.digests = true});
        };
        const Bytes little = test::scannerVoxels<std::int16_t>(30, false);
        test::VisuPars values;
        const io::LoadedImage plain = read2dseq(values, little);
        requireVoxels<std::int16_t>(plain, {5, 3, 2}, PixelType::Float32, "Bruker 2dseq", -3, 2);
        requirePlace(plain, "mm", {0.5, 0.25, 2}, {-1 + 0.25, 2 + 0.125, 3.5 + 1});
        QCOMPARE(plain.files.size(), std::size_t{2});
        values.order = "bigEndian";
        requireVoxels<std::int16_t>(read2dseq(values, test::scannerVoxels<std::int16_t>(30, true)),
                                    {5, 3, 2}, PixelType::Float32, "Bruker 2dseq", -3, 2);
        // The first axis runs along world y, the second along z, the third along x.
        values.order = "littleEndian";
        values.orientation = "( 1, 9 )\n0 1 0 0 0 1 \n1 0 0";
        requirePlace(read2dseq(values, little), "mm", {0.5, 0.25, 2},
                     {-1 + 1, 2 + 0.25, 3.5 + 0.125}, {0, 0, 1, 1, 0, 0, 0, 1, 0});
        values.orientation = "( 1, 9 )\n1 0 0 0 1 0";
        QVERIFY(refusal("2dseq", little) == "opened");
        const auto why = [&](const test::VisuPars& wrong, const char* part,
                             std::size_t bytes = 60) {
            test::writeFile(file("visu_pars"), test::visuPars(wrong));
            Bytes voxels = little;
            voxels.resize(bytes);
            const std::string sentence = refusal("2dseq", voxels);
            QVERIFY2(sentence.find(part) != std::string::npos, sentence.c_str());
        };
        why(values, "VisuCoreOrientation");
        values.orientation = "( 1, 9 )\n0 1 0 0 0 1\n1 0 0"; // ITK reads 11 for 1 and 1
        why(values, "VisuCoreOrientation of its file visu_pars has 8 numbers");
        why({}, "59 are there", 59);
        why({.frames = 2}, "VisuCoreDataSlope");
        why({.type = "_64BIT_FLOAT"}, "_64BIT_FLOAT");
        std::string cut = test::visuPars({});
        cut.resize(cut.rfind("##END"));
        test::writeFile(file("visu_pars"), cut);
        QVERIFY(refusal("2dseq", little).find("##END") != std::string::npos);
        std::filesystem::remove(file("visu_pars"));
        QVERIFY(refusal("2dseq", little).find("unknown") != std::string::npos);
    }

    void brukerSlices() {
        // Two echoes of three slices, the echoes first; slices run against their normal.
        test::VisuPars values{.axes = 2,
                              .frames = 6,
                              .size = "( 2 )\n5 1",
                              .extent = "( 2 )\n2.5 0.25",
                              .position = "( 3, 3 )\n-1 2 3.5 -1 2 1.5 -1 2 -0.5",
                              .orientation =
                                  "( 3, 9 )\n1 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 0 1 1 0 0 0 "
                                  "1 0 0 0 1",
                              .slope = "( 6 )\n1 1 1 1 1 1",
                              .offset = "( 6 )\n0 0 0 0 0 0",
                              .more = "##$VisuFGOrderDesc=( 2 )\n(2, <FG_ECHO>, <>, 0, 1) (3, "
                                      "<FG_SLICE>, <>, 1, 1)\n"};
        const Bytes voxels = test::scannerVoxels<std::int16_t>(30, false);
        test::writeFile(file("visu_pars"), test::visuPars(values));
        const io::LoadedImage second = read("2dseq", voxels, {.frame = 1});
        QCOMPARE(second.info.frames, 2);
        QVERIFY((second.info.extents == Extents{5, 1, 3}));
        for (int z = 0; z < 3; ++z) { // pictures 1, 3, 5
            QCOMPARE(base::valueAt(base::viewOf(second.components.at(0)), {3, 0, z}),
                     static_cast<double>(test::scannerValue<std::int16_t>(5 * (2 * z + 1) + 3)));
        }
        requirePlace(second, "mm", {0.5, 0.25, 2}, {-0.75, 2.125, 3.5},
                     {1, 0, 0, 0, 1, 0, 0, 0, -1});
        values.position = "( 3, 3 )\n-1 2 3.5 -1 2 1.5 -1 2 -2";
        test::writeFile(file("visu_pars"), test::visuPars(values));
        QVERIFY(refusal("2dseq", voxels).find("distances") != std::string::npos);
    }

    void slicesOfScannersAreOneVolume() {
        struct Case {
            const char* format;
            Bytes (*slice)(int);
            Extents extents;
            base::Point spacing;
            base::Point origin;
            std::array<double, 9> direction;
        };
        const std::array<double, 9> plain{1, 0, 0, 0, 1, 0, 0, 0, 1};
        const std::array<Case, 5> cases{
            {{"GE Signa 5.x",
              [](int i) { return test::ge5Slice(i); },
              {4, 3, 3},
              {0.5, 0.25, 2},
              {-10, -20, 10},
              plain},
             // The normal points down: slices are turned, so that the grid is right-handed.
             {"GE Signa 5.x",
              [](int i) { return test::ge5Slice(i, false, true); },
              {4, 3, 3},
              {0.5, 0.25, 2},
              {-10, -20, 10},
              plain},
             {"GE Signa 4.x",
              test::ge4Slice,
              {4, 3, 3},
              {0.75, 0.75, 1.5},
              {0, 0, 0},
              {1, 0, 0, 0, 0, -1, 0, -1, 0}},
             {"GE Advantage", test::geAdwSlice, {4, 3, 3}, {0.5, 0.25, 2}, {0, 0, 0}, plain},
             {"Siemens Vision",
              test::siemensSlice,
              {3, 3, 3},
              {0.5, 0.25, 2.5},
              {0, 0, 0},
              plain}}};
        for (const Case& each : cases) {
            m_folder = std::make_unique<QTemporaryDir>();
            test::writeFile(file("notes.txt"), std::string("not a slice"));
            for (const int number : {2, 0, 1}) {
                test::writeFile(file("s" + std::to_string(7 * (number + 1) % 5)),
                                each.slice(number));
            }
            const io::LoadedImage image = io::readImage(file("s2"), {.digests = true});
            QCOMPARE(image.info.format, std::string(each.format));
            QVERIFY2(image.info.extents == each.extents,
                     base::toString(image.info.extents).c_str());
            QCOMPARE(image.info.skippedFiles, std::int64_t{1});
            QCOMPARE(image.files.size(), std::size_t{3});
            requirePlace(image, "mm", each.spacing, each.origin, each.direction);
            for (int z = 0; z < 3; ++z) {
                QCOMPARE(
                    base::valueAt(base::viewOf(image.components.at(0)), {1, 2, z}),
                    test::scannerValue<std::int16_t>(static_cast<int>(1 + 2 * each.extents.x)) +
                        100.0 * z);
            }
            // Slice 3 is missing before slice 4; a file that is cut.
            test::writeFile(file("s4-more"), each.slice(4));
            const auto missing = test::errorOf([&] { (void)io::readImage(file("s2")); });
            QVERIFY(missing && std::string(missing->what()).find("missing") != std::string::npos);
            std::filesystem::remove(file("s4-more"));
            Bytes cut = each.slice(0);
            cut.pop_back();
            test::writeFile(file("s2"), cut);
            QVERIFY2(test::errorOf([&] { (void)io::readImage(file("s2")); }).has_value(),
                     each.format);
        }
    }

    void oneSliceHasTheThicknessOfItsHeader() {
        requirePlace(read("a", test::siemensSlice(1)), "mm", {0.5, 0.25, 2.5}, {0, 0, 0});
        requirePlace(read("b", test::ge5Slice(1)), "mm", {0.5, 0.25, 2}, {-10, -20, 12});
    }

    void ge5ThatIsSlantedIsRefused() {
        test::writeFile(file("a"), test::ge5Slice(0));
        Bytes slanted = test::ge5Slice(1);
        test::put(slanted, 4462 + 158, 21.0F, true); // the front of its first corner
        const std::string sentence = refusal("b", slanted);
        QVERIFY2(sentence.find("along their normal") != std::string::npos, sentence.c_str());
    }

    void ge5ThatIsPackedIsRefused() {
        const std::string sentence = refusal("a", test::ge5Slice(0, true));
        QVERIFY2(sentence.find("packed") != std::string::npos, sentence.c_str());
    }

    void aBuildWithoutItkSaysSo() {
        const Bytes bytes = test::joined(test::vtkHead("SCALARS s short"), Bytes(60));
        const std::string sentence = refusal("a.vtk", bytes);
        QVERIFY2(sentence.find("this build cannot read VTK legacy files (built without ITK)") !=
                     std::string::npos,
                 sentence.c_str());
        QVERIFY(io::imageLibraryVersion().find("no ITK") != std::string::npos);
        const auto& known = io::readableExtensions();
        QVERIFY(std::ranges::find(known, "gipl") == known.end());
    }
};

const flcc::test::TestClass<ItkFileTest> kItkFileTest;
#include "itk_file_test.moc"
