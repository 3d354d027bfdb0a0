#include "tests/bench/bench_cases.h"

#include <algorithm>
#include <filesystem>
#include <random>
#include <type_traits>
#include <utility>

#include "engine/io/image_file.h"
#include "engine/sample/sample.h"

namespace flcc::bench {

using base::AnyImage;
using base::Extents;
using base::PixelType;

namespace {

constexpr const char* kPicture = "/usr/lib/python3/dist-packages/skimage/data/camera.png";
constexpr const char* kHead = "/usr/share/mricron/templates/ch2.nii.gz";

/// The position in 0 .. length-1 that `i` shows when the line is continued by reflection.
std::int64_t reflected(std::int64_t i, std::int64_t length) {
    const std::int64_t inPeriod = i % (2 * length);
    return inPeriod < length ? inPeriod : 2 * length - 1 - inPeriod;
}

Case noiseCase(PixelType type, const Extents& scene, const Extents& templ) {
    Case made{
        std::string(base::name(type)) + " " + base::toString(scene), noise(type, scene, 1), {}};
    made.templ = cut(made.scene, templ);
    return made;
}

/// The image of a file, continued by reflection, its values times `factor`.
std::optional<AnyImage> mirrored(const char* file, PixelType type, const Extents& extents,
                                 double factor) {
    if (!std::filesystem::exists(file)) {
        return std::nullopt;
    }
    const AnyImage source = io::toScalar(io::readImage(file)).pixels;
    const base::AnyView view = base::viewOf(source);
    const Extents from = base::extentsOf(source);
    AnyImage made = base::makeImage(type, extents);
    std::visit(
        [&](auto& image) {
            using T = std::remove_pointer_t<decltype(image.data())>;
            T* to = image.data();
            for (std::int64_t z = 0; z < extents.z; ++z) {
                for (std::int64_t y = 0; y < extents.y; ++y) {
                    for (std::int64_t x = 0; x < extents.x; ++x) {
                        const base::Index at{reflected(x, from.x), reflected(y, from.y),
                                             reflected(z, from.z)};
                        *to++ = static_cast<T>(factor * base::valueAt(view, at));
                    }
                }
            }
        },
        made);
    return made;
}

} // namespace

AnyImage noise(PixelType type, const Extents& extents, std::uint32_t seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<double> value(100, 20);
    AnyImage made = base::makeImage(type, extents);
    std::visit(
        [&](auto& image) {
            using T = std::remove_pointer_t<decltype(image.data())>;
            for (std::int64_t i = 0; i < image.count(); ++i) {
                image.data()[i] = static_cast<T>(std::clamp(value(generator), 0.0, 127.0));
            }
        },
        made);
    return made;
}

std::optional<AnyImage> picture(PixelType type, const Extents& extents) {
    return mirrored(kPicture, type, extents, type == PixelType::UInt16 ? 257 : 1);
}

std::optional<AnyImage> head(const Extents& extents) {
    return mirrored(kHead, PixelType::Float32, extents, 1);
}

AnyImage cut(const AnyImage& scene, const Extents& extents, int parts) {
    const Extents all = base::extentsOf(scene);
    const base::Index corner{(all.x - extents.x) / parts, (all.y - extents.y) / parts,
                             (all.z - extents.z) / parts};
    return base::copyOf(base::partOf(base::viewOf(scene), {corner, extents}));
}

std::vector<Case> squareCases(PixelType type, std::int64_t scene,
                              const std::vector<std::int64_t>& sizes) {
    const Extents extents{scene, scene, 1};
    std::vector<Case> cases;
    for (const std::int64_t size : sizes) {
        cases.push_back(noiseCase(type, extents, {size, size, 1}));
        cases.back().name = "noise";
    }
    for (const std::int64_t size : sizes) {
        if (auto pixels = picture(type, extents)) {
            Case made{"picture", std::move(*pixels), {}};
            made.templ = cut(made.scene, {size, size, 1});
            cases.push_back(std::move(made));
        }
    }
    return cases;
}

std::vector<Case> volumeCases(std::int64_t scene, std::int64_t size) {
    const Extents extents{scene, scene, scene};
    const Extents templ{size, size, size};
    std::vector<Case> cases;
    cases.push_back(noiseCase(PixelType::Float32, extents, templ));
    cases.back().name = "noise";
    if (auto pixels = head(extents)) {
        constexpr std::int64_t kDarkThird = 400; // beside the head where it is mirrored so far
        Case made{"head", std::move(*pixels), {}};
        made.templ = cut(made.scene, templ, scene > kDarkThird ? 4 : 3);
        cases.push_back(std::move(made));
    }
    return cases;
}

std::vector<Case> comparisonCases() {
    std::vector<Case> cases = squareCases(PixelType::Float32, 2000, {8, 16, 32, 64});
    sample::Sample cells = sample::makeSample("cells");
    cases.push_back({"cells", std::move(cells.scene), std::move(cells.templ)});
    return cases;
}

std::vector<Case> predictionCases() {
    std::vector<Case> cases;
    cases.push_back(noiseCase(PixelType::Float32, {512, 512, 1}, {8, 8, 1}));
    cases.push_back(noiseCase(PixelType::UInt8, {1024, 1024, 1}, {16, 16, 1}));
    cases.push_back(noiseCase(PixelType::Float32, {2000, 2000, 1}, {16, 16, 1}));
    cases.push_back(noiseCase(PixelType::Float32, {2000, 2000, 1}, {32, 32, 1}));
    cases.push_back(noiseCase(PixelType::Float32, {2000, 2000, 1}, {64, 64, 1}));
    cases.push_back(noiseCase(PixelType::UInt16, {3000, 1000, 1}, {31, 17, 1}));
    cases.push_back(noiseCase(PixelType::Float32, {997, 1009, 1}, {101, 103, 1}));
    cases.push_back(noiseCase(PixelType::Float32, {64, 64, 64}, {8, 8, 8}));
    cases.push_back(noiseCase(PixelType::UInt8, {128, 128, 128}, {16, 16, 16}));
    cases.push_back(noiseCase(PixelType::Int16, {192, 192, 96}, {21, 21, 21}));
    return cases;
}

} // namespace flcc::bench
