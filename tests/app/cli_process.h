#pragma once

#include <QByteArray>
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>

namespace flcc::test {

/// What a run of flcc-cli came to.
struct CliRun {
    int code = -1; ///< -1: crashed, or did not end in a minute
    QByteArray output;
    QByteArray errors;
};

/// Runs the built flcc-cli in `folder` and waits for it.
[[nodiscard]] CliRun runCli(const QStringList& arguments, const QString& folder);

/// Runs a line of bash in `folder`, in which $CLI is the program.
[[nodiscard]] CliRun runShell(const QString& line, const QString& folder);

/// Waits until a started flcc-cli answers the signal itself. Before, while its libraries are
/// loaded, a signal ends it as it ends every program. False if that does not happen.
[[nodiscard]] bool waitUntilItTakesSignals(const QProcess& process, int signal);

/// A folder with the sample `name` written by flcc-cli: scene.mha, template.mha, truth.csv.
class SampleFolder {
  public:
    explicit SampleFolder(const QString& name);
    [[nodiscard]] QString path() const { return m_folder.path(); }
    [[nodiscard]] QString path(const QString& name) const { return m_folder.filePath(name); }
    /// Files beside those of the sample, hidden ones too, sorted.
    [[nodiscard]] QStringList added() const;
    [[nodiscard]] QByteArray bytes(const QString& name) const;

  private:
    QTemporaryDir m_folder;
};

} // namespace flcc::test
