#include "tests/app/cli_process.h"

#include <QDir>
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
