#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/image.h"
#include "engine/base/pixels.h"
#include "engine/match/peaks.h"
#include "engine/method/canonical.h"
#include "engine/method/shared/posed_view.h"
#include "engine/rotation/pose_bank.h"

/// Pictures of the tests of this folder, and the judge of their peaks.
namespace flcc::test {

using base::Extents;

using Bank = std::shared_ptr<const rotation::PoseBank>;

/// A picture, by a value for each place.
template <class T>
base::AnyImage picture(const Extents& n, const std::function<double(double, double)>& value) {
    base::Image<T> image(n);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] =
            static_cast<T>(value(static_cast<double>(i % n.x), static_cast<double>(i / n.x)));
    }
    return image;
}

inline double blobs(double x, double y) {
    return 100 + 40 * std::sin(x / 3.1) * std::cos(y / 4.3) + 25 * std::sin((x + 2 * y) / 9.7) +
           20 * std::cos((x * y) / 300);
}

/// White noise of -1 to 1, the same at the same place.
inline double noiseAt(double x, double y) {
    std::mt19937 random(static_cast<unsigned>(x * 7919 + y * 104729 + 12345));
    return static_cast<double>(random() % 20001) / 10000 - 1;
}

struct Case {
    std::string name;
    base::AnyImage scene;
    base::AnyImage templ;
};

constexpr Extents kScene{76, 66, 1};

inline base::AnyImage cut(const base::AnyImage& scene, const base::Box& box) {
    return base::copyOf(base::partOf(base::viewOf(scene), box));
}

/// Pictures with much and with little that cells see, flat parts, and contrasts far apart.
inline std::vector<Case> cases() {
    const base::Box box{{30, 26, 0}, {24, 17, 1}};
    std::vector<std::pair<std::string, base::AnyImage>> scenes;
    scenes.emplace_back("smooth", picture<std::uint8_t>(kScene, blobs));
    scenes.emplace_back("noise", picture<float>(kScene, noiseAt));
    scenes.emplace_back("fine texture", picture<std::int16_t>(kScene, [](double x, double y) {
                            const bool odd = (static_cast<int>(x) + static_cast<int>(y)) % 2 != 0;
                            return (odd ? 1 : -1) * (900 + 400 * noiseAt(x, y));
                        }));
    scenes.emplace_back("flat about an object",
                        picture<std::uint8_t>(kScene, [](double x, double y) {
                            const bool in = x > 28 && x < 58 && y > 22 && y < 50;
                            return in ? blobs(x, y) : 255.0;
                        }));
    scenes.emplace_back("faint beside bright", picture<double>(kScene, [](double x, double y) {
                            return x > 58 ? 1e6 * noiseAt(x, y) : 1e3 + 0.01 * blobs(x, y);
                        }));
    scenes.emplace_back("stripes", picture<std::uint16_t>(kScene, [](double x, double y) {
                            return std::fmod(x, 8) < 4 ? 1000 : 60'000 - y;
                        }));
    std::vector<Case> all;
    for (auto& [name, scene] : scenes) {
        base::AnyImage templ = cut(scene, box);
        all.push_back({name, std::move(scene), std::move(templ)});
    }
    return all;
}

inline rotation::Cover coverOf(const char* rotations, std::vector<double> scales = {1},
                               bool mirror = false) {
    rotation::Cover cover =
        rotation::flatCover(rotation::parseRotations(rotations), rotation::pointGroup("C1"));
    cover.scales = std::move(scales);
    cover.mirror = mirror;
    return cover;
}

inline Bank bankOf(const base::AnyImage& templ, rotation::Cover cover,
                   const base::View<const std::uint8_t>& support = {}) {
    std::vector<rotation::Turner> turners;
    turners.emplace_back(base::viewOf(templ), support, true, false);
    return std::make_shared<const rotation::PoseBank>(std::move(turners), std::move(cover));
}

/// The pixels of a member less their mean, with the norm 1; 0 where they do not count.
inline std::vector<double> unitOf(const rotation::TurnedTemplate& member) {
    const auto& pixels = std::get<base::Image<float>>(member.pixels);
    std::vector<double> values(static_cast<std::size_t>(pixels.count()));
    double sum = 0;
    double count = 0;
    for (std::int64_t i = 0; i < pixels.count(); ++i) {
        const bool in = member.support.data()[i] != 0;
        sum += in ? static_cast<double>(pixels.data()[i]) : 0;
        count += in ? 1 : 0;
    }
    double squares = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] =
            member.support.data()[i] != 0 ? static_cast<double>(pixels.data()[i]) - sum / count : 0;
        squares += values[i] * values[i];
    }
    for (double& value : values) {
        value /= std::sqrt(squares);
    }
    return values;
}

