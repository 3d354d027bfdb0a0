#include "engine/library/detail/choices.h"

#include <array>
#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/base/tile_pool.h"

namespace flcc::library {

using base::Error;
using base::ErrorCode;

namespace {

/// The value whose name is `word`; empty for a null pointer.
template <class Value>
std::optional<Value> chosen(const char* field, const char* word,
                            std::initializer_list<Value> values) {
    if (word == nullptr) {
        return std::nullopt;
    }
    std::string known;
    for (const Value value : values) {
        if (name(value) == word) {
            return value;
        }
        known += (known.empty() ? "" : ", ") + std::string(name(value));
    }
    throw Error(ErrorCode::CommandLine, std::string("there is no ") + field + " \"" +
                                            std::string(base::excerpt(word)) + "\"; use " + known);
}

base::PixelType pixelTypeOf(int type, const char* field) {
    using base::PixelType;
    constexpr std::array kTypes{PixelType::Float32, PixelType::Float64, PixelType::UInt8,
                                PixelType::Int8,    PixelType::UInt16,  PixelType::Int16,
                                PixelType::UInt32,  PixelType::Int32,   PixelType::UInt64,
                                PixelType::Int64};
    const auto number = static_cast<std::size_t>(type);
    if (number >= kTypes.size()) {
        throw Error(ErrorCode::CommandLine, std::string(field) + " " +
                                                std::to_string(static_cast<int>(type)) +
                                                " is no flcc_type");
    }
    return kTypes[number];
}

/// Threads that a pool may have.
constexpr int kMostThreads = 4096;
/// 16 TiB of float32. All sizes that are computed from it fit 63 bits.
constexpr std::int64_t kMostVoxels = std::int64_t{1} << 42;

void requireNotNegative(std::int64_t value, const char* field) {
    if (value < 0) {
        throw Error(ErrorCode::CommandLine,
                    std::string(field) + " must be 0 or more, not " + std::to_string(value));
    }
}

template <std::size_t type = 0>
base::AnyView viewAs(std::size_t wanted, const void* data, const base::Extents& extents,
                     std::int64_t first) {
    if constexpr (type < std::variant_size_v<base::AnyView>) {
        if (type == wanted) {
            using View = std::variant_alternative_t<type, base::AnyView>;
            using Voxel = std::remove_pointer_t<decltype(View().data())>;
            return View(static_cast<Voxel*>(data) + first, extents);
        }
        return viewAs<type + 1>(wanted, data, extents, first);
    } else {
        throw Error(ErrorCode::Internal, "there is no such pixel type");
    }
}

} // namespace

Choices choicesOf(const flcc_options* options) {
    Choices choices;
    choices.limits.threads = base::availableThreads();
    choices.limits.transforms = method::Transforms::Own; // FFTW ends a process that lacks memory
    if (options == nullptr) {
        return choices;
    }
    using filter::Border;
    using method::Extent;
    using plan::Planning;
    choices.extent = chosen("extent", options->extent, {Extent::Valid, Extent::Same, Extent::Full});
    choices.border = chosen("border", options->border,
                            {Border::Zero, Border::Replicate, Border::Mirror, Border::Wrap});
    if (options->kernel != nullptr) {
        choices.kernel = options->kernel;
    }
    if (options->method != nullptr) {
        choices.method = options->method;
    }
    choices.planning = chosen("planning", options->planning,
                              {Planning::Estimate, Planning::Measure, Planning::Exhaustive})
                           .value_or(choices.planning);
    choices.precision = chosen("precision", options->precision,
                               {method::Precision::Single, method::Precision::Double})
                            .value_or(choices.precision);
    choices.scenePixel = pixelTypeOf(options->scene_type, "scene_type");
    choices.templPixel = pixelTypeOf(options->template_type, "template_type");
    requireNotNegative(options->scenes, "scenes");
    requireNotNegative(options->memory, "memory");
    requireNotNegative(options->threads, "threads");
    choices.scenes = options->scenes > 0 ? options->scenes : choices.scenes;
    if (options->memory > 0) {
        choices.limits.memoryBytes = options->memory;
    }
    if (options->threads > kMostThreads) {
        throw Error(ErrorCode::CommandLine, "threads must be at most " +
                                                std::to_string(kMostThreads) + ", not " +
                                                std::to_string(options->threads));
    }
    if (options->threads > 0) {
        choices.limits.threads = options->threads;
    }
    return choices;
}

base::Extents extentsOf(const flcc_extents& extents, const char* what) {
    const base::Extents own{extents.x, extents.y, extents.z};
    if (own.x < 1 || own.y < 1 || own.z < 1) {
        throw Error(ErrorCode::Problem, std::string("the ") + what + " has the extents " +
                                            base::toString(own) +
                                            ", but needs a voxel on each axis; "
                                            "a 2D image has z = 1");
    }
    (void)base::byteCount(own, 8); // that fits 63 bits
    requirePossible(own, what);
    return own;
}

void requirePossible(const base::Extents& extents, const char* what) {
    if (base::voxelCount(extents) > kMostVoxels) {
        throw Error(ErrorCode::Memory,
                    std::string("the ") + what + " " + base::toString(extents) + " has more than " +
                        std::to_string(kMostVoxels) +
                        " voxels, more than the memory of any machine; divide it");
    }
}

flcc_extents extentsOf(const base::Extents& extents) { return {extents.x, extents.y, extents.z}; }

base::AnyView imageAt(const void* data, base::PixelType type, const base::Extents& extents,
                      std::int64_t number) {
    return viewAs(static_cast<std::size_t>(type), data, extents,
                  number * base::voxelCount(extents));
}

base::AnyImage randomImage(base::PixelType type, const base::Extents& extents, std::uint64_t seed) {
    base::AnyImage made = base::makeImage(type, extents);
    std::visit(
        [&](auto& image) {
            using Voxel = std::remove_pointer_t<decltype(image.data())>;
            base::Random random(seed);
            for (std::int64_t i = 0; i < image.count(); ++i) {
                image.data()[i] = static_cast<Voxel>(random.uniform(0, 120));
            }
        },
        made);
    return made;
}

} // namespace flcc::library
