#pragma once

#include <string>

namespace flcc::viz {

/// Sends VTK's warnings and errors to base::log from now on, and nothing to the terminal.
void routeVtkMessagesToLog();

/// Version of the linked VTK, such as "9.1.0".
[[nodiscard]] std::string vtkVersionText();

} // namespace flcc::viz
