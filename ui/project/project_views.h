#pragma once

#include <QString>

namespace flcc::ui {

class ViewsPanel;

/// How the views show a project, as a JSON object: crosshair, grey window, opacity, layers.
[[nodiscard]] QString viewsText(const ViewsPanel& views);
/// Shows it so; what the text lacks stays as it is.
void applyViews(ViewsPanel& views, const QString& text);

} // namespace flcc::ui
