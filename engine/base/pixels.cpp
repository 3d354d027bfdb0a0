#include "engine/base/pixels.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/error.h"

namespace flcc::base {

namespace {

struct TypeFacts {
    std::string_view name;
    std::int64_t bytes;
    bool integer;
};

constexpr std::array<TypeFacts, 10> kFacts{{{"uint8", 1, true},
                                            {"int8", 1, true},
                                            {"uint16", 2, true},
                                            {"int16", 2, true},
                                            {"uint32", 4, true},
                                            {"int32", 4, true},
                                            {"uint64", 8, true},
                                            {"int64", 8, true},
                                            {"float32", 4, false},
                                            {"float64", 8, false}}};

template <std::size_t... I>
AnyImage makeByIndex(std::size_t type, const Extents& extents, std::index_sequence<I...>) {
    AnyImage image;
    ((I == type ? (void)image.emplace<I>(extents) : void()), ...);
    return image;
}

} // namespace

AnyView viewOf(const AnyImage& image) {
    return std::visit([](const auto& typed) { return AnyView(typed.view()); }, image);
}

PixelType pixelType(const AnyImage& image) { return static_cast<PixelType>(image.index()); }
PixelType pixelType(const AnyView& view) { return static_cast<PixelType>(view.index()); }

Extents extentsOf(const AnyImage& image) {
    return std::visit([](const auto& typed) { return typed.extents(); }, image);
}

Extents extentsOf(const AnyView& view) {
    return std::visit([](const auto& typed) { return typed.extents(); }, view);
}

AnyImage makeImage(PixelType type, const Extents& extents) {
    return makeByIndex(static_cast<std::size_t>(type), extents,
                       std::make_index_sequence<std::variant_size_v<AnyImage>>());
}

AnyView partOf(const AnyView& view, const Box& box) {
    if (!contains(extentsOf(view), box)) {
        throw Error(ErrorCode::Problem,
                    "box " + toString(box) + " leaves the image of " + toString(extentsOf(view)));
    }
    return std::visit([&](const auto& typed) { return AnyView(typed.part(box)); }, view);
}

AnyImage copyOf(const AnyView& view) {
    AnyImage copy = makeImage(pixelType(view), extentsOf(view));
    std::visit(
        [&](auto& target) {
            using Voxel = std::remove_pointer_t<decltype(target.data())>;
            const auto& source = std::get<View<const Voxel>>(view);
            const Extents& extents = source.extents();
            for (std::int64_t z = 0; z < extents.z; ++z) {
                for (std::int64_t y = 0; y < extents.y; ++y) {
                    std::copy_n(source.row(y, z), extents.x, target.view().row(y, z));
                }
            }
        },
        copy);
    return copy;
}

double valueAt(const AnyView& view, const Index& index) {
    return std::visit([&](const auto& typed) { return static_cast<double>(typed.at(index)); },
                      view);
}

std::int64_t bytesPerVoxel(PixelType type) { return kFacts[static_cast<std::size_t>(type)].bytes; }
bool isInteger(PixelType type) { return kFacts[static_cast<std::size_t>(type)].integer; }
std::string_view name(PixelType type) { return kFacts[static_cast<std::size_t>(type)].name; }

} // namespace flcc::base
