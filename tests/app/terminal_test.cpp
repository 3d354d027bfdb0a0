#include <QtTest>

#include <QFile>
#include <QStandardPaths>

#include "tests/app/cli_process.h"
#include "tests/support/test_class.h"

// Lists and names come from others. A terminal obeys control characters in them: none may reach it.

using flcc::test::CliRun;
using flcc::test::runShell;
using flcc::test::SampleFolder;

namespace {

const QByteArray kEvil = "\x1b]0;evil\x07\x1b[31m\xc2\x9b"
                         "2J"; // a title, red, clear the screen

void write(const QString& file, const QByteArray& bytes) {
    QFile out(file);
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(bytes);
}

/// A list whose cells, comments and columns hold control characters.
QByteArray listOf(const QByteArray& x) {
    return "# scene: a" + kEvil + ".mha (60x50x1 voxels)\n# note" + kEvil + ": b" + kEvil +
           "\ncx,cy,cz,score,species,more" + kEvil + "\n" + x + ",24,0,0.5,dog" + kEvil + ",x" +
           kEvil + "\n20,50,0,0.4,cat,y\n";
}

/// Whether a terminal would show the text as it is.
bool isTame(const QByteArray& text) {
    return std::none_of(text.begin(), text.end(),
                        [](char letter) {
                            const auto byte = static_cast<unsigned char>(letter);
                            return (byte < 0x20 && letter != '\n' && letter != '\t' &&
                                    letter != '\r') ||
                                   byte == 0x7f;
                        }) &&
           !text.contains("\xc2\x9b");
}

/// Runs a line with a pseudo-terminal for its output. It writes line ends as "\r\n".
CliRun onTerminal(const QString& line, const SampleFolder& folder) {
    CliRun run = runShell("script -qec '" + line + "' /dev/null < /dev/null", folder.path());
    run.output.replace("\r\n", "\n");
    return run;
}

} // namespace

class CliTerminalTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase();
    void aListOnATerminalIsEscaped();
    void aListInAPipeIsNot();
    void summariesAreAlwaysEscaped();
    void namesInNotesAreEscaped();

  private:
    SampleFolder m_folder{QStringLiteral("tiny")};
};

void CliTerminalTest::initTestCase() {
    write(m_folder.path("a.csv"), listOf("34"));
    write(m_folder.path("b.csv"), listOf("14"));
    QVERIFY(!isTame(listOf("34")));
}

void CliTerminalTest::aListOnATerminalIsEscaped() {
    if (QStandardPaths::findExecutable("script").isEmpty()) {
        QSKIP("there is no program \"script\" here");
    }
    for (const char* const format : {"csv", "tsv", "json", "imagej-csv"}) {
        const CliRun run = onTerminal(QString("$CLI peaks a.csv --to %1").arg(format), m_folder);
        QVERIFY2(run.code == 0, run.output.constData());
        QVERIFY2(isTame(run.output), run.output.toHex().constData());
    }
    const CliRun run = onTerminal("$CLI peaks a.csv", m_folder);
    QVERIFY2(run.output.contains("dog\\x1b]0;evil\\x07\\x1b[31m\\xc2\\x9b2J,"),
             run.output.constData());
    QVERIFY(isTame(onTerminal("$CLI diff a.csv b.csv", m_folder).output));
    QVERIFY(isTame(onTerminal("$CLI diff a.csv b.csv --json", m_folder).output));
}

void CliTerminalTest::aListInAPipeIsNot() {
    const CliRun run = runShell("$CLI peaks a.csv | cat", m_folder.path());
    QVERIFY2(run.output.contains("dog" + kEvil + ","), run.output.constData());
    const CliRun file = runShell("$CLI peaks a.csv --output out.csv --quiet", m_folder.path());
    QVERIFY2(file.code == 0, file.errors.constData());
    QVERIFY(m_folder.bytes("out.csv") == run.output);
}

void CliTerminalTest::summariesAreAlwaysEscaped() {
    const CliRun diff = runShell("$CLI diff a.csv b.csv", m_folder.path());
    QVERIFY2(diff.code == 1 && diff.output.contains("dog\\x1b"), diff.output.constData());
    QVERIFY2(isTame(diff.output), diff.output.constData());
    QVERIFY(isTame(diff.errors));
    // Names of files in summaries of a job.
    const CliRun match =
        runShell("cp template.mha $'t\\x1b[31m.mha' && cp scene.mha $'s\\x1b[31m.mha' && "
                 "$CLI match $'s\\x1b[31m.mha' $'t\\x1b[31m.mha' --min-score 0.3 --verbose && "
                 "$CLI match scene.mha $'s\\x1b[31m.mha' --scene scene.mha --template template.mha "
                 "--min-score 0.3 --average mean.mha 2>&1; "
                 "$CLI plan $'s\\x1b[31m.mha' $'t\\x1b[31m.mha' --min-score 0.3",
                 m_folder.path());
    QVERIFY2(match.output.contains("\\x1b[31m.mha"), match.output.constData());
    QVERIFY2(isTame(match.output), match.output.constData());
    QVERIFY2(isTame(match.errors), match.errors.constData());
}

void CliTerminalTest::namesInNotesAreEscaped() {
    const CliRun run =
        runShell("$CLI peaks a.csv --to dynamo --output $'o\\x1b[31m.tbl' --stack-size 5; "
                 "$CLI match scene.mha template.mha --min-score 0.9999 --stack $'n\\x1b[31m.mha' "
                 "--stack-size 4",
                 m_folder.path());
    QVERIFY2(isTame(run.errors), run.errors.constData());
    QVERIFY2(isTame(run.output), run.output.constData());
    QVERIFY2(run.errors.contains("\\x1b[31m.mha is not written") ||
                 run.errors.contains("\\x1b[31m.mha: "),
             run.errors.constData());
}

const flcc::test::TestClass<CliTerminalTest> kCliTerminalTest;
#include "terminal_test.moc"
