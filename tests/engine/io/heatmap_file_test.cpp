#include <QTemporaryDir>
#include <QtTest>

#include "engine/io/heatmap_file.h"
#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::Status;

class HeatmapFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

  private Q_SLOTS:
    void everyPixelHasTheColourOfItsScoreAndStatus() {
        const base::Extents extents{23, 11, 3};
        base::Image<float> value(extents);
        base::Image<Status> status(extents, Status::Ok);
        for (std::int64_t i = 0; i < value.count(); ++i) {
            value.data()[i] = static_cast<float>(i % 200) / 100.0F - 1.0F;
            status.data()[i] = static_cast<Status>(i % 7 == 0 ? i % 6 : 0);
        }
        const match::HeatmapScale scale{match::ColourMap::Diverging, -1, 1};
        io::writeHeatmap(at("h.png"), value.view(), status.view(), 1, scale);
        const io::LoadedImage picture = io::readImage(at("h.png"));
        QCOMPARE(picture.info.components, 3);
        QVERIFY((picture.info.extents == base::Extents{23, 11, 1}));
        int hatched = 0;
        int pink = 0;
        for (std::int64_t y = 0; y < extents.y; ++y) {
            for (std::int64_t x = 0; x < extents.x; ++x) {
                const bool shown = base::hasValue(status.view().at(x, y, 1));
                match::Colour expected =
                    shown ? match::colourOf(scale, static_cast<double>(value.view().at(x, y, 1)))
                          : match::hatchColour(x, y);
                hatched += shown ? 0 : 1;
                if (status.view().at(x, y, 1) == Status::LowConf) {
                    expected = match::lowConfColour(expected);
                    ++pink;
                }
                for (std::size_t plane = 0; plane < 3; ++plane) {
                    QCOMPARE(base::valueAt(base::viewOf(picture.components[plane]), {x, y, 0}),
                             static_cast<double>(expected[plane]));
                }
            }
        }
        QVERIFY(hatched > 5);
        QVERIFY(pink > 5);
    }

    void otherExtensionsAndSlicesAreRefused() {
        const base::Image<float> value({4, 4, 2}, 0.5F);
        const base::Image<Status> status({4, 4, 2}, Status::Ok);
        const auto jpeg = test::errorOf(
            [&] { io::writeHeatmap(at("h.jpg"), value.view(), status.view(), 0, {}); });
        QVERIFY(jpeg && jpeg->code() == ErrorCode::CommandLine);
        const auto slice = test::errorOf(
            [&] { io::writeHeatmap(at("none.png"), value.view(), status.view(), 2, {}); });
        QVERIFY(slice && slice->code() == ErrorCode::CommandLine);
        QVERIFY(!std::filesystem::exists(at("none.png")));
    }
};

const flcc::test::TestClass<HeatmapFileTest> kHeatmapFileTest;
#include "heatmap_file_test.moc"
