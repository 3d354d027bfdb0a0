#include <QTemporaryDir>
#include <QtTest>

#include <csignal>

#include <sys/resource.h>
#include <unistd.h>

#include "engine/io/atomic_file.h"
#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;

namespace {

/// While it lives no file of this process grows beyond `bytes`: a disk that is full.
class FullDisk {
  public:
    explicit FullDisk(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limit{bytes, m_before.rlim_max};
        m_handler = std::signal(SIGXFSZ, SIG_IGN);
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FullDisk() {
        ::setrlimit(RLIMIT_FSIZE, &m_before);
        (void)std::signal(SIGXFSZ, m_handler);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

  private:
    rlimit m_before{};
    void (*m_handler)(int) = nullptr;
};

} // namespace

class AtomicFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path folder() const { return m_folder.path().toStdString(); }
    QStringList names() const {
        return QDir(m_folder.path())
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
    }

  private Q_SLOTS:
    void cleanup() {
        for (const auto& entry : std::filesystem::directory_iterator(folder())) {
            std::filesystem::remove_all(entry);
        }
    }

    void textAppearsWholeUnderItsName() {
        io::writeText(folder() / "a.txt", "first");
        io::writeText(folder() / "a.txt", "second");
        QCOMPARE(test::readFile(folder() / "a.txt"), (test::Bytes{'s', 'e', 'c', 'o', 'n', 'd'}));
        QCOMPARE(names(), QStringList{"a.txt"});
    }

    void withoutCommitTheOldFileStays() {
        io::writeText(folder() / "a.csv", "old");
        {
            const io::AtomicFile file(folder() / "a.csv");
            QCOMPARE(file.temporary().extension(), std::filesystem::path(".csv"));
            QCOMPARE(file.temporary().parent_path(), folder());
            test::writeFile(file.temporary(), std::string("half"));
            QCOMPARE(names().size(), 2);
        }
        QCOMPARE(names(), QStringList{"a.csv"});
        QCOMPARE(test::readFile(folder() / "a.csv"), (test::Bytes{'o', 'l', 'd'}));
    }

    void aMissingFolderIsAnOutputError() {
        const auto error =
            test::errorOf([&] { io::writeText(folder() / "none" / "a.txt", "text"); });
        QVERIFY(error && error->code() == ErrorCode::Output);
        QVERIFY(std::string(error->what()).find("none") != std::string::npos);
    }

    void aFolderIsNotReplaced() {
        std::filesystem::create_directory(folder() / "a.txt");
        const auto error = test::errorOf([&] { io::writeText(folder() / "a.txt", "text"); });
        QVERIFY(error && error->code() == ErrorCode::Output);
        QVERIFY(std::filesystem::is_directory(folder() / "a.txt"));
    }

    void aDeviceIsNotReplaced() {
        const auto error = test::errorOf([&] { io::writeText("/dev/null", "text"); });
        QVERIFY(error && error->code() == ErrorCode::Output);
        QVERIFY(std::filesystem::is_character_file("/dev/null"));
    }

    void aLinkStaysALink() {
        io::writeText(folder() / "target.txt", "old");
        std::filesystem::create_symlink("target.txt", folder() / "link.txt");
        io::writeText(folder() / "link.txt", "new");
        QVERIFY(std::filesystem::is_symlink(folder() / "link.txt"));
        QCOMPARE(test::readFile(folder() / "target.txt"), (test::Bytes{'n', 'e', 'w'}));
    }

