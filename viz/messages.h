#pragma once

#include <string>

namespace flcc::viz {

/// Sends VTK's warnings and errors to base::log from now on, and nothing to the terminal.
void routeVtkMessagesToLog();

/// "9.1.0", of the VTK that is linked.
[[nodiscard]] std::string vtkVersionText();

} // namespace flcc::viz
