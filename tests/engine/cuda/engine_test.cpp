#include <QtTest>

#include <filesystem>
#include <fstream>
#include <string>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/cuda/plugin/built_code.h"
#include "engine/cuda/plugin/engine.h"
#include "engine/cuda/plugin/sticky_errors.h"
#include "engine/cuda/run/limits.h"
#include "tests/engine/cuda/device_double.h"
#include "tests/support/test_class.h"
#include "tests/support/text.h"

using namespace flcc;
using test::holds;

namespace {

/// Why a plug-in in `file` cannot be used.
std::string reasonOf(const std::filesystem::path& file) {
    std::string reason;
    const cuda::PluginTable* const table = cuda::Engine::load({file}, reason);
    return cuda::Engine(table, reason).reason();
}

} // namespace

/// Why there is no GPU: every reason is said in words of its own.
class EngineTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { test::deviceDouble().reset(); }

    void aPluginThatIsNotThereIsNamedAndItsFoldersAreLogged() {
        std::string logged;
        base::setLogLevel(base::LogLevel::Info);
        base::setLogListener(
            [&](base::LogLevel, std::string_view line) { logged += std::string(line); });
        std::string reason;
        QVERIFY(cuda::Engine::load({"first/flcc-cuda.so", "second/flcc-cuda.so"}, reason) ==
                nullptr);
        base::setLogListener({});
        base::setLogLevel(base::LogLevel::Warning);
        QCOMPARE(reason, std::string("the GPU engine is not installed: flcc-cuda.so is missing"));
        QVERIFY2(holds(logged, "first") && holds(logged, "second"), logged.c_str());
    }

    void theProgramLooksBesideItselfFirst() {
        const auto places = cuda::Engine::places();
        QCOMPARE(places.size(), std::size_t{2});
        QCOMPARE(QString::fromStdString(places.front().parent_path().string()),
                 QCoreApplication::applicationDirPath());
        QVERIFY(holds(places.back().string(), "/flcc/flcc-cuda.so"));
    }

    void aMissingLibraryIsNamed() {
        const std::string reason = reasonOf(FLCC_NEEDS_GONE);
        QVERIFY2(holds(reason, "needs the library libflcc_test_gone.so, which is not installed"),
                 reason.c_str());
    }

    void whatIsNoLibraryIsAReason() {
        const QTemporaryDir folder;
        const std::string file = folder.filePath("flcc-cuda.so").toStdString();
        std::ofstream(file) << "no library";
        QVERIFY2(holds(reasonOf(file), "cannot be loaded"), reasonOf(file).c_str());
    }

    void aPluginOfAnotherVersionIsNotUsed() {
        const std::string reason = reasonOf(FLCC_OTHER_VERSION);
        QVERIFY2(holds(reason, "another version"), reason.c_str());
    }

    void theDriverSaysWhatIsMissing_data() {
        QTest::addColumn<int>("result");
        QTest::addColumn<int>("driver");
        QTest::addColumn<int>("devices");
        QTest::addColumn<QString>("words");
        QTest::newRow("none") << cuda::kDriverTooOld << 0 << 0
                              << QStringLiteral("no NVIDIA driver is installed");
        QTest::newRow("too old") << cuda::kDriverTooOld << 12020 << 0
                                 << QStringLiteral("too old: it is for CUDA 12.2, the GPU engine "
                                                   "needs 13.0");
        QTest::newRow("no device")
            << cuda::kNoDevice << 13000 << 0 << QStringLiteral("the driver finds no NVIDIA GPU");
        QTest::newRow("none of them")
            << 0 << 13000 << 0 << QStringLiteral("the driver finds no NVIDIA GPU");
        QTest::newRow("else") << 999 << 13000 << 0 << QStringLiteral("does not start: invalid");
    }

    void theDriverSaysWhatIsMissing() {
        QFETCH(int, result);
        QFETCH(int, driver);
        QFETCH(int, devices);
        QFETCH(QString, words);
        test::deviceDouble().start = {result, driver, 13000, devices};
        const cuda::Engine engine(&test::doubleTable());
        QVERIFY2(holds(engine.reason(), words.toStdString()), engine.reason().c_str());
        QVERIFY(engine.devices().empty());
    }

    void anErrorOfCufftKeepsItsNumber() {
        cuda::Engine engine(&test::doubleTable());
        std::string words;
        try {
            engine.require(test::DeviceDouble::kNoPlan, 0, "planning transforms");
        } catch (const base::Error& error) {
            words = error.what();
        }
        QVERIFY2(holds(words, "cuFFT: internal error (cuFFT error 5)"), words.c_str());
    }

    void everyDeviceIsListedWithItsMemory() {
        test::deviceDouble().start.devices = 2;
        const cuda::Engine engine(&test::doubleTable());
        QCOMPARE(engine.reason(), std::string());
        QCOMPARE(engine.devices().size(), std::size_t{2});
        QCOMPARE(engine.devices()[1].id(), std::string("cuda:1"));
        QCOMPARE(engine.devices()[1].name(), std::string("Double 1"));
        QCOMPARE(engine.reasonAgainst(1), std::string());
        QCOMPARE(engine.freeMemory(1), test::deviceDouble().freeBytes);
        QCOMPARE(engine.reasonAgainst(2), std::string("there is no such device"));
        QCOMPARE(engine.versions(), std::string("CUDA 13.0, driver for 13.0"));
    }

    void aDeviceWithoutCodeIsNotUsed() {
        test::deviceDouble().about.hasCode = false;
        test::deviceDouble().about.major = 6;
        test::deviceDouble().about.minor = 1;
        const cuda::Engine engine(&test::doubleTable());
        QCOMPARE(engine.reasonAgainst(0),
                 std::string("its compute capability 6.1 is older than what the GPU engine was "
                             "built for, 7.5 and newer"));
        QCOMPARE(engine.freeMemory(0), std::int64_t{0});
    }

    void aDeviceThatDoesNotAnswerHasANameAllTheSame() {
        test::deviceDouble().start.devices = 2;
        test::deviceDouble().describes = test::DeviceDouble::kInvalidValue;
        const cuda::Engine engine(&test::doubleTable());
        QCOMPARE(engine.devices()[1].name(), std::string("GPU 1"));
        QCOMPARE(engine.devices()[1].about.memoryBytes, std::int64_t{0});
        QCOMPARE(engine.reasonAgainst(1), std::string("it does not answer: invalid argument"));
    }

    void aNewerDeviceWithoutCodeIsNotCalledOlder() {
        test::deviceDouble().about.hasCode = false;
        test::deviceDouble().about.major = 12;
        const cuda::Engine engine(&test::doubleTable());
        QCOMPARE(engine.reasonAgainst(0),
                 std::string("the GPU engine was built without code for its compute capability "
                             "12.0"));
    }

    void codeRunsOnDevicesThatItWasBuiltFor_data() {
        QTest::addColumn<int>("capability");
        QTest::addColumn<bool>("release");
        QTest::addColumn<bool>("binary"); // of one capability alone, 8.6
        const auto row = [](int capability, bool release, bool binary) {
            QTest::addRow("%d", capability) << capability << release << binary;
        };
        row(61, false, false);
        row(70, false, false);
        row(75, true, false);
        row(80, true, false);
        row(86, true, true);
        row(89, true, true);
        row(90, true, false);
        row(120, true, false);
    }

    void codeRunsOnDevicesThatItWasBuiltFor() {
        QFETCH(int, capability);
        QFETCH(bool, release);
        QFETCH(bool, binary);
        // 75-real;80-real;86-real;90
        const cuda::BuiltCode packages{cuda::capabilitiesOf("75/80/86/90"),
                                       cuda::capabilitiesOf("90")};
        QCOMPARE(packages.runsOn(capability), release);
        QCOMPARE(packages.oldest(), 75);
        QCOMPARE((cuda::BuiltCode{{86}, cuda::capabilitiesOf("")}.runsOn(capability)), binary);
    }

    void anErrorThatEndsOneCallLeavesTheDevice() {
        cuda::Engine engine(&test::doubleTable());
        try {
            engine.require(cuda::kOutOfMemory, 0, "asking for 7 bytes of its memory");
            QFAIL("nothing was thrown");
        } catch (const base::Error& error) {
            QVERIFY(error.code() == base::ErrorCode::Memory);
            QVERIFY(holds(error.what(), "cuda:0") && holds(error.what(), "7 bytes"));
        }
        QCOMPARE(engine.reasonAgainst(0), std::string());
    }

    void aStickyErrorEndsAllWorkOnDevices() {
        cuda::Engine engine(&test::doubleTable());
        QVERIFY_EXCEPTION_THROWN(
            engine.require(test::DeviceDouble::kIllegalAddress, 0, "running the direct method"),
            base::Error);
        QVERIFY2(holds(engine.reasonAgainst(0), "illegal memory access"),
                 engine.reasonAgainst(0).c_str());
        QVERIFY(holds(engine.reason(), "start the program again"));
    }

    // The numbers of the CUDA runtime.
    void errorsThatComeAgainAreKnown() {
        for (const cuda::Result lost :
             {214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911, 999}) {
            QVERIFY2(cuda::isStickyError(lost), qPrintable(QString::number(lost)));
        }
        // No memory, an invalid value, a launch that asks for too much, a peer, an error of cuFFT.
        for (const cuda::Result once :
             {0, 1, 2, 35, 100, 701, 704, 709, 720, 912, cuda::kTransformError + 5}) {
            QVERIFY2(!cuda::isStickyError(once), qPrintable(QString::number(once)));
        }
    }

    void aLostDeviceIsReportedWhateverALibraryMakesOfIt() {
        const cuda::Result internal = cuda::kTransformError + 5;
        QCOMPARE(cuda::tellingError(700, 0, internal), 700);
        QCOMPARE(cuda::tellingError(719, 2, cuda::kOutOfMemory), 719);
        QCOMPARE(cuda::tellingError(0, 2, internal), 2);
        QCOMPARE(cuda::tellingError(600, 0, internal), internal); // one that does not last
        QCOMPARE(cuda::tellingError(0, 0, cuda::kOutOfMemory), cuda::kOutOfMemory);
    }

    void whatADeviceCanDoIsMeasured() {
        cuda::Engine engine(&test::doubleTable());
        const cuda::DeviceLimits limits = cuda::measureLimits(engine, 0);
        QVERIFY(limits.multiplyAdds > 0 && limits.bytes > 0);
        method::Problem problem;
        problem.scene = {100, 60, 1};
        problem.templ = {9, 7, 1};
        problem.scenePixel = problem.templPixel = base::PixelType::Float32;
        for (const auto precision : {method::Precision::Single, method::Precision::Double}) {
            problem.precision = precision;
            QVERIFY(cuda::measureTransforms(engine, 0, problem, {32, 30, 1}) > 0);
        }
        QCOMPARE(test::deviceDouble().memoryBlocks, std::int64_t{0});
    }

    void aMeasurementThatFailsLeavesNothingBehind() {
        test::DeviceDouble& device = test::deviceDouble();
        using test::Call;
        for (const Call call : {Call::OpenStream, Call::Allocate, Call::MakeEvent, Call::Record,
                                Call::Limit, Call::Await, Call::Elapsed}) {
            for (std::int64_t turn = 1; turn <= 2; ++turn) {
                device.reset();
                device.about.memoryBytes = 1 << 16; // so that little is moved
                device.call = call;
                device.turn = turn;
                device.result = test::DeviceDouble::kInvalidValue;
                cuda::Engine engine(&test::doubleTable());
                if (call == Call::OpenStream && turn > 1) {
                    continue; // there is one
                }
                QVERIFY_EXCEPTION_THROWN((void)cuda::measureLimits(engine, 0), base::Error);
                QVERIFY(device.memoryBlocks == 0 && device.streams == 0 && device.events == 0);
            }
        }
    }

    // The plug-in itself: it loads without any driver, and says what there is.
    void thePluginThatWasBuiltLoads() {
#ifdef FLCC_PLUGIN
        std::string reason;
        const cuda::PluginTable* const table = cuda::Engine::load({FLCC_PLUGIN}, reason);
        QVERIFY2(table != nullptr, reason.c_str());
        const cuda::Engine engine(table, reason);
        QVERIFY(engine.reason().empty() == !engine.devices().empty());
        QVERIFY2(holds(engine.versions(), "CUDA "), engine.versions().c_str());
#else
        QSKIP("this build has no plug-in");
#endif
    }
};

const flcc::test::TestClass<EngineTest> kEngineTest;
#include "engine_test.moc"
