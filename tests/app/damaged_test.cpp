#include <QtTest>

#include <random>

#include "engine/base/image.h"
#include "engine/io/image_file.h"
#include "tests/app/cli_process.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using flcc::test::CliRun;
using flcc::test::runShell;
namespace base = flcc::base;
namespace io = flcc::io;
namespace test = flcc::test;

namespace {

constexpr base::Extents kExtents{24, 18, 4};

test::Bytes joined(const std::string& header, const test::Bytes& data) {
    test::Bytes file(header.begin(), header.end());
    file.insert(file.end(), data.begin(), data.end());
    return file;
}

test::Bytes niftiOf(const test::Bytes& voxels) {
    test::NiftiRecipe nifti;
    nifti.sizes = {24, 18, 4};
    nifti.voxels = voxels;
    return test::makeNifti(nifti);
}

/// A valid file; for .nii.gz what is to be packed.
test::Bytes validFile(const std::string& name) {
    const test::Bytes voxels =
        test::voxelBytes(test::patternImage(base::PixelType::Int16, kExtents));
    const std::string mha = "NDims = 3\nDimSize = 24 18 4\nElementSpacing = 1 1 2\n"
                            "TransformMatrix = 1 0 0 0 1 0 0 0 1\nElementType = MET_SHORT\n";
    const std::string nrrd = "NRRD0004\ntype: int16\ndimension: 3\nsizes: 24 18 4\n"
                             "space: left-posterior-superior\n"
                             "space directions: (1,0,0) (0,1,0) (0,0,2)\n"
                             "space origin: (1,2,3)\nkinds: domain domain domain\n"
                             "endian: little\nbyte skip: 0\nencoding: ";
    if (name == "m.mha") {
        return joined(mha + "ElementDataFile = LOCAL\n", voxels);
    }
    if (name == "packed.mha") {
        return joined(mha + "CompressedData = True\nElementDataFile = LOCAL\n",
                      test::deflated(voxels));
    }
    if (name == "m.mhd") {
        return joined(mha + "HeaderSize = -1\nElementDataFile = v.raw\n", {});
    }
    if (name == "m.nrrd") {
        return joined(nrrd + "raw\n\n", voxels);
    }
    if (name == "packed.nrrd") {
        return joined(nrrd + "gzip\n\n", test::gzip(voxels));
    }
    if (name == "m.mrc") {
        return test::makeMrc(1, kExtents, {24, 18, 8}, voxels);
    }
    if (name == "m.jpg") {
        return test::makeJpeg(24, 18, 1, false, test::Bytes(24 * 18, 77));
    }
    if (name == "m.tif") {
        test::TiffRecipe tiff;
        tiff.width = 24;
        tiff.height = 18;
        tiff.bits = 16;
        tiff.description = "ImageJ=1.53t\nimages=4\nslices=4\nunit=um\nspacing=2\n";
        tiff.pixelsPer1000 = 2000;
        for (std::size_t page = 0; page < 4; ++page) {
            const auto first = voxels.begin() + static_cast<std::ptrdiff_t>(page) * 24 * 18 * 2;
            tiff.pages.emplace_back(first, first + 24 * 18 * 2);
        }
        return test::makeTiff(tiff);
    }
    return niftiOf(voxels);
}

/// Changes, removes, doubles or cuts off bytes, mostly of the header.
test::Bytes damaged(test::Bytes bytes, std::mt19937& random) {
    const auto below = [&](std::size_t limit) {
        return random() % std::max<std::size_t>(1, limit);
    };
    for (std::size_t change = 0, changes = 1 + below(5); change < changes && !bytes.empty();
         ++change) {
        std::size_t at = below(std::min<std::size_t>(bytes.size(), below(2) == 0 ? 128 : 1100));
        at = below(4) == 0 ? bytes.size() - 1 - at : at;
        const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
        const std::size_t length = std::min(1 + below(12), bytes.size() - at);
        switch (below(6)) {
        case 0:
            bytes.erase(place, place + static_cast<std::ptrdiff_t>(length));
            break;
        case 1: {
            const test::Bytes again(place, place + static_cast<std::ptrdiff_t>(length));
            bytes.insert(place, again.begin(), again.end());
            break;
        }
        case 2:
            bytes.resize(at);
            break;
        case 3:
            for (std::size_t i = 0; i < std::min<std::size_t>(4, length); ++i) {
                bytes[at + i] = i == 3 ? 0x7f : 0xff; // a huge number, or none
            }
            break;
        default:
            bytes[at] = static_cast<unsigned char>(random());
        }
    }
    return bytes;
}

} // namespace

class CliDamagedTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aDamagedFileIsASentenceOrAnImage_data();
    void aDamagedFileIsASentenceOrAnImage();
    void aPositionThatIsNoNumberIsRefused();
};

void CliDamagedTest::aDamagedFileIsASentenceOrAnImage_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"m.png", "m.tif", "m.nrrd", "packed.nrrd", "m.mha", "packed.mha",
                             "m.mhd", "m.nii", "m.nii.gz", "m.mrc", "m.jpg"}) {
        QTest::newRow(name) << name;
    }
}

void CliDamagedTest::aDamagedFileIsASentenceOrAnImage() {
    QFETCH(QString, name);
    const QTemporaryDir folder;
    const std::filesystem::path path =
        std::filesystem::path(folder.path().toStdString()) / name.toStdString();
    test::Bytes valid;
    if (name == "m.png") {
        const base::AnyImage image = test::patternImage(base::PixelType::UInt16, {24, 18, 1});
        io::writeImage(path, base::viewOf(image), {});
        valid = test::readFile(path);
    } else {
        valid = validFile(name.toStdString());
    }
    test::writeFile(path.parent_path() / "v.raw", test::Bytes(24 * 18 * 4 * 2));
    std::mt19937 random(20);
    // 4 GB are enough for any file; a sanitizer reserves more than there is.
    const bool sanitized = qEnvironmentVariableIsSet("ASAN_OPTIONS");
    const QString limit = sanitized ? "" : "ulimit -v 4194304; ";
    for (int mutant = 0; mutant < (sanitized ? 6 : 25); ++mutant) {
        const test::Bytes bytes = mutant == 0 ? valid : damaged(valid, random);
        test::writeFile(path, name == "m.nii.gz" ? test::gzip(bytes) : bytes);
        const CliRun run =
            runShell(limit + "timeout 20 \"$CLI\" info '" + name + "'", folder.path());
        const bool good =
            mutant == 0 ? run.code == 0 : run.code == 0 || run.code == 3 || run.code == 5;
        QVERIFY2(good, qPrintable(QString("mutant %1: code %2, %3")
                                      .arg(mutant)
                                      .arg(run.code)
                                      .arg(QString::fromUtf8(run.errors))));
        QVERIFY(run.code == 0 || run.errors.startsWith("flcc-cli: "));
    }
}

void CliDamagedTest::aPositionThatIsNoNumberIsRefused() {
    const QTemporaryDir folder;
    const std::filesystem::path at(folder.path().toStdString());
    test::Bytes nifti = validFile("m.nii");
    for (const std::size_t byte : {std::size_t{254}, std::size_t{252}}) {
        nifti[byte] = 1; // the position is that of the matrix or of the quaternion
    }
    // 1 0 0, 0 1 0, 0 0 2
    for (const std::size_t diagonal : {std::size_t{280}, std::size_t{300}, std::size_t{320}}) {
        nifti[diagonal + 2] = 0x80;
        nifti[diagonal + 3] = 0x3f;
    }
    test::writeFile(at / "good.nii", nifti);
    QCOMPARE(runShell("\"$CLI\" info good.nii", folder.path()).code, 0);
    nifti[308] = 0;
    nifti[310] = 0xc0;
    nifti[311] = 0x7f; // NaN
    test::writeFile(at / "bad.nii", nifti);
    QCOMPARE(runShell("\"$CLI\" info bad.nii", folder.path()).code, 3);
    const std::string header = "NRRD0004\ntype: uint8\ndimension: 2\nsizes: 2 2\n"
                               "space dimension: 2\nencoding: raw\nspace directions: ";
    test::writeFile(at / "good.nrrd", header + "(1,0) (0,1)\n\nabcd");
    QCOMPARE(runShell("\"$CLI\" info good.nrrd", folder.path()).code, 0);
    test::writeFile(at / "bad.nrrd", header + "(1,nan) (0,1)\n\nabcd");
    QCOMPARE(runShell("\"$CLI\" info bad.nrrd", folder.path()).code, 3);
}

const flcc::test::TestClass<CliDamagedTest> kCliDamagedTest;
#include "damaged_test.moc"
