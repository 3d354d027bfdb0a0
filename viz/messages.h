#pragma once

namespace flcc::viz {

/// Sends VTK's warnings and errors to base::log from now on, and nothing to the terminal.
void routeVtkMessagesToLog();

} // namespace flcc::viz
