#include <QTemporaryDir>
#include <QtTest>

#include <bit>
#include <cmath>
#include <limits>

#include "engine/io/image_file.h"
#include "engine/io/process/reader_process.h"
#include "tests/engine/io/fixtures.h"
#include "tests/engine/io/instrument_fixture.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;

/// FITS files, which flcc-reader reads by CFITSIO.
class FitsFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    io::LoadedImage read(const test::Bytes& file, const io::ReadOptions& options = {}) const {
        test::writeFile(at("v.fits"), file);
        return io::readImage(at("v.fits"), options);
    }
    void refuse(const test::Bytes& file, const std::string& part) const {
        test::writeFile(at("bad.fits"), file);
        const auto error = test::errorOf([&] { (void)io::readImageInfo(at("bad.fits")); });
        QVERIFY(error && error->code() == base::ErrorCode::Input);
        QVERIFY2(std::string(error->what()).find(part) != std::string::npos, error->what());
    }
    /// Values in big endian behind a header.
    template <class Value>
    static test::Bytes file(const std::vector<std::string>& cards,
                            const std::vector<Value>& values) {
        test::ByteWriter data(std::endian::native == std::endian::little);
        for (const Value value : values) {
            data.put(value);
        }
        return test::makeFits(cards, data.bytes);
    }
    static double first(const io::LoadedImage& image, std::int64_t x = 0) {
        return base::valueAt(base::viewOf(image.components.front()), {x, 0, 0});
    }

  private Q_SLOTS:
    void initTestCase() {
        io::detail::readerSetup().program = FLCC_READER;
#ifndef FLCC_FITS
        refuse(test::makeFits({"BITPIX = 8", "NAXIS = 0"}, {}), "built without CFITSIO");
        QSKIP("built without CFITSIO");
#endif
    }

    void everyTypeIsRead_data() {
        QTest::addColumn<int>("bits");
        QTest::addColumn<PixelType>("type");
        QTest::newRow("uint8") << 8 << PixelType::UInt8;
        QTest::newRow("int16") << 16 << PixelType::Int16;
        QTest::newRow("int32") << 32 << PixelType::Int32;
        QTest::newRow("int64") << 64 << PixelType::Int64;
        QTest::newRow("float32") << -32 << PixelType::Float32;
        QTest::newRow("float64") << -64 << PixelType::Float64;
    }
    void everyTypeIsRead() {
        QFETCH(int, bits);
        QFETCH(PixelType, type);
        const base::AnyImage right = test::patternImage(type, {5, 4, 3});
        const auto width = static_cast<std::size_t>(base::bytesPerVoxel(type));
        const io::LoadedImage loaded =
            read(test::makeFits({"BITPIX = " + std::to_string(bits), "NAXIS = 3", "NAXIS1 = 5",
                                 "NAXIS2 = 4", "NAXIS3 = 3"},
                                test::swapped(test::voxelBytes(right), width)));
        QCOMPARE(loaded.info.format, std::string("FITS"));
        QVERIFY(test::sameBits(loaded.components.front(), right));
        QVERIFY(loaded.info.notes.empty());
        if (bits == 8) {
            QVERIFY(io::verifyImage(at("v.fits")).complete);
        }
    }

    void unsignedValuesAreMovedByHalfTheirRange() {
        const io::LoadedImage words = read(file<std::int16_t>(
            {"BITPIX = 16", "NAXIS = 2", "NAXIS1 = 2", "NAXIS2 = 1", "BSCALE = 1", "BZERO = 32768"},
            {-32768, 32767}));
        QVERIFY(words.info.pixel == PixelType::UInt16);
        QCOMPARE(first(words), 0.0);
        QCOMPARE(first(words, 1), 65535.0);
        const io::LoadedImage bytes = read(file<std::uint8_t>(
            {"BITPIX = 8", "NAXIS = 2", "NAXIS1 = 2", "NAXIS2 = 1", "BSCALE = 1", "BZERO = -128"},
            {0, 255}));
        QVERIFY(bytes.info.pixel == PixelType::Int8);
        QCOMPARE(first(bytes), -128.0);
        QCOMPARE(first(bytes, 1), 127.0);
    }

    void scaledValuesAreRealAndBlankOnesNaN() {
        const std::vector<std::string> axes{"BITPIX = 16", "NAXIS = 2", "NAXIS1 = 2", "NAXIS2 = 1",
                                            "BLANK = -7"};
        std::vector<std::string> scaled = axes;
        scaled.insert(scaled.end(), {"BSCALE = 0.5", "BZERO = 10"});
        const io::LoadedImage real = read(file<std::int16_t>(scaled, {-7, 3}));
        QVERIFY(real.info.pixel == PixelType::Float32);
        QVERIFY(std::isnan(first(real)));
        QCOMPARE(first(real, 1), 11.5);
        QVERIFY(test::holds(real.info.notes, "-7 stand for no value (BLANK); they are NaN"));
        const io::LoadedImage whole = read(file<std::int16_t>(axes, {-7, 3}));
        QVERIFY(whole.info.pixel == PixelType::Int16);
        QCOMPARE(first(whole), -7.0);
        QVERIFY(test::holds(whole.info.notes, "they count as they are"));
    }

    void theSmallestNumbersStay() {
        constexpr float kSmallest = std::numeric_limits<float>::denorm_min();
        const io::LoadedImage loaded = read(file<float>(
            {"BITPIX = -32", "NAXIS = 2", "NAXIS1 = 2", "NAXIS2 = 1"}, {kSmallest, NAN}));
        QCOMPARE(first(loaded), static_cast<double>(kSmallest));
        QVERIFY(std::isnan(first(loaded, 1)));
    }

    void spacingCountsWhereItIsALength() {
        const auto info = [&](const std::vector<std::string>& more) {
            std::vector<std::string> cards{"BITPIX = 8", "NAXIS = 2", "NAXIS1 = 2", "NAXIS2 = 1"};
            cards.insert(cards.end(), more.begin(), more.end());
            return read(file<std::uint8_t>(cards, {0, 1})).info;
        };
        const io::ImageInfo lengths =
            info({"CDELT1 = 0.5", "CUNIT1 = 'um'", "CDELT2 = -250.0", "CUNIT2 = 'nm'"});
        QCOMPARE(lengths.geometry.unit, std::string("um"));
        QCOMPARE(lengths.geometry.spacing, (base::Point{0.5, 0.25, 1}));
        QVERIFY(test::holds(lengths.notes, "CDELT2 is negative"));
        const io::ImageInfo sky = info({"CDELT1 = 0.5", "CUNIT1 = 'deg'"});
        QCOMPARE(sky.geometry.unit, std::string("px"));
        QVERIFY(test::holds(sky.notes, "CDELT1 is in \"deg\", which is no length"));
        QVERIFY(test::holds(info({"CDELT1 = 0.5"}).notes, "no unit"));
    }

    void theFourthAxisHoldsFrames() {
        std::vector<std::uint8_t> values(24);
        for (std::size_t i = 0; i < 24; ++i) {
            values[i] = static_cast<std::uint8_t>(i);
        }
        const test::Bytes series = file(
            {"BITPIX = 8", "NAXIS = 4", "NAXIS1 = 2", "NAXIS2 = 2", "NAXIS3 = 2", "NAXIS4 = 3"},
            values);
        QVERIFY(test::errorOf([&] { (void)read(series); }));
        QCOMPARE(first(read(series, {.frame = 2})), 16.0);
    }

    void theFirstPartWithAnImageIsRead() {
        test::Bytes parts = test::makeFits({"BITPIX = 8", "NAXIS = 0"}, {});
        for (const unsigned char value : test::Bytes{7, 9}) {
            const test::Bytes part =
                test::makeFits({"XTENSION= 'IMAGE   '", "BITPIX = 8", "NAXIS = 2", "NAXIS1 = 1",
                                "NAXIS2 = 1", "PCOUNT = 0", "GCOUNT = 1"},
                               {value});
            parts.insert(parts.end(), part.begin(), part.end());
        }
        const io::LoadedImage loaded = read(parts);
        QCOMPARE(first(loaded), 7.0);
        QVERIFY(test::holds(loaded.info.notes, "first of its 2 images"));
        refuse(test::makeFits({"BITPIX = 8", "NAXIS = 0"}, {}), "no image");
    }

    void whatContradictsTheFileIsRefused() {
        const auto cards = [](const std::string& x, const std::string& y) {
            return std::vector<std::string>{"BITPIX = 16", "NAXIS = 2", "NAXIS1 = " + x,
                                            "NAXIS2 = " + y};
        };
        test::Bytes cut = test::makeFits(cards("60", "50"), test::Bytes(6000));
        cut.resize(2880 + 5999);
        refuse(cut, "promises 6000 bytes of pixels and 5999");
        refuse(test::makeFits(cards("2000000000", "2000000000"), test::Bytes(6000)), "promises");
        refuse(test::makeFits(cards("0", "5"), test::Bytes(6000)), "cannot read");
        refuse(test::makeFits(cards("-4", "5"), test::Bytes(6000)), "cannot read");
        refuse(test::makeFits({"BITPIX = 8", "NAXIS = 5", "NAXIS1 = 1", "NAXIS2 = 1", "NAXIS3 = 1",
                               "NAXIS4 = 1", "NAXIS5 = 2"},
                              test::Bytes(2)),
               "5 axes");
    }
};

const flcc::test::TestClass<FitsFileTest> kFitsFileTest;
#include "fits_file_test.moc"
