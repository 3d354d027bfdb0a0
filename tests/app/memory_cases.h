#pragma once

#include <QString>
#include <QStringList>

namespace flcc::test {

/// Adds a row for each format that a scene can be read from, and one that uses FFTW: columns
/// "scene", a file name, and "options".
void addMemoryRows();

/// Runs `flcc-cli match` with the scene, all outputs and the options, `times` times; each time
/// another allocation fails, once or together with all later ones. Verifies that a run ends with
/// its result and code 0, or with one sentence and code 5, and that no temporary file is left.
void verifyFailedAllocations(const QString& scene, const QStringList& options, int times);

} // namespace flcc::test
