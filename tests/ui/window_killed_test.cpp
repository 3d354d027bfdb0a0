#include <QCoreApplication>
#include <QProcess>
#include <QSpinBox>
#include <QTest>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <random>
#include <sstream>

#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/project/project_keeper.h"
#include "ui/project/unsaved_work.h"

// A window that is killed at a random moment loses no decision older than two seconds and nothing
// else older than its pace, and what is recovered is a state that was there.

using namespace flcc;
using match::Decision;
namespace fs = std::filesystem;

namespace {

constexpr const char* kFolder = "FLCC_KILLED_FOLDER"; ///< set: this process is the one to be killed
constexpr int kPaceMs = 1500;

std::int64_t nowMs() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

/// What the process says of an action after it: the time, then a decision or a number that stands
/// in a field and in the name of the result.
struct Said {
    std::int64_t ms = 0;
    bool decision = false;
    int peak = 0;
    int value = 0;
};

std::vector<Said> saidIn(const QByteArray& output) {
    std::vector<Said> all;
    for (const QByteArray& line : output.split('\n')) {
        std::istringstream words(line.toStdString());
        std::string kind;
        Said said;
        std::string end;
        if (words >> kind >> said.ms >> said.peak >> said.value >> end && end == "." &&
            (kind == "@decided" || kind == "@named")) {
            said.decision = kind == "@decided";
            all.push_back(said);
        }
    }
    return all;
}

} // namespace

class WindowKilledTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void nothingOldIsLost();

  private:
    static void work();
};

/// Edits and judges until it is killed.
void WindowKilledTest::work() {
    const auto window = test::shownWindow();
    window->keeper().storeIn(fs::path(qgetenv(kFolder).toStdString()));
    window->keeper().setPace(kPaceMs, kPaceMs);
    ui::Document& document = window->document();
    document.setScene(test::noiseScene({120, 90, 1}, 3));
    document.setBox(base::Box{{30, 40, 0}, {9, 9, 1}});
    document.cutTemplate();
    auto& field = test::child<QSpinBox>(*window, "maxPeaks");
    field.setValue(50);
    QVERIFY(test::waitUntilIdle(*window));
    QVERIFY(test::runAndWait(*window));
    std::mt19937 random(std::random_device{}());
    const std::size_t peaks = document.result()->job->peaks.size();
    QVERIFY(peaks > 0);
    for (int number = 100;; ++number) {
        const auto peak = random() % peaks;
        const auto decision = static_cast<Decision>(random() % match::kDecisionCount);
        document.editResult(
            job::DecisionEdit{{{match::keyOf(document.result()->job->peaks[peak]), decision}}},
            QStringLiteral("decision"));
        std::printf("@decided %lld %d %d .\n", static_cast<long long>(nowMs()),
                    static_cast<int>(peak), static_cast<int>(decision));
        if (random() % 3 == 0) {
            document.renameResult(0, QString::number(number));
            document.setBox(base::Box{{number % 50, 40, 0}, {9, 9, 1}});
            std::printf("@named %lld 0 %d .\n", static_cast<long long>(nowMs()), number);
        }
        std::fflush(stdout);
        QTest::qWait(static_cast<int>(random() % 40));
    }
}

void WindowKilledTest::nothingOldIsLost() {
    if (qEnvironmentVariableIsSet(kFolder)) {
        work();
        return;
    }
    const int kills = std::max(qEnvironmentVariableIntValue("FLCC_KILLS"), 3);
    std::mt19937 random(std::random_device{}());
    int recovered = 0;
    for (int i = 0; i < kills; ++i) {
        const QTemporaryDir folder;
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QLatin1String(kFolder), folder.path());
        process.setProcessEnvironment(environment);
        process.start(QCoreApplication::applicationFilePath(),
                      {QStringLiteral("window_killed_test"), QStringLiteral("-maxwarnings"),
                       QStringLiteral("0")});
        QVERIFY(process.waitForStarted());
        QByteArray output;
        const auto begin = nowMs();
        while (saidIn(output).empty() && nowMs() - begin < 60'000) { // it works now
            process.waitForReadyRead(100);
            output += process.readAllStandardOutput();
        }
        QTest::qSleep(static_cast<int>(random() % 6000));
        process.kill();
        const std::int64_t killed = nowMs();
        process.waitForFinished();
        output += process.readAllStandardOutput();
        const std::vector<Said> said = saidIn(output);
        QVERIFY2(!said.empty(), output.constData());

        const auto left = ui::UnsavedWork::leftIn(folder.path().toStdString());
        const bool old = said.front().ms < killed - 2000;
        QVERIFY2(!left.empty() || !old, output.constData());
        if (left.empty()) {
            continue;
        }
        const auto project = ui::UnsavedWork(left.front()).read(std::nullopt);
        QVERIFY(project.has_value() || !old);
        if (!project) {
            continue;
        }
        ++recovered;
        const job::ProjectResult& result = project->results.front();
        // Of each peak: what was decided last before two seconds ago, or later.
        std::map<int, std::vector<Decision>> allowed;
        std::vector<int> names;
        for (const Said& each : said) {
            const bool isOld = each.ms < killed - 2000;
            if (each.decision) {
                auto& of = allowed[each.peak];
                if (isOld) {
                    of.clear();
                } else if (of.empty()) {
                    of.push_back(Decision::Undecided); // nothing older
                }
                of.push_back(static_cast<Decision>(each.value));
            } else {
                if (each.ms < killed - 2 * kPaceMs - 2000) {
                    names.clear();
                }
                names.push_back(each.value);
            }
        }
        for (const auto& [peak, decisions] : allowed) {
            const match::Peak& at = result.result.job->peaks.at(static_cast<std::size_t>(peak));
            const Decision now = result.result.decisions.of(match::keyOf(at));
            QVERIFY2(std::ranges::count(decisions, now) > 0,
                     qPrintable(QStringLiteral("kill %1, peak %2").arg(i).arg(peak)));
        }
        // The name and the box belong together, whatever the moment.
        bool isNumber = false;
        const int name = QString::fromStdString(result.title).toInt(&isNumber);
        if (isNumber) {
            QCOMPARE(project->box->corner.x, name % 50);
            QVERIFY2(std::ranges::count(names, name) > 0 || (!names.empty() && name > names.back()),
                     qPrintable(QStringLiteral("kill %1, name %2 of %3 to %4")
                                    .arg(i)
                                    .arg(name)
                                    .arg(names.empty() ? 0 : names.front())
                                    .arg(names.empty() ? 0 : names.back())));
        }
    }
    qInfo("%d kills, %d with something to recover", kills, recovered);
}

const flcc::test::TestClass<WindowKilledTest> kWindowKilledTest;

#include "window_killed_test.moc"