/// A scene with a margin of values of its own, in which every member's box has room wherever what
/// counts of it lies in the scene.
struct Margin {
    base::Index before{0, 0, 0};
    Extents extents;
    base::AnyImage pixels;

    Margin(const base::AnyImage& scene, const rotation::PoseBank& bank)
        : extents(base::extentsOf(scene)) {
        const Extents n = extents;
        base::Index behind{0, 0, 0};
        for (std::int64_t i = 0; i < bank.count(); ++i) {
            const base::Box own = ownOf(bank, i);
            before = {std::max(before.x, own.corner.x), std::max(before.y, own.corner.y), 0};
            behind = {std::max(behind.x, bank.box().x - own.corner.x - own.extents.x),
                      std::max(behind.y, bank.box().y - own.corner.y - own.extents.y), 0};
        }
        extents = {before.x + n.x + behind.x, before.y + n.y + behind.y, 1};
        pixels = std::visit(
            [&](const auto& image) -> base::AnyImage {
                using T = std::remove_cvref_t<decltype(*image.data())>;
                base::Image<T> made(extents, T{33});
                for (std::int64_t i = 0; i < image.count(); ++i) {
                    made.view().at(before.x + i % n.x, before.y + i / n.x, 0) = image.data()[i];
                }
                return made;
            },
            scene);
    }
    static base::Box ownOf(const rotation::PoseBank& bank, std::int64_t i) {
        return bank.ownBox(bank.templ(i), bank.pose(i));
    }
};

/// The best canonical score of every placement.
struct Exhaustive {
    Margin margin;
    base::Image<float> value;
    base::Image<base::Status> status;
    base::Image<std::int32_t> index;
    base::Image<double> exact;
    std::vector<method::CanonicalTemplate> members;
    std::vector<base::Box> own; ///< of each member, what counts

    Exhaustive(const base::AnyImage& scene, const rotation::PoseBank& bank)
        : margin(scene, bank), value(mapOf(bank), 0), status(mapOf(bank), base::Status::Flat),
          index(mapOf(bank), -1), exact(mapOf(bank), -2), m_scene(base::extentsOf(scene)) {
        for (std::int64_t i = 0; i < bank.count(); ++i) {
            const rotation::TurnedTemplate made = bank.member(i);
            members.emplace_back(method::viewOf(made));
            own.push_back(Margin::ownOf(bank, i));
        }
        for (std::int64_t at = 0; at < value.count(); ++at) {
            for (std::size_t i = 0; i < members.size(); ++i) {
                const method::CanonicalValue found = score(i, at);
                if (found.scored && found.score > exact.data()[at]) {
                    exact.data()[at] = found.score;
                    value.data()[at] = static_cast<float>(found.score);
                    status.data()[at] = base::Status::Ok;
                    index.data()[at] = static_cast<std::int32_t>(i);
                }
            }
        }
    }
    /// Of a member at a placement, if what counts of it lies in the scene.
    [[nodiscard]] method::CanonicalValue score(std::size_t member, std::int64_t at) const {
        const std::int64_t x = at % value.extents().x;
        const std::int64_t y = at / value.extents().x;
        const base::Box& box = own[member];
        const std::int64_t left = x + box.corner.x - margin.before.x;
        const std::int64_t top = y + box.corner.y - margin.before.y;
        if (left < 0 || top < 0 || left + box.extents.x > m_scene.x ||
            top + box.extents.y > m_scene.y) {
            return {0, 0, false};
        }
        return method::canonicalValue(margin.pixels, members[member], {x, y, 0},
                                      method::Outside::Zero);
    }
    [[nodiscard]] std::vector<match::Peak> peaks(const Bank& bank,
                                                 const match::PeakOptions& options) const {
        match::SearchedMap map;
        map.value = value.view();
        map.status = status.view();
        map.index = index.view();
        map.poses = bank;
        map.room = base::Box{margin.before, m_scene};
        std::vector<match::Peak> found = match::findPeaks(margin.pixels, {map}, {}, options);
        for (match::Peak& peak : found) {
            peak.corner.x -= margin.before.x;
            peak.corner.y -= margin.before.y;
            peak.centre[0] -= static_cast<double>(margin.before.x);
            peak.centre[1] -= static_cast<double>(margin.before.y);
        }
        return found;
    }

  private:
    [[nodiscard]] Extents mapOf(const rotation::PoseBank& bank) const {
        return {margin.extents.x - bank.box().x + 1, margin.extents.y - bank.box().y + 1, 1};
    }
    Extents m_scene;
};

} // namespace flcc::test
