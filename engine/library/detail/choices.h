#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/pixels.h"
#include "engine/filter/problem.h"
#include "engine/library/flcc.h"
#include "engine/method/problem.h"
#include "engine/plan/report.h"

namespace flcc::library {

/// flcc_options in the words of the engine.
struct Choices {
    std::optional<method::Extent> extent;
    std::optional<filter::Border> border;
    std::optional<std::string> kernel;
    std::string method = "auto";
    plan::Planning planning = plan::Planning::Measure;
    method::Precision precision = method::Precision::Single;
    base::PixelType scenePixel = base::PixelType::Float32;
    base::PixelType templPixel = base::PixelType::Float32;
    std::int64_t scenes = 1;
    method::Limits limits;
};

/// `options` may be null. **Errors**: CommandLine for an unknown word and a number outside its
/// range; the sentence names the field.
[[nodiscard]] Choices choicesOf(const flcc_options* options);

/// **Errors**: Problem for extents below 1, and as requirePossible(); `what` is the subject.
[[nodiscard]] base::Extents extentsOf(const flcc_extents& extents, const char* what);
[[nodiscard]] flcc_extents extentsOf(const base::Extents& extents);
/// **Errors**: Memory for more voxels than any machine holds.
void requirePossible(const base::Extents& extents, const char* what);

/// Image number `number` of those that lie one after the other at `data`.
[[nodiscard]] base::AnyView imageAt(const void* data, base::PixelType type,
                                    const base::Extents& extents, std::int64_t number = 0);

/// Random voxels on which candidates are timed.
[[nodiscard]] base::AnyImage randomImage(base::PixelType type, const base::Extents& extents,
                                         std::uint64_t seed);

} // namespace flcc::library
