#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>

#include "engine/io/image_file.h"
#include "engine/io/process/reader_process.h"
#include "engine/io/process/reader_protocol.h"
#include "tests/engine/io/dicom_fixture.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using io::ReaderHeader;

namespace {

void append(std::string& answer, const void* bytes, std::size_t count) {
    answer.append(static_cast<const char*>(bytes), count);
}

void appendBlock(std::string& answer, std::int64_t announced, const std::string& bytes) {
    append(answer, &announced, sizeof(announced));
    answer += bytes;
}

/// The header of a picture of 3x2 bytes.
ReaderHeader goodHeader() {
    ReaderHeader header;
    header.extents = {3, 2, 1};
    header.voxelBytes = 6;
    return header;
}

std::string answerOf(ReaderHeader header, const std::string& texts = {}) {
    if (header.textBytes == 0) {
        header.textBytes = static_cast<std::int64_t>(texts.size());
    }
    std::string answer;
    append(answer, &header, sizeof(header));
    answer += texts;
    appendBlock(answer, 6, "abcdef");
    return answer;
}

} // namespace

/// Programs in the place of flcc-reader that crash, hang and lie.
class ReaderProcessTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path file(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    /// The next reader is this shell script.
    void setReader(const std::string& script) const {
        test::writeFile(file("reader"), "#!/bin/sh\n" + script + "\n");
        QVERIFY(::chmod(file("reader").c_str(), 0700) == 0);
        io::detail::readerSetup().program = file("reader");
    }
    /// The next reader gives this answer.
    void setAnswer(const std::string& answer) const {
        test::writeFile(file("answer"), answer);
        setReader("cat '" + file("answer").string() + "'");
    }
    /// The number in the name of the folder process-N; 0 as long as there is none.
    pid_t processOf() const {
        for (const auto& entry : std::filesystem::directory_iterator(file(""))) {
            const std::string name = entry.path().filename().string();
            if (name.starts_with("process-")) {
                return std::stoi(name.substr(8));
            }
        }
        return 0;
    }
    std::string sentenceOf(const io::ReadOptions& options = {}) const {
        const auto error = test::errorOf([&] { (void)io::readImage(file("scan.dcm"), options); });
        if (!error) {
            return "no error";
        }
        return (error->code() == ErrorCode::Input ? "" : "another code: ") +
               std::string(error->what());
    }
    void requireSentence(const std::string& begin, const std::string& word) const {
        const std::string sentence = sentenceOf();
        QVERIFY2(sentence.starts_with(begin), sentence.c_str());
        QVERIFY2(sentence.find(word) != std::string::npos, sentence.c_str());
        QVERIFY2(sentence.find(file("scan.dcm").string()) != std::string::npos, sentence.c_str());
        QVERIFY2(sentence.find('\n') == std::string::npos, sentence.c_str());
    }

  private Q_SLOTS:
    void initTestCase() {
        test::DicomRecipe recipe;
        recipe.pixels = test::Bytes(24);
        test::writeFile(file("scan.dcm"), test::makeDicom(recipe));
    }
    void init() { io::detail::readerSetup() = {}; }
    void cleanupTestCase() { io::detail::readerSetup() = {}; }

    void aGoodAnswerIsAnImage() {
        ReaderHeader header = goodHeader();
        header.spacing = {2, 3, 1};
        std::memcpy(header.unit.data(), "um", 2);
        header.skippedFiles = 5;
        setAnswer(answerOf(header, std::string("Na note\0Mkey=a=b\0", 17)));
        const io::LoadedImage image = io::readImage(file("scan.dcm"));
        QCOMPARE(base::valueAt(base::viewOf(image.components.at(0)), {2, 1, 0}), 1.0 * 'f');
        QVERIFY((image.info.geometry.spacing == base::Point{2, 3, 1}));
        QCOMPARE(image.info.geometry.unit, std::string("um"));
        QCOMPARE(image.info.skippedFiles, std::int64_t{5});
        QCOMPARE(image.info.notes, std::vector<std::string>{"a note"});
        QCOMPARE(image.info.metadata.at("key"), std::string("a=b"));
    }

    void aCrashIsASentence_data() {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<QByteArray>("cause");
        QTest::newRow("segmentation fault")
            << QByteArray("kill -SEGV $$") << QByteArray("signal 11");
        QTest::newRow("abort") << QByteArray("echo assertion >&2; kill -ABRT $$")
                               << QByteArray("signal 6");
        QTest::newRow("killed") << QByteArray("kill -KILL $$") << QByteArray("killed");
        QTest::newRow("silent end") << QByteArray("exit 0") << QByteArray("exit code 0");
        QTest::newRow("exit code") << QByteArray("exit 9") << QByteArray("exit code 9");
        QTest::newRow("out of memory")
            << QByteArray("echo 'terminate: std::bad_alloc' >&2; kill -ABRT $$")
            << QByteArray("MiB of memory");
        QTest::newRow("many messages")
            << QByteArray("head -c 1000000 /dev/zero >&2; exit 3") << QByteArray("exit code 3");
        QTest::newRow("closes its answer")
            << QByteArray("exec 1>&-; kill -SEGV $$") << QByteArray("signal 11");
    }
    void aCrashIsASentence() {
        QFETCH(QByteArray, script);
        QFETCH(QByteArray, cause);
        setReader(script.toStdString());
        requireSentence("the reader of DICOM files ended while it read ", cause.toStdString());
        const auto error = test::errorOf([&] { (void)io::readImageInfo(file("scan.dcm")); });
        QVERIFY(error && error->code() == ErrorCode::Input);
    }

    void aCrashAmongVoxelsIsASentence() {
        std::string answer = answerOf(goodHeader());
        answer.resize(answer.size() - 2);
        test::writeFile(file("answer"), answer);
        setReader("cat '" + file("answer").string() + "'; kill -SEGV $$");
        requireSentence("the reader of DICOM files ended", "signal 11");
    }

    void anErrorAmongVoxelsIsASentence() {
        const ReaderHeader header = goodHeader();
        std::string answer;
        append(answer, &header, sizeof(header));
        appendBlock(answer, 2, "ab");
        appendBlock(answer, io::kReaderFailed, "");
        ReaderHeader failure;
        failure.code = 3;
        const std::string text("Ea slice is broken\0", 19);
        failure.textBytes = static_cast<std::int64_t>(text.size());
        append(answer, &failure, sizeof(failure));
        setAnswer(answer + text);
        requireSentence("cannot read ", "a slice is broken");
    }

    void endlessWorkEndsAtItsLimit() {
        setReader("while :; do :; done");
        io::detail::readerSetup().readSeconds = 1;
        requireSentence("the reader of DICOM files ended", "1 s of processor time");
    }

    void aWrongAnswerIsASentence_data() {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<QByteArray>("word");
        const auto row = [](const char* name, const std::string& answer, const char* word) {
            QTest::newRow(name) << QByteArray::fromStdString(answer) << QByteArray(word);
        };
        const auto changed = [](auto change) {
            ReaderHeader header = goodHeader();
            change(header);
            return answerOf(header);
        };
        row("garbage", std::string(5000, 'x'), "invalid answer");
        row("part of a header", std::string("FLCC"), "exit code 0");
        row("version", changed([](ReaderHeader& h) { ++h.magic; }), "invalid answer");
        row("type", changed([](ReaderHeader& h) { h.pixel = 10; }), "values out of range");
        row("components", changed([](ReaderHeader& h) { h.components = 5; }), "out of range");
        row("frames", changed([](ReaderHeader& h) { h.frames = 0; }), "out of range");
        row("unit", changed([](ReaderHeader& h) { h.unit.fill('u'); }), "out of range");
        row("code", changed([](ReaderHeader& h) { h.code = 77; }), "error code 77");
        row("no extents", changed([](ReaderHeader& h) { h.extents = {0, 2, 1}; }), "extents 0x2");
        row("huge extents", changed([](ReaderHeader& h) {
                h.extents = {1LL << 39, 1LL << 39, 1LL << 39};
            }),
            "extents");
        row("spacing", changed([](ReaderHeader& h) { h.spacing[1] = -1; }), "spacing");
        row("direction", changed([](ReaderHeader& h) {
                h.direction[4] = std::numeric_limits<double>::quiet_NaN();
            }),
            "not a number");
        row("bytes", changed([](ReaderHeader& h) { h.voxelBytes = 7; }), "7 bytes of voxels");
        row("no voxels", changed([](ReaderHeader& h) { h.voxelBytes = 0; }), "0 bytes of voxels");
        row("texts", changed([](ReaderHeader& h) { h.textBytes = -1; }), "texts of -1");
        row("long texts", changed([](ReaderHeader& h) { h.textBytes = 1LL << 40; }), "texts of");
        row("text without end", answerOf(goodHeader(), "Nabc"), "without an end");
        row("kind of text", answerOf(goodHeader(), std::string("Xabc\0", 5)), "unknown kind");
        row("empty text", answerOf(goodHeader(), std::string("\0", 1)), "unknown kind");
        row("file elsewhere", answerOf(goodHeader(), std::string("F../x\0", 6)), "another folder");
        std::string block;
        const ReaderHeader header = goodHeader();
        append(block, &header, sizeof(header));
        appendBlock(block, -5, "");
        row("block", block, "block of -5");
    }
    void aWrongAnswerIsASentence() {
        QFETCH(QByteArray, answer);
        QFETCH(QByteArray, word);
        setAnswer(answer.toStdString());
        const std::string sentence = sentenceOf();
        QVERIFY2(sentence.find(word.toStdString()) != std::string::npos, sentence.c_str());
        QVERIFY2(sentence.find(file("scan.dcm").string()) != std::string::npos, sentence.c_str());
        QVERIFY2(!sentence.starts_with("another code"), sentence.c_str());
    }

    void aFileThatIsNotInTheFolderIsRefused() {
        setAnswer(answerOf(goodHeader(), std::string("Fnone\0", 6)));
        const std::string sentence = sentenceOf({.digests = true});
        QVERIFY2(sentence.find("not in the folder") != std::string::npos, sentence.c_str());
    }

    void controlCharactersDoNotReachSentences() {
        ReaderHeader header = goodHeader();
        header.code = 3;
        setAnswer(answerOf(header, std::string("Ered\x1b[31m\nline\0", 15)));
        requireSentence("cannot read ", "red [31m line");
    }

    void aCancelEndsTheProcessAtOnce() {
        // It may make a folder, but write no file.
        setReader("mkdir '" + file("process-").string() + "'$$; exec sleep 60");
        pid_t process = 0;
        std::stop_source stop;
        std::jthread canceller([&] {
            while (process == 0) {
                process = processOf();
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            stop.request_stop();
        });
        QElapsedTimer timer;
        timer.start();
        const io::LoadedImage image =
            io::readImage(file("scan.dcm"), {.stop = stop.get_token(), .digests = true});
        QVERIFY2(timer.elapsed() < 10'000, std::to_string(timer.elapsed()).c_str());
        QVERIFY(image.components.empty());
        canceller.join();
        QVERIFY(process > 1);
        QCOMPARE(::kill(process, 0), -1); // it is gone, and not left as a zombie
        QVERIFY(io::readImageInfo(file("scan.dcm"), stop.get_token()).format.empty());
    }

    void aMissingReaderIsNamed() {
        io::detail::readerSetup().program = file("none");
        requireSentence("cannot read ", file("none").string());
        requireSentence("cannot read ", "DICOM files are read by the program");
        io::detail::readerSetup().program.clear(); // beside the test program, where it is not
        requireSentence("cannot read ", "flcc-reader, which cannot be started");
    }

    void theProcessHasNoDescriptorsOfOurs() {
        setReader("ls /proc/self/fd | wc -l | grep -q '^4$' && exit 4; exit 5");
        const int own = ::open("/dev/null", O_RDONLY); // which a program would inherit
        requireSentence("the reader of DICOM files ended", "exit code 4"); // the fourth is of ls
        ::close(own);
    }
};

const flcc::test::TestClass<ReaderProcessTest> kReaderProcessTest;
#include "reader_process_test.moc"
