#include "engine/base/extents.h"

#include "engine/base/error.h"

namespace flcc::base {

namespace {

std::int64_t checkedProduct(std::int64_t a, std::int64_t b, const Extents& extents) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) {
        throw Error(ErrorCode::Problem,
                    "extents " + toString(extents) + " hold more than 2^63 - 1 bytes or voxels");
    }
    return product;
}

} // namespace

std::int64_t voxelCount(const Extents& extents) {
    if (extents.x < 1 || extents.y < 1 || extents.z < 1) {
        throw Error(ErrorCode::Problem,
                    "extents " + toString(extents) + " must be at least 1 on every axis");
    }
    return checkedProduct(checkedProduct(extents.x, extents.y, extents), extents.z, extents);
}

std::int64_t byteCount(const Extents& extents, std::int64_t bytesPerVoxel) {
    return checkedProduct(voxelCount(extents), bytesPerVoxel, extents);
}

Extents validExtents(const Extents& scene, const Extents& templ) {
    if (templ.x > scene.x || templ.y > scene.y || templ.z > scene.z) {
        throw Error(ErrorCode::Problem, Message("template-larger-than-scene",
                                                "template {template} is larger than scene {scene}",
                                                {{"template", templ}, {"scene", scene}}));
    }
    return {scene.x - templ.x + 1, scene.y - templ.y + 1, scene.z - templ.z + 1};
}

bool contains(const Extents& extents, const Box& box) {
    const auto inside = [](std::int64_t corner, std::int64_t length, std::int64_t extent) {
        return corner >= 0 && length >= 1 && length <= extent && corner <= extent - length;
    };
    return inside(box.corner.x, box.extents.x, extents.x) &&
           inside(box.corner.y, box.extents.y, extents.y) &&
           inside(box.corner.z, box.extents.z, extents.z);
}

std::string toString(const Extents& extents) {
    return std::to_string(extents.x) + "x" + std::to_string(extents.y) + "x" +
           std::to_string(extents.z);
}

std::string toString(const Index& index) {
    return std::to_string(index.x) + "," + std::to_string(index.y) + "," + std::to_string(index.z);
}

std::string toString(const Box& box) {
    return toString(box.corner) + ":" + std::to_string(box.extents.x) + "," +
           std::to_string(box.extents.y) + "," + std::to_string(box.extents.z);
}

} // namespace flcc::base
