#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace flcc::app {

/// `flcc-cli convolve SCENE KERNEL`; returns the exit code.
int convolve(const std::vector<std::string>& args, const std::stop_token& stop);

} // namespace flcc::app