    void filesAreCommittedAllOrNone() {
        const auto make = [&](const char* name) {
            auto file = std::make_unique<io::AtomicFile>(folder() / name);
            test::writeFile(file->temporary(), std::string("new"));
            return file;
        };
        test::writeFile(folder() / "there.txt", std::string("old"));
        {
            std::vector<std::unique_ptr<io::AtomicFile>> files;
            for (const char* name : {"there.txt", "none.txt", "blocked.txt"}) {
                files.push_back(make(name));
            }
            std::filesystem::create_directory(folder() / "blocked.txt");
            const auto error = test::errorOf([&] { io::AtomicFile::commitAll(files); });
            QVERIFY(error && error->code() == ErrorCode::Output);
        }
        QCOMPARE(test::readFile(folder() / "there.txt"), (test::Bytes{'o', 'l', 'd'}));
        QCOMPARE(names(), (QStringList{"blocked.txt", "there.txt"}));
        std::filesystem::remove(folder() / "blocked.txt");
        {
            std::vector<std::unique_ptr<io::AtomicFile>> files;
            for (const char* name : {"there.txt", "none.txt", "blocked.txt"}) {
                files.push_back(make(name));
            }
            io::AtomicFile::commitAll(files);
        }
        QCOMPARE(names(), (QStringList{"blocked.txt", "none.txt", "there.txt"}));
        for (const char* name : {"there.txt", "none.txt", "blocked.txt"}) {
            QCOMPARE(test::readFile(folder() / name), (test::Bytes{'n', 'e', 'w'}));
        }
    }

    void permissionsOfAReplacedFileAreKept() {
        io::writeText(folder() / "a.txt", "old");
        std::filesystem::permissions(folder() / "a.txt", std::filesystem::perms::owner_read |
                                                             std::filesystem::perms::owner_write);
        io::writeText(folder() / "a.txt", "new");
        QCOMPARE(static_cast<int>(std::filesystem::status(folder() / "a.txt").permissions()), 0600);
    }

    void aReadOnlyFolderIsAnOutputError() {
        if (::geteuid() == 0) {
            QSKIP("nothing is read-only for root");
        }
        std::filesystem::permissions(folder(), std::filesystem::perms::owner_read |
                                                   std::filesystem::perms::owner_exec);
        const auto error = test::errorOf([&] { io::writeText(folder() / "a.txt", "text"); });
        std::filesystem::permissions(folder(), std::filesystem::perms::owner_all);
        QVERIFY(error && error->code() == ErrorCode::Output);
    }

    void aFullDiskLeavesTheOldFileAndNothingElse_data() {
        QTest::addColumn<QString>("name");
        for (const QString& extension : QStringList{"txt"} + [] {
                 QStringList list;
                 for (const std::string& one : io::writableExtensions()) {
                     list << QString::fromStdString(one);
                 }
                 return list;
             }()) {
            QTest::newRow(qPrintable(extension)) << "image." + extension;
        }
    }
    void aFullDiskLeavesTheOldFileAndNothingElse() {
        QFETCH(QString, name);
        const auto path = folder() / name.toStdString();
        const auto image = test::patternImage(base::PixelType::UInt16, {300, 200, 1});
        const std::string text(100000, 'x');
        const auto write = [&] {
            name.endsWith("txt") ? io::writeText(path, text)
                                 : (void)io::writeImage(path, base::viewOf(image), {});
        };
        write();
        const auto whole = static_cast<rlim_t>(std::filesystem::file_size(path));
        test::writeFile(path, std::string("old"));
        // Also where only the last bytes do not fit: those go to the disk when the file is closed.
        for (const rlim_t room :
             {rlim_t{0}, rlim_t{5}, rlim_t{4096}, rlim_t{70000}, whole / 2, whole - 1}) {
            const FullDisk disk(room);
            const auto error = test::errorOf(write);
            QVERIFY2(error && error->code() == ErrorCode::Output,
                     qPrintable(QString("%1 of %2 bytes").arg(room).arg(whole)));
            QVERIFY(std::string(error->what()).find(path.string()) != std::string::npos);
            QCOMPARE(names(), QStringList{name});
            QCOMPARE(test::readFile(path), (test::Bytes{'o', 'l', 'd'}));
        }
    }
};

const flcc::test::TestClass<AtomicFileTest> kTests;
#include "atomic_file_test.moc"
