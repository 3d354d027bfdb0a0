#include "ui/project/project_views.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <cmath>

#include "ui/views/views_panel.h"

namespace flcc::ui {
namespace {

QString key(const char* name) { return QLatin1String(name); }

} // namespace

QString viewsText(const ViewsPanel& views) {
    QJsonObject all;
    const base::Point& at = views.crosshair();
    all[key("crosshair")] = QJsonArray{at[0], at[1], at[2]};
    const viz::GreyWindow grey = views.greyWindow();
    all[key("grey")] = QJsonArray{grey.low, grey.high};
    all[key("opacity")] = views.overlayOpacity();
    QJsonArray layers;
    for (int i = 0; i < ViewsPanel::kLayers; ++i) {
        layers.append(views.layerVisible(static_cast<ViewsPanel::Layer>(i)));
    }
    all[key("layers")] = layers;
    return QString::fromUtf8(QJsonDocument(all).toJson(QJsonDocument::Compact));
}

void applyViews(ViewsPanel& views, const QString& text) {
    const QJsonObject all = QJsonDocument::fromJson(text.toUtf8()).object();
    const QJsonArray grey = all[key("grey")].toArray();
    if (grey.size() == 2 && grey[0].toDouble() < grey[1].toDouble()) {
        views.setGreyWindow({grey[0].toDouble(), grey[1].toDouble()});
    }
    const QJsonArray layers = all[key("layers")].toArray();
    for (int i = 0; i < std::min<int>(ViewsPanel::kLayers, static_cast<int>(layers.size())); ++i) {
        views.setLayerVisible(static_cast<ViewsPanel::Layer>(i), layers[i].toBool(true));
    }
    const double opacity = all[key("opacity")].toDouble(-1);
    if (opacity >= 0 && opacity <= 1) {
        views.setOverlayOpacity(opacity);
    }
    const QJsonArray at = all[key("crosshair")].toArray();
    if (at.size() == 3) {
        views.setCrosshair({at[0].toDouble(), at[1].toDouble(), at[2].toDouble()});
    }
}

} // namespace flcc::ui
