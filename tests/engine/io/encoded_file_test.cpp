#include <QTemporaryDir>
#include <QtTest>

#include <fstream>
#include <string>

#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::PixelType;

namespace {

test::Bytes letters(const std::string& text) { return {text.begin(), text.end()}; }

std::string textOf(const base::AnyImage& image) {
    std::string text;
    const base::Extents n = base::extentsOf(image);
    for (std::int64_t i = 0; i < base::voxelCount(n); ++i) {
        const base::Index at{i % n.x, i / n.x % n.y, i / n.x / n.y};
        text += std::to_string(static_cast<int>(base::valueAt(base::viewOf(image), at)));
        text += i % 5 == 4 ? "\n" : i % 5 == 3 ? ", " : " ";
    }
    return text;
}

std::string hexOf(const test::Bytes& bytes) {
    constexpr char kDigits[] = "0123456789aBcDeF";
    std::string text;
    for (const unsigned char byte : bytes) {
        text += kDigits[byte >> 4U];
        text += kDigits[byte & 15U];
        text += text.size() % 60 < 2 ? "\n" : "";
    }
    return text;
}

/// Highest resident memory of this process, in bytes.
std::int64_t highestMemory() {
    std::ifstream in("/proc/self/status");
    std::int64_t kilobytes = 0;
    for (std::string word; in >> word;) {
        if (word == "VmHWM:") {
            in >> kilobytes;
        }
    }
    return kilobytes * 1024;
}

} // namespace

