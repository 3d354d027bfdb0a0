#include "ui/views/view_options.h"

#include <QAction>
#include <QStringList>
#include <QWidget>

#include <functional>
#include <map>

#include "engine/base/error.h"
#include "ui/base/menu_choices.h"
#include "ui/views/views_panel.h"

namespace flcc::ui {
namespace {

[[noreturn]] void refuse(const QString& sentence) {
    throw base::Error(base::ErrorCode::CommandLine, sentence.toStdString());
}

/// The place of a word in a list of words.
int placeOf(const QString& key, const QString& word, const QStringList& words) {
    const auto at = static_cast<int>(words.indexOf(word));
    if (at < 0) {
        refuse(QStringLiteral("--show %1 takes %2, not \"%3\"")
                   .arg(key, words.join(QStringLiteral(", ")), word));
    }
    return at;
}

double numberOf(const QString& key, const QString& text, double low, double high) {
    bool ok = false;
    const double number = text.toDouble(&ok);
    if (!ok || !(number >= low && number <= high)) {
        refuse(QStringLiteral("--show %1 takes a number from %2 to %3, not \"%4\"")
                   .arg(key)
                   .arg(low)
                   .arg(high)
                   .arg(text));
    }
    return number;
}

using Setter = std::function<void(ViewOptions&, const QString& key, const QString& value)>;

template <class Value>
Setter choice(std::optional<Value> ViewOptions::*field, const QStringList& words) {
    return [=](ViewOptions& options, const QString& key, const QString& value) {
        options.*field = static_cast<Value>(placeOf(key, value, words));
    };
}

template <class Number>
Setter number(std::optional<Number> ViewOptions::*field, double low, double high) {
    return [=](ViewOptions& options, const QString& key, const QString& value) {
        options.*field = static_cast<Number>(numberOf(key, value, low, high));
    };
}

Setter flag(bool ViewOptions::*field) {
    return [=](ViewOptions& options, const QString& key, const QString& value) {
        if (!value.isEmpty()) {
            refuse(QStringLiteral("--show %1 takes no value, not \"%2\"").arg(key, value));
        }
        options.*field = true;
    };
}

/// Every entry of the list.
const std::map<QString, Setter>& setters() {
    static const std::map<QString, Setter> kSetters{
        {"view",
         [](ViewOptions& options, const QString& key, const QString& value) {
             options.view = placeOf(key, value, {"xy", "xz", "yz", "3d"});
         }},
        {"values", choice(&ViewOptions::values, {"score", "z", "mean", "deviation"})},
        {"content", choice(&ViewOptions::content, {"scene", "heatmap", "none"})},
        {"slices", choice(&ViewOptions::slices, {"transparent", "opaque", "frames", "off"})},
        {"clip", choice(&ViewOptions::clip, {"none", "corner", "slab", "box", "region"})},
        {"look",
         choice(&ViewOptions::look, {"grey", "mri", "ct", "fluorescence", "density", "maximum"})},
        {"threshold", number(&ViewOptions::threshold, 0, 0.98)},
        {"opacity", number(&ViewOptions::opacity, 0, 1)},
        {"side", choice(&ViewOptions::side, {"front", "back", "left", "right", "top", "bottom"})},
        {"turn", number(&ViewOptions::turn, -360, 360)},
        {"tilt", number(&ViewOptions::tilt, -90, 90)},
        {"zoom", number(&ViewOptions::zoom, 0.1, 10)},
        {"slab", number(&ViewOptions::slab, 1, kMostSlab)},
        {"at",
         [](ViewOptions& options, const QString& key, const QString& value) {
             const QStringList axes = value.split(QChar('/'));
             if (axes.size() != 3) {
                 refuse(QStringLiteral("--show at takes a voxel X/Y/Z, not \"%1\"").arg(value));
             }
             base::Point voxel{};
             for (int axis = 0; axis < 3; ++axis) {
                 voxel[static_cast<std::size_t>(axis)] = numberOf(key, axes[axis], 0, 1e9);
             }
             options.at = voxel;
         }},
        {"surfaces", flag(&ViewOptions::surfaces)},
        {"isosurface", flag(&ViewOptions::isosurface)},
        {"parallel", flag(&ViewOptions::parallel)},
        {"no-peaks", flag(&ViewOptions::noPeaks)},
        {"no-heatmap", flag(&ViewOptions::noHeatmap)},
        {"no-outline", flag(&ViewOptions::noOutline)},
        {"clean", flag(&ViewOptions::clean)},
    };
    return kSetters;
}

/// Shows the choice in the menu without remembering it.
void check(QWidget& window, const QString& action) {
    if (auto* found = window.findChild<QAction*>(action)) {
        found->setChecked(true);
    }
}

/// As if it was chosen in the menu.
void toggle(QWidget& window, const char* action, bool on) {
    auto* found = window.findChild<QAction*>(QLatin1String(action));
    if (found != nullptr && found->isChecked() != on) {
        found->trigger();
    }
}

} // namespace

ViewOptions ViewOptions::parse(const QString& list) {
    ViewOptions options;
    for (const QString& part : list.split(QChar(','), Qt::SkipEmptyParts)) {
        const QString key = part.section(QChar('='), 0, 0).trimmed();
        const auto found = setters().find(key);
        if (found == setters().end()) {
            QStringList known;
            for (const auto& [name, setter] : setters()) {
                known << name;
            }
            refuse(QStringLiteral("--show knows %1, but not \"%2\"")
                       .arg(known.join(QStringLiteral(", ")), key));
        }
        found->second(options, key, part.section(QChar('='), 1).trimmed());
    }
    return options;
}

void ViewOptions::apply(ViewsPanel& views, QWidget& window) const {
    viz::VolumeScene& volume = views.volume();
    if (view >= 0 && !views.isMaximised()) {
        views.maximise(views.frames()[static_cast<std::size_t>(view)]);
    }
    VolumeView look3d = views.volumeView();
    look3d.content = content.value_or(look3d.content);
    look3d.slices = slices.value_or(look3d.slices);
    look3d.clip = clip.value_or(look3d.clip);
    look3d.transfer.look = look.value_or(look3d.transfer.look);
    look3d.transfer.threshold = threshold.value_or(look3d.transfer.threshold);
    look3d.transfer.opacity = opacity.value_or(look3d.transfer.opacity);
    look3d.slab = slab.value_or(look3d.slab);
    look3d.surfaces = look3d.surfaces || surfaces;
    look3d.isosurface = look3d.isosurface || isosurface;
    look3d.chosen = look3d.chosen || content || surfaces;
    views.setVolumeView(look3d); // of this picture, not of the next start
    if (values) {
        check(window, choiceName(QStringLiteral("heatmapValues"), static_cast<int>(*values)));
        views.setValues(*values);
    }
    if (at) {
        views.setCrosshair(*at);
    }
    if (parallel) {
        volume.setParallel(true);
        check(window, QStringLiteral("parallelProjection"));
    }
    if (noPeaks) {
        toggle(window, "showPeaks", false);
    }
    if (noHeatmap) {
        toggle(window, "overlay", false);
    }
    if (noOutline) {
        volume.setOutlineVisible(false);
    }
    if (side) {
        volume.lookFrom(*side);
    }
    if (turn || tilt) {
        volume.turn(turn.value_or(0), tilt.value_or(0));
        volume.fit();
    }
    if (zoom) {
        volume.zoomAt({volume.width() / 2.0 - 0.5, volume.height() / 2.0 - 0.5}, *zoom);
    }
}

} // namespace flcc::ui
