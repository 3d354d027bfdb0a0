#pragma once

#include <QString>

namespace flcc::test {

/// Adds a row for each format that a scene can be read from: column "scene", a file name.
void addMemoryRows();

/// Runs `flcc-cli match` with a scene of the format and all outputs, `times` times; each time
/// another allocation fails, once or together with all later ones. Verifies that a run ends with
/// its result and code 0, or with one sentence and code 5, and that no temporary file is left.
void verifyFailedAllocations(const QString& scene, int times);

} // namespace flcc::test
