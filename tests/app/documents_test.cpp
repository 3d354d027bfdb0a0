#include <QDir>
#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

#include <algorithm>

#include "tests/app/cli_process.h"
#include "tests/support/test_class.h"

using flcc::test::CliRun;
using flcc::test::runCli;

namespace {

const QString kSource = QStringLiteral(FLCC_SOURCE);
const QString kCommandLine = QStringLiteral("resources/manual/command-line.md");

QString textOf(const QString& name) {
    QFile file(kSource + QChar('/') + name);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QSet<QString> found(const char* pattern, const QString& text) {
    QSet<QString> names;
    const QRegularExpression expression(QLatin1String(pattern),
                                        QRegularExpression::MultilineOption);
    for (auto match = expression.globalMatch(text); match.hasNext();) {
        names.insert(match.next().captured(1));
    }
    return names;
}

QSet<QString> optionsIn(const QString& text) { return found("(?<![\\w-])(--[a-z][a-z-]*)", text); }

/// The commands of the help, each at the begin of a line.
QSet<QString> commandsOf(const QString& help) { return found("^  flcc-cli ([a-z]+)", help); }

/// The lines that call flcc-cli, with those that continue them.
QString callsIn(const QString& text) {
    QString calls;
    bool continued = false;
    for (const QString& line : text.split(QChar('\n'))) {
        if (continued || line.contains(QStringLiteral("./flcc-cli"))) {
            calls += line + QChar('\n');
            continued = line.endsWith(QChar('\\'));
        }
    }
    return calls;
}

/// Empty, or the names that `known` lacks.
QByteArray missing(const QSet<QString>& names, const QSet<QString>& known) {
    QStringList list = (names - known).values();
    std::sort(list.begin(), list.end());
    return list.join(QStringLiteral(", ")).toUtf8();
}

} // namespace

class CliDocumentsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase();
    void theManualNamesEveryCommandAndOption();
    void theManualNamesEveryWordOfAnOption();
    void theManualNamesNoOtherCommandOrOption();
    void everyCallInTheReadmeExists();
    void theFirstExamplePrintsWhatIsShown();
    void theHelpFitsATerminal();

  private:
    QString m_help;
};

void CliDocumentsTest::initTestCase() {
    const CliRun run = runCli({QStringLiteral("--help")}, QDir::tempPath());
    QCOMPARE(run.code, 0);
    m_help = QString::fromUtf8(run.output);
    QVERIFY(optionsIn(m_help).size() > 40);
    QVERIFY(commandsOf(m_help).size() > 6);
}

void CliDocumentsTest::theManualNamesEveryCommandAndOption() {
    const QString page = textOf(kCommandLine);
    QCOMPARE(missing(optionsIn(m_help), optionsIn(page)), QByteArray());
    QCOMPARE(missing(commandsOf(m_help), found("`flcc-cli ([a-z]+)", page)), QByteArray());
}

void CliDocumentsTest::theManualNamesEveryWordOfAnOption() {
    QMap<QString, QString> rows; // of the manual's tables, by option
    for (const QString& line : textOf(kCommandLine).split(QChar('\n'))) {
        for (const QString& option : optionsIn(line.startsWith(QChar('|')) ? line : QString())) {
            rows[option] += line;
        }
    }
    const QRegularExpression choice(QStringLiteral("^  (--[a-z-]+) ([a-z0-9-]+(?:\\|[a-z0-9-]+)+)"),
                                    QRegularExpression::MultilineOption);
    const QString operations = textOf(QStringLiteral("resources/manual/matching.md"));
    int choices = 0;
    for (auto match = choice.globalMatch(m_help); match.hasNext(); ++choices) {
        const auto found = match.next();
        for (const QString& word : found.captured(2).split(QChar('|'))) {
            const QRegularExpression named(QStringLiteral("(?<![\\w-])%1(?![\\w-])").arg(word));
            QVERIFY2(rows[found.captured(1)].contains(named),
                     qPrintable(found.captured(1) + QChar(' ') + word));
            QVERIFY2(found.captured(1) != QStringLiteral("--operation") ||
                         operations.contains(QStringLiteral("| `%1` |").arg(word)),
                     qPrintable(QStringLiteral("operation ") + word));
        }
    }
    QVERIFY(choices > 15);
}

void CliDocumentsTest::theManualNamesNoOtherCommandOrOption() {
    // Options of the window alone.
    const QSet<QString> known =
        optionsIn(m_help) +
        QSet<QString>{"--sample", "--run", "--screenshot", "--show", "--size", "--quit"};
    QCOMPARE(missing(optionsIn(textOf(kCommandLine)), optionsIn(m_help)), QByteArray());
    QCOMPARE(missing(found("`flcc-cli ([a-z]+)", textOf(kCommandLine)), commandsOf(m_help)),
             QByteArray());
    const QString folder = QStringLiteral("resources/manual/");
    const QStringList pages = QDir(kSource + QChar('/') + folder).entryList({"*.md"});
    QVERIFY(pages.size() > 10);
    for (const QString& page : pages) {
        const QString text =
            textOf(folder + page).remove(QRegularExpression(QStringLiteral("`cmake [^`]*`")));
        const QByteArray others = missing(optionsIn(text), known);
        QVERIFY2(others.isEmpty(), qPrintable(page + ": " + others));
    }
}

void CliDocumentsTest::everyCallInTheReadmeExists() {
    const QString calls = callsIn(textOf(QStringLiteral("README.md")));
    const QSet<QString> commands = found("flcc-cli ([a-z]+)", calls);
    QVERIFY(commands.size() > 5);
    QCOMPARE(missing(optionsIn(calls), optionsIn(m_help)), QByteArray());
    QCOMPARE(missing(commands, commandsOf(m_help)), QByteArray());
}

/// The best two peaks of `cells` as README and manual show them. The scores of the sample are the
/// same on every machine, and the last digits shown are far from a rounding edge of another
/// processor.
void CliDocumentsTest::theFirstExamplePrintsWhatIsShown() {
    const SampleFolder folder("cells");
    const CliRun run = runCli({"match", "scene.mha", "template.mha"}, folder.path());
    QCOMPARE(run.code, 0);
    const QStringList printed = QString::fromUtf8(run.output).split(QChar('\n')).mid(0, 4);
    QVERIFY(printed.back().startsWith(QStringLiteral("     2  0.7155")));
    for (const char* page : {"README.md", "resources/manual/getting-started.md"}) {
        for (const QString& line : printed) {
            QVERIFY2(
                textOf(QLatin1String(page)).contains(QStringLiteral("    ") + line + QChar('\n')),
                qPrintable(QLatin1String(page) + ": " + line));
        }
    }
}

void CliDocumentsTest::theHelpFitsATerminal() {
    for (const QByteArray& line : runCli({"--help"}, kSource).output.split('\n')) {
        QVERIFY2(line.size() <= 100, line.constData());
    }
}

const flcc::test::TestClass<CliDocumentsTest> kCliDocumentsTest;
#include "documents_test.moc"
