#include <QCryptographicHash>
#include <QTemporaryDir>
#include <QtTest>

#include <fcntl.h>
#include <sys/stat.h>

#include "engine/io/files/read_files.h"
#include "engine/io/format/reading.h"
#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using io::detail::ReadFiles;

namespace {

std::string sha256Of(const std::filesystem::path& path) {
    const test::Bytes bytes = test::readFile(path);
    return QCryptographicHash::hash(QByteArray(reinterpret_cast<const char*>(bytes.data()),
                                               static_cast<qsizetype>(bytes.size())),
                                    QCryptographicHash::Sha256)
        .toHex()
        .toStdString();
}

/// Writes over the first byte of a file.
void overwrite(const std::filesystem::path& path, char byte) {
    const int file = ::open(path.c_str(), O_WRONLY);
    QCOMPARE(::pwrite(file, &byte, 1, 0), ssize_t{1});
    ::close(file);
}

} // namespace

class ReadFilesTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path file(const char* name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

  private Q_SLOTS:
    void digestsAreThoseOfTheFiles() {
        test::writeFile(file("a"), std::string(3'000'000, 'a'));
        test::writeFile(file("b"), std::string("b"));
        ReadFiles files;
        files.add(file("a"));
        files.add(file("b"));
        const std::vector<io::FileDigest> digests = files.digests({});
        QCOMPARE(digests.size(), std::size_t{2});
        for (const io::FileDigest& digest : digests) {
            QCOMPARE(digest.sha256, sha256Of(digest.path));
        }
    }

    void aFileThatChangesMeanwhileIsAnError_data() {
        QTest::addColumn<int>("change");
        QTest::newRow("written to") << 0;
        QTest::newRow("longer") << 1;
        QTest::newRow("replaced") << 2;
        QTest::newRow("gone") << 3;
    }
    void aFileThatChangesMeanwhileIsAnError() {
        QFETCH(int, change);
        test::writeFile(file("other"), std::string("other"));
        test::writeFile(file("scene"), std::string("voxel")); // at once before it is opened
        ReadFiles files;
        files.add(file("other"));
        files.add(file("scene"));
        if (change == 0) {
            overwrite(file("scene"), 'x');
        } else if (change == 1) {
            std::filesystem::resize_file(file("scene"), 9);
        } else if (change == 2) {
            test::writeFile(file("new"), std::string("voxel"));
            std::filesystem::rename(file("new"), file("scene"));
        } else {
            std::filesystem::remove(file("scene"));
        }
        const auto error = test::errorOf([&] { (void)files.digests({}); });
        QVERIFY(error && error->code() == ErrorCode::Input);
        const std::string sentence = error->what();
        QVERIFY2(sentence.find(file("scene").string()) != std::string::npos, sentence.c_str());
        QVERIFY2(sentence.find("changed while it was read") != std::string::npos, sentence.c_str());
    }

    void aFileAddedTwiceIsOne() {
        test::writeFile(file("a"), std::string("a"));
        ReadFiles files;
        files.add(file("a"));
        files.add(file("a"));
        const std::vector<io::FileDigest> digests = files.digests({});
        QCOMPARE(digests.size(), std::size_t{1});
        QCOMPARE(digests[0].sha256, sha256Of(file("a")));
    }

    void filesOfAFolderAreKeptByName() {
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.path().toStdString();
        for (const char* name : {"c", "a", "b"}) {
            test::writeFile(path / name, std::string("voxels of ") + name);
        }
        QVERIFY(::mkfifo((path / "pipe").c_str(), 0600) == 0);
        ReadFiles files;
        files.addFolder(path);
        QVERIFY(files.keepOnly({"c", "a", "a"}));
        const std::vector<io::FileDigest> digests = files.digests({});
        QCOMPARE(digests.size(), std::size_t{2});
        QCOMPARE(digests[0].path, path / "a");
        QCOMPARE(digests[0].sha256, sha256Of(path / "a"));
        QCOMPARE(digests[1].sha256, sha256Of(path / "c"));
        overwrite(path / "a", 'x');
        const auto error = test::errorOf([&] { (void)files.digests({}); });
        QVERIFY(error && error->code() == ErrorCode::Input);
        QVERIFY(!files.keepOnly({"a", "pipe"}));
    }

    void whatIsNoFileIsNotOpened() {
        QVERIFY(::mkfifo(file("pipe").c_str(), 0600) == 0);
        ReadFiles files;
        for (const auto& path : {file("pipe"), file("none")}) {
            const auto error = test::errorOf([&] { files.add(path); });
            QVERIFY(error && error->code() == ErrorCode::Input);
        }
    }

    void aStopEndsTheDigests() {
        test::writeFile(file("a"), std::string("a"));
        ReadFiles files;
        files.add(file("a"));
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_THROWS_EXCEPTION(io::detail::Stopped, (void)files.digests(stop.get_token()));
    }

    void headerAndVoxelsHaveADigestEach_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("header");
        QTest::newRow("MetaImage") << "a.mhd"
                                   << QByteArray("ObjectType = Image\nNDims = 2\nDimSize = 2 2\n"
                                                 "ElementType = MET_UCHAR\n"
                                                 "ElementDataFile = a.raw\n");
        QTest::newRow("NRRD") << "a.nhdr"
                              << QByteArray("NRRD0004\ntype: uint8\ndimension: 2\n"
                                            "sizes: 2 2\nencoding: raw\ndata file: a.raw\n");
    }
    void headerAndVoxelsHaveADigestEach() {
        QFETCH(QString, name);
        QFETCH(QByteArray, header);
        const std::filesystem::path path = file(name.toUtf8().constData());
        test::writeFile(path, header.toStdString());
        test::writeFile(file("a.raw"), std::string("abcd"));
        const io::LoadedImage image = io::readImage(path, {.digests = true});
        QCOMPARE(image.files.size(), std::size_t{2});
        QCOMPARE(image.files[0].path, path);
        QCOMPARE(image.files[0].sha256, sha256Of(path));
        QCOMPARE(image.files[1].path, file("a.raw"));
        QCOMPARE(image.files[1].sha256, sha256Of(file("a.raw")));
        QVERIFY(io::readImage(path).files.empty());
    }
};

const flcc::test::TestClass<ReadFilesTest> kReadFilesTest;
#include "read_files_test.moc"
