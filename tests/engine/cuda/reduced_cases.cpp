#include "tests/engine/cuda/reduced_cases.h"

#include <cmath>

#include "tests/engine/match/peak_judge.h"
#include "tests/support/effort.h"

namespace flcc::test {

using base::Extents;
using base::PixelType;

namespace {

base::AnyImage nanTexture() {
    base::AnyImage scene = test::texture(PixelType::Float32, {150, 70, 1}, 5);
    for (const std::int64_t x : {20, 63, 64, 120}) {
        test::setVoxel(scene, {x, x / 2, 0}, std::nan(""));
    }
    return scene;
}

} // namespace

ReducedCase caseOf(const std::string& name) {
    if (name == "noise") { // as many maxima as there can be
        return {noise(PixelType::UInt8, {200, 90, 1}, 3), noise(PixelType::UInt8, {3, 3, 1}, 4)};
    }
    if (name == "ties") { // every score comes again
        base::AnyImage scene = makeScene(PixelType::UInt8, {150, 70, 1}, [](const base::Index& at) {
            return static_cast<double>((at.x % 11 * 37 + at.y % 7 * 91) % 200);
        });
        base::AnyImage templ = crop(scene, {{5, 3, 0}, {6, 5, 1}});
        return {std::move(scene), std::move(templ)};
    }
    if (name == "plateaus") { // every placement along y has the same score
        base::AnyImage scene = makeScene(PixelType::UInt8, {140, 70, 1}, [](const base::Index& at) {
            return static_cast<double>((at.x * at.x * 7 + at.x * 31) % 97);
        });
        base::AnyImage templ = crop(scene, {{60, 3, 0}, {6, 5, 1}});
        return {std::move(scene), std::move(templ)};
    }
    if (name == "one copy") { // and nothing else that is like it: the rival is low
        base::AnyImage scene = noise(PixelType::UInt8, {150, 70, 1}, 3);
        base::AnyImage templ = texture(PixelType::UInt8, {12, 9, 1}, 9);
        paste(scene, templ, {58, 26, 0});
        return {std::move(scene), std::move(templ)};
    }
    if (name == "slope") { // plateaus along y that end beside what is higher
        const auto wave = [](std::int64_t x, std::int64_t a, std::int64_t b) {
            return static_cast<double>((x * x * a + x * b) % 97);
        };
        base::AnyImage scene =
            makeScene(PixelType::UInt8, {140, 70, 1}, [&](const base::Index& at) {
                return wave(at.x, 7, 31) + (at.y < 35 ? wave(at.x, 3, 11) : 0.0);
            });
        base::AnyImage templ = crop(scene, {{60, 50, 0}, {6, 5, 1}});
        return {std::move(scene), std::move(templ)};
    }
    if (name == "flat") { // beside the copy
        base::AnyImage scene = makeScene(PixelType::UInt8, {150, 70, 1}, [](const base::Index& at) {
            return at.x == 58 && at.y > 20 && at.y < 30 ? static_cast<double>(at.y) : 0.0;
        });
        base::AnyImage templ = crop(scene, {{58, 24, 0}, {4, 3, 1}});
        return {std::move(scene), std::move(templ)};
    }
    if (name == "volume") {
        base::AnyImage scene = texture(PixelType::Int16, {90, 40, 9}, 5);
        base::AnyImage templ = crop(scene, {{58, 14, 3}, {5, 4, 3}});
        return {std::move(scene), std::move(templ)};
    }
    base::AnyImage scene =
        name == "NaN" ? nanTexture() : texture(PixelType::UInt16, {150, 70, 1}, 5);
    base::AnyImage templ = crop(scene, {{40, 10, 0}, {9, 7, 1}});
    if (name == "NaN") { // beside the copy
        setVoxel(scene, {49, 12, 0}, std::nan(""));
    }
    return {std::move(scene), std::move(templ)};
}

const std::vector<std::string>& caseNames() {
    static const std::vector<std::string> all{"texture", "noise", "ties",  "plateaus", "one copy",
                                              "volume",  "NaN",   "slope", "flat"};
    static const std::vector<std::string> few{"ties", "volume", "NaN"};
    return kSanitized ? few : all;
}

base::AnyImage withLevelEdges(double level) {
    const base::AnyImage inner = noise(PixelType::UInt16, {9, 7, 1}, 6);
    return makeScene(PixelType::UInt16, {9, 7, 1}, [&](const base::Index& at) {
        return at.x < 2 || at.x > 6 ? level : base::valueAt(base::viewOf(inner), at);
    });
}

std::vector<base::Index> someVoxels(const Extents& map) {
    std::vector<base::Index> voxels{{0, 0, 0}, {map.x - 1, map.y - 1, map.z - 1}};
    Random random(8);
    while (voxels.size() < 60) {
        voxels.push_back({random.below(map.x), random.below(map.y), random.below(map.z)});
    }
    return voxels;
}

std::string anyDifference(const std::vector<match::Peak>& a, const std::vector<match::Peak>& b) {
    std::string difference = firstDifference(a, b);
    for (std::size_t i = 0; i < a.size() && difference.empty(); ++i) {
        const bool alike = a[i].zscore == b[i].zscore && a[i].status == b[i].status &&
                           a[i].centre == b[i].centre && a[i].world == b[i].world;
        difference = alike ? "" : "peak " + std::to_string(i) + " differs";
    }
    return difference;
}

std::string otherPeaks(const std::vector<match::Peak>& a, const std::vector<match::Peak>& b) {
    return firstDifference(a, b);
}

bool same(const match::MapStatistics& a, const match::MapStatistics& b) {
    return a.count == b.count && a.minimum == b.minimum && a.maximum == b.maximum &&
           a.mean == b.mean && a.standardDeviation == b.standardDeviation;
}

bool same(const method::MapFacts& a, const method::MapFacts& b) {
    return a.statusCounts == b.statusCounts && a.overRange == b.overRange &&
           a.recomputed == b.recomputed && a.boundMedian == b.boundMedian &&
           a.largestBound == b.largestBound && a.largestLowConf == b.largestLowConf &&
           a.largestRounding == b.largestRounding && a.scores.count == b.scores.count &&
           a.scores.sum == b.scores.sum && a.scores.squares == b.scores.squares;
}

} // namespace flcc::test
