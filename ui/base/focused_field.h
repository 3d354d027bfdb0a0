#pragma once

namespace flcc::ui {

/// Takes over what was typed into the field that has the focus, as leaving the field does. Actions
/// that use the fields call it first, because a key or a tool button does not move the focus.
void commitFocusedField();

} // namespace flcc::ui
