#include <QtTest>

#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/filter/kernel.h"
#include "engine/filter/recursive.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::Extents;
using base::PixelType;
using filter::Kernel;
using filter::kernelByName;

namespace {

const Extents kImage{20, 10, 1};
const Extents kVolume{20, 10, 5};

/// The code of the error that `call` throws; empty without one.
std::optional<ErrorCode> codeOf(const std::function<void()>& call) {
    try {
        call();
    } catch (const base::Error& error) {
        return error.code();
    }
    return std::nullopt;
}

Kernel fromImage(const base::AnyImage& image,
                 method::Precision precision = method::Precision::Single) {
    return {"kernel.mha", base::viewOf(image), precision};
}

} // namespace

class KernelTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void namesGiveTheValuesOfTheirForm() {
        const auto form = [](const filter::KernelValues& values) {
            return filter::kernelForms()[values.form].name;
        };
        const base::Geometry micrometres{.spacing = {0.5, 0.25, 1}, .unit = "um"};
        const filter::KernelValues two = filter::kernelValues("dog:1:2um", kImage, micrometres);
        QCOMPARE(form(two), std::string("dog"));
        QVERIFY(two.inLength);
        QCOMPARE(two.values.size(), std::size_t{2});
        QVERIFY(two.values[0] == (std::array{2.0, 4.0, 1.0})); // the unit is that of all sizes
        QVERIFY(two.values[1] == (std::array{4.0, 8.0, 1.0}));
        const filter::KernelValues each = filter::kernelValues("box:3,5px,1e0", kVolume, {});
        QVERIFY(!each.inLength);
        QVERIFY(each.values[0] == (std::array{3.0, 5.0, 1.0}));
        const filter::KernelValues along = filter::kernelValues("sobel:y", kImage, {});
        QCOMPARE(form(along), std::string("sobel"));
        QCOMPARE(along.values[0][0], 1.0);
        QVERIFY(codeOf([] { (void)filter::kernelValues("gaussian:2:3", kImage, {}); }) ==
                ErrorCode::CommandLine);
    }

    void namesGiveTheirWeights() {
        const Kernel sobel = kernelByName("sobel:x", kImage, {});
        QVERIFY(sobel.extents() == (Extents{3, 3, 1}));
        QCOMPARE(sobel.sumOfMagnitudes(), 8.0);
        QVERIFY(sobel.hasIntegerWeights());
        // A correlation with the flipped weights rises with a rising scene.
        QCOMPARE(sobel.flippedWeights().view().at(2, 1, 0), 2.0);
        QCOMPARE(sobel.flippedWeights().view().at(0, 1, 0), -2.0);
        const Kernel box = kernelByName("box:3,5", kImage, {});
        QVERIFY(box.extents() == (Extents{3, 5, 1}));
        QCOMPARE(box.divisor(), 15.0);
        const Kernel gaussian = kernelByName("gaussian:2", kVolume, {});
        QVERIFY(gaussian.extents() == (Extents{25, 25, 25}));
        QVERIFY(std::abs(gaussian.sumOfMagnitudes() - 1) < 1e-12);
        QCOMPARE(kernelByName("log:1.5", kVolume, {}).terms().size(), std::size_t{3});
        QVERIFY(kernelByName("dog:1:2", kImage, {}).extents() == (Extents{25, 25, 1}));
        QCOMPARE(kernelByName("gaussian-xy:1,2", kImage, {}).terms()[0].axes[1].order, 1);
        QCOMPARE(kernelByName("gaussian-xx:1", kImage, {}).terms()[0].axes[0].order, 2);
    }

    void sizesMayBeInWorldUnits() {
        base::Geometry geometry;
        geometry.unit = "um";
        geometry.spacing = {0.5, 0.25, 2};
        const Kernel kernel = kernelByName("gaussian:2um", kVolume, geometry);
        QCOMPARE(kernel.terms()[0].axes[0].sigma, 4.0);
        QCOMPARE(kernel.terms()[0].axes[1].sigma, 8.0);
        QCOMPARE(kernel.terms()[0].axes[2].sigma, 1.0);
        const Kernel each = kernelByName("gaussian:2000,1000,3000nm", kVolume, geometry);
        QCOMPARE(each.terms()[0].axes[0].sigma, 4.0);
        QCOMPARE(each.terms()[0].axes[1].sigma, 4.0);
        QCOMPARE(each.terms()[0].axes[2].sigma, 1.5);
        const Kernel repeated = kernelByName("gaussian:2um,1um,3um", kVolume, geometry);
        QCOMPARE(repeated.terms()[0].axes[1].sigma, 4.0);
        QVERIFY(kernelByName("box:1.6um", kImage, geometry).extents() == (Extents{3, 6, 1}));
        QVERIFY(codeOf([] { (void)kernelByName("gaussian:2um", kImage, {}); }) ==
                ErrorCode::Problem); // no spacing is known
        QVERIFY(codeOf([&] { (void)kernelByName("gaussian:2parsec", kImage, geometry); }) ==
                ErrorCode::CommandLine);
    }

    void sizesInSeveralUnitsAreRefused() {
        base::Geometry geometry;
        geometry.unit = "um";
        for (const char* const name :
             {"gaussian:2um,2", "gaussian:2px,2um", "gaussian:2um,2000nm", "box:3um,3,3px",
              "dog:1um:2", "dog:1:2um,3", "gaussian-xy:1mm,2um"}) {
            try {
                (void)kernelByName(name, kImage, geometry);
                QFAIL(name);
            } catch (const base::Error& error) {
                QVERIFY(error.code() == ErrorCode::CommandLine);
                QVERIFY2(std::string(error.what()).find("one unit") != std::string::npos,
                         error.what());
            }
        }
    }

    void everyKernelOfTheTableIsMadeByItsName() {
        std::set<std::string> names;
        for (const filter::KernelForm& form : filter::kernelForms()) {
            using Kind = filter::KernelParameter::Kind;
            std::string text = form.name;
            for (const filter::KernelParameter& parameter : form.parameters) {
                text += parameter.kind == Kind::Axis ? std::string(":x")
                                                     : ":" + std::to_string(parameter.usual);
            }
            QVERIFY(names.insert(form.name).second && !form.title.empty());
            QVERIFY2(!codeOf([&] { (void)kernelByName(text, kVolume, {}); }), text.c_str());
            const auto inImage = codeOf([&] { (void)kernelByName(text, kImage, {}); });
            QVERIFY(form.axes == 3 ? inImage == ErrorCode::Problem : !inImage);
            // Words of the table are those of the messages.
            const std::string word = form.name.substr(0, form.name.find('-'));
            QVERIFY(filter::kernelNames().find(word) != std::string_view::npos);
        }
        QVERIFY(names.size() == 14 && names.contains("gaussian-yz") && names.contains("sobel"));
    }

    void whatIsNoKernelIsRefused_data() {
        QTest::addColumn<QString>("text");
        for (const char* const text : {"",
                                       "blur:3",
                                       "gaussian",
                                       "gaussian:",
                                       "gaussian:0",
                                       "gaussian:-1",
                                       "gaussian:nan",
                                       "gaussian:inf",
                                       "gaussian:1e308",
                                       "gaussian:1,2,3",
                                       "gaussian:1,",
                                       "gaussian:x",
                                       "gaussian-:1",
                                       "gaussian-q:1",
                                       "gaussian-yx:1",
                                       "gaussian-xxx:1",
                                       "log:0",
                                       "dog:1",
                                       "dog:1:0",
                                       "dog:1:1",
                                       "dog:1:2:3",
                                       "box:0",
                                       "box:-3",
                                       "box:2.5",
                                       "box:1e9",
                                       "sobel",
                                       "sobel:",
                                       "sobel:xy",
                                       "sobel:1",
                                       "gaussian:2 um",
                                       "gaussian: 2"}) {
            QTest::newRow(text) << text;
        }
    }

    void whatIsNoKernelIsRefused() {
        QFETCH(QString, text);
        const std::string name = text.toStdString();
        QVERIFY(filter::isKernelName(name));
        QVERIFY(codeOf([&] { (void)kernelByName(name, kImage, {}); }) == ErrorCode::CommandLine);
    }

    void anAxisThatTheSceneDoesNotHaveIsRefused() {
        for (const char* const name : {"gaussian-z:1", "gaussian-xz:1", "sobel:z"}) {
            QVERIFY(codeOf([&] { (void)kernelByName(name, kImage, {}); }) == ErrorCode::Problem);
            QVERIFY(!codeOf([&] { (void)kernelByName(name, kVolume, {}); }));
        }
    }

    void filesAreNoNames() {
        for (const char* const file :
             {"kernel.mha", "a/gaussian:2", "data.h5:/k", "Kernel", "k1"}) {
            QVERIFY(!filter::isKernelName(file));
        }
    }

    void outerProductsAreSeparable() {
        test::Random random(1);
        for (const PixelType type : {PixelType::Float32, PixelType::Float64, PixelType::Int32}) {
            for (const Extents& extents : {Extents{5, 7, 1}, Extents{4, 3, 6}, Extents{9, 1, 1}}) {
                std::vector<double> factors;
                for (int i = 0; i < 30; ++i) {
                    factors.push_back(type == PixelType::Int32
                                          ? static_cast<double>(random.below(9) - 4)
                                          : random.normal());
                }
                factors[0] = factors[10] = factors[20] = 3; // not all of an axis is 0
                const base::AnyImage image =
                    test::makeScene(type, extents, [&](const base::Index& at) {
                        return factors[static_cast<std::size_t>(at.x)] *
                               factors[static_cast<std::size_t>(10 + at.y)] *
                               factors[static_cast<std::size_t>(20 + at.z)];
                    });
                const Kernel kernel = fromImage(image);
                QVERIFY2(kernel.terms().size() == 1, std::to_string(kernel.residual()).c_str());
                QVERIFY(kernel.residual() <= 4 * 0x1p-24);
                // Rounded to float, it is none in double precision.
                QCOMPARE(fromImage(image, method::Precision::Double).terms().size(),
                         std::size_t{type == PixelType::Float32 && extents.y > 1 ? 0U : 1U});
            }
        }
    }

    void otherKernelsAreNot() {
        const base::AnyImage image = test::noise(PixelType::Float32, {5, 5, 1}, 2);
        const Kernel kernel = fromImage(image);
        QVERIFY(kernel.terms().empty());
        QVERIFY(kernel.residual() > 0.01 && kernel.residual() < 1);
        // One voxel off by 1e-5.
        base::AnyImage near = test::makeScene(PixelType::Float64, {5, 5, 1}, [](const auto& at) {
            return static_cast<double>((at.x + 1) * (at.y + 2));
        });
        test::setVoxel(near, {3, 3, 0}, 20 * (1 + 1e-5));
        QVERIFY(fromImage(near).terms().empty());
    }

    void unusableWeightsAreRefused() {
        for (const double value : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
            base::AnyImage image = test::noise(PixelType::Float64, {3, 3, 1}, 3);
            test::setVoxel(image, {1, 2, 0}, value);
            QVERIFY(codeOf([&] { (void)fromImage(image); }) == ErrorCode::Problem);
        }
        const base::AnyImage zeros =
            test::makeScene(PixelType::UInt8, {3, 3, 1}, [](const auto&) { return 0.0; });
        QVERIFY(codeOf([&] { (void)fromImage(zeros); }) == ErrorCode::Problem);
    }
};

const flcc::test::TestClass<KernelTest> kKernelTest;
#include "kernel_test.moc"
