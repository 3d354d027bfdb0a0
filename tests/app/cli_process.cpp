#include "tests/app/cli_process.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>

namespace flcc::test {

namespace {

CliRun finish(QProcess& process) {
    CliRun run;
    if (process.waitForFinished(180'000) && process.exitStatus() == QProcess::NormalExit) {
        run.code = process.exitCode();
    }
    run.output = process.readAllStandardOutput();
    run.errors = process.readAllStandardError();
    return run;
}

} // namespace

CliRun runCli(const QStringList& arguments, const QString& folder) {
    QProcess process;
    process.setWorkingDirectory(folder);
    process.start(FLCC_CLI, arguments);
    return finish(process);
}

CliRun runShell(const QString& line, const QString& folder) {
    QProcess process;
    process.setWorkingDirectory(folder);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("CLI", FLCC_CLI);
    process.setProcessEnvironment(environment);
    process.start("bash", {"-c", line});
    return finish(process);
}

bool waitUntilItTakesSignals(const QProcess& process, int signal) {
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < 10'000) {
        QFile file(QStringLiteral("/proc/%1/status").arg(process.processId()));
        const QByteArray status = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        const qsizetype at = status.indexOf("SigBlk:");
        const quint64 blocked = status.mid(at + 7, 17).trimmed().toULongLong(nullptr, 16);
        if (at >= 0 && ((blocked >> (signal - 1)) & 1U) != 0) {
            return true;
        }
    }
    return false;
}

SampleFolder::SampleFolder(const QString& name) {
    const CliRun run = runCli({"sample", name, "--output", "."}, m_folder.path());
    if (run.code != 0) {
        qFatal("the sample could not be written: %s", run.errors.constData());
    }
}

QStringList SampleFolder::added() const {
    QStringList names =
        QDir(m_folder.path())
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot, QDir::Name);
    for (const char* own : {"scene.mha", "template.mha", "truth.csv"}) {
        names.removeAll(own);
    }
    return names;
}

QByteArray SampleFolder::bytes(const QString& name) const {
    QFile file(m_folder.filePath(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace flcc::test
