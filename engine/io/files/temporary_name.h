#pragma once

#include <filesystem>
#include <string>

namespace flcc::io::detail {

/// A name for a temporary file that no other process uses: ".flcc-PID-START-MACHINE-NUMBER.tmp".
/// PID and START, the time when the process started, name the process. MACHINE is a number of the
/// running system and its name space of processes, because several machines may share a folder.
/// **Threads**: any.
[[nodiscard]] std::string temporaryName();

/// Removes temporary files that processes left in `folder` when they were killed: ordinary files of
/// this user whose name is one of temporaryName() and whose process is gone. Files of another
/// machine, or of this one before it was started again, are removed when nobody has written to them
/// for a week. Looks into each folder once in the life of the process. **Threads**: any.
void removeAbandoned(const std::filesystem::path& folder);

} // namespace flcc::io::detail
