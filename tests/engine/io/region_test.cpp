#include <QTemporaryDir>
#include <QtTest>

#include <fstream>
#include <functional>
#include <numeric>

#include "engine/io/image_file.h"
#include "engine/io/process/reader_process.h"
#include "engine/io/stack_reader.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;
using io::RegionAccess;

namespace {

constexpr base::Extents kExtents{9, 7, 5};

/// A number for every voxel, component or channel, and frame.
std::int64_t numberOf(const base::Index& at, std::int64_t part, std::int64_t frame) {
    return at.x + 9 * at.y + 63 * at.z + 315 * part + 1000 * frame;
}

/// Boxes at corners, edges and inside; whole rows, columns and slices.
const std::vector<base::Box> kBoxes{
    {{0, 0, 0}, kExtents},  {{8, 6, 4}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}, {{2, 3, 1}, {4, 2, 3}},
    {{0, 2, 0}, {9, 1, 5}}, {{4, 0, 0}, {1, 7, 5}}, {{0, 0, 3}, {9, 7, 1}}, {{1, 1, 0}, {8, 6, 5}},
    {{8, 0, 2}, {1, 7, 1}}, {{3, 5, 0}, {2, 2, 5}}};

/// int16 voxels in the order of the axes: x 0, y 1, z 2, channel 3, frame 4; the fastest first.
test::Bytes voxelsIn(const std::vector<int>& order, const std::array<std::int64_t, 5>& sizes,
                     bool turned) {
    test::ByteWriter out(turned);
    std::int64_t count = 1;
    for (const int axis : order) {
        count *= sizes[static_cast<std::size_t>(axis)];
    }
    for (std::int64_t i = 0; i < count; ++i) {
        std::array<std::int64_t, 5> at{};
        std::int64_t left = i;
        for (const int axis : order) {
            const auto a = static_cast<std::size_t>(axis);
            at[a] = left % sizes[a];
            left /= sizes[a];
        }
        out.put(static_cast<std::int16_t>(numberOf({at[0], at[1], at[2]}, at[3], at[4])));
    }
    return out.bytes;
}

} // namespace

