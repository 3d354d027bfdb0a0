#include <QtTest>

#include "engine/base/error.h"
#include "engine/io/drawing.h"
#include "engine/io/image_file.h"
#include "tests/support/drawn.h"
#include "tests/support/test_class.h"

using namespace flcc;

namespace {

io::Drawing sample() {
    io::Drawing drawing{72, 36};
    drawing.add(
        io::DrawnImage{{0, 0}, 24, 12, 2, 1, {match::Colour{255, 0, 0}, match::Colour{0, 0, 255}}});
    drawing.box(36, 12, 12, 12, match::Colour{0, 128, 0});
    drawing.text({2, 30}, "a < b & c");
    return drawing;
}

void write(const QString& file, const io::Drawing& drawing) {
    io::AtomicFile out(file.toStdString());
    io::writeDrawing(out, drawing);
    out.commit();
}

QByteArray bytesOf(const QString& name) {
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// The components of a colour picture at a pixel.
std::array<int, 3> colourAt(const io::LoadedImage& image, std::int64_t x, std::int64_t y) {
    std::array<int, 3> colour{};
    for (std::size_t c = 0; c < 3; ++c) {
        colour[c] = std::get<base::Image<std::uint8_t>>(image.components.at(c)).view().at(x, y, 0);
    }
    return colour;
}

} // namespace

class IoDrawingTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aPngHas300PixelsOnAnInch();
    void aPdfIsOfTheDrawingsSize();
    void anSvgKeepsItsTextsAndHoldsItsPictures();
    void greyPixelsFollowTheScale();
    void otherExtensionsAreRefused();

  private:
    QTemporaryDir m_folder;
};

void IoDrawingTest::aPngHas300PixelsOnAnInch() {
    if (!test::draws("a.png")) {
        QSKIP("this build draws no such figures");
    }
    const QString file = m_folder.filePath("a.png");
    write(file, sample());
    const io::ImageInfo info = io::readImageInfo(file.toStdString());
    QVERIFY((info.extents == base::Extents{300, 150, 1}));
    // 11811 pixels on a metre is the nearest whole number to 300 on an inch.
    QVERIFY(info.resolution && std::abs((*info.resolution)[0] - 1000.0 / 11811) < 1e-9);
    const io::LoadedImage image = io::readImage(file.toStdString());
    QVERIFY((colourAt(image, 25, 25) == std::array{255, 0, 0}));
    QVERIFY((colourAt(image, 75, 25) == std::array{0, 0, 255}));
    QVERIFY((colourAt(image, 175, 75) == std::array{0, 128, 0}));
    QVERIFY((colourAt(image, 290, 140) == std::array{255, 255, 255}));
    bool written = false;
    for (std::int64_t x = 8; x < 200; ++x) {
        written = written || colourAt(image, x, 118)[0] < 100;
    }
    QVERIFY(written); // letters
}

void IoDrawingTest::aPdfIsOfTheDrawingsSize() {
    if (!test::draws("a.pdf")) {
        QSKIP("this build draws no such figures");
    }
    const QString file = m_folder.filePath("a.pdf");
    write(file, sample());
    const QByteArray bytes = bytesOf(file);
    QVERIFY(bytes.startsWith("%PDF-") && bytes.contains("%%EOF"));
    QVERIFY2(bytes.contains("/MediaBox [ 0 0 72 36 ]"), bytes.left(2000).constData());
}

void IoDrawingTest::anSvgKeepsItsTextsAndHoldsItsPictures() {
    const QString file = m_folder.filePath("a.svg");
    write(file, sample());
    const QByteArray bytes = bytesOf(file);
    QVERIFY(bytes.contains("width=\"72pt\" height=\"36pt\" viewBox=\"0 0 72 36\""));
    QVERIFY(bytes.contains(">a &lt; b &amp; c</text>"));
    const QByteArray head = "href=\"data:image/png;base64,";
    const auto begin = bytes.indexOf(head);
    QVERIFY(begin > 0);
    const auto end = bytes.indexOf('"', begin + head.size());
    const QByteArray png =
        QByteArray::fromBase64(bytes.mid(begin + head.size(), end - begin - head.size()),
                               QByteArray::AbortOnBase64DecodingErrors);
    QFile out(m_folder.filePath("inner.png"));
    QVERIFY(out.open(QIODevice::WriteOnly) && out.write(png) == png.size());
    out.close();
    const io::LoadedImage image = io::readImage(out.fileName().toStdString());
    QVERIFY((image.info.extents == base::Extents{2, 1, 1}));
    QVERIFY((colourAt(image, 0, 0) == std::array{255, 0, 0}));
    QVERIFY((colourAt(image, 1, 0) == std::array{0, 0, 255}));
}

void IoDrawingTest::greyPixelsFollowTheScale() {
    if (!test::draws("a.png")) {
        QSKIP("this build draws no such figures");
    }
    io::Drawing drawing{10, 5};
    drawing.box(2, 1, 4, 2, io::kBlack);
    const base::Image<std::uint8_t> pixels = io::toPixels(drawing, 3);
    QVERIFY((pixels.extents() == base::Extents{30, 15, 1}));
    for (std::int64_t y = 0; y < 15; ++y) {
        for (std::int64_t x = 0; x < 30; ++x) {
            const bool inside = x >= 6 && x < 18 && y >= 3 && y < 9;
            QCOMPARE(int{pixels.view().at(x, y, 0)}, inside ? 0 : 255);
        }
    }
}

void IoDrawingTest::otherExtensionsAreRefused() {
    for (const char* const name : {"a.bmp", "a.tif", "a", "a.png.gz"}) {
        QVERIFY_EXCEPTION_THROWN(io::requireDrawable(name), base::Error);
    }
    QVERIFY(test::draws("a.SVG"));
    QCOMPARE(test::draws("a.png"), test::draws("a.pdf")); // cairo draws both
}

const flcc::test::TestClass<IoDrawingTest> kIoDrawingTest;
#include "drawing_test.moc"
