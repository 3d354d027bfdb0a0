#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>

#include "engine/io/image_file.h"
#include "engine/io/protected_files.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::PixelType;

/// NIfTI and Analyze files as programs write them.
class NiftiKindsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    base::AnyImage m_image = test::patternImage(PixelType::Int16, {5, 4, 3});

    test::NiftiRecipe recipe(bool turned = false, bool second = false) const {
        test::NiftiRecipe made;
        made.sizes = {5, 4, 3};
        made.spacing = {0.5F, 0.75F, 2};
        made.voxels = test::voxelBytes(m_image);
        made.turned = turned;
        made.second = second;
        return made;
    }
    /// Header and voxels of a pair.
    struct Pair {
        test::Bytes header;
        test::Bytes voxels;
    };
    Pair pairOf(const test::NiftiRecipe& made) const {
        const test::Bytes whole = test::makeNifti(made);
        const std::ptrdiff_t size = made.second ? 540 : 348;
        Pair pair{{whole.begin(), whole.begin() + size}, {whole.begin() + size + 4, whole.end()}};
        pair.header[made.second ? 5 : 345] = 'i';
        if (made.second) {
            test::put(pair.header, 168, std::int64_t{0}, made.turned);
        } else {
            test::put(pair.header, 108, 0.0F, made.turned);
        }
        return pair;
    }
    /// Removes the files of the last pair.
    void write(const std::string& header, const test::Bytes& bytes, const std::string& voxels,
               const test::Bytes& data) const {
        for (const auto& entry : std::filesystem::directory_iterator(at(""))) {
            std::filesystem::remove(entry.path());
        }
        test::writeFile(at(header), bytes);
        test::writeFile(at(voxels), data);
    }

  private Q_SLOTS:
    void pairsAreReadByEitherName() {
        for (int kind = 0; kind < 4; ++kind) {
            const Pair pair = pairOf(recipe(kind % 2 == 1, kind >= 2));
            const test::Bytes packedHeader = test::gzip(pair.header);
            const test::Bytes packedVoxels = test::gzip(pair.voxels);
            for (int names = 0; names < 5; ++names) {
                const std::string header = names == 4                 ? "P.HDR"
                                           : names == 1 || names == 3 ? "p.hdr.gz"
                                                                      : "p.hdr";
                const std::string voxels = names == 4 ? "P.IMG" : names >= 2 ? "p.img.gz" : "p.img";
                write(header, header.ends_with("gz") ? packedHeader : pair.header, voxels,
                      voxels.ends_with("gz") ? packedVoxels : pair.voxels);
                for (const std::string& name : {header, voxels}) {
                    const io::LoadedImage loaded = io::readImage(at(name), {.digests = true});
                    QVERIFY(test::sameBits(loaded.components.front(), m_image));
                    QCOMPARE(loaded.info.format, std::string("NIfTI"));
                    QCOMPARE(loaded.files.size(), std::size_t{2});
                    QCOMPARE(loaded.files.front().path, at(header));
                    io::ProtectedFiles inputs;
                    inputs.addImage(at(name));
                    QVERIFY(inputs.find(at(header)) != nullptr);
                    QVERIFY(inputs.find(at(voxels)) != nullptr);
                }
                std::filesystem::remove(at(voxels));
                const auto error = test::errorOf([&] { (void)io::readImage(at(header)); });
                QVERIFY(error &&
                        std::string(error->what()).find("(.img) is missing") != std::string::npos);
            }
        }
        // Voxels that begin as another format does.
        Pair pair = pairOf(recipe());
        std::copy_n("\x89PNG\r\n\x1a\n", 8, pair.voxels.begin());
        write("p.hdr", pair.header, "p.img", pair.voxels);
        QCOMPARE(io::readImageInfo(at("p.img")).format, std::string("NIfTI"));
        std::filesystem::remove(at("p.hdr"));
        test::writeFile(at("p.img"), test::Bytes(100, 1));
        const auto error = test::errorOf([&] { (void)io::readImage(at("p.img")); });
        QVERIFY(error &&
                std::string(error->what()).find("Analyze (.hdr) or of") != std::string::npos);
    }

    void everyBeginningOfAPairIsRefused() {
        const Pair pair = pairOf(recipe());
        for (std::size_t length = 1; length < pair.header.size(); length += 7) {
            write("p.hdr",
                  {pair.header.begin(), pair.header.begin() + static_cast<std::ptrdiff_t>(length)},
                  "p.img", pair.voxels);
            const auto error = test::errorOf([&] { (void)io::readImage(at("p.hdr")); });
            QVERIFY(error && error->code() == ErrorCode::Input);
        }
        write("p.hdr", pair.header, "p.img", {pair.voxels.begin(), pair.voxels.end() - 1});
        QVERIFY(test::errorOf([&] { (void)io::readImage(at("p.hdr")); }));
    }

    void analyzeHasItsOldOrientation() {
        for (const bool turned : {false, true}) {
            Pair pair = pairOf(recipe(turned));
            std::fill_n(pair.header.begin() + 344, 4, static_cast<unsigned char>(0));
            std::fill_n(pair.header.begin() + 252, 92, static_cast<unsigned char>(0));
            test::put(pair.header, 112, 0.0F, turned);
            write("a.hdr", pair.header, "a.img", pair.voxels);
            const io::LoadedImage loaded = io::readImage(at("a.img"));
            QVERIFY(test::sameBits(loaded.components.front(), m_image));
            const base::Geometry& grid = loaded.info.geometry;
            QCOMPARE(grid.spacing, (base::Point{0.5, 0.75, 2}));
            // nibabel: right-anterior-superior diag(-0.5, 0.75, 2), the middle at 0.
            QCOMPARE(grid.direction, (std::array<double, 9>{1, 0, 0, 0, -1, 0, 0, 0, 1}));
            QCOMPARE(grid.origin, (base::Point{-1, 1.125, -2}));
            QVERIFY(test::holds(loaded.info.notes, "Analyze 7.5"));
            // SPM's origin: the voxel 2 3 1, counted from 1; and its factor.
            test::put(pair.header, 253, std::int16_t{2}, turned);
            test::put(pair.header, 255, std::int16_t{3}, turned);
            test::put(pair.header, 257, std::int16_t{1}, turned);
            test::put(pair.header, 112, 0.5F, turned);
            pair.header[252] = 3;
            write("a.hdr", pair.header, "a.img", pair.voxels);
            const io::LoadedImage scaled = io::readImage(at("a.hdr"));
            QCOMPARE(scaled.info.geometry.origin, (base::Point{-0.5, 1.5, 0}));
            QVERIFY(test::holds(scaled.info.notes, "SPM's origin"));
            QVERIFY(test::holds(scaled.info.notes, "orientation code 3"));
            QVERIFY(test::holds(scaled.info.notes, "SPM's factor 0.5"));
            QCOMPARE(base::valueAt(base::viewOf(scaled.components[0]), {1, 2, 1}),
                     0.5 * base::valueAt(base::viewOf(m_image), {1, 2, 1}));
        }
    }

    void negativeSpacingsArePositive() {
        for (const bool second : {false, true}) {
            test::NiftiRecipe made = recipe(false, second);
            made.spacing = {-0.5F, 0.75F, -2};
            made.qform = 1;
            made.quaternion = {0, 0, 0};
            test::writeFile(at("n.nii"), test::makeNifti(made));
            const io::ImageInfo info = io::readImageInfo(at("n.nii"));
            QCOMPARE(info.geometry.spacing, (base::Point{0.5, 0.75, 2}));
            QCOMPARE(info.geometry.direction, (std::array<double, 9>{-1, 0, 0, 0, -1, 0, 0, 0, 1}));
            QVERIFY(test::holds(info.notes, "negative voxel spacing (-0.5, -2)"));
        }
    }

    void anOffsetOfZeroIsTheEndOfTheHeader() {
        for (int kind = 0; kind < 4; ++kind) {
            const bool second = kind >= 2;
            test::Bytes file = test::makeNifti(recipe(kind % 2 == 1, second));
            const std::ptrdiff_t size = second ? 540 : 348;
            if (second) {
                test::put(file, 168, std::int64_t{0}, kind % 2 == 1);
            } else {
                test::put(file, 108, 0.0F, kind % 2 == 1);
            }
            test::writeFile(at("z.nii"), file);
            test::writeFile(at("z.nii.gz"), test::gzip(file));
            for (const char* name : {"z.nii", "z.nii.gz"}) {
                const io::LoadedImage loaded = io::readImage(at(name));
                QVERIFY(test::sameBits(loaded.components.front(), m_image));
                QVERIFY(test::holds(loaded.info.notes, "vox_offset 0"));
            }
            // Without the four bytes that announce extensions.
            file.erase(file.begin() + size, file.begin() + size + 4);
            test::writeFile(at("z.nii"), file);
            QVERIFY(test::sameBits(io::readImage(at("z.nii")).components.front(), m_image));
        }
    }

    void equalFormsNeedNoNote() {
        test::NiftiRecipe made = recipe();
        made.qform = made.sform = 2;
        made.quaternion = {0, 0, 1}; // half a turn about z
        made.offset = {10, 20, 30};
        made.matrix = {-0.5, 0, 0, 10, 0, -0.75, 0, 20, 0, 0, 2, 30};
        test::writeFile(at("e.nii"), test::makeNifti(made));
        const io::ImageInfo info = io::readImageInfo(at("e.nii"));
        QVERIFY(info.notes.empty());
        QCOMPARE(info.geometry.origin, (base::Point{-10, -20, 30}));
        QCOMPARE(info.geometry.direction, (std::array<double, 9>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
        made.qform = made.sform = 0;
        test::writeFile(at("e.nii"), test::makeNifti(made));
        QVERIFY(test::holds(io::readImageInfo(at("e.nii")).notes, "does not place it"));
    }

    void lengthsOfZeroBehindTheThirdAxisAreOne() {
        test::Bytes file = test::makeNifti(recipe());
        test::put(file, 40, std::int16_t{4});
        test::put(file, 48, std::int16_t{0});
        test::writeFile(at("l.nii"), file);
        QVERIFY(test::sameBits(io::readImage(at("l.nii")).components.front(), m_image));
    }
};

const flcc::test::TestClass<NiftiKindsTest> kNiftiKindsTest;
#include "nifti_kinds_test.moc"