/// readRegion() gives what lies in the box, whatever the format.
class RegionTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

    static void verifyBoxes(const std::filesystem::path& path, RegionAccess access,
                            const std::function<double(const base::Index&, int, int)>& right,
                            int channels = 1, int frames = 1, int components = 1) {
        const io::ImageInfo info = io::readImageInfo(path);
        QVERIFY(info.regions == access);
        QVERIFY(info.extents == kExtents);
        QCOMPARE(info.channels, channels);
        QCOMPARE(info.frames, frames);
        QCOMPARE(info.components, components);
        for (const base::Box& box : kBoxes) {
            for (int frame = 0; frame < frames; ++frame) {
                for (int channel = 0; channel < channels; ++channel) {
                    io::ReadOptions options{.channel = channel, .frame = frame};
                    const io::LoadedImage part = io::readRegion(path, box, options);
                    options.reading.part = box;
                    verifyPart(path, options, part);
                    QVERIFY(part.info.extents == box.extents);
                    QVERIFY(
                        part.info.geometry ==
                        base::movedTo(info.geometry, {1.0 * static_cast<double>(box.corner.x),
                                                      1.0 * static_cast<double>(box.corner.y),
                                                      1.0 * static_cast<double>(box.corner.z)}));
                    QCOMPARE(part.components.size(), static_cast<std::size_t>(components));
                    for (int c = 0; c < components; ++c) {
                        const auto& image = part.components[static_cast<std::size_t>(c)];
                        QVERIFY(base::extentsOf(image) == box.extents);
                        const base::AnyView view = base::viewOf(image);
                        const base::Extents& n = box.extents;
                        for (std::int64_t i = 0; i < base::voxelCount(n); ++i) {
                            const base::Index in{i % n.x, i / n.x % n.y, i / n.x / n.y};
                            const base::Index whole{box.corner.x + in.x, box.corner.y + in.y,
                                                    box.corner.z + in.z};
                            QCOMPARE(base::valueAt(view, in),
                                     right(whole, components > 1 ? c : channel, frame));
                        }
                    }
                }
            }
        }
    }

    /// The part as the image of the file: its header, its pixels, its slices and a box of it.
    static void verifyPart(const std::filesystem::path& path, const io::ReadOptions& options,
                           const io::LoadedImage& right) {
        const base::Extents& n = right.info.extents;
        const io::ImageInfo info = io::readImageInfo(path, {}, options.reading);
        QVERIFY(info.extents == n && info.geometry == right.info.geometry);
        const io::LoadedImage whole = io::readImage(path, options);
        QVERIFY(whole.info.extents == n && whole.info.geometry == right.info.geometry);
        QCOMPARE(whole.components.size(), right.components.size());
        const base::Box last{{n.x - 1, n.y - 1, n.z - 1}, {1, 1, 1}};
        const io::LoadedImage corner = io::readRegion(path, last, options);
        for (std::size_t i = 0; i < right.components.size(); ++i) {
            QVERIFY(test::sameBits(whole.components[i], right.components[i]));
            QCOMPARE(base::valueAt(base::viewOf(corner.components[i]), {0, 0, 0}),
                     base::valueAt(base::viewOf(right.components[i]), last.corner));
        }
        const auto error = test::errorOf([&] {
            (void)io::readRegion(path, {{0, 0, 0}, {n.x + 1, 1, 1}}, options);
        });
        QVERIFY(error && error->code() == base::ErrorCode::Problem);
    }

    static double plainValue(const base::Index& place, int part, int frame) {
        return static_cast<double>(numberOf(place, part, frame));
    }

  private Q_SLOTS:
    void initTestCase() { io::detail::readerSetup().program = FLCC_READER; }

    void metaImage() {
        for (const bool turned : {false, true}) {
            const std::string order = turned ? "BinaryDataByteOrderMSB = True\n" : "";
            const std::string header = "ObjectType = Image\n" + order +
                                       "NDims = 4\nDimSize = 9 7 5 2\nElementSpacing = 2 3 4 1\n"
                                       "ElementNumberOfChannels = 3\nElementType = MET_SHORT\n";
            const test::Bytes voxels = voxelsIn({3, 0, 1, 2, 4}, {9, 7, 5, 3, 2}, turned);
            // int16 with 3 values are colours.
            test::writeFile(at("m.mha"),
                            test::joined(header + "ElementDataFile = LOCAL\n", voxels));
            verifyBoxes(at("m.mha"), RegionAccess::Box, plainValue, 1, 2, 3);
            test::writeFile(at("m.mhd"), header + "ElementDataFile = LIST 3\na.raw\nb.raw\n");
            const auto half = static_cast<std::ptrdiff_t>(voxels.size() / 2);
            test::writeFile(at("a.raw"), test::Bytes(voxels.begin(), voxels.begin() + half));
            test::writeFile(at("b.raw"), test::Bytes(voxels.begin() + half, voxels.end()));
            verifyBoxes(at("m.mhd"), RegionAccess::Box, plainValue, 1, 2, 3);
            test::writeFile(
                at("m.mha"),
                test::joined(header + "CompressedData = True\nElementDataFile = LOCAL\n",
                             test::deflated(voxels)));
            verifyBoxes(at("m.mha"), RegionAccess::Stream, plainValue, 1, 2, 3);
        }
    }

    void nrrdInEveryOrderOfItsAxes_data() {
        QTest::addColumn<QList<int>>("order");
        QList<int> order{0, 1, 2, 3, 4};
        do {
            // x, y and z stand in their order.
            if (order.indexOf(0) < order.indexOf(1) && order.indexOf(1) < order.indexOf(2)) {
                QTest::addRow("%d%d%d%d%d", order[0], order[1], order[2], order[3], order[4])
                    << order;
            }
        } while (std::next_permutation(order.begin(), order.end()));
    }
    void nrrdInEveryOrderOfItsAxes() {
        QFETCH(QList<int>, order);
        const std::array<std::int64_t, 5> sizes{9, 7, 5, 2, 2};
        const std::vector<int> axes(order.begin(), order.end());
        std::string lengths;
        std::string kinds;
        for (const int axis : axes) {
            lengths += " " + std::to_string(sizes[static_cast<std::size_t>(axis)]);
            kinds += axis < 3 ? " space" : axis == 3 ? " list" : " time";
        }
        const std::string header = "NRRD0004\ntype: int16\ndimension: 5\nsizes:" + lengths +
                                   "\nkinds:" + kinds + "\nendian: big\nencoding: ";
        const test::Bytes voxels = voxelsIn(axes, sizes, true);
        test::writeFile(at("n.nrrd"), test::joined(header + "raw\n\n", voxels));
        verifyBoxes(at("n.nrrd"), RegionAccess::Box, plainValue, 2, 2);
        test::writeFile(at("n.nrrd"), test::joined(header + "gzip\n\n", test::gzip(voxels)));
        verifyBoxes(at("n.nrrd"), RegionAccess::Stream, plainValue, 2, 2);
    }

    void niftiWithVectorsAndASlope() {
        for (const bool turned : {false, true}) {
            test::NiftiRecipe recipe;
            recipe.sizes = {9, 7, 5, 2, 3};
            recipe.intent = 1007;
            recipe.slope = 0.5F;
            recipe.turned = turned;
            recipe.voxels = voxelsIn({0, 1, 2, 4, 3}, {9, 7, 5, 3, 2}, false);
            test::writeFile(at("f.nii"), test::makeNifti(recipe));
            const auto right = [](const base::Index& place, int part, int frame) {
                return 0.5 * plainValue(place, part, frame);
            };
            verifyBoxes(at("f.nii"), RegionAccess::Box, right, 3, 2);
            test::writeFile(at("f.nii.gz"), test::gzip(test::makeNifti(recipe)));
            verifyBoxes(at("f.nii.gz"), RegionAccess::Stream, right, 3, 2);
        }
    }

    void mrcInEveryOrderOfItsAxes_data() {
        QTest::addColumn<QList<int>>("order");
        QList<int> order{0, 1, 2};
        do {
            QTest::addRow("%d%d%d", order[0], order[1], order[2]) << order;
        } while (std::next_permutation(order.begin(), order.end()));
    }
    void mrcInEveryOrderOfItsAxes() {
        QFETCH(QList<int>, order);
        const std::array<std::int64_t, 5> sizes{9, 7, 5, 1, 1};
        std::array<std::int64_t, 3> n{};
        for (std::size_t i = 0; i < 3; ++i) {
            n[i] = sizes[static_cast<std::size_t>(order[static_cast<int>(i)])];
        }
        const std::vector<int> axes(order.begin(), order.end());
        for (const bool turned : {false, true}) {
            const auto write = [&](int mode, const test::Bytes& voxels) {
                test::Bytes file = test::makeMrc(mode, {n[0], n[1], n[2]}, {9, 9, 9}, {}, turned);
                for (std::size_t i = 0; i < 3; ++i) {
                    const test::Bytes axis =
                        test::ByteWriter(turned).put(order[static_cast<int>(i)] + 1).bytes;
                    std::copy(axis.begin(), axis.end(),
                              file.begin() + static_cast<std::ptrdiff_t>(64 + 4 * i));
                }
                file.insert(file.end(), voxels.begin(), voxels.end());
                test::writeFile(at("a.mrc"), file);
            };
            const test::Bytes voxels = voxelsIn(axes, sizes, turned);
            write(1, voxels);
            verifyBoxes(at("a.mrc"), RegionAccess::Box, plainValue);
            // Half precision: the bits are the integers, which are small subnormals.
            write(12, voxels);
            verifyBoxes(at("a.mrc"), RegionAccess::Box, [](const base::Index& place, int, int) {
                return std::ldexp(plainValue(place, 0, 0), -24);
            });
            // 4 bits; rows of 9, 7 or 5 columns fill whole bytes.
            const test::Bytes plain = voxelsIn(axes, sizes, false);
            test::Bytes nibbles;
            for (std::int64_t row = 0; row < n[1] * n[2]; ++row) {
                for (std::int64_t column = 0; column < n[0]; column += 2) {
                    const auto value = [&](std::int64_t c) {
                        return c < n[0] ? plain[static_cast<std::size_t>(2 * (row * n[0] + c))] & 15
                                        : 0;
                    };
                    nibbles.push_back(
                        static_cast<unsigned char>(value(column) + 16 * value(column + 1)));
                }
            }
            write(101, nibbles);
            verifyBoxes(at("a.mrc"), RegionAccess::Box, [](const base::Index& place, int, int) {
                return static_cast<double>(numberOf(place, 0, 0) % 16);
            });
        }
    }

    void voxelsWithoutAHeader() {
        for (const bool turned : {false, true}) {
            test::writeFile(at("v.raw"),
                            test::joined("12345", voxelsIn({0, 1, 2}, {9, 7, 5, 1, 1}, turned)));
            std::filesystem::path path = at("v.raw");
            path += std::string(":9x7x5:int16:") + (turned ? "be" : "le") + ":5";
            verifyBoxes(path, RegionAccess::Box, plainValue);
        }
    }

    void otherFormatsAreReadWholeAndCut() {
        base::AnyImage image = base::makeImage(PixelType::Int16, kExtents);
        auto* voxels = std::get<base::Image<std::int16_t>>(image).data();
        std::iota(voxels, voxels + base::voxelCount(kExtents), std::int16_t{0});
        QVERIFY(io::writeImage(at("w.tif"), base::viewOf(image), {}));
        verifyBoxes(at("w.tif"), RegionAccess::Whole, plainValue);
    }

    void vtkIsReadByItkInBoxes() {
#ifndef FLCC_ITK
        QSKIP("built without ITK");
#endif
        const std::string head =
            "# vtk DataFile Version 3.0\nv\nBINARY\nDATASET STRUCTURED_POINTS\n"
            "DIMENSIONS 9 7 5\nSPACING 2 3 4\nORIGIN 7 8 9\nPOINT_DATA 315\n";
        test::writeFile(at("v.vtk"), test::joined(head + "SCALARS s short\nLOOKUP_TABLE default\n",
                                                  voxelsIn({0, 1, 2}, {9, 7, 5, 1, 1}, true)));
        verifyBoxes(at("v.vtk"), RegionAccess::Box, plainValue);
        test::writeFile(at("v.vtk"), test::joined(head + "VECTORS v short\n",
                                                  voxelsIn({3, 0, 1, 2}, {9, 7, 5, 3, 1}, true)));
        verifyBoxes(at("v.vtk"), RegionAccess::Box, plainValue, 3);
        const auto tooLarge = test::errorOf(
            [&] { (void)io::readImage(at("v.vtk"), {.channel = 0, .maxBytes = 629}); });
        QVERIFY(tooLarge && tooLarge->code() == base::ErrorCode::Memory);
        QVERIFY(std::string(tooLarge->what()).find("choose a part of it") != std::string::npos);
        const base::Box box{{1, 1, 1}, {8, 6, 4}};
        (void)io::readRegion(at("v.vtk"), box, {.channel = 0, .maxBytes = 384});
        // Numbers in text have no places.
        std::string numbers;
        for (int i = 0; i < 315; ++i) {
            numbers += std::to_string(i) + "\n";
        }
        std::string text = head;
        text.replace(text.find("BINARY"), 6, "ASCII");
        test::writeFile(at("v.vtk"), text + "SCALARS s short\nLOOKUP_TABLE default\n" + numbers);
        verifyBoxes(at("v.vtk"), RegionAccess::Whole, plainValue);
    }

    void slicesOfAPart() {
        base::AnyImage image = base::makeImage(PixelType::Int16, kExtents);
        auto* voxels = std::get<base::Image<std::int16_t>>(image).data();
        std::iota(voxels, voxels + base::voxelCount(kExtents), std::int16_t{0});
        const base::Box box{{2, 3, 1}, {4, 2, 3}};
        std::vector<std::string> names{"s.tif", "s.mha", "s.nii.gz"};
#ifdef FLCC_ITK
        names.emplace_back("s.vtk");
        test::writeFile(at("s.vtk"),
                        test::joined("# vtk DataFile Version 3.0\nv\nBINARY\n"
                                     "DATASET STRUCTURED_POINTS\nDIMENSIONS 9 7 5\n"
                                     "POINT_DATA 315\nSCALARS s short\nLOOKUP_TABLE default\n",
                                     voxelsIn({0, 1, 2}, {9, 7, 5, 1, 1}, true)));
#endif
        for (const std::string& name : names) {
            if (!name.ends_with("vtk")) {
                QVERIFY(io::writeImage(at(name), base::viewOf(image), {}));
            }
            io::ReadOptions options;
            options.reading.part = box;
            io::StackReader stack(at(name), options);
            QCOMPARE(stack.count(), 3);
            for (int z = 0; z < 3; ++z) {
                const io::LoadedImage slice = stack.read(z);
                QVERIFY(slice.info.extents == (base::Extents{4, 2, 1}));
                QVERIFY(base::extentsOf(slice.components.at(0)) == (base::Extents{4, 2, 1}));
                QCOMPARE(base::valueAt(base::viewOf(slice.components[0]), {3, 1, 0}),
                         plainValue({5, 4, 1 + z}, 0, 0));
                QCOMPARE(slice.info.geometry.origin[2], 1.0 + z);
            }
        }
    }

    void aBoxOutsideIsRefused() {
        test::writeFile(at("o.mha"),
                        test::joined("NDims = 3\nDimSize = 9 7 5\nElementType = MET_SHORT\n"
                                     "ElementDataFile = LOCAL\n",
                                     test::Bytes(630)));
        for (const base::Box& box :
             {base::Box{{0, 0, 0}, {10, 1, 1}}, base::Box{{-1, 0, 0}, {1, 1, 1}},
              base::Box{{0, 0, 5}, {1, 1, 1}}, base::Box{{0, 0, 0}, {1, 0, 1}},
              base::Box{{INT64_MAX, 0, 0}, {1, 1, 1}}}) {
            const auto error = test::errorOf([&] { (void)io::readRegion(at("o.mha"), box); });
            QVERIFY(error && error->code() == base::ErrorCode::Problem);
        }
    }

    void aBoxOfAVolumeLargerThanTheMemoryIsRead() {
        // 40 GiB of float32 without blocks on the disk.
        constexpr std::int64_t kSide = 2048;
        constexpr std::int64_t kSlices = 2560;
        const auto path = at("large.raw");
        std::ofstream(path).close();
        std::error_code error;
        std::filesystem::resize_file(path, 4ULL * kSide * kSide * kSlices, error);
        if (error) {
            QSKIP("the file system has no room for a file of 40 GiB");
        }
        const base::Index far{2000, 1999, 2559};
        {
            std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
            file.seekp(4 * (far.x + kSide * (far.y + kSide * far.z)));
            const float value = 77;
            file.write(reinterpret_cast<const char*>(&value), sizeof(value));
        }
        std::filesystem::path name = path;
        name += ":2048x2048x2560:float32:le:0";
        const base::Box box{{far.x - 3, far.y - 4, far.z - 20}, {20, 30, 21}};
        const io::LoadedImage part = io::readRegion(name, box, {.maxBytes = 4 * 20 * 30 * 21});
        QCOMPARE(base::valueAt(base::viewOf(part.components[0]), {3, 4, 20}), 77.0);
        QCOMPARE(base::valueAt(base::viewOf(part.components[0]), {2, 4, 20}), 0.0);
        const auto tooLarge = test::errorOf(
            [&] { (void)io::readRegion(name, box, {.maxBytes = 4 * 20 * 30 * 21 - 1}); });
        QVERIFY(tooLarge && tooLarge->code() == base::ErrorCode::Memory);
        std::filesystem::remove(path);
    }
};

const flcc::test::TestClass<RegionTest> kRegionTest;
#include "region_test.moc"
