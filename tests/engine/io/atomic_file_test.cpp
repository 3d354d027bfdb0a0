#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/io/atomic_file.h"
#include "engine/io/image_file.h"
#include "engine/io/protected_files.h"
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

    /// Whether the file system of the folder can hold files without a name.
    bool hasFilesWithoutName() const {
        const int file = ::open(m_folder.path().toUtf8(), O_TMPFILE | O_WRONLY, 0600);
        ::close(file);
        return file >= 0;
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
            io::writeText(file, "half");
            // Where the file system can, the new file has no name.
            QVERIFY(names().size() == (hasFilesWithoutName() ? 1 : 2));
        }
        QCOMPARE(names(), QStringList{"a.csv"});
        QCOMPARE(test::readFile(folder() / "a.csv"), (test::Bytes{'o', 'l', 'd'}));
    }

    /// As on a file system that cannot hold files without a name: as many as there may be exist.
    void manyFilesAreCommittedAllOrNone() {
        constexpr int kFiles = 230;
        const auto path = [&](int number) { return folder() / (std::to_string(number) + ".txt"); };
        for (int number = 0; number < kFiles; number += 2) {
            test::writeFile(path(number), std::string("old"));
        }
        for (const bool blocked : {true, false}) {
            std::vector<std::unique_ptr<io::AtomicFile>> files;
            for (int number = 0; number < kFiles; ++number) {
                files.push_back(std::make_unique<io::AtomicFile>(path(number)));
                io::writeText(*files.back(), "new");
            }
            const QStringList open =
                QDir(m_folder.path()).entryList({".flcc-*"}, QDir::Files | QDir::Hidden);
            QVERIFY2(open.size() >= kFiles - 100, "a process has too few descriptors for so many");
            if (blocked) {
                std::filesystem::create_directory(path(kFiles - 1));
                const auto error = test::errorOf([&] { io::AtomicFile::commitAll(files); });
                QVERIFY(error && error->code() == ErrorCode::Output);
                QVERIFY2(std::string(error->what()).find(".flcc-") == std::string::npos,
                         error->what());
                files.clear();
                std::filesystem::remove(path(kFiles - 1));
            } else {
                io::AtomicFile::commitAll(files);
            }
            files.clear();
            QCOMPARE(names().size(), blocked ? kFiles / 2 : kFiles);
            for (int number = 0; number < kFiles; number += blocked ? 2 : 1) {
                QCOMPARE(test::readFile(path(number)),
                         (blocked ? test::Bytes{'o', 'l', 'd'} : test::Bytes{'n', 'e', 'w'}));
            }
        }
    }

    void filesOfAKilledProcessAreRemovedByTheNext() {
        // A process that is killed while it holds files with and without a name.
        std::array<int, 2> ready{};
        QCOMPARE(::pipe(ready.data()), 0);
        std::filesystem::create_directory(folder() / "killed");
        const pid_t child = ::fork();
        if (child == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            std::vector<std::unique_ptr<io::AtomicFile>> files;
            for (int number = 0; number < 103; ++number) {
                files.push_back(
                    std::make_unique<io::AtomicFile>(folder() / "killed" / std::to_string(number)));
            }
            (void)!::write(ready[1], "x", 1);
            while (true) {
                ::pause();
            }
        }
        char byte = 0;
        QCOMPARE(::read(ready[0], &byte, 1), 1);
        const auto left = [&] {
            return QDir(m_folder.filePath("killed"))
                .entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
        };
        const QStringList open = left();
        QVERIFY(open.size() >= 3);
        // A fresh process looks into a folder once: while the other lives, and after.
        const auto writeInFreshProcess = [&] {
            const pid_t writer = ::fork();
            if (writer == 0) {
                io::writeText(folder() / "killed" / "a.txt", "text");
                std::_Exit(0);
            }
            ::waitpid(writer, nullptr, 0);
        };
        writeInFreshProcess();
        QCOMPARE(left(), open + QStringList{"a.txt"});
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        QCOMPARE(left().size(), open.size() + 1);
        // Names that only look alike, and what is no ordinary file, stay.
        const QString name = open.front();
        const QStringList alike{name + "x", "x" + name, ".flcc-1-2.tmp", ".flcc-1-2-3-4.csv"};
        for (const QString& other : alike) {
            test::writeFile(folder() / "killed" / other.toStdString(), std::string("mine"));
        }
        QString linkName = name;
        linkName.replace(QRegularExpression("-\\d+\\.tmp$"), "-99999.tmp");
        std::filesystem::create_symlink("a.txt", folder() / "killed" / linkName.toStdString());
        // Another machine, or this one before it was started again: after a week.
        const std::string foreign = ".flcc-1-1-1-";
        for (const char* other : {"1.tmp", "2.tmp"}) {
            test::writeFile(folder() / "killed" / (foreign + other), std::string("theirs"));
        }
        std::filesystem::last_write_time(folder() / "killed" / (foreign + "2.tmp"),
                                         std::filesystem::file_time_type::clock::now() -
                                             std::chrono::hours(24 * 8));
        writeInFreshProcess();
        QStringList expected = alike + QStringList{linkName, "a.txt", ".flcc-1-1-1-1.tmp"};
        QStringList now = left();
        expected.sort();
        now.sort();
        QCOMPARE(now, expected);
        ::close(ready[0]);
        ::close(ready[1]);
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

    void aLinkToNothingIsFollowed() {
        std::filesystem::create_directory(folder() / "below");
        std::filesystem::create_symlink("below/target.txt", folder() / "link.txt");
        std::filesystem::create_symlink("link.txt", folder() / "second.txt");
        io::writeText(folder() / "second.txt", "new");
        QVERIFY(std::filesystem::is_symlink(folder() / "link.txt"));
        QVERIFY(std::filesystem::is_symlink(folder() / "second.txt"));
        QCOMPARE(test::readFile(folder() / "below" / "target.txt"), (test::Bytes{'n', 'e', 'w'}));
        std::filesystem::create_symlink("ring.txt", folder() / "ring.txt");
        const auto error = test::errorOf([&] { io::writeText(folder() / "ring.txt", "text"); });
        QVERIFY(error && error->code() == ErrorCode::Output);
    }

    void aFileIsTheSameThroughEveryLink() {
        const auto raw = folder() / "voxels.raw";
        test::writeFile(folder() / "image.mhd",
                        std::string("NDims = 2\nDimSize = 2 2\nElementType = MET_UCHAR\n"
                                    "ElementDataFile = voxels.raw\n"));
        test::writeFile(raw, std::string("abcd"));
        io::ProtectedFiles files;
        files.addImage(folder() / "image.mhd");
        files.add(folder() / "missing.json");
        std::filesystem::create_symlink("voxels.raw", folder() / "soft.raw");
        std::filesystem::create_hard_link(raw, folder() / "hard.raw");
        std::filesystem::create_symlink("missing.json", folder() / "dangling.json");
        for (const char* name : {"image.mhd", "voxels.raw", "soft.raw", "hard.raw", "missing.json",
                                 "dangling.json", "none/../voxels.raw"}) {
            std::filesystem::create_directories(folder() / "none");
            const auto error = test::errorOf([&] { files.requireOther(folder() / name); });
            QVERIFY2(error && error->code() == ErrorCode::CommandLine, name);
        }
        QVERIFY(!test::errorOf([&] { files.requireOther(folder() / "other.raw"); }));
        QVERIFY(!test::errorOf([&] { files.requireOther({}); }));
    }

    void filesAreCommittedAllOrNone() {
        const auto make = [&](const char* name) {
            auto file = std::make_unique<io::AtomicFile>(folder() / name);
            io::writeText(*file, "new");
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

const flcc::test::TestClass<AtomicFileTest> kAtomicFileTest;
#include "atomic_file_test.moc"
