#pragma once

namespace flcc::io {

/// All of the program flcc-reader: reads one DICOM series or HDF5 dataset through libraries that
/// may crash or ask for too much memory, and writes the answer (reader_protocol.h) to standard
/// output. Returns the exit code. **Errors**: none; they are part of the answer.
[[nodiscard]] int runReader(int argc, char** argv);

} // namespace flcc::io