/// The ways in which headers place and pack their voxels.
class EncodedFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

  private Q_SLOTS:
    void nrrdEncodingsRead_data() {
        QTest::addColumn<QString>("encoding");
        QTest::addColumn<QString>("more");
        QTest::addColumn<QString>("before");
        QTest::newRow("raw") << "raw"
                             << "endian: little\n"
                             << "";
        QTest::newRow("raw, other order") << "raw"
                                          << "endian: big\n"
                                          << "";
        QTest::newRow("bytes before") << "raw"
                                      << "endian: little\nbyte skip: 7\n"
                                      << "1234567";
        QTest::newRow("as many before as there are") << "raw"
                                                     << "endian: little\nbyte skip: -1\n"
                                                     << "any";
        QTest::newRow("lines before") << "raw"
                                      << "endian: little\nline skip: 2\n"
                                      << "a\nbc\n";
        QTest::newRow("gzip") << "gzip"
                              << "endian: little\n"
                              << "";
        QTest::newRow("gzip, other order") << "gz"
                                           << "endian: big\n"
                                           << "";
        QTest::newRow("text") << "ascii"
                              << ""
                              << "";
        QTest::newRow("hex") << "hex"
                             << "endian: little\n"
                             << "";
    }
    void nrrdEncodingsRead() {
        QFETCH(QString, encoding);
        QFETCH(QString, more);
        QFETCH(QString, before);
        const auto image = test::patternImage(PixelType::Int16, {7, 6, 5});
        test::Bytes data = test::voxelBytes(image);
        if (more.contains("big")) {
            data = test::swapped(data, 2);
        }
        if (encoding.startsWith("gz")) {
            data = test::gzip(data);
        } else if (encoding == "ascii") {
            data = letters(textOf(image));
        } else if (encoding == "hex") {
            data = letters(hexOf(data));
        }
        const std::string header = "NRRD0004\n# a comment\ntype: int16\ndimension: 3\n"
                                   "sizes: 7 6 5\nencoding: " +
                                   (encoding + "\n" + more).toStdString();
        test::writeFile(at("one.nrrd"), test::joined(header + "\n" + before.toStdString(), data));
        QVERIFY(test::sameBits(io::readImage(at("one.nrrd")).components.front(), image));
        test::writeFile(at("two.nhdr"), header + "data file: two.raw\n");
        test::writeFile(at("two.raw"), test::joined(before.toStdString(), data));
        QVERIFY(test::sameBits(io::readImage(at("two.nhdr")).components.front(), image));

        data.resize(data.size() / 2);
        test::writeFile(at("cut.nrrd"), test::joined(header + "\n" + before.toStdString(), data));
        const auto error = test::errorOf([&] { (void)io::readImage(at("cut.nrrd")); });
        QVERIFY(error && error->code() == ErrorCode::Input);
    }

    void valuesOfAVoxelMayStandApart_data() {
        QTest::addColumn<QString>("sizes");
        QTest::addColumn<QString>("kinds");
        QTest::addColumn<int>("before"); // voxels of one channel before those of the next
        QTest::newRow("side by side") << "3 5 4 2"
                                      << "vector domain domain domain" << 1;
        QTest::newRow("after the columns") << "5 3 4 2"
                                           << "domain vector domain domain" << 5;
        QTest::newRow("after the slices") << "5 4 2 3"
                                          << "domain domain domain vector" << 40;
    }
    void valuesOfAVoxelMayStandApart() {
        QFETCH(QString, sizes);
        QFETCH(QString, kinds);
        QFETCH(int, before);
        base::Image<std::uint8_t> all({120, 1, 1});
        for (int voxel = 0; voxel < 40; ++voxel) {
            for (int channel = 0; channel < 3; ++channel) {
                all.data()[(voxel / before * 3 + channel) * before + voxel % before] =
                    static_cast<std::uint8_t>(50 * channel + voxel);
            }
        }
        const test::Bytes bytes(all.data(), all.data() + 120);
        const std::string header =
            "NRRD0004\ntype: uint8\ndimension: 4\nsizes: " + sizes.toStdString() +
            "\nkinds: " + kinds.toStdString();
        test::writeFile(at("v.nrrd"), test::joined(header + "\nencoding: raw\n\n", bytes));
        test::writeFile(at("p.nrrd"),
                        test::joined(header + "\nencoding: gzip\n\n", test::gzip(bytes)));
        for (const char* name : {"v.nrrd", "p.nrrd"}) {
            QVERIFY((io::readImageInfo(at(name)).extents == base::Extents{5, 4, 2}));
            for (int channel = 0; channel < 3; ++channel) {
                const io::LoadedImage loaded = io::readImage(at(name), {.channel = channel});
                const auto& plane = std::get<base::Image<std::uint8_t>>(loaded.components.front());
                for (int voxel = 0; voxel < 40; ++voxel) {
                    QCOMPARE(int{plane.data()[voxel]}, 50 * channel + voxel);
                }
            }
        }
    }

    void niftiColoursAndSlopesRead() {
        test::NiftiRecipe colour;
        colour.sizes = {3, 2, 2};
        colour.type = 128;
        colour.bits = 24;
        for (unsigned char i = 0; i < 36; ++i) {
            colour.voxels.push_back(i);
        }
        test::writeFile(at("rgb.nii"), test::makeNifti(colour));
        const io::LoadedImage loaded = io::readImage(at("rgb.nii"));
        QCOMPARE(loaded.info.components, 3);
        QCOMPARE(base::valueAt(base::viewOf(loaded.components[1]), {2, 1, 1}), 34.0);

        test::NiftiRecipe scaled;
        scaled.sizes = {5, 2, 1};
        scaled.type = 2;
        scaled.bits = 8;
        scaled.slope = 0.25F;
        scaled.voxels = {0, 1, 2, 3, 4, 5, 6, 7, 8, 255};
        test::writeFile(at("s.nii.gz"), test::gzip(test::makeNifti(scaled)));
        const io::LoadedImage floats = io::readImage(at("s.nii.gz"));
        QVERIFY(floats.info.pixel == PixelType::Float32);
        QCOMPARE(base::valueAt(base::viewOf(floats.components[0]), {4, 1, 0}), 63.75);

        // Colours have no slope; long integers keep their digits; the smallest slope is one.
        colour.slope = 0.5F;
        test::writeFile(at("rgb.nii"), test::makeNifti(colour));
        QCOMPARE(base::valueAt(base::viewOf(io::readImage(at("rgb.nii")).components[1]), {2, 1, 1}),
                 34.0);
        test::NiftiRecipe whole;
        whole.sizes = {1, 1, 1};
        whole.type = 8;
        whole.bits = 32;
        whole.slope = 0.5F;
        whole.voxels = test::ByteWriter().put(std::int32_t{33554435}).bytes;
        test::writeFile(at("w.nii"), test::makeNifti(whole));
        QCOMPARE(base::valueAt(base::viewOf(io::readImage(at("w.nii")).components[0]), {0, 0, 0}),
                 16777217.5);
        scaled.slope = 1e-17F;
        test::writeFile(at("t.nii"), test::makeNifti(scaled));
        QCOMPARE(base::valueAt(base::viewOf(io::readImage(at("t.nii")).components[0]), {1, 0, 0}),
                 static_cast<double>(1e-17F));
    }

    void whatFillsUpAPackedFileIsNoDamage() {
        const auto image = test::patternImage(PixelType::UInt8, {9, 8, 7});
        const std::string header = "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 9 8 7\n"
                                   "encoding: gzip\n\n";
        for (const test::Bytes& filling : {test::Bytes(700, 0), test::Bytes{'\r', '\n'}}) {
            test::Bytes packed = test::gzip(test::voxelBytes(image));
            packed.insert(packed.end(), filling.begin(), filling.end());
            test::writeFile(at("f.nrrd"), test::joined(header, packed));
            QVERIFY(test::sameBits(io::readImage(at("f.nrrd")).components.front(), image));
            QVERIFY(io::verifyImage(at("f.nrrd")).complete);
        }
    }

    void aGzipFileOfSeveralMembersReads() {
        const auto image = test::patternImage(PixelType::Int16, {9, 8, 7});
        test::NiftiRecipe recipe;
        recipe.sizes = {9, 8, 7};
        recipe.voxels = test::voxelBytes(image);
        const test::Bytes whole = test::makeNifti(recipe);
        test::Bytes file = test::gzip(test::Bytes(whole.begin(), whole.begin() + 700));
        const test::Bytes rest = test::gzip(test::Bytes(whole.begin() + 700, whole.end()));
        file.insert(file.end(), rest.begin(), rest.end());
        test::writeFile(at("m.nii.gz"), file);
        QVERIFY(test::sameBits(io::readImage(at("m.nii.gz")).components.front(), image));
    }

    void aCheckSumThatDiffersIsDamage() {
        const auto image = test::patternImage(PixelType::Int16, {9, 8, 7});
        test::Bytes packed = test::gzip(test::voxelBytes(image));
        const std::string header = "NRRD0004\ntype: int16\ndimension: 3\nsizes: 9 8 7\n"
                                   "endian: little\nencoding: gzip\n\n";
        test::writeFile(at("c.nrrd"), test::joined(header, packed));
        (void)io::readImage(at("c.nrrd"));
        packed[packed.size() - 6] ^= 1; // of the check sum, not of the voxels
        test::writeFile(at("c.nrrd"), test::joined(header, packed));
        const auto error = test::errorOf([&] { (void)io::readImage(at("c.nrrd")); });
        QVERIFY(error && error->code() == ErrorCode::Input);
    }

    void oneFrameOfAPackedFileTakesTheMemoryOfOneFrame() {
        constexpr std::size_t kFrame = std::size_t{1000} * 500 * 2;
        constexpr std::size_t kFrames = 300;
        test::Bytes voxels(kFrame * kFrames, 0);
        voxels[kFrame * 200] = 77;
        test::writeFile(at("f.mha"),
                        test::joined("NDims = 4\nDimSize = 1000 500 1 300\n"
                                     "ElementType = MET_USHORT\nCompressedData = True\n"
                                     "ElementDataFile = LOCAL\n",
                                     test::deflated(voxels)));
        test::Bytes().swap(voxels);
        // The highest memory so far is set back where that is allowed.
        std::ofstream("/proc/self/clear_refs") << 5;
        const std::int64_t before = highestMemory();
        const io::LoadedImage loaded = io::readImage(at("f.mha"), {.frame = 200});
        QCOMPARE(base::valueAt(base::viewOf(loaded.components[0]), {0, 0, 0}), 77.0);
        // Two hundred frames are 200 MB.
        const std::int64_t rise = highestMemory() - before;
        QVERIFY2(rise < 50'000'000, qPrintable(QString::number(rise)));
    }
};

const flcc::test::TestClass<EncodedFileTest> kEncodedFileTest;
#include "encoded_file_test.moc"
