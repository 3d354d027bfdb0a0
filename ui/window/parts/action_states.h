#pragma once

#include "ui/window/parts/parts.h"

namespace flcc::ui {

/// Enables the actions that make sense with what is open and under way.
void updateActions(const Parts& parts);

} // namespace flcc::ui
