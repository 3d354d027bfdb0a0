#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;

namespace {

constexpr unsigned kWidth = 50;
constexpr unsigned kHeight = 37;

/// A smooth picture, which JPEG keeps almost exactly.
unsigned char smooth(unsigned x, unsigned y, unsigned component) {
    return static_cast<unsigned char>(40 + 2 * x + y + 20 * component);
}

test::Bytes picture(unsigned components) {
    test::Bytes pixels;
    for (unsigned y = 0; y < kHeight; ++y) {
        for (unsigned x = 0; x < kWidth; ++x) {
            for (unsigned component = 0; component < components; ++component) {
                pixels.push_back(smooth(x, y, component));
            }
        }
    }
    return pixels;
}

} // namespace

class JpegFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

  private Q_SLOTS:
    void greyAndColourRead_data() {
        QTest::addColumn<int>("components");
        QTest::addColumn<bool>("progressive");
        for (const bool progressive : {false, true}) {
            for (const int components : {1, 3, 4}) {
                QTest::addRow("%d components, progressive %d", components, progressive)
                    << components << progressive;
            }
        }
    }
    void greyAndColourRead() {
        QFETCH(int, components);
        QFETCH(bool, progressive);
        const auto count = static_cast<unsigned>(components);
        test::writeFile(at("a.jpg"),
                        test::makeJpeg(kWidth, kHeight, components, progressive, picture(count)));
        const io::LoadedImage loaded = io::readImage(at("a.jpg"));
        QCOMPARE(loaded.info.format, std::string("JPEG"));
        QVERIFY((loaded.info.extents == base::Extents{kWidth, kHeight, 1}));
        QVERIFY(loaded.info.geometry == base::Geometry{});
        QCOMPARE(loaded.info.components, components == 1 ? 1 : 3);
        QCOMPARE(static_cast<int>(loaded.components.size()), loaded.info.components);
        QCOMPARE(io::readImageInfo(at("a.jpg")).components, loaded.info.components);
        for (unsigned c = 0; c < loaded.components.size(); ++c) {
            for (unsigned y = 0; y < kHeight; ++y) {
                for (unsigned x = 0; x < kWidth; ++x) {
                    // Four inks: light that passes the ink and the black.
                    const double expected = components == 4
                                                ? smooth(x, y, c) * smooth(x, y, 3) / 255.0
                                                : smooth(x, y, c);
                    const double got = base::valueAt(base::viewOf(loaded.components[c]), {x, y, 0});
                    // Colours are kept at half the resolution.
                    QVERIFY2(std::abs(got - expected) <= 6,
                             qPrintable(QString("%1 for %2").arg(got).arg(expected)));
                }
            }
        }
    }

    void aCutFileIsRefused() {
        const test::Bytes whole = test::makeJpeg(kWidth, kHeight, 1, false, picture(1));
        for (std::size_t length = 3; length + 1 < whole.size(); length += 5) {
            test::writeFile(
                at("cut.jpg"),
                test::Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)));
            const auto error = test::errorOf([&] { (void)io::readImage(at("cut.jpg")); });
            QVERIFY2(error && error->code() == ErrorCode::Input,
                     qPrintable(QString::number(length)));
        }
    }

    void aCutFileWithAnEndMarkIsRefused() {
        const test::Bytes whole = test::makeJpeg(kWidth, kHeight, 1, false, picture(1));
        test::Bytes cut(whole.begin(), whole.end() - 200);
        cut.insert(cut.end(), {0xff, 0xd9});
        test::writeFile(at("cut.jpg"), cut);
        const auto error = test::errorOf([&] { (void)io::readImage(at("cut.jpg")); });
        QVERIFY(error && error->code() == ErrorCode::Input);
    }
};

const flcc::test::TestClass<JpegFileTest> kJpegFileTest;
#include "jpeg_file_test.moc"
