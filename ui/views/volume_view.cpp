#include "ui/views/volume_view.h"

#include <QCryptographicHash>
#include <QSettings>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "ui/base/settings.h"

namespace flcc::ui {
namespace {

constexpr int kMostScenes = 50; // whose views are remembered
constexpr int kGreyBins = 64;
constexpr double kSolid = 0.6;          // share of bright voxels above which a volume is a block
constexpr double kLeastStructure = 0.2; // share of the variance that blocks of voxels keep

/// The bin that begins the brighter of two classes (Otsu: the largest variance between them).
int brightFrom(const std::vector<std::int64_t>& histogram) {
    double all = 0;
    double moment = 0;
    for (std::size_t i = 0; i < histogram.size(); ++i) {
        all += static_cast<double>(histogram[i]);
        moment += static_cast<double>(i) * static_cast<double>(histogram[i]);
    }
    double below = 0;
    double momentBelow = 0;
    double best = -1;
    int from = 0;
    for (std::size_t i = 0; i + 1 < histogram.size(); ++i) {
        below += static_cast<double>(histogram[i]);
        momentBelow += static_cast<double>(i) * static_cast<double>(histogram[i]);
        const double above = all - below;
        if (below > 0 && above > 0) {
            const double apart = momentBelow / below - (moment - momentBelow) / above;
            const double between = below * above * apart * apart;
            if (between > best) {
                best = between;
                from = static_cast<int>(i) + 1;
            }
        }
    }
    return from;
}

/// The share of the variance of voxels that the means of blocks of 4 x 4 x 4 still have: 1/64 for
/// white noise, near 1 for what a person sees as shapes.
double structureOf(const base::AnyView& pixels) {
    constexpr std::int64_t kSide = 4;
    constexpr std::int64_t kBlocks = 12; // along an axis
    const base::Extents extents = base::extentsOf(pixels);
    const std::array<std::int64_t, 3> lengths{extents.x, extents.y, extents.z};
    std::array<std::vector<std::int64_t>, 3> starts;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t last = std::max<std::int64_t>(lengths[axis] - kSide, 0);
        for (std::int64_t i = 0; i < kBlocks; ++i) {
            const std::int64_t start = last * i / (kBlocks - 1);
            if (starts[axis].empty() || start >= starts[axis].back() + kSide) {
                starts[axis].push_back(start);
            }
        }
    }
    double count = 0;
    double sum = 0;
    double squares = 0;
    double blockSquares = 0;
    double blocks = 0;
    for (const std::int64_t z : starts[2]) {
        for (const std::int64_t y : starts[1]) {
            for (const std::int64_t x : starts[0]) {
                double block = 0;
                double inside = 0;
                for (std::int64_t i = 0; i < kSide * kSide * kSide; ++i) {
                    const base::Index at{x + i % kSide, y + i / kSide % kSide,
                                         z + i / (kSide * kSide)};
                    if (!base::contains(extents, {at, {1, 1, 1}})) {
                        continue;
                    }
                    const double value = base::valueAt(pixels, at);
                    if (std::isfinite(value)) {
                        block += value;
                        squares += value * value;
                        ++inside;
                    }
                }
                if (inside > 0) {
                    sum += block;
                    count += inside;
                    blockSquares += block / inside * (block / inside);
                    ++blocks;
                }
            }
        }
    }
    if (count == 0) {
        return 0;
    }
    const double mean = sum / count;
    const double variance = squares / count - mean * mean;
    return variance > 0 ? (blockSquares / blocks - mean * mean) / variance : 0;
}

QString groupOf(const QString& scene) {
    return QStringLiteral("scenes/") +
           QString::fromLatin1(
               QCryptographicHash::hash(scene.toUtf8(), QCryptographicHash::Md5).toHex()) +
           QChar('/');
}

} // namespace

VolumeView suitableView(const base::AnyView& pixels, const viz::GreyWindow& window) {
    VolumeView view;
    const std::vector<std::int64_t> histogram = viz::histogramOf(pixels, window, kGreyBins);
    const int from = brightFrom(histogram);
    double all = 0;
    double bright = 0;
    for (int i = 0; i < kGreyBins; ++i) {
        const auto voxels = static_cast<double>(histogram[static_cast<std::size_t>(i)]);
        all += voxels;
        bright += i >= from ? voxels : 0;
    }
    view.transfer.threshold = std::clamp(static_cast<double>(from) / kGreyBins, 0.12, 0.7);
    if (all == 0 || bright / all > kSolid || structureOf(pixels) < kLeastStructure) {
        view.content = viz::VolumeContent::None;
    }
    return view;
}

std::optional<VolumeView> rememberedView(const QString& scene) {
    const QString group = groupOf(scene);
    const QSettings settings;
    if (!settings.contains(group + QStringLiteral("slab"))) {
        return std::nullopt;
    }
    const auto number = [&](const char* name, int most) {
        return std::clamp(settings.value(group + QLatin1String(name), 0).toInt(), 0, most);
    };
    VolumeView view;
    view.content = static_cast<viz::VolumeContent>(number("content", 2));
    view.slices = static_cast<viz::SliceStyle>(number("slices", 3));
    view.clip = static_cast<viz::VolumeClip>(number("clip", 4));
    view.slab = std::max(number("slab", 101), 1);
    view.isosurface = number("isosurface", 1) == 1;
    view.surfaces = number("surfaces", 1) == 1;
    view.transfer = Settings::volumeTransfer(group);
    view.chosen = true;
    return view;
}

void rememberView(const QString& scene, const VolumeView& view) {
    const QString group = groupOf(scene);
    QSettings settings;
    const auto set = [&](const char* name, int value) {
        settings.setValue(group + QLatin1String(name), value);
    };
    set("content", static_cast<int>(view.content));
    set("slices", static_cast<int>(view.slices));
    set("clip", static_cast<int>(view.clip));
    set("slab", view.slab);
    set("isosurface", view.isosurface ? 1 : 0);
    set("surfaces", view.surfaces ? 1 : 0);
    Settings::setVolumeTransfer(view.transfer, group);
    const QString key = QStringLiteral("scenes/order");
    QStringList order = settings.value(key).toStringList();
    order.removeAll(group);
    order.append(group);
    while (order.size() > kMostScenes) {
        settings.remove(order.takeFirst().chopped(1));
    }
    settings.setValue(key, order);
}

} // namespace flcc::ui
