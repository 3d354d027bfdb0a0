#include <QTemporaryDir>
#include <QtTest>

#include <vector>

#include "engine/io/image_file.h"
#include "tests/engine/io/eer_fixture.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;

/// Movies of electron events.
class EerFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    void requireSum(const std::string& name, int frames) const {
        const io::LoadedImage loaded = io::readImage(at(name));
        QCOMPARE(loaded.info.format, std::string("EER"));
        QVERIFY(loaded.info.extents == (base::Extents{test::kEerWidth, test::kEerHeight, 1}));
        QVERIFY(loaded.info.complete);
        QVERIFY(test::holds(loaded.info.notes, "its " + std::to_string(frames) + " EER frame"));
        std::vector<std::uint16_t> right(std::size_t{test::kEerWidth} * test::kEerHeight);
        for (int frame = 0; frame < frames; ++frame) {
            for (const std::uint32_t pixel : test::eerElectrons(frame)) {
                ++right[pixel];
            }
        }
        const auto& sum = std::get<base::Image<std::uint16_t>>(loaded.components.at(0));
        QVERIFY(std::equal(right.begin(), right.end(), sum.data()));
    }
    std::string refusal(const test::Bytes& bytes) const {
        test::writeFile(at("bad.eer"), bytes);
        const auto error = test::errorOf([&] { (void)io::readImage(at("bad.eer")); });
        return error && error->code() == ErrorCode::Input ? error->what() : "no refusal";
    }

  private Q_SLOTS:
    void framesOfEveryCodingAreSummed() {
        test::writeFile(at("eight.eer"), test::makeEer({.frames = 3}));
        requireSum("eight.eer", 3);
        test::writeFile(at("seven.eer"),
                        test::makeEer({.frames = 3, .compression = 65001, .runBits = 7}));
        requireSum("seven.eer", 3);
        for (const unsigned run : {1U, 5U, 9U, 16U}) {
            test::writeFile(
                at("stated.eer"),
                test::makeEer(
                    {.frames = 2, .compression = 65002, .runBits = run, .across = 1, .down = 3}));
            requireSum("stated.eer", 2);
        }
        // The sum of the camera comes first; the name may be that of a TIFF file.
        test::writeFile(at("picture.eer"), test::makeEer({.frames = 2, .picture = true}));
        requireSum("picture.eer", 2);
        test::writeFile(at("named.tif"), test::makeEer({}));
        requireSum("named.tif", 1);
        const io::ImageInfo info = io::readImageInfo(at("eight.eer"));
        QVERIFY(info.pixel == base::PixelType::UInt16 && !info.complete);
        QVERIFY(io::verifyImage(at("eight.eer")).complete);
        const base::Box box{{10, 20, 0}, {5, 6, 1}};
        QVERIFY(io::readRegion(at("eight.eer"), box).info.extents == box.extents);
    }

    void damagedFramesAreRefused() {
        QVERIFY(refusal(test::makeEer({.frames = 2, .prototype = true})).find("a prototype") !=
                std::string::npos);
        const test::Bytes whole = test::makeEer({.frames = 2});
        for (std::size_t size = 16; size < whole.size(); size += 23) {
            const std::string text = refusal(
                test::Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
            QVERIFY2(text != "no refusal", std::to_string(size).c_str());
        }
        // A bit of the events of the first frame.
        test::Bytes changed = whole;
        changed[16] ^= 1;
        QVERIFY(refusal(changed).find("its frame 0 do not end at the last pixel") !=
                std::string::npos);
        // Directories in a circle.
        test::Bytes circle = test::makeEer({});
        test::put(circle, circle.size() - 8, field(circle, 8));
        QVERIFY(refusal(circle).find("in a circle") != std::string::npos);
        QVERIFY(refusal(test::makeEer({.compression = 65002, .runBits = 17})).find("damaged") !=
                std::string::npos);
    }

    void moreThanTheMemoryIsRefused() {
        test::writeFile(at("memory.eer"), test::makeEer({.frames = 2}));
        const auto error = test::errorOf([&] {
            (void)io::readImage(at("memory.eer"),
                                {.maxBytes = 2 * test::kEerWidth * test::kEerHeight - 1});
        });
        QVERIFY(error && error->code() == ErrorCode::Memory);
    }

  private:
    static std::uint64_t field(const test::Bytes& bytes, std::size_t offset) {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            value |= std::uint64_t{bytes[offset + i]} << (8 * i);
        }
        return value;
    }
};

const flcc::test::TestClass<EerFileTest> kEerFileTest;
#include "eer_file_test.moc"
